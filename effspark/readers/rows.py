"""Which records does a file of rows hold? CSV, JSON lines, a JSON list or Parquet, told apart by content.

    Log  ->  Rows: what is known of the columns beforehand, and records with their place (or why not)

CSV: separated by comma, tab or semicolon, whichever the header holds most; quoted cells may hold line ends; an
empty cell is null. Places are byte offsets (Parquet: the number of the row). Says nothing of what a column means.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, starmap
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from effspark.errors import LogError, problem
from effspark.readers import Rejected, jsonl, parquet_rows
from effspark.readers.cells import Row
from effspark.readers.files import Log
from effspark.readers.lines import KEPT_BYTES, LONGEST_LINE, UNREADABLE, UTF16_MARKS, utf16
from effspark.readers.parquet_rows import LEAF, MAGIC


class Record(NamedTuple):
    """One record. `raw` is its text, or the row itself where the file holds no text."""

    offset: int
    row: Row
    raw: Any


@dataclass(frozen=True)
class Rows:
    """Records of a file.

    `header` names the columns that the file declares, null where only records show them;
    `cells` says that texts are cells, whose type is not known.
    """

    header: Row | None
    cells: bool
    records: Iterator[Record | Rejected]


def rows(log: Log) -> Rows:
    """Records of a file, read as they are asked for.

    Raises
    ------
    LogError
        The file is damaged, or its header cannot be read.
    """
    start = log.head.lstrip()
    if start.startswith(MAGIC):
        return _parquet(log)
    if is_jsonl(log):
        return Rows(None, False, _jsonl(log))
    if start.startswith(b"["):
        return Rows(None, False, starmap(parsed, jsonl.elements(log.text(), log.uri)))
    if _is_binary(start):
        raise _fault(
            "no file of rows",
            log,
            log.describe(),
            allowed="CSV, JSON lines, a JSON list or Parquet",
            remedy="write it again as one of these, or leave it out",
        )
    return _csv(log)


def is_jsonl(log: Log) -> bool:
    """Does a file hold JSON lines?"""
    return log.head.lstrip().startswith(b"{")


def _is_binary(start: bytes) -> bool:
    return b"\0" in start.split(b"\n", 1)[0]


def columns(log: Log) -> list[Row]:
    """What the start of a file shows of its columns: its header, or the records among its first 64 KiB.

    Raises
    ------
    LogError
        The file is damaged.
    """
    start = log.head.lstrip()
    if start.startswith(MAGIC):
        header = _parquet(log).header
        return [] if header is None else [header]
    text = start.decode("utf-8", "replace")
    if start.startswith((b"{", b"[")):
        return [record.row for record in _shown(text) if isinstance(record, Record)]
    if _is_binary(start) or ("\n" not in text and log.size > len(start)):
        return []
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True), [])
    except csv.Error:
        return []
    return [dict.fromkeys(names, LEAF)]


def _shown(text: str) -> Iterator[Record | Rejected]:
    """Records that stand whole in the start of a file of JSON lines or of one JSON list."""
    if text.startswith("{"):
        yield from (parsed(0, line) for line in text.split("\n") if line.strip())
        return
    try:
        yield from starmap(parsed, jsonl.elements(text, ""))
    except LogError:  # the start of a longer file ends inside an element
        return


def _jsonl(log: Log) -> Iterator[Record | Rejected]:
    for line in log.lines():
        yield jsonl.refused(line) if line.text is None else parsed(line.offset, line.text)


def parsed(offset: int, text: str) -> Record | Rejected:
    """Record of a JSON text that stands at `offset` (bytes), or the rejection of it."""
    if (spoilt := jsonl.with_invalid_bytes(text, offset)) is not None:
        return spoilt
    try:
        found = json.loads(jsonl.whole_characters(text))
    except (ValueError, RecursionError) as error:
        return jsonl.no_json(text, str(error), offset)
    if isinstance(found, dict):
        return Record(offset, found, text)
    detail = f"found a JSON {type(found).__name__}; allowed: a JSON object; mend the record"
    return Rejected(offset, "wrong_type", detail, text)


class _Lines:
    """Lines of a text file as csv wants them; `position` is the number of bytes handed out."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0
        self._stream = io.BytesIO(self.data)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._stream.readline()
        if not line:
            raise StopIteration
        text = line.decode("utf-8", "surrogateescape")
        self.position += len(line)
        return text.removeprefix("\ufeff") if self.position == len(line) else text

    def first_line_from(self, start: int) -> str:
        """The line that begins at `start`; reading goes on behind it."""
        self._stream.seek(start)
        line = self._stream.readline()
        self.position = start + len(line)
        return line.decode("utf-8", "replace")


