"""What is in the silver tables after loads that repeat, correct or reread one another."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from effspark import settings
from effspark.spark.measure import measure
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


def found(store: Store, *names: str) -> list[tuple[object, ...]]:
    return column(store, "runs", "request_model", "instance_id", *names)


@pytest.mark.long
def test_a_newer_reading_of_a_content_wins_whatever_times_it_finds(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    file = csv(tmp_path, "log.csv", (*ROWS, *NEWER), day=9)
    load(store, file, log_version=None)
    # The later record of the attempt is no longer read, and all times are earlier than the file's.
    load(store, file, version=2, where="tokens != '80'")
    expected = [("one", "a", 100, 2), ("one", "b", 500, 2), ("two", "a", 50, 2), ("two", "b", 70, 2)]
    assert found(store, "output_tokens", "mapping_version") == expected
    assert set(column(store, "run_sources", "mapping_version")) == {(2,)}
    # A mapping that was mended without a new version is read, and takes effect.
    load(store, file, version=2, where="tokens != '80'", output_tokens={"expr": "tokens + '0'"})
    assert {row[2] for row in found(store, "output_tokens")} == {1000, 5000, 500, 700}


@pytest.mark.long
@pytest.mark.parametrize("silent_first", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_log_that_tells_less_of_an_instance_erases_nothing(
    spark: SparkSession, tmp_path: Path, silent_first: bool
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    facts = [
        (csv(tmp_path, "old.csv", ROWS[:1]), {"gold": {"value": "42"}}),
        (csv(tmp_path, "new.csv", NEWER), {}),
    ]
    for file, told in reversed(facts) if silent_first else facts:
        load(store, file, question={"value": "How many?"}, answer={"value": "#### 42"}, **told)
    assert column(store, "instances", "instance_id", "holds", "gold") == [
        ("a", "gold, question", "42"), ("a", "question", None)
    ]  # fmt: skip
    measure(store, settings.load(overrides=["benchmarks.riddles.answers=gsm8k"]))
    assert {row[0] for row in column(store, "verdicts", "scorer")} == {"exact", "rescored:gsm8k"}


@pytest.mark.classic
def test_what_another_file_or_team_gives_stays_when_a_content_is_read_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    one, two = csv(tmp_path, "one.csv"), csv(tmp_path, "two.csv", NEWER, day=2)
    load(store, one, two)
    load(store, two, team="red")
    changed = {"version": 2, "instance": {"expr": "'riddle-' + id"}}
    done = load(store, two, **changed)
    # Team red still gives the attempt as it was; the same of blue lies in one.csv, which is not the winner.
    assert ("one", "a", 80) in found(store, "output_tokens")
    assert ("one", "riddle-a", 80) in found(store, "output_tokens")
    assert len(column(store, "verdicts", "run_key")) == len(column(store, "runs", "run_key")) == 5
    assert list(done.again) == []
    done = load(store, two, team="red", **changed)
    assert [Path(row["source_uri"]).name for row in done.again] == ["one.csv"]
    load(store, one)
    assert ("one", "a", 100) in found(store, "output_tokens")
    # Both files of one load: the attempt that the newer one no longer gives is the older one's.
    both = load(store, one, two, version=3, where="tokens != '80'")
    assert list(both.again) == []
    assert found(store, "output_tokens") == [
        ("one", "a", 100), ("one", "b", 500), ("one", "riddle-a", 80), ("two", "a", 50), ("two", "b", 70)
    ]  # fmt: skip


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
    ].count(None) == 1, "the record stands elsewhere in the file now, and is refused once"


@pytest.mark.long
def test_a_refusal_is_that_of_the_latest_reading_of_its_own_file(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    bad = "two,c,1,fifty,-3,stop,0,2026-01-01T00:00:00Z"
    first, copy = (csv(tmp_path / folder, "log.csv", (*ROWS, bad)) for folder in ("one", "two"))
    for log in (copy, first):
        load(store, log)
    load(store, first, version=2, output_tokens="cap")
    told = dict(column(store, "quarantine", "source_uri", "detail"))
    assert ("found -3" in told[str(first)], "found 'fifty'" in told[str(copy)]) == (True, True)
    mended = load(store, csv(tmp_path / "one", "log.csv", day=3), version=2, output_tokens="cap")
    assert dict(column(store, "quarantine", "source_uri", "resolved_by")) == {
        str(first): mended.load_id, str(copy): None
    }  # fmt: skip


@pytest.mark.slow
def test_a_file_is_named_that_gives_the_verdict_which_another_no_longer_gives(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    old, new = csv(tmp_path, "old.csv"), csv(tmp_path, "new.csv", NEWER)
    load(store, old, team="red")
    load(store, new, team="blue")
    unjudged = load(store, new, team="blue", version=2, verdicts=None)
    assert unjudged.again == [{"source_uri": str(old), "team": "red"}]
    assert load(store, old, team="red").unchanged == 0
    judged = store.read("verdicts").join(store.read("runs").drop("source_sha256"), on="run_key")
    found = {(row["request_model"], row["instance_id"]): row["correct"] for row in judged.collect()}
    assert found == {("one", "a"): True, ("one", "b"): False, ("two", "a"): False, ("two", "b"): True}
    assert ("one", "a", 80, 1) in column(
        store, "runs", "request_model", "instance_id", "output_tokens", "n_retries"
    )


@pytest.mark.slow
def test_a_content_of_two_teams_and_places_is_what_its_greatest_reading_gives(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    first, copy = csv(tmp_path / "one", "log.csv"), csv(tmp_path / "two", "log.csv")
    mended = {"version": 2, "output_tokens": "cap"}
    load(store, first, team="red", **mended)
    load(store, copy, team="blue", **mended)
    back = load(store, first, team="red")
    assert (back.unchanged, back.again) == (0, [])
    assert {row[2] for row in found(store, "output_tokens")} == {500}, "blue still gives it by version 2"
    load(store, copy, team="blue")
    assert sorted(row[2] for row in found(store, "output_tokens")) == [50, 70, 100, 500]
    assert set(column(store, "run_sources", "mapping_version")) == {(1,)}
    again = load(store, copy, team="red", **mended)
    assert again.again == [{"source_uri": str(first), "team": "red"}]
