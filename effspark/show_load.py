"""What a person sees of what was read: the sum of the records, why some are refused, and what is odd about the rest.

stdout holds results only; messages go to stderr.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from effspark import messages
from effspark.errors import LogError, problem
from effspark.laptop import Gathered, tally
from effspark.loaded import Load
from effspark.messages import here, warn
from effspark.printing import below, results, ruled, whole_column
from effspark.readers.choosing import refuse_if_all_unknown
from effspark.readers.labels import UNIT_SEPARATOR
from effspark.runs import unknown_stops
from effspark.runs.unmatched import Unmatched
from effspark.wording import counted

Row = dict[str, Any]

_WHERE_REFUSED = "the table quarantine holds all, with reason and place"
_WHERE_STOPS = "the table runs holds all, as finish_reason_raw"


def print_load(done: Load, *, as_json: bool = False) -> None:
    """Say what became of the records: the sum on stdout; on stderr why some were refused, and what else is odd."""
    if as_json:
        document = {
            "totals": dict(done.totals),
            "unchanged_files": done.unchanged,
            "files": list(done.files),
            "refused": list(done.refused),
            "unknown_stops": list(done.unknown_stops),
        }
        sys.stdout.write(json.dumps(document, default=str, indent=1) + "\n")
    else:
        results().print(sum_line(done.totals))
    if done.unchanged:
        messages.console().print(
            f"unchanged since the last load, not opened: {counted(done.unchanged, 'file')}"
        )
    warn([_refusals(row) for row in done.refused], _WHERE_REFUSED)
    warn([_unknown_stop(row) for row in done.unknown_stops], _WHERE_STOPS)
    warn([_AGAIN.format(**_named(row)) for row in done.again], "the table loads lacks them")
    warn(
        [_REPLACED.format(**_named(row)) for row in done.replaced], "their old records stay as they were read"
    )


def too_many_rejected(done: Load, allowed: float) -> bool:
    """Were more of the records quarantined than this share of them, 0 to 1? Then it is said on stderr."""
    if done.rejected <= allowed:
        return False
    text = problem(
        "too many records are quarantined",
        where="the files named, unchanged ones as they were last read",
        found=f"{done.rejected:.2%} of their records",
        allowed=f"{allowed:.2%} (--max-rejected)",
        remedy="see the table quarantine, mend the logs or the mapping, and ingest them again",
    )
    messages.console().print(f"effspark: {text}")
    return True


_AGAIN = (
    "records of {source_uri} (team {team}) were last given by another file, which no longer gives them: "
    "ingest {source_uri} again to have them back"
)
_REPLACED = (
    "{source_uri} has changed and is read in another way (team {team}): what it held before stays as it was read; "
    "to have that read anew, ingest its old content once more"
)


def _named(row: Row) -> Row:
    return {"source_uri": here(row["source_uri"]), "team": row["team"]}


def _unknown_stop(row: Row) -> str:
    return problem(
        "a stop reason that is not known",
        where=here(row["source_uri"]),
        found=f"{row['finish_reason_raw']!r} on {counted(row['runs'], 'run')}",
        allowed="stop, length, content_filter, tool_calls, error, or another tool's word for one of these",
        remedy="log it so or map it; else only budget and text can tell whether such runs finished",
    )


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
    warn(
        [_unknown_stop(row) for row in unknown_stops.told(gathered.tables["runs"])],
        "`effspark check` lists all",
    )


_MET_NOTHING = {
    Unmatched.LABEL: ("label", "met no run"),
    Unmatched.UNLABELLED: ("run", "met no label"),
    Unmatched.NO_ITEM: ("run", "met no item of the benchmark"),
    Unmatched.OTHER_QUESTION: ("run", "met an item of the same id that asks another question"),
    Unmatched.NO_RUN: ("item", "of a benchmark that no run is of (is its name right?)"),
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
    if any(row["not_selected"] or row["refused"] or row["unknown_stops"] for row in rows):
        console.print()
    for row in rows:
        for text in _left_out(row):
            console.print(below(f"not selected ({here(row['source_uri'])}): {text}", "dim"))
        for refusal in row["refused"]:
            told = _refusal(row["source_uri"], refusal["offset"], refusal["detail"])
            console.print(below(f"{refusal['reason']} {told}", "yellow"))
        for stop in row["unknown_stops"]:
            console.print(below(_unknown_stop(stop), "yellow"))


def _left_out(row: Row) -> list[str]:
    """Reasons why records of a file were not selected, each with its number."""
    refused = {refusal["reason"] for refusal in row["refused"]}
    told = re.split(r"[,;] (?=\d)", row["reasons"])
    return [text for text in told if text and text.split(" ", 1)[1] not in refused]


def print_skipped(told: Sequence[str]) -> None:
    """Warn of files that lie in the folders and are not read."""
    warn(told, "`effspark check` tells of each folder")


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
            remedy="see with `effspark check` what was refused or not selected, and why",
        )
        raise LogError(text)


def some_known(checked: Sequence[Row]) -> None:
    """Refuse where a load would refuse, with the reason for the first file.

    Raises
    ------
    LogError
        No reader knows any of the files.
    """
    refuse_if_all_unknown(
        [(row["reader"], "".join(one["detail"] for one in row["refused"][:1])) for row in checked]
    )


def sum_line(totals: Mapping[str, int]) -> str:
    """The sum that must hold: records = mapped + not selected + merged + quarantined.

    >>> sum_line(dict(records=5, mapped=3, not_selected=0, merged=1, quarantined=1, runs=3))
    '5 records = 3 mapped + 0 not selected + 1 merged + 1 quarantined; 3 runs emitted'
    """
    return (
        f"{totals['records']:,} records = {totals['mapped']:,} mapped + {totals['not_selected']:,} not selected + "
        f"{totals['merged']:,} merged + {totals['quarantined']:,} quarantined; {totals['runs']:,} runs emitted"
    )
