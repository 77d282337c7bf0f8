"""Logs become runs: plan on the driver, read in executors, merge into silver tables, write the ledger last.

    files -> items -> mapInArrow(stage) -> staging table -> MERGE by key -> loads

A job killed at any point and run again gives the same tables: every MERGE is idempotent and the ledger row that lets
a file be skipped is written after all others. Source: architecture.md sections 5.4 to 5.7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import narwhals as nw
from pyspark.sql import DataFrame

from effspark.errors import EffsparkError
from effspark.loaded import Load
from effspark.readers import Options
from effspark.readers.choosing import refuse_if_unusable
from effspark.readers.files import Log
from effspark.readers.plan import items, refuse_two_kinds
from effspark.readers.staged_rows import Item
from effspark.runs import keys
from effspark.runs.unknown_stops import strange, unknown_stops
from effspark.spark import hashing, ledger, silver
from effspark.spark.merging import merge_changed
from effspark.spark.silver import absorb
from effspark.spark.staged import of_kind, read_in_tasks, refusals, tallies
from effspark.spark.store import Store

Row = dict[str, Any]

TABLES = (*silver.TABLES, "loads")
"""Tables that ingest writes, in the order it writes them."""


class Request(NamedTuple):
    """What to ingest: files, for which team, and how they are to be read. `kind` is log, items or labels."""

    logs: Sequence[Log]
    team: str
    options: Options
    format_name: str = "auto"
    kind: str = "log"


class _Work(NamedTuple):
    """A file to read, and the request it belongs to."""

    request: Request
    log: Log


def ingest(store: Store, requests: Sequence[Request], *, now: datetime) -> Load:
    """Read what is new or changed and merge it.

    Parameters
    ----------
    requests
        Read and merged together, as one load.
    now
        Time of the load (UTC), for the ledger.

    Raises
    ------
    LogError
        No reader knows any of the files, or one is given as two kinds; nothing is written.
    """
    refuse_two_kinds((log.uri, request.kind) for request in requests for log in request.logs)
    known = ledger.known(store.read("loads")) if "loads" in store.check() else []
    sorted_out = [(request, *_fresh_and_skipped(known, request)) for request in requests]
    work = [_Work(request, log) for request, fresh, _ in sorted_out for log in fresh]
    skipped = [row for _, _, rows in sorted_out for row in rows]
    if not work:
        return Load("", [], skipped, [])
    planned = [item for made in work for item in _planned(store, made)]
    load_id = _load_id(work)
    staged = store.stage(f"load_{load_id[:16]}", read_in_tasks(store.spark, planned), partition="kind")
    found = tallies(staged)
    try:
        refuse_if_unusable(found.values())
    except EffsparkError:
        store.unstage(f"load_{load_id[:16]}")
        raise
    store.open(TABLES)
    files = _ledger_rows(found, work, load_id, now)
    again = absorb(store, staged, files, known, load_id)
    merge_changed(store, "loads", store.frame(ledger.table(files)))
    refused = refusals(staged) if any(row["quarantined"] for row in files) else []
    stops = _unknown_stops(staged) if any(row["strange_stops"] for row in found.values()) else []
    store.unstage(f"load_{load_id[:16]}")
    replaced = ledger.replaced_otherwise(known, files)
    return Load(load_id, files, skipped, refused, again, replaced, stops)


def _unknown_stops(staged: DataFrame) -> list[Row]:
    found = unknown_stops(nw.from_native(of_kind(staged, "runs"))).to_native().collect()
    return strange([row.asDict() for row in found])


def _fresh_and_skipped(known: Sequence[Row], request: Request) -> tuple[list[Log], list[Row]]:
    """Files that are new or changed or whose refused records one of these may mend; ledger rows of the others."""
    own = {row["source_uri"]: row for row in known if row["team"] == request.team}
    fresh: list[Log] = []
    rest: list[Log] = []
    for log in request.logs:
        skipped = ledger.unchanged(
            own.get(log.uri), log, request.options, request.kind, format_name=request.format_name
        )
        (rest if skipped else fresh).append(log)
    mended = [log for log in rest if ledger.may_be_mended(own.get(log.uri), log, fresh)]
    read = {log.uri for log in mended}
    return fresh + mended, [own[log.uri] for log in rest if log.uri not in read]


def _planned(store: Store, made: _Work) -> list[Item]:
    request = made.request
    return items(
        [made.log],
        request.options,
        team=request.team,
        format_name=request.format_name,
        hash_of=partial(hashing.sha256, store.spark),
    )


def _load_id(work: Sequence[_Work]) -> str:
    return keys.digest(
        "load",
        sorted((made.request.team, made.log.uri, made.log.size, str(made.log.modified)) for made in work),
    )


def _ledger_rows(
    found: Mapping[tuple[str, str], Row], work: Sequence[_Work], load_id: str, now: datetime
) -> list[Row]:
    return [
        ledger.row(
            found[made.request.team, made.log.uri],
            made.log,
            made.request.options,
            team=made.request.team,
            kind=made.request.kind,
            load_id=load_id,
            now=now,
        )
        for made in work
    ]
