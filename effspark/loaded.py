"""What did one load do? Its files with their counts, and what is to be told of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

Row = dict[str, Any]

TALLY = ("records", "mapped", "not_selected", "merged", "quarantined", "runs")
"""Counts of a file: records = mapped + not_selected + merged + quarantined; runs are counted apart."""


class Load(NamedTuple):
    """What one ingest did. `unchanged` files were skipped by the ledger; `refused` says why, a row a reason.

    `again` are other files (source_uri, team) that hold what another reading no longer gives: to be ingested again.
    `replaced` are files whose content and reading have both changed, so that what they held before stays;
    `unknown_stops` are the stop reasons that no rule knows, with their runs.
    """

    load_id: str
    files: list[Row]
    unchanged: int
    refused: list[Row]
    again: Sequence[Row] = ()
    replaced: Sequence[Row] = ()
    unknown_stops: Sequence[Row] = ()

    @property
    def totals(self) -> dict[str, int]:
        """Tally over all files read."""
        return {name: sum(int(row[name]) for row in self.files) for name in TALLY}
