"""What would become of some logs? Read, counted, and let go: nothing is written.

paths  ->  for each file: reader, counts, reasons of refusal with an example of each, stop reasons that are not known
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from effspark.errors import SettingsError
from effspark.laptop import planned
from effspark.readers import Options, staged_rows, staging
from effspark.readers.choosing import AUTO
from effspark.runs import unknown_stops


def checked(paths: Sequence[str], options: Options, *, format_name: str = AUTO) -> list[dict[str, Any]]:
    """What would become of each file: reader, tallies, reasons of refusal, with an example of each reason."""
    found: dict[str, dict[str, Any]] = {}
    for item in planned(paths, options, format_name=format_name, team="check"):
        batches = list(staging.stage(item))
        counts = staged_rows.of_kind(iter(batches), "counts").to_pylist()[0]
        refused = staged_rows.of_kind(iter(batches), "quarantine").to_pylist()
        if counts["fault"] is not None:
            raise SettingsError(counts["fault"])
        row = found.setdefault(
            item.uri, {"source_uri": item.uri, "reader": counts["reader"], "refused": [], "unknown_stops": []}
        )
        for name in ("records", "mapped", "not_selected", "quarantined", "runs"):
            row[name] = row.get(name, 0) + counts[name]
        row["reasons"] = "; ".join(filter(None, (row.get("reasons"), counts["reasons"])))
        if counts["strange_stops"]:
            row["unknown_stops"] += unknown_stops.told(staged_rows.of_kind(iter(batches), "runs"))
        told = {refusal["reason"] for refusal in row["refused"]}
        row["refused"] += [
            {"reason": refusal["reason"], "offset": refusal["source_offset"], "detail": refusal["detail"]}
            for place, refusal in enumerate(refused)
            if refusal["reason"] not in told
            and refusal["reason"] not in {other["reason"] for other in refused[:place]}
        ]
    return list(found.values())
