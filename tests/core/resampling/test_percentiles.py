"""Percentiles and intervals: the shared vectors, numpy where all is finite, and infinite and undefined values."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.layers.decomposition import terms_of_resamples
from effspark.layers.outcome import ratio
from effspark.layers.workload import over_instances
from effspark.resampling.percentiles import interval, median, percentile

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


def vector(name: str) -> tuple[dict[str, Any], Any]:
    found = json.loads((VECTORS / f"{name}.json").read_text())
    return found["input"], found["expected"]


def test_the_vectors_of_percentiles_pass() -> None:
    given_, expected = vector("percentiles")
    values, infinite = (np.array([float(value) for value in given_[name]]) for name in ("values", "neg_inf"))
    found = {
        "type7": [percentile(values, q).item() for q in given_["q"]],
        "neg_inf": [percentile(infinite, q).item() for q in given_["q_neg_inf"]],
        "paper_table9": percentile(np.array([27 / 28] * 10 + [1.0] * 190), 0.05).item(),
        "median_even": median(np.array([1.0, 2.0, 3.0, 10.0])).item(),
        "empty": percentile(np.array([]), 0.5).item(),
    }
    for name, value in found.items():
        wanted = np.array(expected[name], float).tolist()
        assert value == pytest.approx(wanted, rel=1e-12, nan_ok=True), name


finite = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20)


@given(finite, st.floats(0, 1))
def test_percentiles_of_finite_values_are_those_of_numpy(values: list[float], q: float) -> None:
    assert percentile(np.array(values), q) == pytest.approx(np.quantile(values, q), rel=1e-9, abs=1e-9)


numbers = st.sampled_from([math.nan, -math.inf, math.inf, -1.0, 0.0, 2.5, 7.0])


def plain(values: list[float], q: float) -> float:
    ordered = sorted(value for value in values if not math.isnan(value))
    if not ordered:
        return math.nan
    place = (len(ordered) - 1) * q
    low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
    if math.floor(place) == math.ceil(place):
        return low
    if math.isinf(low) or math.isinf(high):
        return low if math.isinf(low) else high
    return low + (place - math.floor(place)) * (high - low)


@given(st.lists(st.lists(numbers, min_size=5, max_size=5), min_size=1, max_size=4), st.floats(0, 1))
def test_rows_with_infinite_and_undefined_values_equal_the_obvious_loop(
    rows: list[list[float]], q: float
) -> None:
    assert percentile(np.array(rows), q).tolist() == pytest.approx(
        [plain(row, q) for row in rows], nan_ok=True
    )


@given(st.lists(numbers, max_size=9))
def test_an_interval_counts_what_it_cannot_use(values: list[float]) -> None:
    found = interval(np.array(values, float), level=0.9)
    assert (found.infinite, found.undefined) == (
        sum(map(math.isinf, values)),
        sum(map(math.isnan, values)),
    )
    outside = (1 - 0.9) / 2
    expected = (plain(values, outside), plain(values, 1 - outside))
    assert (found.low, found.high) == pytest.approx(expected, nan_ok=True)


def test_an_infinite_value_only_reaches_the_end_that_touches_it() -> None:
    found = interval(np.array([-math.inf, *range(99)], float))
    assert (found.low, found.infinite) == (pytest.approx(1.475), 1)


def factors(
    weights: np.ndarray, runs: list[dict[str, Any]], work: Mapping[str, float]
) -> dict[str, np.ndarray]:
    """E0 and every factor of the workload layer in each resample, from one run an instance."""
    completed, correct, tokens = (
        np.array([run[key] for run in runs], float) for key in ("completed", "correct", "tokens")
    )
    right = completed * correct
    of_work = over_instances(
        np.ones((len(runs), 1)),
        tokens[:, None],
        np.array([work[run["instance"]] for run in runs], float),
        weights=weights,
    )
    return {
        "E0": ratio(1000 * (weights @ right), weights @ tokens),
        "r_ctx": ratio(weights @ completed, weights.sum(axis=1)),
        "r_logic": ratio(weights @ right, weights @ completed),
        "VO": of_work.overhead[:, 0],
        "kappa": of_work.coupling[:, 0],
        "mean_W": of_work.mean_work[:, 0],
    }


def test_the_vector_of_bootstrapped_terms_passes() -> None:
    given_, expected = vector("bootstrap_terms")
    instances = sorted({run["instance"] for run in given_["runs"]})
    weights = np.array([[sample.count(one) for one in instances] for sample in given_["samples"]], float)
    sides = []
    for side in ("model", "reference"):
        runs = [run for run in given_["runs"] if run["model"] == given_[side]]
        runs.sort(key=lambda run: run["instance"])
        assert [run["instance"] for run in runs] == instances
        sides.append(factors(weights, runs, given_["W"]))
    terms = terms_of_resamples(*sides, layer="workload")
    assert set(terms) == set(expected)
    for name, values in terms.items():
        found = interval(values)
        computed = {
            "lo": found.low,
            "hi": found.high,
            "infinite": found.infinite,
            "undefined": found.undefined,
        }
        wanted = {key: float(value) for key, value in expected[name].items()}
        assert {key: float(value) for key, value in computed.items()} == pytest.approx(
            wanted, rel=1e-12, abs=1e-12
        ), name
