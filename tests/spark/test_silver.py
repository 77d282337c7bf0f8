"""What is in the silver tables after loads that repeat, correct or reread one another."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from effspark.spark.store import Store
from tests.spark.small import ROWS, column, csv, load

NEWER = ("one,a,1,80,500,stop,0,2026-01-05T00:00:00Z",)


@pytest.mark.long
@pytest.mark.parametrize("newer_first", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_later_version_of_an_attempt_wins_whatever_the_order(
    spark: SparkSession, tmp_path: Path, newer_first: bool
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    files = [csv(tmp_path, "new.csv", NEWER), csv(tmp_path, "old.csv")]
    for file in files if newer_first else reversed(files):
        load(store, file)
    runs = column(store, "runs", "request_model", "instance_id", "output_tokens", "n_retries")
    assert runs == [("one", "a", 80, 1), ("one", "b", 500, 0), ("two", "a", 50, 0), ("two", "b", 70, 0)]
    verdicts = store.read("verdicts").join(store.read("runs"), on="run_key").where("request_model = 'one'")
    assert {(row["instance_id"], row["correct"]) for row in verdicts.collect()} == {
        ("a", False),
        ("b", False),
    }


@pytest.mark.long
def test_a_mended_mapping_takes_effect_and_leaves_no_ghosts(spark: SparkSession, tmp_path: Path) -> None:
    file = csv(tmp_path, "log.csv", day=2)
    mended = {"version": 2, "instance": {"expr": "'riddle-' + id"}, "verdicts": {"right": {"value": "ok"}}}
    store = Store(spark, str(tmp_path / "lake"))
    load(store, file)
    load(store, file, **mended)
    assert column(store, "runs", "request_model", "instance_id", "mapping_version") == [
        ("one", "riddle-a", 2), ("one", "riddle-b", 2), ("two", "riddle-a", 2), ("two", "riddle-b", 2)
    ]  # fmt: skip
    keys = column(store, "runs", "run_key")
    assert column(store, "run_sources", "run_key") == keys
    assert column(store, "verdicts", "run_key") == keys
    assert set(column(store, "verdicts", "scorer")) == {("right",)}
    assert column(store, "configurations", "config_id") == sorted(set(column(store, "runs", "config_id")))


@pytest.mark.long
def test_what_was_refused_is_resolved_by_the_load_that_accepts_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    broken = "two,a,1,fifty,500,stop,0,2026-01-01T00:00:00Z"
    also = "two,c,1,-3,500,stop,0,2026-01-01T00:00:00Z"
    done = load(store, csv(tmp_path, "log.csv", (ROWS[0], *NEWER, broken, also)))
    # Records of one key in one file are merged and counted.
    assert done.totals == {
        "records": 4, "mapped": 1, "not_selected": 0, "merged": 1, "quarantined": 2, "runs": 2
    }  # fmt: skip
    assert column(store, "runs", "output_tokens") == [(80,)]
    assert {raw.split(",")[3] for (raw,) in column(store, "quarantine", "raw")} == {"fifty", "-3"}
    mended = load(store, csv(tmp_path, "log.csv", (*ROWS, also), day=3))
    resolved = {
        raw.split(",")[3]: load_id for raw, load_id in column(store, "quarantine", "raw", "resolved_by")
    }
    assert resolved["fifty"] == mended.load_id
    assert [
        load_id for raw, load_id in column(store, "quarantine", "raw", "resolved_by") if "-3" in raw
    ].count(None) == 2
