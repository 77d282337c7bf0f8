"""What measure makes of runs: labels, rescoring and names that come later, in any order."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from effspark import settings
from effspark.spark.measure import measure
from effspark.spark.store import Store
from tests.spark.small import column, csv, load
from tests.spark.world import World, digests


def test_late_labels_take_effect_and_a_corrected_label_leaves_no_ghost(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    load(store, csv(tmp_path, "log.csv"))
    measure(store, settings.load())
    labels = tmp_path / "labels.csv"
    labels.write_text("benchmark,instance,correct\nriddles,a,false\n")
    load(store, labels, kind="labels")
    measure(store, settings.load())
    labelled = "scorer = 'label'"
    assert store.read("verdicts").where(labelled).count() == 2
    sums = (
        store.read("moments").where(labelled).groupBy("instance_id").sum("n", "correct", "unscored").collect()
    )
    assert {row[0]: tuple(row)[1:] for row in sums} == {"a": (2, 0, 0), "b": (1, 0, 1)}
    labels.write_text("benchmark,instance,correct\nriddles,a,true\n")
    load(store, labels, kind="labels")
    measure(store, settings.load())
    assert {row["correct"] for row in store.read("verdicts").where(labelled).collect()} == {True}


def test_an_alias_moves_moments_and_no_run(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    load(store, csv(tmp_path, "log.csv"))
    measure(store, settings.load())
    runs = column(store, "runs", "run_key", "benchmark_id")
    measure(store, settings.load(overrides=["aliases.benchmark.riddles=puzzles", "aliases.model.two=one"]))
    assert column(store, "runs", "run_key", "benchmark_id") == runs
    assert {row[0] for row in column(store, "moments", "benchmark_id")} == {"puzzles"}
    assert {row[0] for row in column(store, "eval_runs", "model")} == {"one"}
    assert len({row[0] for row in column(store, "eval_runs", "model_id")}) == 1


def test_measuring_again_changes_nothing(base: Store, world: World) -> None:
    before = digests(base, ["verdicts", "eval_runs", "moments", "aliases"])
    measure(base, world.settings)
    assert digests(base, ["verdicts", "eval_runs", "moments", "aliases"]) == before


def test_moments_of_runs_that_vanish_vanish(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    file = csv(tmp_path, "log.csv")
    load(store, file)
    measure(store, settings.load())
    load(store, file, version=2, where="id == 'a'")
    measure(store, settings.load())
    assert {row[0] for row in column(store, "moments", "instance_id")} == {"a"}


def test_a_lake_without_rows_measures_to_nothing(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    load(store, csv(tmp_path, "log.csv", ()))
    measure(store, settings.load())
    assert column(store, "moments", "scorer") == []


def test_a_run_without_a_verdict_is_unscored_not_wrong(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    load(store, csv(tmp_path, "log.csv", ("one,a,1,100,500,stop,,2026-01-01T00:00:00Z",)))
    measure(store, settings.load())
    assert column(store, "moments", "scorer", "n", "unscored") == [("", 1, 0), ("exact", 0, 1)]
