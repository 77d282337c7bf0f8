"""What is in each table? Schemas from `schemas/*.json`, as pyarrow sees them, and the check at the store's door.

Each file is a Spark StructType in JSON; every column carries a comment, and where it applies a unit and `key`.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pyarrow as pa

from effspark.errors import SchemaError, all_problems
from effspark.resources import folder

_SIMPLE = {
    "string": pa.string(),
    "long": pa.int64(),
    "integer": pa.int32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "binary": pa.binary(),
    "decimal(38,0)": pa.decimal128(38, 0),
}


@cache
def names() -> tuple[str, ...]:
    """Names of all tables.

    >>> "runs" in names()
    True
    """
    return tuple(sorted(path.stem for path in folder("schemas").glob("*.json")))


@cache
def definition(table: str) -> dict[str, Any]:
    """Schema of a table as written in its file.

    Raises
    ------
    SchemaError
        There is no such table.
    """
    path = folder("schemas") / f"{table}.json"
    if not path.is_file():
        raise SchemaError(f"unknown table {table}; there are: {', '.join(names())}")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


@cache
def schema(table: str) -> pa.Schema:
    """Arrow schema of a table.

    >>> schema("aliases").names
    ['kind', 'raw', 'canonical', 'version']
    """
    return pa.schema(
        [
            pa.field(column["name"], _arrow(column["type"]), nullable=column["nullable"])
            for column in definition(table)["fields"]
        ]
    )


@cache
def columns(table: str) -> tuple[str, ...]:
    """Column names of a table, in order."""
    return tuple(column["name"] for column in definition(table)["fields"])


@cache
def key(table: str) -> tuple[str, ...]:
    """Key columns of a table.

    >>> key("verdicts")
    ('run_key', 'scorer')
    """
    return tuple(column["name"] for column in definition(table)["fields"] if column["metadata"].get("key"))


def from_rows(table: str, rows: list[dict[str, Any]]) -> pa.Table:
    """Rows as an Arrow table of the schema; a missing column is null, an unknown one an error.

    >>> from_rows("aliases", [dict(kind="model", raw="a", canonical="b", version=1)]).num_rows
    1
    """
    unknown = sorted(set().union(*rows) - set(columns(table)))
    if unknown:
        raise SchemaError(
            f"{table}: unknown columns {', '.join(unknown)}; there are: {', '.join(columns(table))}"
        )
    return pa.Table.from_pylist(rows, schema=schema(table))


def checked(table: str, data: pa.Table) -> pa.Table:
    """The data with columns in the order and types of the schema.

    Raises
    ------
    SchemaError
        Columns are missing, superfluous or of another type, or a column that must be known holds nulls;
        all problems at once.
    """
    wanted = schema(table)
    problems = [f"missing column {name}" for name in wanted.names if name not in data.column_names]
    problems += [f"superfluous column {name}" for name in data.column_names if name not in wanted.names]
    for column in wanted:
        if column.name not in data.column_names:
            continue
        found = data.schema.field(column.name).type
        if found != column.type and not pa.types.is_null(found):
            problems.append(f"{column.name} is {found}; must be {column.type}")
        elif not column.nullable and data.column(column.name).null_count:
            problems.append(f"{column.name} has {data.column(column.name).null_count} nulls; must have none")
    if problems:
        raise SchemaError(all_problems(f"table {table}: {len(problems)} problems", problems))
    return data.select(wanted.names).cast(wanted)


def _arrow(kind: Any) -> pa.DataType:
    if isinstance(kind, str):
        return _SIMPLE[kind]
    if kind["type"] == "array":
        return pa.list_(pa.field("element", _arrow(kind["elementType"]), nullable=kind["containsNull"]))
    return pa.map_(
        pa.string(), pa.field("value", _arrow(kind["valueType"]), nullable=kind["valueContainsNull"])
    )
