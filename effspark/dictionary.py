"""What is in the tables, and what can each log format supply? As rows, and as two pages of docs.

    schemas/*.json  ->  one row a table, one row a column, docs/tables.md
    readers         ->  one row a format, its trap, docs/formats.md

`python -m effspark.dictionary > docs/tables.md` and `python -m effspark.dictionary formats > docs/formats.md` bring
the pages up to date.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from textwrap import TextWrapper

import pyarrow as pa
from rich.text import Text

from effspark import lakes, local_sql, tables
from effspark.errors import SchemaError, SettingsError
from effspark.markup import markdown
from effspark.printing import below, print_rows, results, ruled, whole_column
from effspark.readers import COMPANIONS, FIELDS, READERS, Carries, Reader, reader_named, registry
from effspark.resources import folder

_HEAD = """# Tables

Every table and view of a lake, from `schemas/*.json` (`python -m effspark.dictionary > docs/tables.md`); in a terminal:
`effspark tables`, `effspark tables NAME`.
"""


def table_list(lake: str | None = None) -> pa.Table:
    """All tables and views with what they hold; of a lake, also the rows and version of its tables."""
    if lake is None:
        rows = [
            {"table": name, "key": ", ".join(tables.key(name)), "holds": tables.definition(name)["comment"]}
            for name in tables.names()
        ]
        rows += [
            {
                "table": name,
                "key": "view",
                "holds": local_sql.comment_of(name).rstrip(".").split(". ")[0] + ".",
            }
            for name in local_sql.views()
        ]
        return pa.Table.from_pylist(rows)
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
    """Columns of one table: type, unit, key, null, meaning; of a view, their types.

    Raises
    ------
    SchemaError
        There is no such table or view.

    >>> column_list("aliases").to_pylist()[0]["meaning"]
    'model or benchmark'
    """
    if table in local_sql.views():
        return pa.Table.from_pylist(
            [{"column": field.name, "type": _type(field.type)} for field in local_sql.columns_of(table)]
        )
    if table not in tables.names():
        there = ", ".join((*tables.names(), *local_sql.views()))
        raise SchemaError(f"unknown table {table}; there are: {there}")
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
    return pa.Table.from_pylist([_supplied(reader) for reader in registry().values()])


def print_formats(*, output: str = "table") -> None:
    """Print the formats: as a table that fits 80 columns, with a mark a field, or in another of printing.OUTPUTS."""
    found = format_list()
    if output != "table":
        print_rows(found, output=output)
        return
    console, shown = results(), ruled()
    whole_column(shown, "format", found["format"].to_pylist(), right=False)
    whole_column(shown, " ".join(name[:_SHORT] for name in FIELDS), [], right=False)
    left = console.width - sum(column.min_width or 0 for column in shown.columns) - 2 * _GAP
    if left < _LEAST:
        print_rows(found)
        return
    folded = _Paths(left)
    whole_column(shown, "reads", [], right=False)
    for row in found.to_pylist():
        marks = " ".join(_MARKS[row[name]].center(_SHORT) for name in FIELDS)
        shown.add_row(row["format"], marks, Text(folded.fill(row["reads"])))
    console.print(shown)
    names = ", ".join(f"{name[:_SHORT]} {name}" for name in FIELDS if len(name) > _SHORT)
    console.print()
    console.print(below(f"yes: the log holds it; ~: it can be derived; {names}", "dim"))


def _supplied(reader: Reader) -> dict[str, str]:
    fields = {name: _SUPPLY[reader.carries[name]] for name in FIELDS}
    return {"format": reader.name, **fields, "reads": reader.title}


_SUPPLY = {Carries.YES: "yes", Carries.DERIVABLE: "derived", Carries.ABSENT: ""}
_MARKS = {"yes": "yes", "derived": "~", "": ""}
_SHORT, _GAP, _LEAST = 3, 2, 20
"""Letters of a field in a heading; width between two columns of a table; least width of what is folded."""


class _Paths(TextWrapper):
    """Folds at the parts of a path too."""

    wordsep_simple_re = re.compile(r"( +|(?<=[/_]))")

    def __init__(self, width: int) -> None:
        super().__init__(width, break_on_hyphens=False)


_FORMATS_HEAD = """# Log formats

What is read, from the readers (`python -m effspark.dictionary formats > docs/formats.md`); in a terminal:
`effspark formats`. The reader of a file is found by its content, or named with `--format`. `yes`: the log holds it;
`derived`: it can be worked out; empty: the log lacks it, and a report says so instead of guessing.
"""


def formats_page() -> str:
    """Shipped formats as one page of Markdown: what each supplies, then what each is read as, and its trap."""
    logs = [reader_named(name) for name in READERS]
    supplied = ([cell for name, cell in _supplied(one).items() if name != "reads"] for one in logs)
    recipes = ", ".join(f"`{path.stem}`" for path in sorted((folder("conf") / "mappings").glob("*.yaml")))
    parts = [_FORMATS_HEAD, markdown(["format", *FIELDS], supplied)]
    parts += [f"Recipes of `mapper` that ship, found by their columns: {recipes}.", "## Traps"]
    parts += [_described(reader) for reader in logs]
    parts += ["## Beside logs", "Named by the command (`--instances`, `--labels`), never found by content."]
    parts += [_described(reader_named(name)) for name in COMPANIONS]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _described(reader: Reader) -> str:
    plain = re.sub(r"([<*])", r"\\\1", f"{reader.title}.\n{reader.trap}")  # no HTML, no emphasis
    return f"**{reader.name}**: {plain}"


def page() -> str:
    """All tables and views as one page of Markdown."""
    parts = [_HEAD]
    comments = {table: tables.definition(table)["comment"] for table in tables.names()}
    comments |= {view: f"A view. {local_sql.comment_of(view)}" for view in local_sql.views()}
    for name, comment in comments.items():
        columns = column_list(name)
        rows = ([str(cell) for cell in row.values()] for row in columns.to_pylist())
        parts += [f"## {name}", comment, markdown(columns.column_names, rows)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _type(kind: pa.DataType) -> str:
    """Type of a column in few words."""
    return re.sub(r"element: | not null|\[us, tz=UTC\]", "", str(kind)).replace("bool", "boolean")


def main(names: Sequence[str] = ()) -> None:
    """Write the page of a name to stdout: tables (default) or formats.

    Raises
    ------
    SettingsError
        There is no such page.
    """
    pages = {"tables": page, "formats": formats_page}
    name = next(iter(names), "tables")
    if name not in pages:
        raise SettingsError(f"unknown page {name}; allowed: {', '.join(pages)}")
    sys.stdout.write(pages[name]())


if __name__ == "__main__":
    main(sys.argv[1:])
