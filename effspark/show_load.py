"""What a person sees of what was read: the sum of the records, why some are refused, and what is odd about the rest.

stdout holds results only; messages go to stderr.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from effspark import messages
from effspark.errors import LogError, problem
from effspark.laptop import Gathered, tally
from effspark.loaded import Load
from effspark.messages import here, warn
from effspark.printing import results
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
    warn([refusals(row) for row in done.refused], _WHERE_REFUSED)
    warn([strange_stop(row) for row in done.unknown_stops], _WHERE_STOPS)
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


def strange_stop(row: Row) -> str:
    """A stop reason that no rule knows, with its runs, of one file or of several.

    >>> row = {"finish_reason_raw": "weird", "runs": 3, "source_uri": "a", "files": 2}
    >>> strange_stop(row).partition("; ")[0]
    "a stop reason that is not known (a and 1 more): found 'weird' on 3 runs"
    """
    more = f" and {row['files'] - 1:,} more" if row.get("files", 1) > 1 else ""
    return problem(
        "a stop reason that is not known",
        where=here(row["source_uri"]) + more,
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
    warn([refusals(row) for row in told], "`effspark check` lists all files")
    warn(
        [strange_stop(row) for row in unknown_stops.told(gathered.tables["runs"])],
        "`effspark check` lists all",
    )


_MET_NOTHING = {
    Unmatched.LABEL: ("label", "met no run"),
    Unmatched.UNLABELLED: ("run", "met no label"),
    Unmatched.NO_ITEM: ("run", "met no item of the benchmark"),
    Unmatched.OTHER_QUESTION: ("run", "met an item of the same id that asks another question"),
    Unmatched.NO_RUN: ("item", "of a benchmark that no run is of (is its name right?)"),
    Unmatched.EXCLUDED: ("excluded instance", "met no run"),
}
_MOST_NAMED = 5


def print_odd(unmatched: Sequence[Row], duplicates: Sequence[Row]) -> None:
    """Say on stderr which labels, runs and exclusions met nothing, with examples, and which eval runs may be one."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in unmatched:
        groups.setdefault((row["benchmark"], row["unmatched"]), []).append(row)
    told = [f"{name}: {_met_nothing(Unmatched(kind), rows)}" for (name, kind), rows in sorted(groups.items())]
    warn(told, "check the ids of --labels, --instances and exclusions")
    pairs = sorted(duplicates, key=lambda row: (row["benchmark"], row["model"], row["source_format"]))
    twins = [
        f"{row['benchmark']}: {row['model']} may have been read twice, from {row['source_format']} (eval run "
        f"{row['eval_run_id']}) and {row['other_format']} (eval run {row['other_eval_run_id']}): "
        f"tokens agree on {row['same_tokens']:,} of {counted(row['compared'], 'instance')} compared, "
        f"texts on {row['same_text']:,}"
        for row in pairs
    ]
    warn(twins, "keep the logs of one of the two out")


def _met_nothing(kind: Unmatched, rows: Sequence[Row]) -> str:
    """How many met nothing, and the names of a few."""
    noun, what = _MET_NOTHING[kind]
    count, names = sum(row["rows"] for row in rows), {row[end] for row in rows for end in ("example", "last")}
    if kind is Unmatched.LABEL:
        names = {name.replace(UNIT_SEPARATOR, " ").replace(":", " ", 1) for name in names}
    elif kind is not Unmatched.EXCLUDED:
        names = {f"instance {name}" for name in names}
    how = ":" if count == len(names) <= _MOST_NAMED else ", for example"
    return f"{counted(count, noun)} {what}{how} {', '.join(sorted(names)[:_MOST_NAMED])}"


def refusals(row: Row) -> str:
    """Records refused for one reason, with the first of them.

    >>> first = {"source_uri": "a", "source_offset": 7, "detail": "no id"}
    >>> refusals({**first, "reason": "odd", "records": 3, "files": 2})
    '3 odd in 2 files, the first (a, byte 7): no id'
    """
    told = _refusal(row["source_uri"], row["source_offset"], row["detail"])
    if row["records"] == 1:
        return f"1 {row['reason']} {told}"
    among = f" in {counted(row['files'], 'file')}" if row["files"] > 1 else ""
    return f"{row['records']:,} {row['reason']}{among}, the first {told}"


def _refusal(uri: str, offset: int, detail: str) -> str:
    return f"({here(uri)}, byte {offset}): {detail.replace(uri, here(uri))}"


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


def sum_line(totals: Mapping[str, int]) -> str:
    """The sum that must hold: records = mapped + not selected + merged + quarantined.

    >>> sum_line(dict(records=5, mapped=3, not_selected=0, merged=1, quarantined=1, runs=3))
    '5 records = 3 mapped + 0 not selected + 1 merged + 1 quarantined; 3 runs emitted'
    """
    records, runs = counted(totals["records"], "record"), counted(totals["runs"], "run")
    return (
        f"{records} = {totals['mapped']:,} mapped + {totals['not_selected']:,} not selected + "
        f"{totals['merged']:,} merged + {totals['quarantined']:,} quarantined; {runs} emitted"
    )
