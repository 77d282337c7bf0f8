"""How tests without Spark write a lake: Delta tables of this version, by delta-rs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake

from effspark import lakes, tables


def write(lake: Path, table: str, rows: list[dict[str, Any]], *, version: int = lakes.LAKE_VERSION) -> None:
    """Append rows to a table of a lake, which is made if need be; the version holds for a new one.

    Columns that must be known and are not given are empty texts and zeros.
    """
    is_new = not lakes.is_table(str(lake / table))
    empty = {field.name: _empty(field.type) for field in tables.schema(table) if not field.nullable}
    whole = [empty | row for row in rows]
    data = tables.from_rows(table, whole) if whole else tables.schema(table).empty_table()
    write_deltalake(str(lake / table), data, mode="append")
    if is_new:
        _state(lake / table / "_delta_log" / f"{0:020d}.json", version)


def _empty(kind: pa.DataType) -> Any:
    if pa.types.is_nested(kind):
        return []
    return "" if pa.types.is_string(kind) else pa.scalar(0, pa.int64()).cast(kind).as_py()


def _state(commit: Path, version: int) -> None:
    """Put the version into a commit, as Spark writes it; delta-rs writes no property but its own."""
    actions = [json.loads(line) for line in commit.read_text("utf-8").splitlines()]
    for action in actions:
        if "metaData" in action:
            action["metaData"]["configuration"][lakes.VERSION_PROPERTY] = str(version)
    commit.write_text("".join(json.dumps(action) + "\n" for action in actions), "utf-8")
