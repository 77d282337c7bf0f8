"""Moments: what each run adds, and the laws of adding (definitions.md section 1)."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark import tables
from effspark.layers import moments
from effspark.layers.moments import FEATURES, INPUT, MOMENT_KEY
from effspark.runs.keys import instance_key
from tests.core.layers import loops
from tests.core.layers.rows import Row, run, runs, sums, table

OUT_OF_LAYER = ("n", "correct", "tokens", "known", "known_completed", "truncated", "refused", "missing")


def in_order(found: pa.Table) -> list[Row]:
    return sorted(found.to_pylist(), key=lambda row: tuple(row[name] for name in MOMENT_KEY))


@settings(max_examples=25)
@given(st.lists(runs(), max_size=6))
def test_every_feature_equals_the_obvious_loop(given_runs: list[Row]) -> None:
    found = moments.features(table(given_runs))
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


def test_squares_of_the_largest_count_add_without_overflow() -> None:
    found = moments.partial_moments(table([run(output_tokens=10**9)] * 20))
    assert found["tokens_squared"].to_pylist() == [Decimal(20 * 10**18)]


@settings(max_examples=25)
@given(st.lists(runs(), max_size=8), st.data())
def test_moments_of_parts_add_up_to_those_of_the_whole(given_runs: list[Row], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(given_runs))
    cut = data.draw(st.integers(0, len(shuffled)))
    parts = [moments.partial_moments(table(part)) for part in (shuffled[cut:], shuffled[:cut])]
    added = moments.with_instance_keys(moments.add_up(pa.concat_tables(parts).drop_columns("instance_key")))
    assert in_order(added) == in_order(moments.partial_moments(table(given_runs)))


@settings(max_examples=25)
@given(st.lists(runs(), min_size=1, max_size=5), st.data())
def test_the_fingerprint_sees_every_column_of_every_run(given_runs: list[Row], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(given_runs) - 1))
    name = data.draw(st.sampled_from(INPUT.names))
    old = given_runs[place][name]
    changed = list(given_runs)
    changed[place] = given_runs[place] | {name: other_than(old, INPUT.field(name).type)}
    assert fingerprint(changed) != fingerprint(given_runs)


def other_than(value: Any, kind: pa.DataType) -> Any:
    if pa.types.is_boolean(kind):
        return None if value is False else False
    if pa.types.is_integer(kind):
        return None if value == 0 else 0
    return "other" if value != "other" else "another"


def fingerprint(given_runs: list[Row]) -> Decimal:
    return sum(moments.fingerprints(table(given_runs)).to_pylist(), Decimal(0))


def test_a_run_counted_twice_changes_the_fingerprint() -> None:
    assert fingerprint([run(), run()]) == 2 * fingerprint([run()]) != fingerprint([run()])


def test_fingerprints_tell_null_from_false_and_from_text() -> None:
    values = [run(correct=None), run(correct=False), run(run_key="None"), run(run_key="")]
    assert len({fingerprint([value]) for value in values}) == 4


def test_fingerprints_are_written_as_old_lakes_have_them() -> None:
    row = (moments.METHOD_VERSION, *(run()[name] for name in INPUT.names))
    assert fingerprint([run()]) == int.from_bytes(hashlib.sha256(repr(row).encode()).digest()[:8], "big")


def test_one_row_stands_for_each_key_with_the_key_of_its_instance() -> None:
    given_runs = [run(), run(), run(instance_id="j"), run(scorer=""), run(benchmark_version="2")]
    found = moments.partial_moments(table(given_runs))
    assert found.schema == tables.schema("moments")
    assert [row["runs"] for row in in_order(found)] == [1, 2, 1, 1]
    keys = {row["instance_id"]: row["instance_key"] for row in found.to_pylist()}
    assert keys == {name: f"{instance_key('b', name):016x}" for name in "ij"}


def test_no_runs_have_no_moments() -> None:
    assert moments.partial_moments(table([])) == tables.schema("moments").empty_table()
