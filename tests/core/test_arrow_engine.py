"""The engine of one machine: groups are whole, whatever the order of rows."""

from __future__ import annotations

import narwhals as nw
import pyarrow as pa

from effspark.arrow_engine import Laptop

ROWS = pa.table({"a": ["x", "y", "x"], "b": [1, 1, 1], "c": [5, 7, 9]})


def test_a_function_gets_all_rows_of_a_group_and_no_others() -> None:
    def summed(rows: pa.Table) -> pa.Table:
        return pa.table({"a": rows["a"][:1], "total": [sum(rows["c"].to_pylist())]})

    schema = pa.schema([("a", pa.string()), ("total", pa.int64())])
    found = Laptop().blocks(nw.from_native(ROWS), ["a", "b"], summed, schema).to_arrow()
    assert sorted(found.to_pylist(), key=str) == [{"a": "x", "total": 14}, {"a": "y", "total": 7}]
    assert Laptop().blocks(nw.from_native(ROWS[:0]), ["a"], summed, schema).to_arrow().schema == schema


def test_frames_are_the_tables_themselves() -> None:
    frame = Laptop().frame(ROWS)
    assert frame.to_native() is ROWS
    assert Laptop().kept(frame) is frame
