"""What did one load do? Its files with their counts, and what is to be told of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

Row = dict[str, Any]

TALLY = ("records", "mapped", "not_selected", "merged", "quarantined", "runs")
"""Counts of a file: records = mapped + not_selected + merged + quarantined; runs are counted apart."""


class Load(NamedTuple):
    """What one ingest did. `skipped` are the ledger rows of unchanged files; `refused` says why, a row a reason.

    `again` are other files (source_uri, team) that hold what another reading no longer gives: to be ingested again.
    `replaced` are files whose content and reading have both changed, so that what they held before stays;
    `unknown_stops` are the stop reasons that no rule knows, with their runs.
    """

    load_id: str
    files: list[Row]
    skipped: Sequence[Row]
    refused: list[Row]
    again: Sequence[Row] = ()
    replaced: Sequence[Row] = ()
    unknown_stops: Sequence[Row] = ()

    @property
    def totals(self) -> dict[str, int]:
        """Tally over all files read."""
        return {name: sum(int(row[name]) for row in self.files) for name in TALLY}

    @property
    def unchanged(self) -> int:
        """Files that were not opened, since nothing about them has changed."""
        return len(self.skipped)

    @property
    def rejected(self) -> float:
        """Share of the records, 0 to 1, that were quarantined when their file was last read; skipped files count too.

        >>> row = dict.fromkeys(TALLY, 0)
        >>> Load("l", [row | {"records": 6}], [row | {"records": 2, "quarantined": 2}], []).rejected
        0.25
        """
        files = (*self.files, *self.skipped)
        records = sum(int(row["records"]) for row in files)
        return sum(int(row["quarantined"]) for row in files) / records if records else 0.0
