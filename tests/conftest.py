"""What all tests share: where the sample data lies, if anywhere, and one Spark session for those that ask for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from effspark.spark.store import Store
    from tests.spark.world import World

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def samples() -> Path:
    """Folder of sample logs beside the project; tests that need it are skipped where it is absent."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the sample data is not beside this checkout")
    return folder


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> SparkSession:
    """The session under test: classic, or with EFFSPARK_TEST_CONNECT=1 a client of a Connect server process."""
    from effspark.spark import session

    if os.environ.get("EFFSPARK_TEST_CONNECT") != "1":
        return session.session("tests")
    connected: SparkSession = request.getfixturevalue("connected")
    return connected


@pytest.fixture(scope="session")
def connected() -> Iterator[SparkSession]:
    """A client of a Connect server process; SPARK_REMOTE names the server for other processes."""
    from effspark.spark import session
    from tests.spark.server import connect_server

    with connect_server() as remote:
        os.environ["SPARK_REMOTE"] = remote
        client = session.session("tests")
        yield client
        client.stop()  # before its server: a client without one tries for minutes to say good-bye
        del os.environ["SPARK_REMOTE"]


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Simulated logs of three teams, small."""
    from tests.spark.world import World

    return World(tmp_path_factory.mktemp("world") / "out")


@pytest.fixture(scope="session")
def base(spark: SparkSession, world: World, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The lake that one load of everything, measure and report give. Tests must not write to it."""
    from tests.spark import world as worlds

    lake = tmp_path_factory.mktemp("base") / "lake"
    return worlds.fill(spark, lake, world, [world.requests()])