def _delimiter(text: str) -> str:
    line = text.split("\n", 1)[0]
    return max(",\t;", key=line.count)


def _csv(log: Log) -> Rows:
    csv.field_size_limit(LONGEST_LINE)
    data, damage = log.readable()
    data = utf16(data) if data.startswith(UTF16_MARKS) else data
    whole = len(data) if damage is None else data.rfind(b"\n") + 1
    lines = _Lines(data[:whole])
    first = lines.data.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
    reader = csv.reader(lines, delimiter=_delimiter(first), strict=True)
    try:
        names = next(reader, [])
    except csv.Error as error:
        raise _bad_header(log, str(error)) from error
    _differ(names, log)
    records = _csv_records(reader, lines, names)
    if damage is not None:
        if not names:
            raise LogError(damage)
        cut = data[whole : whole + KEPT_BYTES].decode("utf-8", "backslashreplace")
        records = chain(records, [Rejected(whole, UNREADABLE, damage, cut)])
    return Rows(dict.fromkeys(names, LEAF) if names else None, True, records)


def _csv_records(reader: Iterator[list[str]], lines: _Lines, names: list[str]) -> Iterator[Record | Rejected]:
    while True:
        start = lines.position
        try:
            cells = next(reader, None)
        except csv.Error as error:
            # A quote left open may have taken in the records behind it: give them back.
            raw = lines.first_line_from(start)
            detail = f"{error}; allowed: cells quoted as in RFC 4180; mend the record"
            yield Rejected(start, "invalid_csv", detail, raw)
            continue
        if cells is None:
            return
        if not cells:
            continue
        data = lines.data[start : lines.position]
        raw = data.decode("utf-8", "replace")
        if len(cells) != len(names):
            detail = (
                f"found {len(cells)} cells; allowed: {len(names)}, as in the header; quote or mend the record"
            )
            yield Rejected(start, "invalid_csv", detail, raw)
        elif any(
            "\udc80" <= character <= "\udcff" for cell in cells if not cell.isascii() for character in cell
        ):
            yield Rejected(
                start, "invalid_utf8", "found bytes that are no UTF-8; write the log again in UTF-8", raw
            )
        else:
            yield Record(start, {name: cell or None for name, cell in zip(names, cells, strict=True)}, raw)


def _parquet(log: Log) -> Rows:
    file = parquet_rows.opened(log)
    _differ(file.schema_arrow.names, log)
    return Rows(parquet_rows.header(file), False, _parquet_records(log, file))


def _parquet_records(log: Log, file: pq.ParquetFile) -> Iterator[Record | Rejected]:
    for place, row in parquet_rows.rows(log, file):
        yield row if isinstance(row, Rejected) else Record(place, row, row)


def _differ(names: list[str], log: Log) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise _bad_header(log, f"two columns called {twice[0]!r}")


def _fault(what: str, log: Log, found: str, *, allowed: str, remedy: str) -> LogError:
    return LogError(problem(what, where=log.uri, found=found, allowed=allowed, remedy=remedy))


def _bad_header(log: Log, found: str) -> LogError:
    allowed = "one line of different column names"
    return _fault("the header cannot be read", log, found, allowed=allowed, remedy="mend the header")
