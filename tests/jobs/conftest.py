"""A small lake that the jobs after ingest work on."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from effspark.spark.store import Store
from tests.spark.small import csv, load


@pytest.fixture(scope="package")
def store(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("jobs")
    made = Store(spark, str(folder / "lake"))
    load(made, csv(folder, "log.csv"))
    return made
