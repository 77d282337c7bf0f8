"""A job killed at any write and run again gives the tables of one clean run."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from effspark.spark import ingest, measure, report
from effspark.spark.store import Store
from tests.faults.client import main, work
from tests.spark.small import ROWS, csv
from tests.spark.world import ALL, DERIVED, SILVER, digests

POINTS = (
    *(("ingest", table) for table in ingest.TABLES),
    *(("measure", table) for table in measure.TABLES),
    *(("report", table) for table in report.TABLES),
)
LOGGED = tuple(table for table in SILVER if table != "verdicts")
PHASES = {"ingest": LOGGED, "measure": (*SILVER, *DERIVED), "report": ALL}
"""Phases, and the tables that are final after each."""
ROOT = Path(__file__).resolve().parents[2]
KILLED = -9
SHARED = str(uuid.uuid4())
"""Session of the clients that are killed: the next one goes on in it."""
FORKS = multiprocessing.get_context("forkserver")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs that fill every table: CSV with a refused row, a text-only log with gold and question, labels."""
    folder = tmp_path_factory.mktemp("logs")
    csv(folder / "runs", "log.csv", (*ROWS, "two,c,1,-3,500,stop,1,2026-01-01T00:00:00Z"))
    (folder / "zeroeval").mkdir()
    record = {
        "session_id": "s0", "id": "s0", "chat_history": ["2+2?"], "model_input": "n/a", "output": ["It is 4."],
        "generator": "three", "configs": {"temperature": 0.0, "max_tokens": 64}, "dataset": "gsm",
        "question": "2+2?", "answer": "# 4",
    }  # fmt: skip
    (folder / "zeroeval" / "three.json").write_text(json.dumps([record]))
    (folder / "labels.csv").write_text("benchmark,instance,correct\nriddles,a,true\nriddles,b,false\n")
    return folder


@pytest.fixture(scope="module")
def clean(spark: SparkSession, logs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Digests of the tables that one clean run gives."""
    store = Store(spark, str(tmp_path_factory.mktemp("clean") / "lake"))
    finish(store, logs)
    return digests(store)


@pytest.fixture(scope="module")
def before(spark: SparkSession, logs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Lake on which each phase begins."""
    lake, found = tmp_path_factory.mktemp("before"), {}
    for phase in PHASES:
        found[phase] = lake / phase
        if (lake / "now").is_dir():
            shutil.copytree(lake / "now", found[phase])
        work(Store(spark, str(lake / "now")), logs, phase)
    return found


def begin(before: dict[str, Path], phase: str, lake: Path) -> None:
    """Put at `lake` what lies there when a phase begins."""
    if before[phase].is_dir():
        shutil.copytree(before[phase], lake)


def finish(store: Store, logs: Path) -> None:
    for phase in PHASES:
        work(store, logs, phase)


def kill(lake: Path, logs: Path, phase: str, point: str, when: str) -> int | None:
    """Run one phase in a process that is killed on the way; its exit code. It is forked from one that has imported."""
    FORKS.set_forkserver_preload(["tests.faults.client"])
    client = FORKS.Process(target=main, args=(str(lake), str(logs), phase, point, when, SHARED))
    client.start()
    client.join()
    return client.exitcode


def kill_classic(lake: Path, logs: Path, phase: str, point: str) -> int:
    """The same with a Spark of its own, in a process that starts from nothing."""
    command = [sys.executable, "-m", "tests.faults.client", str(lake), str(logs), phase, point, "after"]
    # pyspark sets the second with the first
    remote = ("SPARK_REMOTE", "SPARK_CONNECT_MODE_ENABLED")
    environment = {name: value for name, value in os.environ.items() if name not in remote}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True).returncode


def test_the_logs_fill_every_table(spark: SparkSession, logs: Path, clean: dict[str, str]) -> None:
    assert set(clean) == set(ALL)
    assert len(set(clean.values())) == len(ALL), "no two tables may be alike, as empty ones would be"


def test_killed_after_the_first_write_of_every_table_and_run_again(
    spark: SparkSession, logs: Path, clean: dict[str, str], tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    for place, (phase, point) in enumerate(POINTS):
        if place and POINTS[place - 1][0] != phase:
            work(Store(spark, str(lake)), logs, POINTS[place - 1][0])
        assert kill(lake, logs, phase, point, "after") == KILLED, (phase, point)
    finish(Store(spark, str(lake)), logs)
    assert digests(Store(spark, str(lake))) == clean


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("phase", "point"), POINTS)
def test_killed_once_and_run_again(
    spark: SparkSession,
    logs: Path,
    before: dict[str, Path],
    clean: dict[str, str],
    tmp_path: Path,
    phase: str,
    point: str,
    when: str,
) -> None:
    lake = tmp_path / "lake"
    begin(before, phase, lake)
    assert kill(lake, logs, phase, point, when) == KILLED
    work(Store(spark, str(lake)), logs, phase)
    assert digests(Store(spark, str(lake)), PHASES[phase]) == {name: clean[name] for name in PHASES[phase]}


@pytest.mark.slow
def test_killed_while_a_log_is_read_in_another_way_and_run_again(
    spark: SparkSession, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, whole = tmp_path / "start", tmp_path / "whole"
    work(Store(spark, str(start)), logs, "ingest")
    shutil.copytree(start, whole)
    points = recorded(Store(spark, str(whole)), logs, monkeypatch)
    assert {"run_sources", "runs", "verdicts", "configurations", "quarantine", "loads"} <= set(points)
    assert any("#" in point for point in points), "what is gone is removed beside what is merged"
    clean = digests(Store(spark, str(whole)), LOGGED)
    assert clean != digests(Store(spark, str(start)), LOGGED)
    for place, point in enumerate(points):
        lake = tmp_path / f"lake{place}"
        shutil.copytree(start, lake)
        assert kill(lake, logs, "again", point, "after") == KILLED, point
        work(Store(spark, str(lake)), logs, "again")
        assert digests(Store(spark, str(lake)), LOGGED) == clean, point


def recorded(store: Store, logs: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every write of the phase `again`: its name, with its number from the second on."""
    met: Counter[str] = Counter()
    points, whole_write = [], Store.write

    def write(self: Store, name: str, action: Callable[[], object]) -> None:
        met[name] += 1
        points.append(name if met[name] == 1 else f"{name}#{met[name]}")
        whole_write(self, name, action)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "write", write)
        work(store, logs, "again")
    return points


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phase", "point"), [("ingest", "runs"), ("measure", "moments"), ("report", "estimates")]
)
def test_a_classic_driver_killed_and_run_again(
    spark: SparkSession,
    logs: Path,
    before: dict[str, Path],
    clean: dict[str, str],
    tmp_path: Path,
    phase: str,
    point: str,
) -> None:
    lake = tmp_path / "lake"
    begin(before, phase, lake)
    assert kill_classic(lake, logs, phase, point) == KILLED
    finish(Store(spark, str(lake)), logs)
    assert digests(Store(spark, str(lake))) == clean
