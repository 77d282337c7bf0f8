"""The one session factory."""

from __future__ import annotations

import os

import pytest
from pyspark.sql import SparkSession

from effspark.spark import session


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
