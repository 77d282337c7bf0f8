"""Staged rows: one wide type for every table."""

from __future__ import annotations

import pyarrow as pa
import pytest

from effspark import tables
from effspark.readers import staged_rows


def test_a_batch_holds_one_kind_and_the_others_are_null() -> None:
    row = dict.fromkeys(staged_rows.staged_schema("configurations").names)
    structs = pa.array(
        [{**row, "config_id": "c", "family_id": "f", "request_model": "m"}],
        staged_rows.STAGED.field("configurations").type,
    )
    arrays = [pa.array(["configurations"])]
    arrays += [
        structs if kind == "configurations" else pa.nulls(1, staged_rows.STAGED.field(kind).type)
        for kind in staged_rows.KINDS
    ]
    batch = pa.RecordBatch.from_arrays(arrays, schema=staged_rows.STAGED)
    assert staged_rows.of_kind(iter([batch]), "configurations")["config_id"].to_pylist() == ["c"]
    assert staged_rows.of_kind(iter([batch]), "runs").num_rows == 0


@pytest.mark.parametrize("kind", [kind for kind in staged_rows.KINDS if kind != "counts"])
def test_staged_columns_are_those_of_the_table_but_for_what_the_load_adds(kind: str) -> None:
    added = {"load_id", "resolved_by"} if kind == "quarantine" else set()
    assert set(tables.columns(kind)) - set(staged_rows.staged_schema(kind).names) == added
