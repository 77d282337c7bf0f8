"""Transfer between benchmarks: the shared vectors, and resamples one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from effspark.analyses.transfer import Mode, correlation, transfer
from effspark.resampling.draws import multinomial
from effspark.resampling.words import Purpose
from tests.core.pool.loops import rank, rho, vector


def test_the_vector_of_transfer_between_benchmarks_passes() -> None:
    given, expected = vector("cross_benchmark")
    names = list(given["tables"])
    models = sorted(set.intersection(*(set(table) for table in given["tables"].values())))
    found = transfer(np.array([[given["tables"][name][model] for model in models] for name in names]))
    computed = {f"{names[a]}|{names[b]}": value for (a, b), value in zip(found.pairs, found.rho, strict=True)}
    assert computed == pytest.approx(expected["rho"], rel=1e-12)
    assert (found.low, found.median, found.high) == pytest.approx(
        tuple(expected[name] for name in ("min", "median", "max")), rel=1e-12
    )
    assert len(models) == expected["models"]


@pytest.mark.parametrize("mode", Mode)
def test_the_vectors_of_bootstrapped_correlation_pass(mode: Mode) -> None:
    given, expected = vector(f"bootstrap_spearman_{mode.value}")
    assert given["mode"] == mode.value
    x, y, drawn = (np.array(given[name]) for name in ("x", "y", "idx"))
    found = correlation(x, y, drawn, mode=mode)
    computed = {
        "rho": found.rho,
        "lo": found.low,
        "hi": found.high,
        "n": found.resamples,
        "undefined": found.undefined,
    }
    assert computed == pytest.approx(expected, rel=1e-12)


def pearson(pairs: list[tuple[float, float]]) -> float:
    left, right = (np.array(side) - np.mean(side) for side in zip(*pairs, strict=True))
    size = math.sqrt((left**2).sum() * (right**2).sum())
    return (left * right).sum() / size if size > 1e-9 else math.nan


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("models", [3, 6, 14])
def test_an_interval_equals_the_obvious_loop_over_resamples(mode: Mode, models: int) -> None:
    draw = np.random.default_rng(models)
    x, y = draw.integers(0, 9, models) / 3, draw.random(models)
    drawn = multinomial(models, np.arange(60), seed=1, purpose=Purpose.MODELS)
    ranks = [[rank(side, value) for value in side] for side in (x.tolist(), y.tolist())]
    each = []
    for places in drawn.tolist():
        if mode is Mode.FIXED:
            each.append(pearson([(ranks[0][place], ranks[1][place]) for place in places]))
        else:
            each.append(rho([(x[place], y[place]) for place in places]))
    found = correlation(x, y, drawn, mode=mode, level=0.9)
    defined = [value for value in each if not math.isnan(value)]
    assert found.undefined == len(each) - len(defined)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(defined, [0.05, 0.95])), rel=1e-9)
    assert found.rho == pytest.approx(rho(list(zip(x, y, strict=True))), nan_ok=True)


def test_two_shared_models_have_no_correlation_and_no_interval() -> None:
    two = np.array([1.0, 2.0])
    found = correlation(two, two, np.array([[0, 1], [1, 0]]))
    assert math.isnan(found.rho)
    assert math.isnan(found.low)
    assert (found.resamples, found.undefined) == (2, 2)


def test_one_benchmark_has_nothing_to_transfer_to() -> None:
    found = transfer(np.ones((1, 5)))
    assert found.pairs == ()
    assert math.isnan(found.median)
    assert math.isnan(found.low)


def test_a_metric_that_is_undefined_on_one_benchmark_leaves_the_pair_only() -> None:
    values = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, np.nan], [4.0, 3.0, 2.0, 1.0]])
    assert transfer(values).rho.tolist() == [1.0, -1.0, -1.0]
