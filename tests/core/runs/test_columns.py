"""Values of rows as columns of a table."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest

from effspark import tables
from effspark.runs.columns import arrays, batch, gathered, taken

ALIASES = {
    "kind": "model",
    "raw": ["a", "b"],
    "canonical": ("x", "y"),
    "version": pa.array([1, 2], pa.int32()),
}


def test_values_of_each_row_arrays_and_one_value_for_all_are_columns() -> None:
    found = batch("aliases", {**ALIASES, "unused": 0}, 2)
    assert found.schema == tables.schema("aliases")
    assert [list(row.values()) for row in found.to_pylist()] == [
        ["model", "a", "x", 1],
        ["model", "b", "y", 2],
    ]
    assert arrays("aliases", {"version": 3}, 2)["version"].equals(pa.array([3, 3], pa.int32()))


def test_a_column_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError, match="raw"):
        batch("aliases", {"kind": "model"}, 1)


def test_rows_may_be_taken_twice_or_not_at_all() -> None:
    columns = {"a": pa.array(["x", "y"]), "b": pa.array([1, 2])}
    assert {name: column.to_pylist() for name, column in taken(columns, [1, 1, 0]).items()} == {
        "a": ["y", "y", "x"],
        "b": [2, 2, 1],
    }
    assert len(taken(columns, [])["a"]) == 0


def test_values_are_gathered_from_wherever_they_lie() -> None:
    assert gathered([date(2026, 1, 2)], {"y": "year", "d": "day.real"}) == {"y": [2026], "d": [2]}
    assert gathered([], {"y": "year"}) == {"y": []}
