"""What does a person see of a check? A row a file, then why records would be left out, what is alike told once.

    rows of checking.checked  ->  table; reasons over all files, each with its number and the first file; odd stops

With `--json` all of it file by file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from effspark.messages import here
from effspark.printing import below, results, ruled, whole_column
from effspark.readers.choosing import refuse_if_all_unknown
from effspark.show_load import refusals, strange_stop
from effspark.wording import counted

Row = dict[str, Any]

_COUNTS = ("records", "mapped", "not_selected", "quarantined", "runs")


def print_checked(rows: Sequence[Row], *, as_json: bool = False) -> None:
    """Print what would become of each file, and why."""
    if as_json:
        sys.stdout.write(json.dumps(list(rows), indent=1) + "\n")
        return
    console, table = results(), ruled()
    counts = [[f"{row[name]:,}" for name in _COUNTS] for row in rows]
    sums = [f"{sum(row[name] for row in rows):,}" for name in _COUNTS]
    whole_column(table, "reader", [row["reader"] for row in rows], right=False)
    for place, heading in enumerate(("records", "mapped", "not\nselected", "refused", "runs")):
        whole_column(table, heading, [sums[place], *(row[place] for row in counts)])
    table.add_column("file", overflow="fold")
    for row, cells in zip(rows, counts, strict=True):
        table.add_row(row["reader"], *cells, here(row["source_uri"]))
    if len(rows) > 1:
        table.add_section()
        table.add_row("", *sums, counted(len(rows), "file"))
    console.print(table)
    told = [*((text, "dim") for text in _left_out(rows)), *((text, "yellow") for text in _odd(rows))]
    if told:
        console.print()
    for text, style in told:
        console.print(below(text, style))


def _left_out(rows: Sequence[Row]) -> list[str]:
    """Why records are not selected, in the order in which the reasons are met."""
    said = [{**one, "source_uri": row["source_uri"]} for row in rows for one in row["left_out"]]
    return [
        f"not selected ({_place(group)}): {group['reason']} ({counted(group['records'], 'record')})"
        for group in _alike(said, lambda one: one["reason"], "records")
    ]


def _odd(rows: Sequence[Row]) -> list[str]:
    """Why records are refused, by reader, and the stop reasons that no rule knows."""
    said = [
        {**one, "source_uri": row["source_uri"], "source_offset": one["offset"], "reader": row["reader"]}
        for row in rows
        for one in row["refused"]
    ]
    stops = [stop for row in rows for stop in row["unknown_stops"]]
    return [
        *(refusals(group) for group in _alike(said, lambda one: (one["reader"], one["reason"]), "records")),
        *(strange_stop(group) for group in _alike(stops, lambda one: one["finish_reason_raw"], "runs")),
    ]


def _alike(said: Iterable[Row], what: Callable[[Row], Hashable], number: str) -> list[Row]:
    """The first of each kind, with the sum of a number over all of its kind, and in how many files they stand."""
    groups: dict[Hashable, list[Row]] = {}
    for one in said:
        groups.setdefault(what(one), []).append(one)
    return [
        {
            **group[0],
            number: sum(one[number] for one in group),
            "files": len({one["source_uri"] for one in group}),
        }
        for group in groups.values()
    ]


def _place(group: Row) -> str:
    first = here(group["source_uri"])
    return first if group["files"] == 1 else f"{counted(group['files'], 'file')}, the first {first}"


def some_known(checked: Sequence[Row]) -> None:
    """Refuse where a load would refuse, with the reason for the first file.

    Raises
    ------
    LogError
        No reader knows any of the files.

    >>> some_known([{"reader": "unknown", "refused": [{"detail": "unknown log format (a)"}]}])
    Traceback (most recent call last):
    effspark.errors.LogError: unknown log format (a)
    """
    refuse_if_all_unknown(
        [(row["reader"], "".join(one["detail"] for one in row["refused"][:1])) for row in checked]
    )
