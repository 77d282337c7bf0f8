"""Cells: sums of runs, and what a solution costs by each rule."""

from __future__ import annotations

import math
from statistics import mean

import numpy as np
import pytest

from effspark.pool.cells import Rule, costs_of_runs
from tests.core.pool import loops
from tests.core.pool.loops import Run, cells, made, names, of, solves, vector

PICK = {Rule.MEAN: mean, Rule.FIRST: lambda spent: spent[0], Rule.MIN: min}


def costs(runs: list[Run], rule: Rule) -> np.ndarray:
    models, instances = names(runs, "model"), names(runs, "instance")
    return costs_of_runs(
        np.array([instances.index(run["instance"]) for run in runs]),
        np.array([models.index(run["model"]) for run in runs]),
        np.array([run["tokens"] for run in runs]),
        np.array([loops.success(run) for run in runs]),
        shape=(len(instances), len(models)),
        rule=rule,
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rule", Rule)
def test_costs_equal_the_obvious_loop(rule: Rule, seed: int) -> None:
    runs = made(seed, repeats=4)
    found = costs(runs, rule)
    for column, model in enumerate(names(runs, "model")):
        for row, instance in enumerate(names(runs, "instance")):
            spent = [run["tokens"] for run in of(runs, model, instance) if solves(run)]
            expected = PICK[rule](spent) if spent else math.nan
            assert found[row, column] == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("rule", Rule)
def test_the_vectors_of_repeats_pass(rule: Rule) -> None:
    given, expected = vector(f"solver_repeats_{rule.value}")
    assert given["repeat_rule"] == rule.value
    models = names(given["runs"], "model")
    first = costs(given["runs"], rule)[0, models.index(expected[0]["solver"])]
    assert [first] == [one["W"] for one in expected]


@pytest.mark.parametrize("seed", range(4))
def test_the_mean_of_sums_is_the_mean_of_runs(seed: int) -> None:
    runs = made(seed, repeats=3)
    np.testing.assert_array_equal(cells(runs)[0].cost, costs(runs, Rule.MEAN))


def test_cells_of_some_instances_and_models_keep_their_names_and_sums() -> None:
    runs = made(1, models=4)
    whole, instances = cells(runs)
    some = np.array([instance != "i001" for instance in instances])
    part = whole.at(some).of(np.array([2, 0]))
    expected = [run for run in runs if run["instance"] != "i001"]
    again, _ = cells(expected)
    assert part.models == ("m2", "m0")
    np.testing.assert_array_equal(part.tokens, again.tokens[:, [2, 0]])
    np.testing.assert_array_equal(part.covered, again.n[:, [2, 0]] > 0)


def test_a_run_without_tokens_solves_nothing() -> None:
    runs = [{"model": "m", "instance": "i", "repeat": 0, "tokens": 0, "completed": True, "correct": True}]
    assert all(np.isnan(costs(runs, rule)).all() for rule in Rule)
    assert np.isnan(cells(runs)[0].cost).all()
    assert cells(runs)[0].correct.tolist() == [[1]]
