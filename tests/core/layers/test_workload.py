"""The workload layer: the shared vectors, and the two ways to write kappa."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark.layers.workload import Workload, workload
from effspark.resampling.exact import exact_sum

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


def layer(tokens: list[float], work: list[float]) -> Workload:
    t, w = np.array(tokens, float), np.array(work, float)
    sums = (float(len(t)), exact_sum(t), exact_sum(w), exact_sum(t / w))
    return workload(*(np.array(value) for value in sums))


@pytest.mark.parametrize("path", sorted(VECTORS.glob("workload_*.json")), ids=lambda path: path.stem)
def test_workload_vectors_pass_through_the_core(path: Path) -> None:
    vector = json.loads(path.read_text())
    expected = {name: float(value) for name, value in vector["expected"].items()}
    found = layer(vector["input"]["tokens"], vector["input"]["workload"])
    covariance = found.mean_tokens - found.mean_work * found.overhead
    computed = {
        "VO": found.overhead,
        "kappa": found.coupling,
        "kappa_from_cov": found.coupling,
        "mean_T": found.mean_tokens,
        "mean_W": found.mean_work,
        "cov_W_VO": covariance,
        "n": len(vector["input"]["tokens"]),
    }
    assert {name: float(value) for name, value in computed.items()} == pytest.approx(
        expected, rel=1e-12, abs=1e-12, nan_ok=True
    )


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 9999), st.integers(1, 500)), min_size=1, max_size=30))
def test_overhead_is_the_mean_of_ratios_and_kappa_the_population_covariance(
    runs: list[tuple[int, int]],
) -> None:
    tokens, work = [t for t, _ in runs], [w for _, w in runs]
    found = layer(list(tokens), list(work))
    ratios = [t / w for t, w in runs]
    mean = np.mean(ratios)
    assert float(found.overhead) == pytest.approx(mean, rel=1e-12)
    if mean > 0:
        covariance = np.mean((np.array(work) - np.mean(work)) * (np.array(ratios) - mean))
        assert float(found.coupling) == pytest.approx(1 + covariance / (np.mean(work) * mean), rel=1e-9)
        assert float(found.mean_work * found.overhead * found.coupling) == pytest.approx(
            np.mean(tokens), rel=1e-12
        )
    else:
        assert np.isnan(found.coupling)


def test_leading_axes_are_kept_and_no_runs_are_undefined() -> None:
    found = workload(
        np.array([[2.0, 0.0]]), np.array([[6.0, 0.0]]), np.array([[4.0, 0.0]]), np.array([[3.0, 0.0]])
    )
    assert found.overhead.shape == (1, 2)
    assert [float(part[0, 0]) for part in found] == [1.5, 1.0, 2.0, 3.0]
    assert all(np.isnan(part[0, 1]) for part in found)
