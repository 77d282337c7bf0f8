"""Fault tests work through a warm Connect server, so that a client can be killed and the next one starts at once."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark(connected: SparkSession) -> SparkSession:
    return connected
