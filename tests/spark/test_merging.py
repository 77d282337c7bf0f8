"""Rows that meet rows of the same key."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from effspark.spark.merging import delete_rows, merge_changed, merge_listed, winners
from effspark.spark.store import Store
from tests.spark.test_store import alias


@pytest.fixture
def store(spark: SparkSession, tmp_path: Path) -> Store:
    made = Store(spark, str(tmp_path / "lake"))
    made.open(["aliases"])
    return made


def frame(store: Store, *pairs: tuple[str, str]) -> DataFrame:
    whole = store.spark.createDataFrame(alias(*pairs[0]))
    for pair in pairs[1:]:
        whole = whole.union(store.spark.createDataFrame(alias(*pair)))
    return whole


def listed(*pairs: tuple[str, str]) -> pa.Table:
    return pa.concat_tables([alias(*pair) for pair in pairs])


def held(store: Store) -> dict[str, str]:
    return {row["raw"]: row["canonical"] for row in store.read("aliases").collect()}


def test_only_what_differs_is_written_and_only_what_is_gone_is_deleted(store: Store) -> None:
    merge_changed(store, "aliases", frame(store, ("a", "1"), ("b", "2"), ("c", "3")))
    assert store.fresh == set()
    merge_changed(store, "aliases", frame(store, ("a", "1"), ("b", "9")), gone="t.raw = 'x'")
    assert held(store) == {"a": "1", "b": "9", "c": "3"}
    merge_changed(store, "aliases", frame(store, ("a", "1"), ("b", "9")), gone="true")
    assert held(store) == {"a": "1", "b": "9"}
    delete_rows(store, "aliases", frame(store, ("a", "whatever")))
    assert held(store) == {"b": "9"}


def test_a_small_table_is_written_only_where_it_differs(store: Store) -> None:
    merge_listed(store, "aliases", listed(("a", "1"), ("b", "2")))
    version = store.versions(["aliases"])
    merge_listed(store, "aliases", listed(("b", "2"), ("a", "1")))
    assert store.versions(["aliases"]) == version
    merge_listed(store, "aliases", listed(("b", "3")))
    assert held(store) == {"b": "3"}


def test_the_greatest_row_of_a_key_wins(spark: SparkSession) -> None:
    rows = spark.createDataFrame(
        [("k", 1, "z"), ("k", 2, "a"), ("k", 2, "b"), ("l", 0, "c")], ["key", "v", "w"]
    )
    kept = winners(rows, ["key"], ["v", "w"]).orderBy("key").collect()
    assert [tuple(row) for row in kept] == [("k", 2, "b"), ("l", 0, "c")]
