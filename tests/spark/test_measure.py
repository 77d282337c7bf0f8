"""What measure makes of runs: labels, rescoring and names that come later, in any order."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from effspark import laptop, settings
from effspark.readers import plan
from effspark.spark import measure as measuring
from effspark.spark.ingest import ingest
from effspark.spark.measure import measure
from effspark.spark.store import Store
from tests.spark.small import NOW, ROWS, column, csv, load, request
from tests.spark.world import arrow, differences, rows

UNSCORED = "two,c,1,100,500,stop,,2026-01-01T00:00:00Z"


def judged(store: Store, scorer: str) -> dict[str, tuple[int, int, int]]:
    """n, correct and unscored of each instance under a scorer."""
    moments = store.read("moments").where(f"scorer = '{scorer}'").groupBy("instance_id")
    return {row[0]: tuple(row)[1:] for row in moments.sum("n", "correct", "unscored").collect()}


@pytest.mark.long
def test_labels_names_and_rereading_take_effect_late_and_leave_no_ghosts(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    file = csv(tmp_path, "log.csv", (*ROWS, UNSCORED))
    load(store, file)
    runs = column(store, "runs", "run_key", "benchmark_id")

    labels = tmp_path / "labels.csv"
    labels.write_text("benchmark,instance,correct\nriddles,a,false\n")
    load(store, labels, kind="labels")
    measure(store, settings.load(overrides=["aliases.benchmark.riddles=puzzles", "aliases.model.two=one"]))
    # A run without a verdict is unscored, not wrong. Late labels count. An alias moves moments, and no run.
    assert judged(store, "exact") == {"a": (2, 1, 0), "b": (2, 1, 0), "c": (0, 0, 1)}
    assert judged(store, "label") == {"a": (2, 0, 0), "b": (1, 0, 1), "c": (0, 0, 1)}
    assert column(store, "runs", "run_key", "benchmark_id") == runs
    assert {row[0] for row in column(store, "moments", "benchmark_id")} == {"puzzles"}
    assert {row[0] for row in column(store, "eval_runs", "model")} == {"one"}
    assert len({row[0] for row in column(store, "eval_runs", "model_id")}) == 1

    labels.write_text("benchmark,instance,correct\nriddles,a,true\n")
    ingest(store, [request(labels, kind="labels"), request(file, version=2, where="id == 'a'")], now=NOW)
    measure(store, settings.load())
    # A corrected label replaces the old one; moments of runs that vanished are gone, and so are the old names.
    assert judged(store, "label") == {"a": (2, 2, 0)}
    assert judged(store, "exact") == {"a": (2, 1, 0)}
    assert {row[0] for row in column(store, "moments", "benchmark_id")} == {"riddles"}


def test_flags_and_checkpoints_of_eval_runs_are_those_of_the_laptop(
    spark: SparkSession, tmp_path: Path
) -> None:
    capped = ("one,a,1,500,500,stop,1,2026-01-01T00:00:00Z", "one,b,1,500,500,stop,1,2026-01-01T00:00:00Z")
    requests = [
        request(
            csv(tmp_path / name, "log.csv", given),
            eval_run={"value": name},
            response_model=served and {"value": served},
        )
        for name, given, served in (
            ("first", capped, "acme/One-2026"),
            ("second", ROWS[:1], "one-2027"),
            ("third", ROWS[2:], "TWO"),
            ("fourth", ROWS[:2], None),
        )
    ]
    store = Store(spark, str(tmp_path / "lake"))
    ingest(store, requests, now=NOW)
    measure(store, settings.load())
    work = [
        item
        for one in requests
        for item in plan.items(one.logs, one.options, team=one.team, format_name=one.format_name)
    ]
    seen = laptop.measure(laptop.gather(work), settings.load()).eval_runs
    assert differences(rows(arrow(store, "eval_runs"), "eval_runs"), rows(seen, "eval_runs")) == []
    told = column(store, "eval_runs", "eval_run_id", "model_revision", "quality_flags", "response_models")
    assert told == [
        ("first", "one-2026", ["stop_at_cap=2"], ["acme/One-2026=2"]),
        ("fourth", None, [], []),
        ("second", "one-2027", [], ["one-2027=1"]),
        ("third", None, [], ["TWO=2"]),
    ]


TEXTS = {
    "prompt": {"value": "How much is it? Say it once, not in a loop."},
    "answer": {"expr": "'It is ' + tokens + ', or ' + ok"},
    "gold": {"value": "1"},
    "trace_visibility": {"value": "full"},
}


def test_only_texts_that_are_new_are_measured(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, met = Store(spark, str(tmp_path / "lake")), []
    unmeasured = measuring.unmeasured

    def seen(store: Store, asked: DataFrame) -> DataFrame:
        frame = unmeasured(store, asked)
        met.append({row["run_key"] for row in frame.select("run_key").collect()})
        return frame

    conf = settings.load(overrides=["aliases.benchmark.riddles=gsm8k"])
    monkeypatch.setattr(measuring, "unmeasured", seen)
    file = csv(tmp_path, "log.csv")
    load(store, file, **TEXTS)
    measure(store, conf)
    first = dict(column(store, "runs", "run_key", "instance_id"))
    assert met.pop() == set(first)
    rows = column(store, "trace_measures", "extractor", "prefix_characters", "tail_n_grams", "prompt_copy")
    assert rows.count(("gsm8k", 15, None, None)) == 1
    assert rows.count(("gsm8k", 14, None, None)) == 1
    assert rows.count((None, None, 2, 0.0)) == 1
    assert len(rows) == 4

    measure(store, conf)
    assert met.pop() == set()
    load(store, csv(tmp_path / "more", "log.csv", (UNSCORED,)), **TEXTS | {"answer": "tokens"})
    load(store, file, **TEXTS, version=2, where="id == 'a'")
    measure(store, conf)
    # The new run is measured, those that stay are not, and those that vanished have no row any more.
    runs = dict(column(store, "runs", "run_key", "instance_id"))
    assert sorted(runs.values()) == ["a", "a", "c"]
    assert [runs[key] for key in met.pop()] == ["c"]
    assert {row[0] for row in column(store, "trace_measures", "run_key")} == set(runs)
