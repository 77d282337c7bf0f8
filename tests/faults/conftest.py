"""A warm Connect server for clients that are killed, and a session of it for the tests themselves."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from effspark.spark import session
from tests.spark.server import connect_server


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A client of the server; SPARK_REMOTE names it for other processes."""
    with connect_server() as remote:
        os.environ["SPARK_REMOTE"] = remote
        client = session.session("faults")
        yield client
        client.stop()  # before its server: a client without one tries for minutes to say good-bye
        del os.environ["SPARK_REMOTE"]
