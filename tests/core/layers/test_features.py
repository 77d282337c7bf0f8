"""What each run adds (definitions.md section 1)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark.layers.features import features
from effspark.layers.moments import FEATURES
from tests.core.layers import loops
from tests.core.layers.rows import Row, run, runs, sums, table

OUT_OF_LAYER = ("n", "correct", "tokens", "known", "known_completed", "truncated", "refused", "missing")


@settings(max_examples=25)
@given(st.lists(runs(), max_size=6))
def test_every_feature_equals_the_obvious_loop(given_runs: list[Row]) -> None:
    found = features(table(given_runs))
    assert set(found) == set(FEATURES)
    for place, row in enumerate(given_runs):
        assert {name: int(values[place]) for name, values in found.items()} == loops.features(row), row


@pytest.mark.parametrize(
    ("stop", "known", "completed", "correct"),
    [
        ("stop", 1, 1, 1),
        ("refusal", 1, 1, 1),
        ("length", 1, 0, 0),
        ("context", 1, 0, 0),
        ("agent_limit", 1, 0, 0),
        ("unknown", 0, 0, 1),
        ("tool", 0, 0, 1),
        ("pause", 0, 0, 1),
    ],
)
def test_a_stop_class_means_for_n_and_s_what_the_table_says(
    stop: str, known: int, completed: int, correct: int
) -> None:
    found = sums([run(stop, correct=True)])
    assert (found["n"], found["known"], found["known_completed"], found["correct"]) == (
        1,
        known,
        completed,
        correct,
    )


@pytest.mark.parametrize(
    ("truncated", "completed", "correct", "inferred"), [(True, 0, 0, 1), (False, 1, 1, 0)]
)
def test_an_inferred_cut_decides_where_the_stop_class_does_not(
    truncated: bool, completed: int, correct: int, inferred: int
) -> None:
    found = sums([run("unknown", truncated=truncated, truncation_source="inferred_budget")])
    assert (found["known"], found["known_completed"], found["correct"]) == (1, completed, correct)
    assert (found["truncated"], found["truncated_inferred"]) == (inferred, inferred)


def test_a_cut_run_labelled_correct_is_a_failure_and_tallied() -> None:
    found = sums(
        [run("length", correct=True), run("agent_limit", correct=True), run("length", correct=False)]
    )
    assert (found["correct"], found["truncated_correct"], found["n"]) == (0, 2, 3)


def test_the_cut_of_a_harness_has_its_own_tally() -> None:
    found = sums([run("agent_limit"), run("length"), run("context")])
    assert (found["agent_limited"], found["truncated"], found["truncated_inferred"]) == (1, 2, 0)


def test_missing_tokens_leave_the_layer_and_are_never_zero() -> None:
    lost = [
        run("length", output_tokens=None, output_budget_tokens=512),
        run("stop", output_tokens=None, output_budget_tokens=None),
        run("unknown", output_tokens=None, output_budget_tokens=256),
    ]
    found = sums([*lost, run(output_tokens=0)])
    assert (found["n"], found["tokens"], found["correct"]) == (1, 0, 1)
    assert (found["missing"], found["missing_known"], found["missing_completed"]) == (3, 2, 1)
    assert (found["missing_truncated"], found["censored"]) == (1, 1)
    assert (found["missing_budget"], found["missing_without_budget"]) == (768, 1)


def test_a_correct_run_of_zero_tokens_counts_but_solves_nothing() -> None:
    found = sums([run(output_tokens=0), run(output_tokens=1)])
    assert (found["n"], found["correct"], found["solving"], found["solving_tokens"]) == (2, 2, 1, 1)


@pytest.mark.parametrize(
    ("status", "feature"),
    [
        ("error", "errors"),
        ("cancelled", "cancelled"),
        ("invalidated", "invalidated"),
        ("excluded", "excluded"),
    ],
)
def test_what_is_not_ok_is_counted_and_out_of_every_layer(status: str, feature: str) -> None:
    found = sums([run(status=status)])
    assert (found["runs"], found[feature]) == (1, 1)
    assert {found[name] for name in OUT_OF_LAYER} == {0}


def test_errors_keep_their_tokens_where_known() -> None:
    found = sums(
        [run("error", status="error", output_tokens=9), run("error", status="error", output_tokens=None)]
    )
    assert (found["errors"], found["errors_with_tokens"], found["error_tokens"]) == (2, 1, 9)


def test_a_run_without_a_verdict_is_unscored_unless_it_was_cut() -> None:
    found = sums([run(correct=None), run("length", correct=None), run("refusal", correct=None)])
    assert (found["unscored"], found["n"], found["correct"], found["truncated"]) == (2, 1, 0, 1)


def test_without_a_scorer_every_run_is_in_the_layer() -> None:
    found = sums([run(scorer="", correct=None), run("unknown", scorer="", correct=None)])
    assert (found["unscored"], found["n"], found["correct"], found["known"]) == (0, 2, 0, 1)


def test_a_refusal_is_completed_and_tallied_with_its_tokens() -> None:
    found = sums(
        [run("refusal", correct=False, output_tokens=5), run("refusal", correct=True, output_tokens=6)]
    )
    assert (found["known_completed"], found["refused"], found["refused_correct"]) == (2, 2, 1)
    assert found["refused_tokens"] == 11
