"""Selection effects: the shared vectors, patterns, and the ratio within instances run by run."""

from __future__ import annotations

import math
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

from effspark.analyses.selection import (
    Completed,
    Pattern,
    across_models,
    against_others,
    by_repeats,
    pattern,
    selection,
    within_instances,
)
from tests.core.pool.loops import Run, made, names, of, vector


def completed(runs: list[Run]) -> Completed:
    """Sums of the completed runs, shape (instances, models)."""
    models, instances = names(runs, "model"), names(runs, "instance")
    sums = np.zeros((4, len(instances), len(models)))
    for run in runs:
        if run["completed"]:
            side = 0 if run["correct"] else 2
            where = (instances.index(run["instance"]), models.index(run["model"]))
            sums[side][where] += 1
            sums[side + 1][where] += run["tokens"]
    return Completed(*sums)


def over_instances(runs: Completed) -> Completed:
    return Completed(*(part.sum(axis=0) for part in runs))


@pytest.mark.parametrize("name", ["selection_effects", "selection_effects_no_incorrect"])
def test_the_vectors_of_selection_effects_pass(name: str) -> None:
    given, expected = vector(name)
    sums = over_instances(completed(given["runs"]))
    found = selection(sums)
    computed = {
        "T_correct": found.mean_correct.item(),
        "T_incorrect": found.mean_incorrect.item(),
        "ratio": found.ratio.item(),
        "n_correct": sums.correct.item(),
        "n_incorrect": sums.incorrect.item(),
    }
    assert pattern(found.ratio.item()).value == expected.pop("pattern")
    wanted = {key: float(value) for key, value in expected.items()}
    assert computed == pytest.approx(wanted, rel=1e-12, nan_ok=True)


def test_the_vector_of_patterns_passes() -> None:
    given, expected = vector("failure_pattern")
    assert [pattern(value).value for value in given["ratio"]] == expected


def test_a_ratio_that_is_undefined_has_no_pattern() -> None:
    assert pattern(math.nan) is Pattern.UNDEFINED
    assert pattern(math.inf) is Pattern.OVER_INVEST


def test_across_models_the_undefined_leave_and_the_deviation_is_that_of_a_sample() -> None:
    ratios = [1.2, 0.9, 1.7]
    assert across_models(np.array([*ratios, np.nan])) == pytest.approx((mean(ratios), stdev(ratios)))
    alone = across_models(np.array([1.5]))
    assert alone[0] == 1.5
    assert math.isnan(alone[1])
    assert all(map(math.isnan, across_models(np.array([np.nan]))))


def spent(runs: list[Run], *, correct: bool | None = None) -> list[int]:
    return [run["tokens"] for run in runs if run["completed"] and correct in (None, run["correct"])]


def plain_by_repeats(runs: list[Run], model: str) -> float:
    wrong = right = 0.0
    for instance in names(runs, "instance"):
        sides = [spent(of(runs, model, instance), correct=verdict) for verdict in (False, True)]
        if all(sides):
            wrong, right = wrong + mean(sides[0]), right + mean(sides[1])
    return wrong / right if right else math.nan


def plain_against_others(runs: list[Run], model: str) -> float:
    sides: dict[bool, list[float]] = {True: [], False: []}
    for run in of(runs, model):
        others = [
            mean(theirs)
            for other in names(runs, "model")
            if other != model and (theirs := spent(of(runs, other, run["instance"])))
        ]
        if run["completed"] and len(others) >= 3 and mean(others) > 0:
            sides[run["correct"]].append(run["tokens"] / mean(others))
    return mean(sides[False]) / mean(sides[True]) if all(sides.values()) and mean(sides[True]) else math.nan


@pytest.mark.parametrize("seed", range(5))
def test_ratios_within_instances_equal_the_obvious_loops(seed: int) -> None:
    runs = made(seed, models=6, instances=14, repeats=3, gaps=0.3)
    sums = completed(runs)
    for place, model in enumerate(names(runs, "model")):
        expected: list[Any] = [plain_by_repeats(runs, model), plain_against_others(runs, model)]
        assert by_repeats(sums)[place] == pytest.approx(expected[0], rel=1e-12, nan_ok=True)
        assert against_others(sums)[place] == pytest.approx(expected[1], rel=1e-9, nan_ok=True)
        assert within_instances(sums)[place] == pytest.approx(expected[0], rel=1e-12, nan_ok=True)


def test_without_repeats_a_model_is_held_against_others() -> None:
    runs = made(3, models=5, repeats=1, gaps=0.05)
    sums = completed(runs)
    np.testing.assert_array_equal(within_instances(sums), against_others(sums))


def test_with_two_other_models_there_is_nothing_to_hold_against() -> None:
    assert np.isnan(against_others(completed(made(3, models=3, repeats=1, gaps=0.0)))).all()


def test_what_others_do_not_spend_on_is_left_out() -> None:
    runs = [run | {"tokens": 9 if run["model"] == "m0" else 0} for run in made(3, models=5, repeats=1)]
    assert np.isnan(against_others(completed(runs))[0])
