"""What would become of some logs? Read, counted, and let go: nothing is written.

paths  ->  for each file: reader, counts, reasons of refusal with an example of each, stop reasons that are not known
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from effspark.errors import SettingsError
from effspark.readers import Options, plan, staged_rows, staging
from effspark.readers.choosing import AUTO
from effspark.readers.files import Log
from effspark.runs import unknown_stops


def checked(paths: Sequence[str], options: Options, *, format_name: str = AUTO) -> list[dict[str, Any]]:
    """What would become of each file: reader, tallies, why records are left out, and an example of each refusal."""
    return checked_logs(plan.files(paths), options, format_name=format_name)


def checked_logs(logs: Sequence[Log], options: Options, *, format_name: str = AUTO) -> list[dict[str, Any]]:
    """The same of files that have been listed."""
    found: dict[str, dict[str, Any]] = {}
    for item in plan.items(logs, options, format_name=format_name, team="check"):
        batches = list(staging.stage(item))
        counts = staged_rows.of_kind(iter(batches), "counts").to_pylist()[0]
        refused = staged_rows.of_kind(iter(batches), "quarantine").to_pylist()
        if counts["fault"] is not None:
            raise SettingsError(counts["fault"])
        row = found.setdefault(
            item.uri,
            {
                "source_uri": item.uri,
                "reader": counts["reader"],
                "left_out": [],
                "refused": [],
                "unknown_stops": [],
            },
        )
        for name in ("records", "mapped", "not_selected", "quarantined", "runs"):
            row[name] = row.get(name, 0) + counts[name]
        row["reasons"] = "; ".join(filter(None, (row.get("reasons"), counts["reasons"])))
        if counts["strange_stops"]:
            row["unknown_stops"] += unknown_stops.told(staged_rows.of_kind(iter(batches), "runs"))
        _add(row["refused"], [_refused(one) for one in refused])
        _add(row["left_out"], _not_selected(counts["reasons"], {one["reason"] for one in refused}))
    return list(found.values())


def _refused(row: dict[str, Any]) -> dict[str, Any]:
    return {"reason": row["reason"], "records": 1, "offset": row["source_offset"], "detail": row["detail"]}


def _not_selected(reasons: str, refused: Collection[str]) -> list[dict[str, Any]]:
    """Reasons of a tally (`3 summary, 1 invalid_json`) that are none of a refusal."""
    told = [text.split(" ", 1) for text in re.split(r", (?=\d+ )", reasons) if text]
    return [{"reason": reason, "records": int(count)} for count, reason in told if reason not in refused]


def _add(told: list[dict[str, Any]], more: list[dict[str, Any]]) -> None:
    """Add to the records of each reason; the first example stays."""
    for one in more:
        same = next((other for other in told if other["reason"] == one["reason"]), None)
        if same is None:
            told.append(one)
        else:
            same["records"] += one["records"]
