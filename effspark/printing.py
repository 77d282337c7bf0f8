"""How is a result printed? As a table that fits the terminal, or as csv, json, markdown, latex or parquet.

    rows  ->  table where all columns fit, else one record below the other; all other forms whole

Results go to stdout, messages to stderr (messages.py). Knows nothing of what the rows mean.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from effspark.errors import SettingsError, problem
from effspark.markup import latex, markdown
from effspark.messages import PLAIN

OUTPUTS = ("table", "csv", "json", "markdown", "latex", "parquet")
"""Forms in which a result can be printed."""

WIDTH_OF_PIPES = 160
"""Columns of a result that does not go to a terminal."""

_ANY_WIDTH = 100_000


def results() -> Console:
    """Console for results: stdout, wide enough not to cut tables in pipes."""
    console = Console(**PLAIN)
    return console if console.is_terminal else Console(width=WIDTH_OF_PIPES, **PLAIN)


def ruled(title: str | None = None) -> Table:
    """A table with one line below its headings and no other.

    >>> ruled("m [beta]").title.plain
    'm [beta]'
    """
    named = None if title is None else Text(title, style="bold")
    return Table(
        title=named,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def whole_column(table: Table, heading: str, cells: Sequence[str], *, right: bool = True) -> None:
    """Add a column that is never folded or cut.

    >>> table = ruled()
    >>> whole_column(table, "finished", ["100.0 %"])
    >>> table.columns[0].min_width
    8
    """
    width = max(len(line) for text in (heading, *cells) for line in text.split("\n"))
    table.add_column(heading, justify="right" if right else "left", no_wrap=True, min_width=width)


def fits(console: Console, table: Table) -> bool:
    """Can the table be printed without a cut inside a word or number?"""
    return _measured(console, table).minimum <= console.width


def _measured(console: Console, table: Table) -> Measurement:
    """Least and full width of a table, however wide the console is."""
    return Measurement.get(console, console.options.update(max_width=_ANY_WIDTH), table)


def below(text: str, style: str) -> Padding:
    """A remark below a table; its lines stay indented where it is folded."""
    return Padding(Text(text, style=style), (0, 0, 0, 2), expand=False)


def checked_output(output: str, *, as_json: bool = False) -> str:
    """The form to print in; an unknown one is refused before any work is done.

    Raises
    ------
    SettingsError
        There is no such form.

    >>> checked_output("csv"), checked_output("table", as_json=True)
    ('csv', 'json')
    """
    if output not in OUTPUTS:
        raise SettingsError(
            problem(
                "unknown output",
                where="--output",
                found=output,
                allowed=", ".join(OUTPUTS),
                remedy="choose one",
            )
        )
    return "json" if as_json else output


def print_rows(table: pa.Table, *, output: str = "table") -> None:
    """Print a query's result in one of OUTPUTS.

    Raises
    ------
    SettingsError
        Two columns have one name, so that none could be told from the other; or a time lies outside of the years 1 to
        9999.
    """
    names = table.column_names
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SettingsError(
            problem(
                "two columns of the result have one name",
                where="SELECT",
                found=", ".join(twice),
                allowed="different names",
                remedy="name them with AS",
            )
        )
    try:
        rows = table.to_pylist()
    except (OverflowError, ValueError) as error:
        raise SettingsError(
            f"a time of the result cannot be printed: found {error}; allowed: times of the years 1 to 9999; "
            "cast the column to VARCHAR"
        ) from error
    if output == "json":
        sys.stdout.write(json.dumps(_finite(rows), default=str, indent=1, allow_nan=False) + "\n")
    elif output == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([row[name] for name in names] for row in rows)
    elif output == "markdown":
        sys.stdout.write(markdown(names, ([_shown(row[name]) for name in names] for row in rows)))
    elif output == "latex":
        sys.stdout.write(latex(names, ([_shown(row[name]) for name in names] for row in rows)))
    elif output == "parquet":
        _print_parquet(table)
    else:
        _print_table(table.schema, [[_shown(row[name]) for name in names] for row in rows])


def _print_parquet(table: pa.Table) -> None:
    import pyarrow.parquet as pq

    if sys.stdout.isatty():
        raise SettingsError(
            problem(
                "parquet is no text",
                where="--output parquet",
                found="a terminal",
                allowed="a file or a pipe",
                remedy="add > result.parquet",
            )
        )
    written = pa.BufferOutputStream()
    pq.write_table(table, written)
    sys.stdout.flush()
    sys.stdout.buffer.write(written.getvalue())
    sys.stdout.buffer.flush()


def _print_table(schema: pa.Schema, rows: Sequence[Sequence[str]]) -> None:
    console, shown = results(), ruled()
    for place, field in enumerate(schema):
        cells = [row[place] for row in rows]
        if any(" " in cell for cell in cells):
            shown.add_column(Text(field.name), overflow="fold")
        else:
            whole_column(shown, field.name, cells, right=_is_number(field.type))
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    if not console.is_terminal:
        console.width = max(console.width, _measured(console, shown).maximum)
    if fits(console, shown):
        console.print(shown)
    else:
        _print_records(console, schema.names, rows)


def _print_records(console: Console, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """One record below the other, a line a value; what is null is left out."""
    for number, row in enumerate(rows, 1):
        console.print(Text(f"row {number}", style="bold"))
        grid = Table.grid(padding=(0, 2, 0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for name, cell in zip(names, row, strict=True):
            if cell:
                grid.add_row(name, Text(cell))
        console.print(grid)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _finite(value: Any) -> Any:
    """JSON has no infinite numbers, however deep they lie: they are written as text."""
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
