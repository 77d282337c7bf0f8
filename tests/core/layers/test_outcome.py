"""The outcome layer: the shared vectors through the core, and when a number is undefined and why."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark.layers import outcome
from tests.core.layers import loops
from tests.core.layers.rows import Row, arrays, no_sums, of_vector, run, runs, sums

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
SPOKEN = {"mean_tokens": "mean_T"}
TALLIED = {
    "n": "n",
    "n_correct": "correct",
    "n_completed": "known_completed",
    "n_missing_tokens": "missing",
    "n_truncated_but_labelled_correct": "truncated_correct",
    "total_tokens": "tokens",
}
METRICS = tuple(outcome.outcome(arrays(no_sums())))


def number(value: float | str) -> float:
    return float(value)


def check(expected: Row, logged: list[Row]) -> None:
    """Every number of an outcome vector, from the features of its runs."""
    summed = sums(of_vector(one) for one in logged)
    found = outcome.outcome(arrays(summed))
    for name, value in expected.items():
        if name == "model":
            continue
        computed = summed[TALLIED[name]] if name in TALLIED else found[SPOKEN.get(name, name)]
        assert float(computed) == pytest.approx(number(value), rel=1e-12, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("path", sorted(VECTORS.glob("outcome_*.json")), ids=lambda path: path.stem)
def test_outcome_vectors_pass_through_the_core(path: Path) -> None:
    vector = json.loads(path.read_text())
    check(vector["expected"], vector["input"]["runs"])


def test_the_outcome_table_of_seven_models_passes_through_the_core() -> None:
    vector = json.loads((VECTORS / "audit_outcome_table.json").read_text())
    assert len(vector["expected"]) == 7
    for expected in vector["expected"]:
        check(expected, [one for one in vector["input"]["runs"] if one["model"] == expected["model"]])


def measured(given_runs: list[Row], *, least_known: float = 0.95) -> dict[str, float]:
    found = outcome.outcome(arrays(sums(given_runs)), least_known=least_known)
    return {name: float(value) for name, value in found.items()}


@settings(max_examples=25)
@given(st.lists(runs(), max_size=8), st.sampled_from([0.0, 0.5, 0.95, 1.0]))
def test_every_metric_equals_the_obvious_loop_and_a_null_has_its_reason(
    given_runs: list[Row], least_known: float
) -> None:
    expected = loops.metrics(given_runs, least_known=least_known)
    summed = sums(given_runs)
    for name, value in measured(given_runs, least_known=least_known).items():
        assert value == pytest.approx(math.nan if expected[name] is None else expected[name], nan_ok=True), (
            name
        )
        reason = outcome.reason(name, summed, scored=True, least_known=least_known)
        assert (reason is None) == (expected[name] is not None), (name, reason)


def test_a_model_is_computed_alike_alone_and_among_others() -> None:
    one, other = [run(), run("length")], [run("unknown", output_tokens=7)]
    stacked = {name: np.array([sums(one)[name], sums(other)[name]], float) for name in sums(one)}
    both = outcome.outcome(stacked)
    for place, given_runs in enumerate((one, other)):
        alone = measured(given_runs)
        for name, values in both.items():
            assert float(values[place]) == pytest.approx(alone[name], nan_ok=True), name


def test_completion_below_the_share_makes_rates_unknown_and_leaves_the_rest() -> None:
    mostly = [run() for _ in range(19)]
    at_the_share, below = (
        measured([*mostly, run("unknown")]),
        measured([*mostly[1:], run("unknown"), run("tool")]),
    )
    assert (at_the_share["r_ctx"], at_the_share["known_share"], at_the_share["E0"]) == (1.0, 0.95, 10.0)
    assert math.isnan(below["r_ctx"])
    assert math.isnan(below["r_logic"])
    assert (below["E0"], below["accuracy"], below["r_ctx_all"]) == (10.0, 1.0, 1.0)


def test_r_logic_is_the_share_answered_times_the_share_right_of_these() -> None:
    found = measured([run(), run(correct=False), run("refusal", correct=False), run("length")])
    assert (found["r_answer"], found["r_correct"]) == (pytest.approx(2 / 3), 0.5)
    assert found["r_logic"] == pytest.approx(found["r_answer"] * found["r_correct"])


def test_a_refusal_that_counts_as_right_is_no_right_answer() -> None:
    found = measured([run(), run(correct=False), run("refusal", correct=True)])
    assert (found["r_answer"], found["r_correct"]) == (pytest.approx(2 / 3), 0.5)


def test_both_bounds_of_missing_tokens_and_of_errors_are_given() -> None:
    found = measured(
        [
            run(output_tokens=400),
            run("length", output_tokens=None, output_budget_tokens=600),
            run("error", status="error", output_tokens=100),
            run("error", status="error", output_tokens=None),
        ]
    )
    assert (found["E0"], found["E0_low"], found["E0_errors_as_failures"]) == (2.5, 1.0, 2.0)
    assert found["accuracy_errors_as_failures"] == pytest.approx(1 / 3)
    assert (found["r_ctx"], found["r_ctx_all"]) == (1.0, 0.5)


def test_runs_without_a_count_have_an_accuracy_all_the_same() -> None:
    lost = [
        run(output_tokens=None),
        run(output_tokens=None, correct=False),
        run("length", output_tokens=None),
    ]
    found = measured([*lost, run(output_tokens=None, correct=None)])
    assert math.isnan(found["accuracy"])
    assert found["accuracy_all"] == pytest.approx(1 / 3)
    assert measured([*lost, run()])["accuracy_all"] == 0.5


@pytest.mark.parametrize(
    ("metric", "given_runs", "reason"),
    [
        ("E0", [run(output_tokens=None)], "no_runs_with_tokens"),
        ("E0", [run(output_tokens=0)], "no_tokens"),
        ("accuracy", [run(status="error")], "no_runs_with_tokens"),
        ("accuracy_all", [run(correct=None, output_tokens=None)], "no_verdicts"),
        ("r_ctx", [run("unknown")], "completion_unknown"),
        ("r_ctx", [*[run()] * 9, run("unknown")], "completion_unknown"),
        ("r_logic", [run("length")], "no_completed_run"),
        ("r_correct", [run("refusal")], "no_answered_run"),
        ("r_ctx_all", [run("unknown")], "completion_unknown"),
        ("r_ctx_all", [run("unknown"), run("unknown", output_tokens=None)], "completion_unknown"),
        ("r_ctx_all", [run(status="error")], "no_runs_with_tokens"),
        ("E0_low", [run(), run(output_tokens=None)], "budget_unknown"),
        ("E0_errors_as_failures", [run(output_tokens=0)], "no_tokens"),
        ("accuracy_errors_as_failures", [run(status="cancelled")], "no_runs_with_tokens"),
    ],
)
def test_an_undefined_number_says_why(metric: str, given_runs: list[Row], reason: str) -> None:
    assert math.isnan(measured(given_runs)[metric])
    assert outcome.reason(metric, sums(given_runs), scored=True) == reason


def test_bounds_that_are_defined_without_any_run_with_tokens_stay() -> None:
    lost = [run("length", output_tokens=None, output_budget_tokens=50), run(status="error", output_tokens=10)]
    found = measured(lost)
    for name, value in {
        "E0_low": 0.0,
        "r_ctx_all": 0.0,
        "E0_errors_as_failures": 0.0,
        "accuracy_errors_as_failures": 0.0,
    }.items():
        assert (found[name], outcome.reason(name, sums(lost), scored=True)) == (value, None), name


@pytest.mark.parametrize("metric", METRICS)
def test_only_what_needs_a_verdict_is_refused_to_an_unscored_model(metric: str) -> None:
    free = ("mean_T", "known_share", "r_ctx", "r_ctx_all", "r_answer")
    reason = outcome.reason(metric, sums([run(scorer="", correct=None)]), scored=False)
    assert reason == (None if metric in free else "no_verdicts")


@pytest.mark.parametrize(
    ("metric", "unit"),
    [
        ("E0", "correct answers per 1,000 tokens"),
        ("E0_low", "correct answers per 1,000 tokens"),
        ("E0_errors_as_failures", "correct answers per 1,000 tokens"),
        ("mean_T", "tokens"),
        ("accuracy_errors_as_failures", "share"),
        ("r_ctx_all", "share"),
    ],
)
def test_units_are_told(metric: str, unit: str) -> None:
    assert outcome.unit(metric) == unit


def test_large_sums_divide_once_and_stay_exact() -> None:
    summed: dict[str, Any] = arrays(no_sums(n=3 * 10**6, correct=10**6, tokens=3 * 10**15))
    assert outcome.outcome(summed)["E0"].item() == 1000 * 10**6 / (3 * 10**15)
