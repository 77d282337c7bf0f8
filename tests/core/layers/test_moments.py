"""Moments: the laws of adding, and the fingerprint."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark import tables
from effspark.layers import moments
from effspark.layers.features import INPUT, MOMENT_KEY
from effspark.runs.keys import instance_key
from tests.core.layers.rows import Row, run, runs, table


def in_order(found: pa.Table) -> list[Row]:
    return sorted(found.to_pylist(), key=lambda row: tuple(row[name] for name in MOMENT_KEY))


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
