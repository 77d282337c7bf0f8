"""Tables of a lake: made once, checked when read, refused when of another version."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from effspark import tables
from effspark.errors import LakeError, SchemaError
from effspark.lakes import LAKE_VERSION, LakeKind
from effspark.spark.store import Store, literal, spark_schema


def alias(raw: str, canonical: str, version: int = 1) -> pa.Table:
    row = {"kind": "model", "raw": raw, "canonical": canonical, "version": version}
    return tables.from_rows("aliases", [row])


def test_a_table_is_made_once_with_its_comments(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    store.open(["aliases"])
    store.open(["aliases"])
    assert store.present() == {"aliases"}
    assert store.versions(["aliases"]) == {"aliases": 0}
    described = {
        row["col_name"]: row["comment"] for row in spark.sql(f"DESCRIBE {store.name('aliases')}").collect()
    }
    assert described["raw"] == "name as logged"


def test_a_lake_of_a_newer_version_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    store.open(["aliases"])
    newer = LAKE_VERSION + 1
    spark.sql(f"ALTER TABLE {store.name('aliases')} SET TBLPROPERTIES ('effspark.lake_version' = '{newer}')")
    with pytest.raises(LakeError, match=f"found version {newer}; allowed: version {LAKE_VERSION}"):
        store.open(["runs"])
    assert store.present() == {"aliases"}


def test_a_table_that_differs_from_its_schema_is_refused_with_all_problems(
    spark: SparkSession, tmp_path: Path
) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    spark.sql(f"CREATE TABLE {store.name('aliases')} (kind STRING, raw BIGINT, more STRING) USING DELTA")
    with pytest.raises(SchemaError) as caught:
        store.read("aliases")
    for part in ("raw: found bigint; must be string", "canonical: found nothing", "more: superfluous"):
        assert part in str(caught.value)


def test_a_transaction_appends_once(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    store.open(["aliases"])
    for _ in range(2):
        store.append("aliases", spark.createDataFrame(alias("a", "b")), transaction="t1")
    store.append("aliases", spark.createDataFrame(alias("a", "b")), transaction="t2")
    assert store.read("aliases").count() == 2


def test_every_write_has_a_name(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = []
    whole = Store.write
    monkeypatch.setattr(
        Store, "write", lambda self, point, action: (points.append(point), whole(self, point, action))
    )
    store = Store(spark, str(tmp_path / "lake"))
    store.open(["aliases"])
    store.append("aliases", spark.createDataFrame(alias("a", "b")))
    assert points == ["create aliases", "aliases"]


def test_what_is_staged_is_read_back_and_gone_when_let_go(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    staged = store.stage("load_1", spark.createDataFrame(alias("a", "b")), partition="kind")
    assert [tuple(row) for row in staged.select("kind", "raw", "version").collect()] == [("model", "a", 1)]
    store.unstage("load_1")
    assert not (tmp_path / "lake" / "_staging" / "load_1").exists()


def test_tables_are_named_by_path_or_catalog(spark: SparkSession) -> None:
    assert Store(spark, "/data/lake").name("runs") == "delta.`/data/lake/runs`"
    catalog = Store(spark, "main.evals")
    assert (catalog.kind, catalog.name("runs")) == (LakeKind.CATALOG, "`main`.`evals`.`runs`")


def test_texts_and_schemas_reach_sql_unharmed() -> None:
    assert literal("a'b\\c") == "'a\\'b\\\\c'"
    assert spark_schema("aliases").names == ["kind", "raw", "canonical", "version"]


def test_a_schema_that_is_not_there_is_told(spark: SparkSession) -> None:
    with pytest.raises(LakeError, match="the schema cannot be listed"):
        Store(spark, "spark_catalog.nowhere").present()


def test_no_row_behind_an_empty_chunk_is_lost(spark: SparkSession, tmp_path: Path) -> None:
    parts = [alias("a", "b"), alias("c", "d").slice(0, 0), alias("e", "f")]
    frame = Store(spark, str(tmp_path / "lake")).frame(pa.concat_tables(parts))
    assert sorted(row["raw"] for row in frame.collect()) == ["a", "e"]
