"""Schemas as pyarrow sees them, and the check at the store's door."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from effspark import tables
from effspark.errors import SchemaError

KEY = {"run_key": "r", "scorer": "s"}


def alias(**changes: Any) -> dict[str, Any]:
    return {"kind": "model", "raw": "a", "canonical": "b", "version": 1} | changes


@pytest.mark.parametrize("table", tables.names())
def test_every_column_has_a_comment_and_a_type_that_arrow_knows(table: str) -> None:
    for column in tables.definition(table)["fields"]:
        assert column["metadata"]["comment"].strip(), column["name"]
        assert column["name"] == column["name"].lower()
    assert tables.schema(table).names == list(tables.columns(table))


PURE = {
    "temperature",
    "seed",
    "version",
    "aliases_version",
    "schema_version",
    "reader_version",
    "mapping_version",
    "source_answer",
    "method_version",
    "fingerprint",
    "score_raw",
    "n_retries",
}
"""Numbers without unit: settings, versions, places among answers, hashes."""


@pytest.mark.parametrize("table", tables.names())
def test_every_number_has_a_unit(table: str) -> None:
    numbers = ("long", "integer", "double", "decimal(38,0)", "timestamp")
    columns = tables.definition(table)["fields"]
    own = {column["name"] for column in columns if column["name"] == "unit"}
    bare = [
        c["name"]
        for c in columns
        if c["type"] in numbers and "unit" not in c["metadata"] and c["name"] not in PURE
    ]
    assert [name for name in bare if not (own and name == "value")] == []


@pytest.mark.parametrize("table", tables.names())
def test_every_key_column_must_be_known(table: str) -> None:
    nullable = {column["name"]: column["nullable"] for column in tables.definition(table)["fields"]}
    assert tables.key(table), f"{table} has no key"
    assert [name for name in tables.key(table) if nullable[name]] == []


def test_keys_are_those_of_the_design() -> None:
    assert tables.key("runs") == ("run_key",)
    assert tables.key("verdicts") == ("run_key", "scorer")
    assert tables.key("loads") == ("source_uri", "team")
    assert tables.key("quarantine") == ("source_uri", "team", "source_offset")


def test_nested_types_keep_the_nullability_of_their_values() -> None:
    runs = tables.schema("runs")
    assert runs.field("axes").type == pa.map_(pa.string(), pa.field("value", pa.float64(), nullable=False))
    assert runs.field("quality_flags").type.value_field.nullable is False
    assert runs.field("started_at").type == pa.timestamp("us", tz="UTC")


def test_an_unknown_table_is_told_with_those_there_are() -> None:
    with pytest.raises(SchemaError, match=r"unknown table runz; there are: aliases, .*runs"):
        tables.schema("runz")


def test_a_missing_column_is_null_and_an_unknown_one_an_error_in_any_row() -> None:
    assert tables.from_rows("verdicts", [KEY]).column("score_raw").to_pylist() == [None]
    with pytest.raises(SchemaError, match="verdicts: unknown columns correkt; there are: run_key, scorer"):
        tables.from_rows("verdicts", [KEY, KEY | {"correkt": True}])


def test_no_rows_are_an_empty_table_of_the_schema() -> None:
    assert tables.from_rows("runs", []).schema == tables.schema("runs")


def test_checked_puts_columns_in_order_and_takes_a_column_of_nulls() -> None:
    whole = tables.from_rows("aliases", [alias()])
    turned = whole.select(list(reversed(whole.column_names)))
    assert tables.checked("aliases", turned) == whole
    configurations = tables.from_rows(
        "configurations", [{"config_id": "c", "family_id": "f", "request_model": "m"}]
    )
    place = configurations.column_names.index("temperature")
    untyped = configurations.set_column(place, "temperature", pa.nulls(1))
    assert tables.checked("configurations", untyped) == configurations


def test_checked_tells_all_problems_at_once() -> None:
    wrong = pa.table(
        {
            "kind": pa.array([None, "model"], pa.string()),
            "raw": [1, 2],
            "version": pa.array([1, 2], pa.int64()),
            "more": [0, 0],
        }
    )
    with pytest.raises(SchemaError) as caught:
        tables.checked("aliases", wrong)
    assert str(caught.value).splitlines() == [
        "table aliases: 5 problems",
        "  - missing column canonical",
        "  - superfluous column more",
        "  - kind has 1 nulls; must have none",
        "  - raw is int64; must be string",
        "  - version is int64; must be int32",
    ]
