"""The trace layer: the shared vector, and how it stands to the workload layer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from effspark.layers.trace import Trace, trace
from effspark.layers.workload import workload
from effspark.resampling.exact import exact_sum

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


def layer(tokens: list[float], work: list[float], sigma: list[float]) -> Trace:
    t, w, s = np.array(tokens, float), np.array(work, float), np.array(sigma, float)
    sums = (float(len(t)), exact_sum(t), exact_sum(w), exact_sum(s * t), exact_sum(s * t / w))
    return trace(*(np.array(value) for value in sums))


def test_the_trace_vector_passes_through_the_core() -> None:
    vector = json.loads((VECTORS / "trace_layer.json").read_text())
    given, expected = vector["input"], vector["expected"]
    found = layer(given["tokens"], given["workload"], given["sigma"])
    computed = {"q_trace": found.signal_share, "VO_sig": found.overhead, "kappa_sig": found.coupling}
    for name, value in computed.items():
        assert float(value) == pytest.approx(expected[name], rel=1e-12, abs=1e-12), name
    mean_signal = float(found.overhead * found.coupling) * expected["mean_W"]
    assert mean_signal == pytest.approx(expected["mean_signal"], rel=1e-12)
    assert mean_signal == pytest.approx(float(found.signal_share) * expected["mean_T"], rel=1e-12)


def test_a_trace_without_redundancy_has_the_workload_layer_of_its_tokens() -> None:
    tokens, work = [100.0, 200.0, 400.0], [2.0, 5.0, 8.0]
    found = layer(tokens, work, [1.0, 1.0, 1.0])
    plain = workload(*(np.array(value) for value in (3.0, 700.0, 15.0, 140.0)))
    assert found.signal_share == 1.0
    assert (found.overhead, found.coupling) == (plain.overhead, plain.coupling)


def test_q_weighs_tokens_not_runs() -> None:
    assert layer([100, 900], [1, 1], [1.0, 0.5]).signal_share == pytest.approx(0.55)


def test_no_token_has_no_signal_share() -> None:
    assert np.isnan(layer([0.0], [1.0], [0.5]).signal_share)
