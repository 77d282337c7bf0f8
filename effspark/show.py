"""What a person sees of a report in a terminal: the efficiency tables, and what to know beside them.

Plain words first, symbols second. stdout holds results only; messages go to stderr.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from effspark.efficiency_tables import (
    LEFT_OUT_TITLE,
    NAMES,
    USUAL,
    efficiency_table,
    left_out_lines,
    left_out_table,
    rare_columns,
    title_of,
    work_table,
)
from effspark.gold.report_tables import ReportTables
from effspark.leaderboard import left_out, report_rows
from effspark.printing import below, fits, results

Row = dict[str, Any]


def print_report(report: ReportTables, *, as_json: bool = False) -> None:
    """Print the efficiency table of every benchmark, then what to know beside it."""
    rows = report_rows(report)
    if as_json:
        document = {"report_id": report.report_id, "models": rows, "warnings": report.warnings}
        sys.stdout.write(json.dumps(document, indent=1) + "\n")
        return
    console = results()
    for benchmark in sorted({row["benchmark"] for row in rows}):
        models = [row for row in rows if row["benchmark"] == benchmark]
        _print_models(console, title_of(benchmark, models), models)
        if any(row["n_work"] for row in models):
            console.print()
            console.print(work_table([row for row in models if row["n_work"]]))
        _print_left_out(console, left_out(models))
        for row in models:
            if row["reasons"]:
                console.print(below(f"{row['model']}: {'; '.join(row['reasons'])}", "yellow"))
        said = [text for text in report.warnings if text.startswith(f"{benchmark}: ")]
        for text in said:
            console.print(below(f"note: {text.removeprefix(f'{benchmark}: ')}", "dim"))
        console.print()
    console.print(f"report {report.report_id}")


def _print_models(console: Console, title: str, models: Sequence[Row]) -> None:
    """The efficiency table; where the terminal is too narrow, names are folded, and what does not fit stands below."""
    columns = (*USUAL, *rare_columns(models))
    whole = efficiency_table(models, title=title, columns=columns)
    if fits(console, whole):
        console.print(whole)
        return
    left = [name for name in columns if name not in NAMES]
    while left:
        fitting = [n for n in range(1, len(left) + 1) if fits(console, _part(models, title, left[:n]))]
        count = max(fitting, default=1)
        console.print(_part(models, title, left[:count]))
        left, title = left[count:], ""
        if left:
            console.print()


def _part(models: Sequence[Row], title: str, columns: Sequence[str]) -> Table:
    return efficiency_table(models, title=title or None, columns=(*NAMES, *columns), folded=True)


def _print_left_out(console: Console, models: Sequence[Row]) -> None:
    """Runs that are in no layer, and the numbers with them; as text where the terminal is too narrow."""
    if not models:
        return
    whole = left_out_table(models)
    console.print()
    if fits(console, whole):
        console.print(whole)
        return
    console.print(LEFT_OUT_TITLE)
    for line in left_out_lines(models):
        console.print(below(line, ""))
