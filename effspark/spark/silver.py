"""Staged rows become silver tables: merged by key, then rid of what the same content no longer gives.

    staged -> run_sources, runs, configurations, verdicts, traces, instances, labels, quarantine

Source: architecture.md sections 5.4 to 5.6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from effspark import tables
from effspark.runs import names
from effspark.spark import ledger
from effspark.spark.merging import delete_rows, merge_changed, merge_new, merge_winners, winners
from effspark.spark.staged import of_kind
from effspark.spark.store import Store, literal

Row = dict[str, Any]

TABLES = (
    "run_sources",
    "runs",
    "configurations",
    "verdicts",
    "traces",
    "instances",
    "labels",
    "quarantine",
)
"""Tables that staged rows go to, in the order they are written."""
_FACTS = ("configurations", "verdicts", "traces", "instances", "labels")


def absorb(
    store: Store, staged: DataFrame, files: Sequence[Row], known: Sequence[Row], load_id: str
) -> list[Row]:
    """Merge the staged rows into a lake rid of what the same content gave under another reading.

    Returns
    -------
    list[Row]
        Other files, as source_uri and team, that hold some of what was removed: to be ingested again.
    """
    present = {row["kind"] for row in staged.select("kind").distinct().collect()}
    stale = ledger.read_otherwise(known, files)
    again: list[Row] = []
    reread = ledger.all_read_anew(known, files, stale)
    facts = [partial(_merge_facts, store, staged, table, reread) for table in _FACTS if table in present]
    refused = partial(_quarantine, store, staged, files, load_id, rejected="quarantine" in present)
    runs = [partial(_merge_runs, store, staged, reread)] if "runs" in present else []
    if stale:
        _merge_sources(store, staged, stale)
        again = _remove_ghosts(store, staged, stale, files, ledger.of_same_content(known, files, stale))
    elif runs:
        runs = [partial(_in_turn, partial(_merge_sources, store, staged, stale), *runs)]
    store.together([*facts, *runs, refused])
    if stale:
        _count_retries_anew(store)
        _remove_unused(store)
    return again


def _in_turn(*actions: Callable[[], object]) -> None:
    for action in actions:
        action()


def _merge_sources(store: Store, staged: DataFrame, stale: Sequence[tuple[str, str]]) -> None:
    merge_winners(
        store,
        "run_sources",
        of_kind(staged, "run_sources"),
        gone=_no_longer_given(stale),
        reread=[sha256 for sha256, _ in stale],
    )


def _no_longer_given(stale: Sequence[tuple[str, str]]) -> str | None:
    if not stale:
        return None
    pairs = " OR ".join(
        f"(t.source_sha256 = {literal(sha256)} AND t.team = {literal(team)})" for sha256, team in stale
    )
    return f"({pairs})"


def _merge_facts(store: Store, staged: DataFrame, table: str, reread: Sequence[str]) -> None:
    frame = of_kind(staged, table)
    if table == "configurations":
        merge_new(store, table, frame.dropDuplicates(list(tables.key(table))))
    else:
        merge_winners(store, table, frame, reread=reread)


def _merge_runs(store: Store, staged: DataFrame, reread: Sequence[str]) -> None:
    loaded = of_kind(staged, "runs")
    sources = store.read("run_sources").join(loaded.select("run_key").distinct(), on="run_key", how="inner")
    runs = loaded.drop("n_retries").join(_retries(sources), on="run_key", how="inner")
    merge_winners(store, "runs", runs.select(*tables.columns("runs")), always=("n_retries",), reread=reread)


def _retries(sources: DataFrame) -> DataFrame:
    """n_retries of runs: the other contents of an attempt, and the most retries that a log itself reports."""
    counted = F.countDistinct("generation_hash") - 1 + F.max("n_retries")
    return sources.groupBy("run_key").agg(counted.cast("int").alias("n_retries"))


def _count_retries_anew(store: Store) -> None:
    """Where another content of an attempt is given no longer, its run had a retry less."""
    runs = store.read("runs").withColumnRenamed("n_retries", "_before")
    counted = runs.join(_retries(store.read("run_sources")), on="run_key", how="inner")
    fewer = counted.where("n_retries <> _before").select(*tables.columns("runs"))
    if fewer.head() is not None:
        merge_changed(store, "runs", fewer)


def _remove_ghosts(
    store: Store,
    staged: DataFrame,
    stale: Sequence[tuple[str, str]],
    files: Sequence[Row],
    elsewhere: Sequence[Row],
) -> list[Row]:
    """Remove rows of content that was read again in another way and no longer gives them, the runs last.

    A job killed before finds the same runs again. What other files hold of it is theirs to give, as do those
    `elsewhere` that hold the same content: they are returned, and their ledger rows go, so that the next ingest opens
    them.
    """
    pairs = store.frame(
        pa.table({"source_sha256": [pair[0] for pair in stale], "team": [pair[1] for pair in stale]})
    )
    of_stale = F.col("source_sha256").isin(sorted({sha256 for sha256, _ in stale}))
    runs, sources = store.read("runs"), store.read("run_sources")
    orphans = (
        runs.where(of_stale).join(sources, on=["run_key", "source_sha256"], how="left_anti").select("run_key")
    )
    # Another team gives the same content, read as before.
    held = sources.where(of_stale).join(pairs, on=["source_sha256", "team"], how="left_anti")
    gone = {table: _gone(store, staged, table, of_stale, held, pairs) for table in _FROM_CONTENT}
    lost = gone["instances"].select("benchmark_id", "instance_id", F.col("source").alias("team"))
    holding = (
        runs.select("run_key", "benchmark_id", "instance_id")
        .join(sources.select("run_key", "team", "source_uri"), on="run_key", how="inner")
        .join(lost, on=["benchmark_id", "instance_id", "team"], how="left_semi")
    )
    place = ["source_uri", "team"]
    bare = orphans.union(gone["verdicts"].select("run_key")).union(gone["traces"].select("run_key"))
    found = sources.join(bare.distinct(), on="run_key", how="inner").select(*place)
    rows = [row.asDict() for row in found.union(holding.select(*place)).distinct().collect()]
    held_by = set(map(ledger.place, [*rows, *elsewhere])) - set(map(ledger.place, files))
    again = [{"source_uri": uri, "team": team} for uri, team in sorted(held_by)]
    if again:
        delete_rows(store, "loads", store.frame(pa.Table.from_pylist(again)))
    store.together([partial(delete_rows, store, table, rows) for table, rows in gone.items()])
    if orphans.head() is not None:
        verdicts = store.read("verdicts").join(orphans, on="run_key", how="left_semi")
        hanging = {"traces": orphans, "verdicts": verdicts}
        store.together([partial(delete_rows, store, table, rows) for table, rows in hanging.items()])
        delete_rows(store, "runs", orphans)
    return again


def _gone(
    store: Store, staged: DataFrame, table: str, of_stale: Column, held: DataFrame, pairs: DataFrame
) -> DataFrame:
    """Rows of a table that come from re-read content, and that neither this load nor another team gives."""
    rows = store.read(table).where(of_stale & F.expr(_FROM_CONTENT[table]))
    if "run_key" in rows.columns:
        rows = rows.join(held, on=["run_key", "source_sha256"], how="left_anti")
    if "source" in tables.key(table):
        of_teams = pairs.select("source_sha256", F.col("team").alias("source"))
        of_items = pairs.select("source_sha256", F.lit(names.ITEMS).alias("source"))
        rows = rows.join(of_teams.union(of_items), on=["source_sha256", "source"], how="left_semi")
    given = of_kind(staged, table).select(*tables.key(table))
    return rows.join(given, on=list(tables.key(table)), how="left_anti")


def _remove_unused(store: Store) -> None:
    """Remove configurations that no run has any more."""
    used = store.read("runs").select("config_id").distinct()
    delete_rows(
        store, "configurations", store.read("configurations").join(used, on="config_id", how="left_anti")
    )


_FROM_CONTENT = {
    "verdicts": "source IN ('log', 'edited')", "traces": "true", "instances": "true", "labels": "true"
}  # fmt: skip
"""Tables whose rows come from the content of one file, and which of their rows do."""


def _quarantine(
    store: Store, staged: DataFrame, files: Sequence[Row], load_id: str, *, rejected: bool
) -> None:
    """Keep what is refused, and mark as resolved what these files held before and is refused there no longer."""
    key, place = list(tables.key("quarantine")), ["source_uri", "team"]
    refused = of_kind(staged, "quarantine").withColumns(
        {"load_id": F.lit(load_id), "resolved_by": F.lit(None).cast("string")}
    )
    changed = winners(refused, key, ("reason", "detail"))
    if "quarantine" not in store.fresh:
        uris = pa.table({name: [row[name] for row in files] for name in place})
        before = store.read("quarantine").where(F.col("resolved_by").isNull())
        resolved = (
            before.join(store.frame(uris), on=place, how="inner")
            .join(refused.select(*key), on=key, how="left_anti")
            .withColumn("resolved_by", F.lit(load_id))
        )
        changed = changed.unionByName(resolved)
    if rejected or changed.head() is not None:
        merge_changed(store, "quarantine", changed)
