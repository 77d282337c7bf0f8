"""The same logs give the same tables, whatever the engine, order, batches and partitions."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from effspark import laptop, tables
from effspark.local_sql import tables_of
from effspark.spark.ingest import ingest
from effspark.spark.measure import measure
from effspark.spark.report import report
from effspark.spark.store import Store
from tests.spark.server import connect_server
from tests.spark.world import (
    ALL,
    NOW,
    World,
    arrow,
    batches,
    differences,
    digests,
    fill,
    laptop_tables,
    rows,
)

FROM_BOTH = tuple(table for table in ALL if table not in ("loads", "reports"))
"""Tables that the laptop's engine makes too."""
ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def partitions(spark: SparkSession, count: int) -> Iterator[None]:
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", str(count))
    yield
    spark.conf.set("spark.sql.shuffle.partitions", str(before))


def test_spark_and_the_laptop_give_the_same_bits(base: Store, world: World) -> None:
    expected = laptop_tables(world)
    for table in FROM_BOTH:
        assert differences(rows(arrow(base, table), table), rows(expected[table], table)) == [], table


def test_every_table_has_rows_and_every_column_is_somewhere_known(base: Store) -> None:
    for table in ALL:
        data = arrow(base, table)
        unknown = [name for name in data.column_names if data[name].null_count == data.num_rows]
        unknown = [name for name in unknown if (table, name) != ("quarantine", "resolved_by")]
        assert data.num_rows, table
        assert not unknown, f"{table}: {unknown}"
    assert set(ALL) == set(tables.names())


@pytest.mark.connect
def test_order_batches_and_partitions_together_change_nothing_through_connect(
    spark: SparkSession, base: Store, world: World, tmp_path: Path
) -> None:
    turned = [request._replace(logs=list(reversed(request.logs))) for request in reversed(world.requests())]
    with partitions(spark, 7):
        other = fill(spark, tmp_path / "lake", world, batches(turned, 2))
    assert digests(other) == digests(base)


@pytest.mark.slow
def test_the_order_of_loads_changes_nothing(
    spark: SparkSession, base: Store, world: World, tmp_path: Path
) -> None:
    turned = [request._replace(logs=list(reversed(request.logs))) for request in reversed(world.requests())]
    other = fill(spark, tmp_path / "lake", world, [[request] for request in turned])
    assert digests(other) == digests(base)


@pytest.mark.slow
def test_ten_batches_are_one(spark: SparkSession, base: Store, world: World, tmp_path: Path) -> None:
    other = fill(spark, tmp_path / "lake", world, batches(world.requests(), 10))
    assert digests(other) == digests(base)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 7, 64])
def test_the_number_of_partitions_changes_nothing(
    spark: SparkSession, base: Store, world: World, tmp_path: Path, count: int
) -> None:
    with partitions(spark, count):
        other = fill(spark, tmp_path / "lake", world, [world.requests()])
    assert digests(other) == digests(base)


DELTA_ONLY = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.session.timeZone": "America/New_York",
}
"""Conf of a server that others run for Delta, in another time zone, its queries adapted as they run."""


@pytest.mark.slow
@pytest.mark.classic
def test_a_foreign_server_order_batches_and_partitions_together_change_nothing(
    base: Store, world: World, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    with connect_server(DELTA_ONLY) as remote:
        command = [sys.executable, "-m", "tests.spark.refill", str(world.out), str(lake)]
        environment = {**os.environ, "SPARK_REMOTE": remote}
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert digests(Store(base.spark, str(lake))) == digests(base)


@pytest.mark.classic
def test_a_second_run_of_everything_changes_no_table(base: Store, world: World) -> None:
    before, versions = digests(base), base.versions(ALL)
    assert ingest(base, world.requests(), now=NOW).files == [], "no file is opened again"
    found = measure(base, world.settings, look=True)
    seen = laptop.measure(laptop.gather(world.items()), world.settings)
    for noticed, same in ((found.unmatched, seen.unmatched), (found.duplicates, seen.duplicates)):
        assert sorted(noticed, key=str) == sorted(same.to_pylist(), key=str)
    written = report(base, world.settings, name="test", now=NOW)
    assert not written.is_new
    assert digests(base) == before
    # merged again, to no effect
    measured = {"aliases", "verdicts", "eval_runs", "workloads", "trace_measures", "moments"}
    after = base.versions(ALL)
    assert {name for name in ALL if after[name] != versions[name]} <= measured


def test_delta_rs_reads_every_table(base: Store) -> None:
    opened = tables_of(base.lake)
    assert set(opened) == set(ALL)
    for table in ("reports", "estimates", "decompositions", "suspects"):
        read = opened[table].to_pyarrow_dataset().to_table()
        assert rows(read.cast(tables.schema(table)), table) == rows(arrow(base, table), table)
