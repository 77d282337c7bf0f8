"""One writer at a time on a local lake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from effspark.errors import LakeError
from effspark.spark.lock import one_writer

pytestmark = pytest.mark.classic

HOLDER = """
import sys
from effspark.spark.lock import one_writer
with one_writer(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_lake_locked_by_another_process_is_refused_and_free_when_that_ends(tmp_path: Path) -> None:
    lake = str(tmp_path / "lake")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, lake], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdin is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(LakeError, match="the lake is locked"), one_writer(lake):
            pass
        other.stdin.write("\n")
    with one_writer(lake):
        assert Path(lake).is_dir()


def test_a_lake_in_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(LakeError, match="cannot be written"), one_writer(str(tmp_path / "file" / "lake")):
        pass


def test_a_catalog_takes_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with one_writer("main.evals"):
        assert list(tmp_path.iterdir()) == []


def test_a_lake_to_which_nothing_was_written_is_not_left_behind(tmp_path: Path) -> None:
    made, written, given = (tmp_path / name for name in ("made", "written", "given"))
    given.mkdir()
    for lake in (made, written, given):
        with one_writer(str(lake)):
            (lake / "_staging").mkdir()
            if lake == written:
                (lake / "runs").write_text("x")
    assert not made.exists()
    assert [path.name for path in written.iterdir()] == ["runs"]
    assert given.is_dir()
