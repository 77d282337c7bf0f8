"""What is staged of each golden log is what the obvious loop over its records makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from effspark import tables
from effspark.errors import LogError
from effspark.readers import Mapped, reader_named, staged_rows, staging
from effspark.readers.files import Log
from effspark.runs.build import Provenance
from tests.core.readers.test_golden import CASES, items_of
from tests.core.runs import row_by_row

Tables = dict[str, list[dict[str, Any]]]
OF_RUNS = ("runs", "run_sources", "configurations", "verdicts", "traces", "instances")


def row_by_row_of(item: staged_rows.Item) -> tuple[Tables, list[tuple[int, str]]]:
    """Rows of a file's runs, and place and fault of each record that is refused for what stands in it."""
    log, options = Log(item.uri, item.size, item.modified, item.start, item.end), item.choice.options
    name = item.choice.reader
    reader = reader_named(name)
    provenance = Provenance(
        source_format=name,
        reader_version=reader.version,
        mapping_version=(options.mapping or {}).get("version", 0),
        source_uri=item.uri,
        source_sha256=log.sha256(),
        file_time=item.modified,
        team=item.team,
    )
    found: Tables = {table: [] for table in OF_RUNS}
    refused: list[tuple[int, str]] = []
    kinds: dict[tuple[str, str], type] = {}
    try:
        for entry in reader.read(log, options):
            if isinstance(entry, Mapped):
                add(entry, provenance, found, kinds, refused)
    except LogError:
        pass  # the rest of the file cannot be read
    return found, refused


def add(
    entry: Mapped,
    provenance: Provenance,
    found: Tables,
    kinds: dict[tuple[str, str], type],
    refused: list[tuple[int, str]],
) -> None:
    """Rows of all runs of a record, or none; an instance id is a number or a text all through a log."""
    built = []
    try:
        for answer, run in enumerate(entry.runs):
            built.append(row_by_row.rows(run, provenance, offset=entry.offset, answer=answer))
    except LogError as error:
        refused.append((entry.offset, str(error)))
        return
    for run in entry.runs:
        kind = type(run.instance_id)
        if kinds.setdefault((run.benchmark_id, str(run.instance_id)), kind) is not kind:
            refused.append((entry.offset, f"instance id {run.instance_id}: found both as"))
            return
    for rows in built:
        for table in OF_RUNS:
            found[table] += rows[table]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_rows_of_a_golden_log_are_those_of_the_obvious_loop(case: Path) -> None:
    for item in items_of(case, [path for path in sorted((case / "logs").rglob("*")) if path.is_file()]):
        if item.choice.reader is None:
            continue
        expected, refused = row_by_row_of(item)
        batches = list(staging.stage(item))
        for table, rows in expected.items():
            assert staged_rows.of_kind(iter(batches), table).equals(tables.from_rows(table, rows)), table
        quarantined = staged_rows.of_kind(iter(batches), "quarantine").to_pylist()
        told = {
            row["source_offset"]: row["detail"] for row in quarantined if row["reason"] == "invalid_record"
        }
        assert all(told[offset].startswith(fault) for offset, fault in refused)
