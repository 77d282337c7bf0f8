"""What a person sees in a terminal: the efficiency table, tallies of a load, and what to know beside them.

Plain words first, symbols second. stdout holds results only; messages go to stderr.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from effspark import messages
from effspark.errors import LogError, problem
from effspark.laptop import Gathered, tally
from effspark.layers.report_tables import ReportTables
from effspark.leaderboard import (
    LEFT_OUT_TITLE,
    NAMES,
    USUAL,
    efficiency_table,
    left_out,
    left_out_lines,
    left_out_table,
    rare_columns,
    report_rows,
    title_of,
)
from effspark.messages import here, warn
from effspark.printing import below, fits, results, ruled, whole_column
from effspark.readers.labels import UNIT_SEPARATOR
from effspark.readers.staging import UNKNOWN_READER
from effspark.runs.unmatched import Unmatched
from effspark.wording import counted

Row = dict[str, Any]

_WHERE_REFUSED = "the table quarantine holds all, with reason and place"


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
    """The efficiency table; where the terminal is too narrow, its rare columns as a second table."""
    rare = rare_columns(models)
    whole = efficiency_table(models, title=title, columns=(*USUAL, *rare))
    if not rare or fits(console, whole):
        console.print(whole)
        return
    console.print(efficiency_table(models, title=title))
    console.print()
    console.print(efficiency_table(models, columns=(*NAMES, *rare)))


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


def print_load(
    files: Sequence[Row],
    totals: Mapping[str, int],
    refused: Sequence[Row],
    *,
    unchanged: int,
    as_json: bool = False,
) -> None:
    """Say what became of the records: the sum on stdout; on stderr why some were refused, with the first of each."""
    if as_json:
        document = {
            "totals": dict(totals),
            "unchanged_files": unchanged,
            "files": list(files),
            "refused": list(refused),
        }
        sys.stdout.write(json.dumps(document, default=str, indent=1) + "\n")
    else:
        results().print(sum_line(totals))
    if unchanged:
        messages.console().print(f"unchanged since the last load, not opened: {counted(unchanged, 'file')}")
    warn([_refusals(row) for row in refused], _WHERE_REFUSED)


def print_gathered(gathered: Gathered) -> None:
    """Say on stderr what became of the records that `quick` read, with the first refusal of each reason."""
    rows = tally(gathered)
    totals = {name: sum(row[name] for row in rows) for name in rows[0] if name != "source_uri"}
    messages.console().print(sum_line(totals))
    reasons: dict[str, list[Row]] = {}
    for row in gathered.tables["quarantine"].to_pylist():
        reasons.setdefault(row["reason"], []).append(row)
    told = [
        {**rows[0], "records": len(rows), "files": len({row["source_uri"] for row in rows})}
        for rows in reasons.values()
    ]
    warn([_refusals(row) for row in told], "`effspark check` lists all files")


_MET_NOTHING = {
    Unmatched.LABEL: ("label", "met no run"),
    Unmatched.UNLABELLED: ("run", "met no label"),
    Unmatched.NO_ITEM: ("run", "met no item of the benchmark"),
    Unmatched.OTHER_QUESTION: ("run", "met an item of the same id that asks another question"),
}


def print_odd(unmatched: Sequence[Row], duplicates: Sequence[Row]) -> None:
    """Say on stderr which labels and runs met nothing, with an example of each, and which eval runs may be one."""
    told = []
    for row in sorted(unmatched, key=lambda row: (row["benchmark"], row["unmatched"])):
        noun, what = _MET_NOTHING[Unmatched(row["unmatched"])]
        example = row["example"].replace(UNIT_SEPARATOR, " ").replace(":", " ", 1)
        first = example if noun == "label" else f"instance {row['example']}"
        told.append(f"{row['benchmark']}: {counted(row['rows'], noun)} {what}, for example {first}")
    warn(told, "check the ids of --labels and --instances")
    pairs = sorted(duplicates, key=lambda row: (row["benchmark"], row["model"], row["source_format"]))
    twins = [
        f"{row['benchmark']}: {row['model']} may have been read twice, from {row['source_format']} (eval run "
        f"{row['eval_run_id']}) and {row['other_format']} (eval run {row['other_eval_run_id']}): "
        f"tokens agree on {row['same_tokens']:,} of {counted(row['compared'], 'instance')} compared, "
        f"texts on {row['same_text']:,}"
        for row in pairs
    ]
    warn(twins, "keep the logs of one format out of the lake")


def _refusals(row: Row) -> str:
    """Records refused for one reason, with the first of them."""
    told = _refusal(row["source_uri"], row["source_offset"], row["detail"])
    if row["records"] == 1:
        return f"1 {row['reason']} {told}"
    among = f" in {counted(row['files'], 'file')}" if row["files"] > 1 else ""
    return f"{row['records']:,} {row['reason']}{among}, the first {told}"


def _refusal(uri: str, offset: int, detail: str) -> str:
    return f"({here(uri)}, byte {offset}): {detail.replace(uri, here(uri))}"


def print_checked(rows: Sequence[Row], *, as_json: bool = False) -> None:
    """Print what would become of each file."""
    if as_json:
        sys.stdout.write(json.dumps(list(rows), indent=1) + "\n")
        return
    console, table = results(), ruled()
    names = ("records", "mapped", "not_selected", "quarantined", "runs")
    counts = [[f"{row[name]:,}" for name in names] for row in rows]
    sums = [f"{sum(row[name] for row in rows):,}" for name in names]
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
    if any(row["not_selected"] or row["refused"] for row in rows):
        console.print()
    for row in rows:
        for text in _left_out(row):
            console.print(below(f"not selected ({here(row['source_uri'])}): {text}", "dim"))
        for refusal in row["refused"]:
            told = _refusal(row["source_uri"], refusal["offset"], refusal["detail"])
            console.print(below(f"{refusal['reason']} {told}", "yellow"))


def _left_out(row: Row) -> list[str]:
    """Reasons why records of a file were not selected, each with its number."""
    refused = {refusal["reason"] for refusal in row["refused"]}
    told = re.split(r"[,;] (?=\d)", row["reasons"])
    return [text for text in told if text and text.split(" ", 1)[1] not in refused]


def some_runs(gathered: Gathered, paths: Sequence[str]) -> None:
    """Refuse a table of nothing.

    Raises
    ------
    LogError
        No record became a run.
    """
    if not gathered.tables["runs"].num_rows:
        text = problem(
            "nothing to report",
            where=paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1:,} more",
            found="no record that became a run",
            allowed="logs with at least one run",
            remedy="see what was refused with `effspark check`",
        )
        raise LogError(text)


def some_known(checked: Sequence[Row]) -> None:
    """Refuse where a load would refuse, with the reason for the first file.

    Raises
    ------
    LogError
        No reader knows any of the files.
    """
    if all(row["reader"] == UNKNOWN_READER for row in checked):
        more = f"\n({counted(len(checked), 'file')}, none of a known format)" if len(checked) > 1 else ""
        raise LogError(checked[0]["refused"][0]["detail"] + more)


def sum_line(totals: Mapping[str, int]) -> str:
    """The sum that must hold: records = mapped + not selected + merged + quarantined.

    >>> sum_line(dict(records=5, mapped=3, not_selected=0, merged=1, quarantined=1, runs=3))
    '5 records = 3 mapped + 0 not selected + 1 merged + 1 quarantined; 3 runs emitted'
    """
    return (
        f"{totals['records']:,} records = {totals['mapped']:,} mapped + {totals['not_selected']:,} not selected + "
        f"{totals['merged']:,} merged + {totals['quarantined']:,} quarantined; {totals['runs']:,} runs emitted"
    )
