"""The workload layer: the shared vectors, and the two ways to write kappa."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark.layers.workload import Workload, covariance, has_work, over_instances, retained, workload
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
    moved = covariance(found)
    computed = {
        "VO": found.overhead,
        "kappa": found.coupling,
        "kappa_from_cov": 1 + moved / (found.mean_work * found.overhead) if found.overhead else np.nan,
        "mean_T": found.mean_tokens,
        "mean_W": found.mean_work,
        "cov_W_VO": moved,
        "n": len(vector["input"]["tokens"]),
    }
    assert {name: float(value) for name, value in computed.items()} == pytest.approx(
        expected, rel=1e-12, abs=1e-12, nan_ok=True
    )


def test_the_workload_table_of_seven_models_passes_through_the_core() -> None:
    vector = json.loads((VECTORS / "audit_workload_table.json").read_text())
    runs, work = vector["input"]["runs"], vector["input"]["W"]
    models, instances = (sorted({run[key] for run in runs}) for key in ("model", "instance"))
    n, tokens = np.zeros((2, len(instances), len(models)))
    for run in runs:
        where = (instances.index(run["instance"]), models.index(run["model"]))
        n[where] += 1
        tokens[where] += run["tokens"]
    scale = np.array([work[instance] for instance in instances], float)
    found = over_instances(n, tokens, scale)
    told = {
        "VO": found.overhead,
        "kappa": found.coupling,
        "kappa_from_cov": 1 + covariance(found) / (found.mean_work * found.overhead),
        "cov_W_VO": covariance(found),
        "mean_W": found.mean_work,
        "mean_T": found.mean_tokens,
        "n": retained(n, scale),
    }
    assert [row["model"] for row in vector["expected"]] == models
    for place, row in enumerate(vector["expected"]):
        computed = {name: float(values[place]) for name, values in told.items()}
        assert computed == pytest.approx({name: row[name] for name in told}, rel=1e-12, abs=1e-12)


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


def by_runs(
    n: np.ndarray, tokens: np.ndarray, work: np.ndarray, times: np.ndarray, model: int
) -> tuple[list[float], list[float]]:
    """T and W of every run of a model that has W, its instance taken as often as it counts."""
    spent: list[float] = []
    each: list[float] = []
    for instance, w in enumerate(work):
        if w is None or not w > 0 or n[instance, model] == 0:
            continue
        for _ in range(times[instance] * n[instance, model]):
            spent.append(tokens[instance, model] / n[instance, model])
            each.append(w)
    return spent, each


cells = st.integers(1, 8).flatmap(
    lambda size: st.tuples(
        st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=size, max_size=size),
        st.lists(st.lists(st.integers(0, 999), min_size=3, max_size=3), min_size=size, max_size=size),
        st.lists(st.sampled_from([np.nan, 0.0, -2.0, 1.0, 3.0, 2.5, 70.0]), min_size=size, max_size=size),
        st.lists(st.integers(0, 3), min_size=size, max_size=size),
    )
)


@settings(max_examples=40)
@given(cells)
def test_the_layer_over_instances_equals_the_obvious_loop_over_runs(
    drawn: tuple[list[list[int]], list[list[int]], list[float], list[int]],
) -> None:
    n, tokens, work, times = (np.array(part) for part in drawn)
    tokens = tokens * n  # the sum of T over the runs of an instance
    once = np.ones_like(times)
    found = over_instances(n, tokens, work, weights=np.stack([once, times]).astype(float))
    plain = over_instances(n, tokens, np.repeat(work[:, None], 3, axis=1))
    for model in range(3):
        for row, counted in enumerate((once, times)):
            spent, each = by_runs(n, tokens, work, counted, model)
            ratios = [t / w for t, w in zip(spent, each, strict=True)]
            expected = [np.nan] * 4
            if ratios:
                overhead, mean_work, mean_tokens = np.mean(ratios), np.mean(each), np.mean(spent)
                coupling = mean_tokens / (mean_work * overhead) if overhead > 0 else np.nan
                expected = [overhead, coupling, mean_work, mean_tokens]
            assert [part[row, model] for part in found] == pytest.approx(expected, rel=1e-12, nan_ok=True)
            if row == 0:
                assert [part[model] for part in plain] == pytest.approx(expected, rel=1e-12, nan_ok=True)
                assert retained(n, work)[model] == len(ratios)


def test_a_workload_that_is_null_zero_or_negative_is_none() -> None:
    assert has_work(np.array([np.nan, 0.0, -1.0, np.inf, 0.5])).tolist() == [False, False, False, False, True]


def test_tokens_of_zero_stay_in_the_layer() -> None:
    found = over_instances(np.ones((2, 1)), np.array([[0.0], [8.0]]), np.array([2.0, 2.0]))
    assert (found.overhead[0], found.mean_tokens[0]) == (2.0, 4.0)
