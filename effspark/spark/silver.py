"""Staged rows become silver tables: merged by key, then rid of what the same content no longer gives.

    staged -> run_sources, runs, configurations, verdicts, traces, instances, labels, quarantine

Source: architecture.md sections 5.4 to 5.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from effspark import tables
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


def absorb(store: Store, staged: DataFrame, files: Sequence[Row], known: Sequence[Row], load_id: str) -> None:
    """Merge the staged rows, then remove what the same content gave under another reading and no longer gives."""
    present = {row["kind"] for row in staged.select("kind").distinct().collect()}
    stale = ledger.read_otherwise(known, files)
    if "runs" in present or stale:
        merge_winners(store, "run_sources", of_kind(staged, "run_sources"), gone=_no_longer_given(stale))
    facts = [partial(_merge_facts, store, staged, table) for table in _FACTS if table in present]
    store.together([*facts, *([partial(_merge_runs, store, staged)] if "runs" in present else [])])
    if stale:
        _remove_ghosts(store, staged, sorted({sha256 for sha256, _ in stale}))
    _quarantine(store, staged, files, load_id, rejected="quarantine" in present)


def _no_longer_given(stale: Sequence[tuple[str, str]]) -> str | None:
    if not stale:
        return None
    pairs = " OR ".join(
        f"(t.source_sha256 = {literal(sha256)} AND t.team = {literal(team)})" for sha256, team in stale
    )
    return f"({pairs})"


def _merge_facts(store: Store, staged: DataFrame, table: str) -> None:
    frame = of_kind(staged, table)
    if table == "configurations":
        merge_new(store, table, frame.dropDuplicates(list(tables.key(table))))
    else:
        merge_winners(store, table, frame)


def _merge_runs(store: Store, staged: DataFrame) -> None:
    """Merge runs; n_retries counts the other contents of an attempt and the most retries that a log itself reports."""
    loaded = of_kind(staged, "runs")
    sources = store.read("run_sources").join(loaded.select("run_key").distinct(), on="run_key", how="inner")
    counted = sources.groupBy("run_key").agg(
        (F.countDistinct("generation_hash") - 1 + F.max("n_retries")).cast("int").alias("n_retries")
    )
    runs = loaded.drop("n_retries").join(counted, on="run_key", how="inner")
    merge_winners(store, "runs", runs.select(*tables.columns("runs")), always=("n_retries",))


def _remove_ghosts(store: Store, staged: DataFrame, stale: Sequence[str]) -> None:
    """Remove rows of content that was read again in another way and no longer gives them."""
    of_stale = F.col("source_sha256").isin(list(stale))

    def gone(table: str, own: str) -> DataFrame:
        given = of_kind(staged, table).select(*tables.key(table))
        rows = store.read(table).where(of_stale & F.expr(own))
        return rows.join(given, on=list(tables.key(table)), how="left_anti")

    runs, sources = store.read("runs"), store.read("run_sources")
    orphans = (
        runs.where(of_stale).join(sources, on=["run_key", "source_sha256"], how="left_anti").select("run_key")
    )
    used = runs.join(orphans, on="run_key", how="left_anti").select("config_id").distinct()
    unused = store.read("configurations").join(used, on="config_id", how="left_anti")
    lost = [partial(delete_rows, store, table, gone(table, own)) for table, own in _FROM_CONTENT.items()]
    store.together([*lost, partial(delete_rows, store, "configurations", unused)])
    if orphans.head() is not None:
        _remove_runs(store, orphans)


def _remove_runs(store: Store, orphans: DataFrame) -> None:
    """Remove runs and all that hangs on them, the runs last: a job killed before finds them again."""
    # A run that another file also holds is read again from there: its ledger row goes, so the next ingest opens it.
    again = store.read("run_sources").join(orphans, on="run_key", how="inner").select("source_uri", "team")
    verdicts = store.read("verdicts").join(orphans, on="run_key", how="left_semi")
    hanging = {"loads": again.distinct(), "traces": orphans, "verdicts": verdicts}
    store.together([partial(delete_rows, store, table, rows) for table, rows in hanging.items()])
    delete_rows(store, "runs", orphans)


_FROM_CONTENT = {"verdicts": "source IN ('log', 'edited')", "instances": "true", "labels": "true"}
"""Tables whose rows come from the content of one file, and which of their rows do."""


def _quarantine(
    store: Store, staged: DataFrame, files: Sequence[Row], load_id: str, *, rejected: bool
) -> None:
    """Keep what was refused, and mark as resolved what this load accepts of what was refused before."""
    refused = of_kind(staged, "quarantine").withColumns(
        {"load_id": F.lit(load_id), "resolved_by": F.lit(None).cast("string")}
    )
    before = store.read("quarantine").where(F.col("resolved_by").isNull())
    if "quarantine" not in store.fresh:
        _resolve(store, before, refused, files, load_id)
    if rejected:
        first = winners(refused, tables.key("quarantine"), ("reason", "detail"))
        again = before.select(*tables.key("quarantine"))
        merge_changed(
            store, "quarantine", first.join(again, on=list(tables.key("quarantine")), how="left_anti")
        )


def _resolve(store: Store, before: DataFrame, refused: DataFrame, files: Sequence[Row], load_id: str) -> None:
    """Mark rows of these files that were refused before and are not refused now."""
    uris = pa.table(
        {"source_uri": [row["source_uri"] for row in files], "team": [row["team"] for row in files]}
    )
    place = ["source_uri", "team"]
    accepted = (
        before.join(store.frame(uris), on=place, how="inner")
        .join(refused.select(*place, "raw_sha256"), on=[*place, "raw_sha256"], how="left_anti")
        .withColumn("resolved_by", F.lit(load_id))
    )
    if accepted.head() is not None:
        merge_changed(store, "quarantine", accepted)
