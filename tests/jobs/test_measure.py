"""The job `measure`."""

from __future__ import annotations

from pathlib import Path

import pytest
from effspark.jobs.measure import main
from effspark.jobs.report import main as report

from effspark.spark.store import Store
from tests.spark.small import column

pytestmark = pytest.mark.long


def test_moments_are_brought_up_to_date(store: Store) -> None:
    assert main(["--lake", store.lake]) == 0
    assert sorted({row[0] for row in column(store, "moments", "scorer")}) == ["", "exact"]


def test_a_place_that_holds_no_lake_is_refused_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for job in (main, report):
        assert job(["--lake", str(tmp_path / "lake")]) == 1
        assert "no lake" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_setting_that_is_none_is_refused(tmp_path: Path) -> None:
    assert main(["--lake", str(tmp_path / "lake"), "--set", "report.nothing=1"]) == 1
    assert not (tmp_path / "lake").exists()
