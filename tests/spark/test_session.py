"""The one session factory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from effspark.spark import session
from tests.spark.small import ROWS, csv


def test_the_session_of_a_job_is_the_active_one_or_the_server_named(spark: SparkSession) -> None:
    if "SPARK_REMOTE" in os.environ:
        assert not hasattr(session.session(), "_jsparkSession")
    else:
        assert session.session() is spark


def test_times_are_utc(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"


def test_a_local_session_without_a_jdk_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(session.LakeError, match="JDK"):
        session._local("test")


def test_ctrl_c_takes_effect_when_what_must_not_be_cut_is_done() -> None:
    before, done = signal.getsignal(signal.SIGINT), []

    def start() -> None:
        with session._interrupts_wait() as wait:
            signal.signal(signal.SIGINT, signal.default_int_handler)  # as a Spark context does
            wait()
            signal.raise_signal(signal.SIGINT)
            done.append("all")

    with pytest.raises(KeyboardInterrupt):
        start()
    assert (done, signal.getsignal(signal.SIGINT)) == (["all"], before)


def test_ctrl_c_that_was_ignored_before_is_ignored_still() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with session._interrupts_wait() as wait:
            wait()
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.classic
def test_ctrl_c_while_java_starts_leaves_no_java_behind(tmp_path: Path) -> None:
    log = csv(tmp_path / "logs", "log.csv", ROWS)
    job = [sys.executable, "-m", "effspark.cli", "ingest", str(log), "--lake", str(tmp_path / "lake")]
    begun = subprocess.Popen(job, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not _has_java(begun.pid):
        assert begun.poll() is None
        time.sleep(0.05)
    begun.send_signal(signal.SIGINT)
    _, told = begun.communicate()
    assert "effspark: Java is starting; it is stopped as soon as it is up" in told
    assert begun.returncode == 130
    assert told.splitlines()[-1].startswith("effspark: interrupted: ")
    assert "Traceback" not in told
    while _has_java(begun.pid):  # it ends with the pipe to its parent; the test's time is limited
        time.sleep(0.1)


def _has_java(group: int) -> bool:
    """Does Spark's Java of this process group run, or its start?"""
    found = subprocess.run(
        ["pgrep", "-g", str(group), "-f", "deploy.SparkSubmit"], capture_output=True, check=False
    )
    return found.returncode == 0
