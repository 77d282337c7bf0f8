"""What is in the tables, and what can each log format supply? As rows, and as the page docs/tables.md.

    schemas/*.json  ->  one row a table, one row a column, one page of all
    readers         ->  one row a format

`python -m effspark.dictionary > docs/tables.md` brings the page up to date.
"""

from __future__ import annotations

import re
import sys

import pyarrow as pa

from effspark import tables
from effspark.printing import markdown
from effspark.readers import FIELDS, Carries, registry

_HEAD = """# Tables

Every table of a lake, from `schemas/*.json` (`python -m effspark.dictionary > docs/tables.md`); in a terminal:
`effspark tables`, `effspark tables NAME`.
"""


def table_list(lake: str | None = None) -> pa.Table:
    """All tables with what they hold; of a lake, also rows and version."""
    if lake is None:
        rows = [
            {"table": name, "key": ", ".join(tables.key(name)), "holds": tables.definition(name)["comment"]}
            for name in tables.names()
        ]
        return pa.Table.from_pylist(rows)
    from effspark import lakes, local_sql

    where = lakes.named(lake)
    opened = local_sql.tables_of(where)
    there = [
        {
            "table": name,
            "rows": local_sql.rows_of(where, name, opened[name]),
            "version": opened[name].version(),
            "holds": tables.definition(name)["comment"],
        }
        for name in tables.names()
        if name in opened
    ]
    return pa.Table.from_pylist(there)


def column_list(table: str) -> pa.Table:
    """Columns of one table: type, unit, key, null, meaning.

    Raises
    ------
    SchemaError
        There is no such table.

    >>> column_list("aliases").to_pylist()[0]["meaning"]
    'model or benchmark'
    """
    return pa.Table.from_pylist(
        [
            {
                "column": column["name"],
                "type": _type(tables.schema(table).field(column["name"]).type),
                "unit": column["metadata"].get("unit", ""),
                "key": "key" if column["metadata"].get("key") else "",
                "null": "null" if column["nullable"] else "",
                "meaning": column["metadata"]["comment"],
            }
            for column in tables.definition(table)["fields"]
        ]
    )


def format_list() -> pa.Table:
    """Log formats that are read, and for each field whether the log holds it, it can be derived, or neither.

    >>> [row["tokens"] for row in format_list().to_pylist() if row["format"] == "zeroeval"]
    ['derived']
    """
    return pa.Table.from_pylist(
        [
            {
                "format": reader.name,
                **{name: _SUPPLY[reader.carries[name]] for name in FIELDS},
                "reads": reader.title,
            }
            for reader in registry().values()
        ]
    )


_SUPPLY = {Carries.YES: "yes", Carries.DERIVABLE: "derived", Carries.ABSENT: ""}


def page() -> str:
    """All tables as one page of Markdown."""
    parts = [_HEAD]
    for table in tables.names():
        columns = column_list(table)
        rows = ([str(cell) for cell in row.values()] for row in columns.to_pylist())
        parts += [f"## {table}", tables.definition(table)["comment"], markdown(columns.column_names, rows)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _type(kind: pa.DataType) -> str:
    """Type of a column in few words."""
    return re.sub(r"element: | not null|\[us, tz=UTC\]", "", str(kind)).replace("bool", "boolean")


if __name__ == "__main__":
    sys.stdout.write(page())
