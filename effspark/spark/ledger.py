"""Which files have been read, how, and what became of their records? The table `loads`.

A file is skipped where path, size, time, reader, mapping and options are those of its last load; content that was read
under another reader or mapping is read again, and what it no longer gives is removed. Source: architecture.md 5.5, 5.6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from effspark import tables
from effspark.readers import (
    COMPANIONS,
    MAPPER,
    READERS,
    HasCompanions,
    Options,
    Reader,
    reader_named,
    registry,
)
from effspark.readers.choosing import AUTO, UNKNOWN_READER
from effspark.readers.companions import parent
from effspark.readers.files import Log
from effspark.readers.mapper import recipes
from effspark.readers.mappings import mapping_digest
from effspark.runs import keys

Row = dict[str, Any]


def known(loads: DataFrame) -> list[Row]:
    """All ledger rows: one a file and team."""
    return [row.asDict() for row in loads.collect()]


def unchanged(row: Row | None, log: Log, options: Options, kind: str, *, format_name: str = AUTO) -> bool:
    """Was this very file read before in the same way? Decided without opening it.

    A file that was read by a shipped mapping is unchanged while that mapping is still shipped; one that no reader knew
    is read again where a format or another mapping is named for it, and one whose reader was uninstalled always is.

    Parameters
    ----------
    row
        Ledger row of the file for the same team; null where it was never read.
    """
    if row is None:
        return False
    same_file = row["size"] == log.size and row["modified_at"].timestamp() == log.modified.timestamp()
    same_reader = format_name in (AUTO, row["reader"]) and row["reader_version"] == _version(row["reader"])
    same_options = row["options_sha256"] == options_hash(options)
    same_way = row["kind"] == kind and same_reader and same_options
    return same_file and same_way and row["mapping_sha256"] in _mappings(row, options)


def may_be_mended(row: Row | None, log: Log, fresh: Sequence[Log]) -> bool:
    """Has the log refused records, and is any of the files fresh where its reader looks for what they lack?"""
    if row is None or not row["quarantined"] or row["reader"] == UNKNOWN_READER:
        return False
    reader: object = _reader(row["reader"])
    if not isinstance(reader, HasCompanions):
        return False
    folder = f"{parent(log.uri, reader.companions)}/"
    return any(other.uri.startswith(folder) for other in fresh)


def _mappings(row: Row, options: Options) -> set[str]:
    if row["reader"] == UNKNOWN_READER:
        return {mapping_hash(options)}
    if row["reader"] != MAPPER:
        return {row["mapping_sha256"]}
    return {mapping_hash(options)} if options.mapping else {mapping_digest(recipe) for recipe in recipes()}


def _reading(row: Row) -> tuple[Any, ...]:
    return row["reader"], row["reader_version"], row["mapping_sha256"], row["options_sha256"]


def _version(name: str) -> int | None:
    """Version of a reader; null of one that is installed no longer."""
    if name == UNKNOWN_READER:
        return 0
    reader = _reader(name)
    return None if reader is None else reader.version


def _reader(name: str) -> Reader | None:
    shipped = name in READERS or name in COMPANIONS
    return reader_named(name) if shipped or name in registry() else None


def mapping_hash(options: Options) -> str:
    """Hash of the mapping; empty without one."""
    return mapping_digest(options.mapping) if options.mapping else ""


def options_hash(options: Options) -> str:
    """Hash of what else decides how a file is read."""
    return keys.digest("options", *options.identity())


def row(
    found: Mapping[str, Any], log: Log, options: Options, *, team: str, kind: str, load_id: str, now: datetime
) -> Row:
    """Ledger row of a file. `found` holds its counts and `kept`, its records that still hold a run."""
    mapped = int(found["mapped"])
    kept = mapped if found.get("kept") is None else int(found["kept"])
    return {
        "source_uri": log.uri,
        "team": team,
        "kind": kind,
        "size": log.size,
        "modified_at": log.modified,
        "source_sha256": found["source_sha256"],
        "reader": found["reader"],
        "reader_version": _version(found["reader"]),
        "mapping_sha256": found["mapping_sha256"],
        "mapping_version": int(found["mapping_version"]),
        "options_sha256": options_hash(options),
        "records": int(found["records"]),
        "mapped": kept,
        "not_selected": int(found["not_selected"]),
        "merged": mapped - kept,
        "quarantined": int(found["quarantined"]),
        "runs": int(found["runs"]),
        "load_id": load_id,
        "loaded_at": now,
    }


def read_otherwise(known_loads: Sequence[Row], files: Sequence[Row]) -> list[tuple[str, str]]:
    """(hash, team) of content that this load reads and that an earlier one read in another way."""
    before: dict[tuple[str, str], set[tuple[Any, ...]]] = {}
    for row in known_loads:
        before.setdefault(_content(row), set()).add(_reading(row))
    return sorted({_content(row) for row in files if before.get(_content(row), set()) - {_reading(row)}})


def all_read_anew(
    known_loads: Sequence[Row], files: Sequence[Row], stale: Sequence[tuple[str, str]]
) -> list[str]:
    """Hashes of the `stale` content that no other team holds as it was read before.

    Parameters
    ----------
    stale
        Result of `read_otherwise`.
    """
    reading = {_content(row): _reading(row) for row in files}
    anew: dict[str, list[tuple[str, tuple[Any, ...]]]] = {}
    for sha256, team in stale:
        anew.setdefault(sha256, []).append((team, reading[sha256, team]))
    now = set(map(place, files))
    shared = {
        row["source_sha256"]
        for row in known_loads
        if place(row) not in now
        and any(
            team != row["team"] and found != _reading(row)
            for team, found in anew.get(row["source_sha256"], ())
        )
    }
    return sorted(set(anew) - shared)


def of_same_content(
    known_loads: Sequence[Row], files: Sequence[Row], stale: Sequence[tuple[str, str]]
) -> list[Row]:
    """Other files (source_uri, team) of a team that hold `stale` content, which this load reads elsewhere."""
    now, read = set(map(place, files)), set(stale)
    return [
        {"source_uri": row["source_uri"], "team": row["team"]}
        for row in known_loads
        if _content(row) in read and place(row) not in now
    ]


def replaced_otherwise(known_loads: Sequence[Row], files: Sequence[Row]) -> list[Row]:
    """Files that hold other content now and are read in another way: what the old content gave stays as it was."""
    before = {place(row): row for row in known_loads if row["runs"]}
    met = {_content(row) for row in files}
    found = []
    for row in files:
        old = before.get(place(row))
        if old is not None and _content(old) not in met and _reading(old) != _reading(row):
            found.append(row)
    return found


def place(row: Row) -> tuple[str, str]:
    """What a ledger row is known by: file and team.

    >>> place({"source_uri": "a.csv", "team": "blue", "runs": 4})
    ('a.csv', 'blue')
    """
    return row["source_uri"], row["team"]


def _content(row: Row) -> tuple[str, str]:
    return row["source_sha256"], row["team"]


def table(rows: Sequence[Row]) -> pa.Table:
    """Ledger rows as a table."""
    return tables.from_rows("loads", list(rows))
