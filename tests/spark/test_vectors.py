"""The shared vectors, read from the tables of a report that Spark has made of their moments."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from effspark.gold import pools
from effspark.local_sql import tables_of
from effspark.spark.report import INPUTS, TABLES, report
from effspark.spark.store import Store
from tests.core.gold import vector_reports
from tests.core.gold.vector_reports import Rows
from tests.spark.world import NOW


@pytest.fixture(scope="module", params=[1, 7])
def rows(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Rows:
    store = Store(spark, str(tmp_path_factory.mktemp("vectors") / "lake"))
    given = vector_reports.inputs()
    store.open(INPUTS)
    for name, table in given.items():
        store.append(name, store.frame(table).repartition(request.param), transaction=name)
    usual = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", str(request.param))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pools, "pool_splits", vector_reports.splits)
        report(store, vector_reports.settings(), name="vectors", now=NOW)
    spark.conf.set("spark.sql.shuffle.partitions", str(usual))
    opened = tables_of(store.lake)
    return {name: opened[name].to_pyarrow_table().to_pylist() for name in TABLES if name != "reports"}


@pytest.mark.parametrize("name", vector_reports.NAMES)
def test_a_report_gives_the_numbers_of_the_vector(name: str, rows: Rows) -> None:
    assert vector_reports.faults(name, rows) == []
