"""From one file, or one range of its lines, to staged rows: the work of one task.

    Item (file, format, options)  ->  reader  ->  Arrow batches of STAGED: rows of runs, verdicts, ..., counts

Runs in executors and on a laptop alike. Every record ends as mapped, not selected or quarantined; the `count` row of
an item holds the tally, so that rows add up (architecture.md section 5.6).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from effspark.errors import LogError, SettingsError
from effspark.readers import Entry, Fact, Mapped, NotSelected, Options, Reader, Rejected, reader_named
from effspark.readers.choosing import Choice, choose
from effspark.readers.crashes import READER_FAILED, crashes
from effspark.readers.files import Log
from effspark.readers.lines import UNREADABLE
from effspark.readers.staged_rows import Item, Rows, staged_schema
from effspark.runs import checks
from effspark.runs.build import content_hash
from effspark.runs.checked import all_checked
from effspark.runs.record import LoggedRun

_RECORDS_A_BLOCK = 128
_TEXT_A_BLOCK = 4 * 1024 * 1024


def stage(item: Item) -> Iterator[pa.RecordBatch]:
    """Staged rows of one item, in batches of bounded size."""
    log = Log(item.uri, item.size, item.modified, item.start, item.end)
    try:
        sha256 = item.source_sha256 or log.sha256()
        choice = item.choice or choose(log, item.options, format_name=item.format_name)
    except LogError as error:
        sha256, nobody = content_hash(item.uri.encode()), Choice(None, str(error), item.options)
        yield from _refused(Rows(item, sha256, nobody), UNREADABLE, str(error), "")
        return
    except SettingsError as error:
        yield from _misfit(Rows(item, sha256, Choice(None, None, item.options)), error)
        return
    rows = Rows(item, sha256, choice)
    if choice.reader is None:
        reason = choice.reason if log.damage is None else UNREADABLE
        yield from _refused(rows, reason, choice.why or "", _start(log))
        return
    try:
        yield from _staged(rows, _entries(reader_named(choice.reader), log, choice.options))
    except SettingsError as error:
        yield from _misfit(Rows(item, sha256, choice), error)


def _misfit(rows: Rows, error: SettingsError) -> Iterator[pa.RecordBatch]:
    """A file that the settings do not fit: the load is refused, whatever was read."""
    rows.counted(fault=str(error))
    yield from rows.taken()


def _staged(rows: Rows, entries: Iterator[Entry]) -> Iterator[pa.RecordBatch]:
    place = {
        "log_version": rows.log.file_time,
        "reader_version": rows.log.reader_version,
        "mapping_version": rows.log.mapping_version,
        "source_sha256": rows.sha256,
        "source_uri": rows.log.source_uri,
    }
    ids = _Ids()
    for block in _blocks(entries):
        if isinstance(block, list):
            yield from _map(rows, block, ids)
        elif isinstance(block, Rejected):
            rows.reject(block)
        elif isinstance(block, NotSelected):
            rows.tally["not_selected"] += block.count
            rows.reasons[block.reason] += block.count
        else:
            rows.tally["mapped"] += 1
            rows.add(block.table, _fact_row(block, place))
        if rows.full():
            yield from rows.taken()
    rows.counted()
    yield from rows.taken()


def _refused(rows: Rows, reason: str, detail: str, raw: str) -> Iterator[pa.RecordBatch]:
    """A file refused as a whole counts as one quarantined record."""
    rows.reject(Rejected(0, reason, detail, raw))
    rows.counted()
    yield from rows.taken()


def _entries(reader: Reader, log: Log, options: Options) -> Iterator[Entry]:
    """Entries of a reader; where it gives up on the file, or fails, one rejection for the rest of it.

    Where nothing could be read, its raw text is the start of the file.
    """
    offset = -1
    try:
        with crashes(reader.name, log.uri):
            for entry in reader.read(log, options):
                offset = _whole(entry).offset
                yield entry
    except LogError as error:
        begins = offset + 1 if error.offset is None else error.offset
        raw = error.raw or ("" if offset >= 0 else _start(log))
        reason = READER_FAILED if error.reason == READER_FAILED else UNREADABLE
        yield Rejected(begins, reason, str(error), raw)


def _whole(entry: Entry) -> Entry:
    """The entry, unless a reader gave something else for one."""
    if not isinstance(entry, Entry):
        raise TypeError(f"{entry!r:.80} is no entry")
    if isinstance(entry, Mapped) and not all(isinstance(run, LoggedRun) for run in entry.runs):
        raise TypeError(f"{entry.runs!r:.80} are no runs")
    return entry


def _start(log: Log) -> str:
    return log.head.decode("utf-8", "backslashreplace")


def _fact_row(entry: Fact, place: Mapping[str, Any]) -> dict[str, Any]:
    known = {
        **place,
        "labels_version": place["log_version"],
        "source_offset": entry.offset,
        "source_answer": 0,
    }
    wanted = staged_schema(entry.table).names
    said = {
        name: checks.text(value, name) if isinstance(value, str) else value
        for name, value in entry.row.items()
    }
    return {**{name: value for name, value in known.items() if name in wanted}, **said}


class _Ids:
    """Instance ids met in one log: int and string are one space, so a clash of the two is a fault."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str], type] = {}

    def check(self, benchmark: str, instance: str, kind: type) -> None:
        first = self._kinds.setdefault((benchmark, instance), kind)
        if first is not kind:
            raise LogError(
                f"instance id {instance}: found both as {first.__name__} and as {kind.__name__} in one log; "
                "allowed: one spelling for an instance; make the ids all text or all numbers"
            )


def _blocks(entries: Iterator[Entry]) -> Iterator[list[Mapped] | Fact | NotSelected | Rejected]:
    """Entries in order; records that became runs, where they follow each other, in blocks that are checked at once."""
    block: list[Mapped] = []
    length = 0
    for entry in entries:
        if isinstance(entry, Mapped):
            block.append(entry)
            length += len(entry.record) if isinstance(entry.record, str) else 0
            if len(block) < _RECORDS_A_BLOCK and length < _TEXT_A_BLOCK:
                continue
        if block:
            yield block
            block, length = [], 0
        if not isinstance(entry, Mapped):
            yield entry
    if block:
        yield block


def _map(rows: Rows, block: list[Mapped], ids: _Ids) -> Iterator[pa.RecordBatch]:
    """Take all runs of a record, or reject the record whole; what is full is handed on."""
    for entry, runs in zip(block, all_checked([entry.runs for entry in block]), strict=True):
        try:
            if isinstance(runs, LogError):
                raise runs
            for run, logged in zip(runs, entry.runs, strict=True):
                ids.check(logged.benchmark_id, run.instance_id, type(logged.instance_id))
        except LogError as error:
            record = entry.record
            raw = record if isinstance(record, str) else json.dumps(record, default=str, ensure_ascii=False)
            rows.reject(Rejected(entry.offset, "invalid_record", str(error), raw))
        else:
            rows.add_runs(runs, entry.offset)
        if rows.full():
            yield from rows.taken()
