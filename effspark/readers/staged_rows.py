"""Staged rows: what a task hands back, whatever the table a row is for.

    runs, verdicts, traces, ..., refused records, tallies  ->  Arrow batches of STAGED, each of one kind

`Item` is the work of one task. What is read into staged rows, and how records are counted, is staging.py.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import pyarrow as pa

from effspark import tables
from effspark.readers import Options, Rejected, reader_named
from effspark.readers.choosing import AUTO, UNKNOWN_READER, Choice
from effspark.readers.files import HEAD_BYTES
from effspark.readers.mappings import mapping_digest
from effspark.runs import checks
from effspark.runs.build import Attempt, Provenance, build, rows_of
from effspark.runs.record import LoggedRun
from effspark.runs.stops import is_strange

KINDS = (
    "runs",
    "run_sources",
    "configurations",
    "verdicts",
    "traces",
    "instances",
    "labels",
    "quarantine",
    "counts",
)
"""What a staged row can be: a table of that name, or the tally of one item."""

COUNTED = ("records", "mapped", "not_selected", "quarantined", "runs", "strange_stops")
"""What is counted of an item."""
COUNTS = pa.schema(
    [
        pa.field("team", pa.string(), nullable=False),
        pa.field("source_uri", pa.string(), nullable=False),
        pa.field("source_sha256", pa.string(), nullable=False),
        *(pa.field(name, pa.int64(), nullable=False) for name in COUNTED),
        pa.field("reasons", pa.string(), nullable=False),
        pa.field("reader", pa.string(), nullable=False),
        pa.field("mapping_sha256", pa.string(), nullable=False),
        pa.field("mapping_version", pa.int32(), nullable=False),
        pa.field("why", pa.string()),
        pa.field("fault", pa.string()),
    ]
)
_STAGED_COLUMNS = {
    "quarantine": [name for name in tables.columns("quarantine") if name not in ("load_id", "resolved_by")]
}


def staged_schema(kind: str) -> pa.Schema:
    """Arrow schema of the staged rows of one kind."""
    if kind == "counts":
        return COUNTS
    whole = tables.schema(kind)
    wanted = _STAGED_COLUMNS.get(kind, whole.names)
    return pa.schema([whole.field(name) for name in wanted])


STAGED = pa.schema(
    [pa.field("kind", pa.string(), nullable=False)]
    + [pa.field(kind, pa.struct(list(staged_schema(kind)))) for kind in KINDS]
)
"""One wide row type for all kinds: exactly the struct named by `kind` is not null."""

_ROWS_A_BATCH = 4096
_TEXT_A_BATCH = 32 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Item:
    """Work of one task: a file or the lines of it that begin in [start, end).

    `choice` of a reader and `source_sha256` are known beforehand for ranges; for whole files the task finds them.
    """

    uri: str
    size: int
    modified: datetime
    team: str
    options: Options
    format_name: str = AUTO
    choice: Choice | None = None
    start: int = 0
    end: int | None = None
    source_sha256: str | None = None


class Rows:
    """Rows of one task that wait to be handed on, by kind."""

    def __init__(self, item: Item, sha256: str, choice: Choice) -> None:
        self.item, self.sha256, self.choice = item, sha256, choice
        self.log = Provenance(
            source_format=choice.reader or UNKNOWN_READER,
            reader_version=0 if choice.reader is None else reader_named(choice.reader).version,
            mapping_version=int((choice.options.mapping or {}).get("version", 0)),
            source_uri=item.uri,
            source_sha256=sha256,
            file_time=item.modified,
            team=item.team,
        )
        self.tally, self.reasons = Counter[str](), Counter[str]()
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._attempts: list[Attempt] = []
        self._waiting, self._text = 0, 0

    def add(self, kind: str, row: Mapping[str, Any]) -> None:
        """One row of a kind."""
        self._rows.setdefault(kind, []).append(dict(row))
        self._waiting += 1

    def add_runs(self, runs: Sequence[LoggedRun], offset: int) -> None:
        """All runs of the record at `offset`, checked."""
        self.tally["mapped"] += 1
        self.tally["runs"] += len(runs)
        for answer, run in enumerate(runs):
            self._attempts.append(Attempt(logged=run, offset=offset, answer=answer))
            self._waiting += rows_of(run)
            self.tally["strange_stops"] += run.finish_reason is not None and is_strange(run.finish_reason)
            self._text += len(run.answer or "") + len(run.reasoning or "") + len(run.prompt or "")

    def reject(self, entry: Rejected) -> None:
        """A refused record: counted, and kept with its raw text."""
        self.tally["quarantined"] += 1
        self.reasons[entry.reason] += 1
        raw = entry.raw.encode("utf-8", "replace")[:HEAD_BYTES]
        row = {
            "source_sha256": self.sha256,
            "team": self.item.team,
            "source_offset": entry.offset,
            "source_uri": self.item.uri,
            "reader": self.log.source_format,
            "reason": entry.reason,
            "detail": checks.text(entry.detail, "detail"),
            "raw": raw.decode("utf-8", "ignore"),
            "raw_sha256": hashlib.sha256(raw).hexdigest(),
        }
        self.add("quarantine", row)

    def full(self) -> bool:
        """Is it time to hand on what waits?"""
        return self._waiting >= _ROWS_A_BATCH or self._text >= _TEXT_A_BATCH

    def counted(self, *, fault: str | None = None) -> None:
        """The tally of the item, as its last row; `fault` says why the settings do not fit the file."""
        tally, mapping = self.tally, self.choice.options.mapping
        row = {name: tally[name] for name in COUNTED}
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(self.reasons.items()))
        self.add(
            "counts",
            {
                **row,
                "team": self.item.team,
                "source_uri": self.item.uri,
                "source_sha256": self.sha256,
                "records": tally["mapped"] + tally["not_selected"] + tally["quarantined"],
                "reasons": reasons,
                "reader": self.log.source_format,
                "mapping_sha256": mapping_digest(mapping) if mapping else "",
                "mapping_version": self.log.mapping_version,
                "why": self.choice.why,
                "fault": fault,
            },
        )

    def taken(self) -> Iterator[pa.RecordBatch]:
        """One batch a kind; the structs of the other kinds are null."""
        made = build(self._attempts, self.log) if self._attempts else {}
        for kind, batch in made.items():
            if batch.num_rows:
                yield _staged(kind, batch.to_struct_array())
        for kind, rows in self._rows.items():
            yield _staged(kind, pa.array(rows, type=STAGED.field(kind).type))
        self._rows, self._attempts, self._waiting, self._text = {}, [], 0, 0


def _staged(kind: str, structs: pa.StructArray) -> pa.RecordBatch:
    arrays = [structs if other == kind else _nulls(other, len(structs)) for other in KINDS]
    return pa.RecordBatch.from_arrays([pa.repeat(kind, len(structs)), *arrays], schema=STAGED)


@lru_cache(maxsize=4 * len(KINDS))
def _nulls(kind: str, count: int) -> pa.Array:
    return pa.nulls(count, STAGED.field(kind).type)


def of_kind(batches: Iterator[pa.RecordBatch], kind: str) -> pa.Table:
    """Rows of one kind among staged batches, as a table of its own columns."""
    wanted = [
        batch.column(kind).drop_null()
        for batch in batches
        if batch.num_rows and batch.column(0)[0].as_py() == kind
    ]
    schema = staged_schema(kind)
    return (
        pa.Table.from_batches([pa.RecordBatch.from_struct_array(array) for array in wanted], schema)
        if wanted
        else schema.empty_table()
    )
