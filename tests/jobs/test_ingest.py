"""The job `ingest`: what it prints, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from effspark.jobs.ingest import main
from pyspark.sql import SparkSession

from effspark.cli import main as cli
from effspark.spark import lock
from tests.spark.small import MAPPING, ROWS, csv


@pytest.fixture
def mapping(tmp_path: Path) -> str:
    path = tmp_path / "mapping.yaml"
    path.write_text(yaml.safe_dump(MAPPING))
    return str(path)


def test_the_sum_is_printed_and_refused_rows_warn(
    spark: SparkSession, tmp_path: Path, mapping: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log = csv(tmp_path / "logs", "log.csv", (*ROWS, "two,c,1,-3,500,stop,1,2026-01-01T00:00:00Z"))
    (log.parent / "_other.csv").write_text("x")
    argv = [str(log.parent), "--lake", str(tmp_path / "lake"), "--team", "blue", "--mapping", mapping]
    assert main([*argv, "--max-rejected", "0.1"]) == 3
    printed = capsys.readouterr()
    assert f"not read ({log.parent}): 1 file under a name that begins with . or _ (_other.csv)" in printed.err
    assert printed.out == (
        "5 records = 4 mapped + 0 not selected + 0 merged + 1 quarantined; 4 runs emitted\n"
    )
    assert "log.csv" in printed.err
    assert cli(["ingest", *argv, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unchanged_files"] == 1
    assert main([*argv, "--max-rejected", "0.1"]) == 3
    assert main([*argv, "--max-rejected", "0.2"]) == 0


def test_a_lake_that_another_job_writes_to_is_refused_in_one_line(
    tmp_path: Path, mapping: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lake, log = tmp_path / "lake", csv(tmp_path / "logs", "log.csv")
    with lock.one_writer(str(lake)):
        assert main([str(log), "--lake", str(lake), "--mapping", mapping]) == 1
    told = capsys.readouterr().err.strip().splitlines()
    assert len(told) == 1
    assert all(
        text in told[0] for text in ("the lake is locked", str(lake), "found", "allowed", "wait for that job")
    )


def test_an_empty_folder_and_an_unknown_format_leave_no_lake(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = tmp_path / "lake"
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd.bin").write_bytes(b"\x00\x01\x02")
    for path, told in (("empty", "an empty folder"), ("odd.bin", "unknown log format")):
        assert main([str(tmp_path / path), "--lake", str(lake)]) == 1
        assert told in capsys.readouterr().err
        assert not lake.exists()


def test_bad_arguments_are_told_apart_from_refused_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EFFSPARK_LAKE", raising=False)
    lake = ["--lake", str(tmp_path / "lake")]
    assert main(lake) == 2
    assert main([str(tmp_path), *lake, "--max-rejected", "5"]) == 2
    assert "--max-rejected" in capsys.readouterr().err
    assert main([str(tmp_path / "nothing"), *lake]) == 1
    assert "no such file or folder" in capsys.readouterr().err
    assert main([str(tmp_path)]) == 1
    assert "pass --lake LAKE or set EFFSPARK_LAKE" in capsys.readouterr().err
    assert main(["--instances", "f", "--labels", "g", *lake]) == 1
    (tmp_path / "both.csv").write_text("instance,question,answer,correct\na,b,#### 1,true\n")
    both = str(tmp_path / "both.csv")
    assert main(["--instances", both, "--labels", both, "--benchmark", "gsm8k", *lake]) == 1
    assert "one file is given as two kinds" in capsys.readouterr().err
    assert not (tmp_path / "lake").exists()
