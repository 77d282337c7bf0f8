"""Which rows does a Parquet file hold, and which of them can Python hold?

    Parquet  ->  names of the columns; (number, row) of each row, or the rejection of it

A row that no Python value stands for (a map that repeats a key, a time after year 9999, text that is no UTF-8) is
refused alone. A time of a zone that is not known here is the same moment in UTC. A column of maps whose keys are no
texts or numbers has no names to be read by and is passed over. Says nothing of what a column means.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from effspark.errors import LogError, problem
from effspark.readers import Rejected
from effspark.readers.files import Log

MAGIC = b"PAR1"
LEAF = ""
"""Stands in a header for a column that nothing lies below."""
_BATCH_ROWS = 1024
_UNHELD = (KeyError, ValueError, OverflowError)
"""What Arrow raises at a value that Python cannot hold (an unknown time zone is a KeyError)."""
_NAMING = (pa.types.is_string, pa.types.is_large_string, pa.types.is_dictionary, pa.types.is_integer)


def opened(log: Log) -> pq.ParquetFile:
    """The Parquet file of a log.

    Raises
    ------
    LogError
        It is damaged.
    """
    try:
        file = pq.ParquetFile(log.uri)
        header(file)  # a damaged schema shows here
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise _damaged(log, error) from error
    return file


def header(file: pq.ParquetFile) -> Mapping[str, Any]:
    """Columns of a file, and the nested names of those that are structs."""
    return {field.name: _shape(field.type) for field in file.schema_arrow if _is_named(field.type)}


def rows(log: Log, file: pq.ParquetFile) -> Iterator[tuple[int, Mapping[str, Any] | Rejected]]:
    """Rows by their number, each as Python values or as the rejection of it.

    Raises
    ------
    LogError
        The file is damaged; the rows before have been yielded.
    """
    place = 0
    try:
        for batch in file.iter_batches(_BATCH_ROWS):
            for row in _as_python(_held(batch), place):
                yield place, row
                place += 1
    except (pa.ArrowException, OSError) as error:
        raise _damaged(log, error) from error


def _as_python(batch: pa.RecordBatch, first: int) -> list[Mapping[str, Any] | Rejected]:
    try:
        return batch.to_pylist(maps_as_pydicts="strict")  # type: ignore[no-any-return]
    except _UNHELD:
        return [_one(batch.slice(place, 1), first + place) for place in range(batch.num_rows)]


def _one(row: pa.RecordBatch, place: int) -> Mapping[str, Any] | Rejected:
    held: dict[str, Any] = {}
    faults: list[str] = []
    for name, column in zip(row.schema.names, row.columns, strict=True):
        try:
            (held[name],) = column.to_pylist(maps_as_pydicts="strict")
        except _UNHELD as error:
            faults.append(f"{name} ({type(error).__name__}: {error})")
    if not faults:
        return held
    detail = problem(
        "a row that cannot be read",
        where=f"row {place}",
        found="; ".join(faults),
        allowed="texts in UTF-8, times before year 10000, maps of different keys",
        remedy="mend the row and write the file again",
    )
    return Rejected(place, "unreadable_value", detail, json.dumps(held, default=str, ensure_ascii=False))


def _shape(kind: pa.DataType) -> Any:
    """Nested names of a struct; null where rows decide what lies below."""
    if pa.types.is_struct(kind):
        return {field.name: _shape(field.type) for field in kind}
    return None if pa.types.is_map(kind) else LEAF


def _is_named(kind: pa.DataType) -> bool:
    """Do the keys of all maps in a type name something?"""
    if pa.types.is_map(kind) and not any(known(kind.key_type) for known in _NAMING):
        return False
    return all(_is_named(kind.field(place).type) for place in range(kind.num_fields))


def _held(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The columns that can be read; times without their nanoseconds, which Python lacks."""
    batch = batch.select([place for place, field in enumerate(batch.schema) if _is_named(field.type)])
    for place, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type):  # only times: not every type casts to itself
            unit = "us" if field.type.unit == "ns" else field.type.unit
            kind = pa.timestamp(unit, _zone(field.type))
            batch = batch.set_column(place, field.name, batch.column(place).cast(kind, safe=False))
    return batch


def _zone(kind: pa.DataType) -> str | None:
    """Zone of a type of times; UTC where nobody here knows that zone."""
    try:
        pa.scalar(0, kind).as_py()
    except _UNHELD:
        return "UTC"
    return kind.tz  # type: ignore[no-any-return]


def _damaged(log: Log, error: Exception) -> LogError:
    text = problem(
        "the file is damaged",
        where=log.uri,
        found=str(error),
        allowed="a whole Parquet file",
        remedy="write the log again",
    )
    return LogError(text)
