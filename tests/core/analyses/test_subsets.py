"""Nested subsets: the shared vector, every subset run by run, and what is undefined."""

from __future__ import annotations

import math

import numpy as np
import pytest

from effspark.analyses.subsets import Sums, metrics, subset_error, subset_errors
from tests.core.pool import loops
from tests.core.pool.loops import Run, made, names, of, success, vector


def sums(runs: list[Run]) -> tuple[Sums, list[str], list[str]]:
    models, instances = names(runs, "model"), names(runs, "instance")
    found = np.zeros((6, len(instances), len(models)))
    for run in runs:
        where = (slice(None), instances.index(run["instance"]), models.index(run["model"]))
        found[where] += [1, success(run), run["tokens"], 1, run["completed"], success(run)]
    return Sums(*found), models, instances


def test_the_vector_of_nested_subsets_passes() -> None:
    given, expected = vector("nested_subset")
    found, _, instances = sums(given["runs"])
    subsets = np.array([[one in sample for one in instances] for sample in given["samples"]])
    work = np.array([given["W"][one] for one in instances], float)
    told = subset_errors(found, subsets, work)
    assert set(told) == set(expected)
    for name, error in told.items():
        computed = dict(zip(("median_rel_error", "p95_rel_error", "median_rank_rho"), error, strict=False))
        assert computed == pytest.approx(expected[name], rel=1e-12), name


@pytest.mark.parametrize("seed", range(3))
def test_metrics_of_a_subset_equal_the_obvious_loop(seed: int) -> None:
    runs = made(seed, repeats=3)
    found, models, instances = sums(runs)
    draw = np.random.default_rng(seed)
    subsets = draw.random((5, len(instances))) < 0.5
    work = np.where(draw.random(len(instances)) < 0.8, draw.integers(1, 9, len(instances)), np.nan)
    told = metrics(found, subsets.astype(float), work)
    for row, subset in enumerate(subsets):
        inside = {one for one, kept in zip(instances, subset, strict=True) if kept}
        scale = {one: w for one, w in zip(instances, work.tolist(), strict=True) if one in inside and w == w}
        for column, model in enumerate(models):
            mine = [run for run in of(runs, model) if run["instance"] in inside]
            right, done = sum(map(success, mine)), sum(run["completed"] for run in mine)
            spent = sum(run["tokens"] for run in mine)
            overhead, coupling = loops.layer(mine, scale)
            expected = {
                "E0": 1000 * right / spent if spent else math.nan,
                "accuracy": right / len(mine) if mine else math.nan,
                "r_ctx": done / len(mine) if mine else math.nan,
                "r_logic": right / done if done else math.nan,
                "VO": overhead,
                "kappa": coupling,
            }
            computed = {name: values[row, column] for name, values in told.items()}
            assert computed == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_without_work_there_is_no_overhead() -> None:
    assert set(metrics(sums(made(0))[0], np.ones((1, 12)))) == {"E0", "accuracy", "r_ctx", "r_logic"}


def test_an_error_relative_to_nothing_is_undefined_and_counted() -> None:
    found = subset_error(np.array([[1.0, 2.0, np.nan], [3.0, 2.0, 1.0]]), np.array([0.0, 2.0, 4.0]))
    assert (found.undefined_errors, found.undefined_rho) == (3, 1)
    assert (found.median_error, found.median_rho) == (0.0, -1.0)


def test_the_whole_suite_is_without_error() -> None:
    found, _, instances = sums(made(2))
    for error in subset_errors(found, np.ones((3, len(instances)), bool)).values():
        assert error == (0.0, 0.0, 1.0, 0, 0)
