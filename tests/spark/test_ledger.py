"""Which files are read again, and which are not opened."""

from __future__ import annotations

import os
from pathlib import Path

from pyspark.sql import SparkSession

from effspark.spark.store import Store
from tests.spark.small import ROWS, column, csv, load


def test_an_unchanged_file_is_not_opened(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    file = csv(tmp_path, "log.csv")
    load(store, file)
    stat = file.stat()
    file.write_bytes(b"x" * stat.st_size)
    os.utime(file, (stat.st_atime, stat.st_mtime))
    again = load(store, file)
    assert (again.unchanged, again.files) == (1, [])


def test_a_file_is_read_again_when_it_the_mapping_or_the_options_change(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    load(store, csv(tmp_path, "log.csv"))
    longer = csv(tmp_path, "log.csv", (*ROWS, "two,c,1,9,500,stop,1,2026-01-01T00:00:00Z"), day=2)
    assert load(store, longer).unchanged == 0
    assert load(store, longer, version=2).unchanged == 0
    assert load(store, longer, version=2, benchmark="other").unchanged == 0
    assert load(store, longer, version=2, benchmark="other").unchanged == 1
    assert len(column(store, "loads", "source_uri")) == 1


def test_another_team_reads_the_same_file(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    file = csv(tmp_path, "log.csv")
    load(store, file)
    assert load(store, file, team="red").unchanged == 0
    assert sorted(column(store, "loads", "team")) == [("blue",), ("red",)]
