"""Loads of many files, one long file and archives: all is counted, the ledger is written once, and what did not
change is not opened. Small sizes of what `make load` does whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from effspark.readers import Options, plan
from effspark.spark.ingest import Request, ingest
from effspark.spark.store import Store
from tests import load_folders as folders
from tests.spark.small import NOW


@pytest.mark.slow
def test_a_load_of_many_files_ranges_and_archives_counts_all_and_writes_the_ledger_once(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "RANGE_BYTES", 64 * 1024)
    logs = tmp_path / "logs"
    written = [
        folders.small_files(logs / "small", files=300),
        folders.long_file(logs / "long", size=1024 * 1024),
        folders.archives(logs / "archives", count=5, samples=20),
    ]
    store = Store(spark, str(tmp_path / "lake"))
    request = Request(plan.files([str(logs)]), "blue", Options(benchmark="riddles"))
    done = ingest(store, [request], now=NOW)
    runs = sum(one.runs for one in written)
    assert (len(done.files), done.totals["runs"], done.totals["quarantined"]) == (306, runs, 0)
    assert store.read("runs").count() == runs
    assert store.versions(["loads"]) == {"loads": 1}, "made, and written once"
    again = ingest(store, [request], now=NOW)
    assert (again.unchanged, again.files) == (306, [])
    assert store.versions(["loads"]) == {"loads": 1}
