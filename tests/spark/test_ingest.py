"""What one ingest does, and what it refuses before it writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from effspark.errors import LogError
from effspark.loaded import Load
from effspark.readers import Options, plan
from effspark.spark.ingest import TABLES, Request, ingest
from effspark.spark.store import Store
from tests.spark.small import NOW, ROWS, column, csv, load


def test_a_load_keeps_what_it_can_and_writes_the_ledger_last(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points: list[str] = []
    whole = Store.write
    monkeypatch.setattr(
        Store, "write", lambda self, point, action: (points.append(point), whole(self, point, action))
    )
    store = Store(spark, str(tmp_path / "lake"))
    rows = [row.replace("two,a,1,50,500,stop", "two,a,1,50,500,weird") for row in ROWS]
    csv(tmp_path / "logs", "b.csv", tuple(rows))
    (tmp_path / "logs" / "a.csv").write_text("")
    done = load(store, tmp_path / "logs")
    written = [point for point in points if not point.startswith("create")]
    assert written.index("run_sources") < written.index("runs")
    assert written[-1] == "loads"
    assert set(written) <= set(TABLES)
    assert not list((tmp_path / "lake" / "_staging").iterdir())
    # A file without a record stands in the ledger, and nothing is missing.
    assert {Path(row["source_uri"]).name: row["records"] for row in done.files} == {"a.csv": 0, "b.csv": 4}
    assert (done.totals["mapped"], done.totals["quarantined"]) == (4, 0)
    assert [(row["finish_reason_raw"], row["runs"]) for row in done.unknown_stops] == [("weird", 1)]
    assert len(column(store, "runs", "run_key")) == 4


FAILED = '{"custom_id": "q1", "response": null, "error": {"code": "batch_expired", "message": "late"}}'
REQUEST = '{"custom_id": "q1", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "o4-mini"}}'


@pytest.mark.long
def test_a_record_that_lacked_its_companion_is_accepted_when_that_comes(
    spark: SparkSession, tmp_path: Path
) -> None:
    store, folder = Store(spark, str(tmp_path / "lake")), tmp_path / "logs"
    folder.mkdir()
    (folder / "errors.jsonl").write_text(FAILED + "\n")
    assert drop(store, folder).totals["quarantined"] == 1
    assert column(store, "quarantine", "reason", "resolved_by") == [("no_model", None)]
    (folder / "input.jsonl").write_text(REQUEST + "\n")
    mended = drop(store, folder)
    assert (mended.unchanged, mended.totals["quarantined"]) == (0, 0)
    assert column(store, "runs", "source_record_id", "status") == [("q1", "error")]
    assert column(store, "quarantine", "reason", "resolved_by") == [("no_model", mended.load_id)]
    assert (drop(store, folder).unchanged, len(drop(store, folder).files)) == (2, 0)


def drop(store: Store, folder: Path) -> Load:
    return ingest(store, [Request(plan.files([str(folder)]), "blue", Options())], now=NOW)


def test_a_file_of_no_known_format_alone_is_refused_and_nothing_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("no log at all")
    store = Store(spark, str(tmp_path / "lake"))
    request = Request(plan.files([str(tmp_path / "notes.txt")]), "blue", Options())
    with pytest.raises(LogError, match="unknown log format"):
        ingest(store, [request], now=NOW)
    assert store.present() == set()


def test_a_mapping_that_names_a_missing_column_is_refused_before_any_write(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    with pytest.raises(LogError, match="no record has: tokns"):
        load(store, csv(tmp_path, "log.csv"), output_tokens="tokns")
    assert store.present() == set()
