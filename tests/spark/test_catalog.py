"""A lake that is a schema of a catalog holds what a lake in a folder holds, and its views stay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from effspark import settings
from effspark.spark import views
from effspark.spark.measure import measure
from effspark.spark.report import report
from effspark.spark.store import Store
from tests.spark.small import NOW, ROWS, csv, load
from tests.spark.world import arrow, digest

TABLES = ("runs", "verdicts", "run_sources", "moments", "estimates", "decompositions", "quarantine")


@pytest.fixture
def schema(spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    before = spark.sql("SELECT current_schema() AS name").head()
    spark.sql(f"CREATE SCHEMA evals LOCATION '{tmp_path / 'evals'}'")
    yield "spark_catalog.evals"
    spark.sql(f"USE SCHEMA {before['name']}")
    spark.sql("DROP SCHEMA evals CASCADE")


def filled(spark: SparkSession, lake: str, file: Path) -> Store:
    store = Store(spark, lake)
    load(store, file)
    load(store, file, version=2)
    settled = settings.load()
    measure(store, settled)
    assert report(store, settled, name="test", now=NOW).is_new
    assert not report(store, settled, name="test", now=NOW).is_new
    return store


@pytest.mark.slow
def test_a_schema_holds_what_a_folder_holds(spark: SparkSession, schema: str, tmp_path: Path) -> None:
    file = csv(tmp_path, "log.csv", (*ROWS, "two,c,1,-3,500,stop,1,2026-01-01T00:00:00Z"))
    folder, catalog = filled(spark, str(tmp_path / "lake"), file), filled(spark, schema, file)
    for table in TABLES:
        assert digest(arrow(catalog, table), table) == digest(arrow(folder, table), table), table
    assert "leaderboard" in views.register(catalog)
    shown = spark.sql(f"SELECT model, rank FROM {schema}.leaderboard ORDER BY rank").collect()
    assert [tuple(row) for row in shown] == [("two", 1), ("one", 2)]
