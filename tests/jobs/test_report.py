"""The job `report`: measure, write, print; and questions in SQL afterwards."""

from __future__ import annotations

import json

import pytest
from effspark.jobs.report import main

from effspark.cli import main as cli
from effspark.spark.store import Store

pytestmark = pytest.mark.long


def test_the_table_is_printed_and_answers_in_sql(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--lake", store.lake, "--name", "mine", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [row["model"] for row in printed["models"]] == ["two", "one"]
    query = "SELECT report, model, runs FROM leaderboard"
    for engine in ("duckdb", "spark"):
        assert cli(["sql", query, "--lake", store.lake, "--engine", engine, "--output", "json"]) == 0
        assert json.loads(capsys.readouterr().out) == [
            {"report": "mine", "model": "two", "runs": 2.0},
            {"report": "mine", "model": "one", "runs": 2.0},
        ]
    assert cli(["tables", "--lake", store.lake, "--output", "csv"]) == 0
    assert "\nruns,4," in capsys.readouterr().out
