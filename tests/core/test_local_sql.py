"""SQL on a local lake without a JVM: tables and views by name, and errors that help."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from deltalake import write_deltalake

from effspark import local_sql, tables
from effspark.errors import LakeError, SettingsError

MODEL = {"benchmark_id": "b", "scorer": "s", "model_id": "m", "model": "M"}


def report(report_id: str, name: str, day: int) -> dict[str, Any]:
    texts = {
        "settings": "{}",
        "fingerprint": "0",
        "input_versions": "{}",
        "row_counts": "{}",
        "effspark_version": "0",
    }
    created = datetime(2026, 1, day, tzinfo=timezone.utc)
    return {
        "report_id": report_id,
        "name": name,
        "created_at": created,
        "method_version": 1,
        "warnings": [],
    } | texts


def estimate(report_id: str, metric: str, value: float | None, **changes: Any) -> dict[str, Any]:
    row = {"report_id": report_id, "layer": "outcome", "scale": "", "instance_set": "shared", "budget": "own"}
    return {**MODEL, **row, "metric": metric, "unit": "", "value": value, **changes}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("lake")
    reports = [report("old", "weekly", 1), report("new", "weekly", 2), report("other", "nightly", 1)]
    estimates = [
        estimate("old", "E0", 9.0),
        estimate("new", "E0", 2.5),
        estimate("new", "rank", 1.0),
        estimate("new", "E0", 7.0, instance_set="own"),
        estimate("new", "E0", 1.0, model_id="n", model="N"),
        estimate("new", "rank", None, model_id="n", model="N", reason="no_tokens"),
        estimate("other", "E0", 4.0),
    ]
    write_deltalake(str(folder / "reports"), tables.from_rows("reports", reports))
    write_deltalake(str(folder / "estimates"), tables.from_rows("estimates", estimates))
    return str(folder)


def test_tables_of_a_lake_are_there_by_name(lake: str) -> None:
    assert sorted(local_sql.tables_of(lake)) == ["estimates", "reports"]
    found = local_sql.select(lake, "SELECT count(*) AS n, max(created_at) AS latest FROM reports")
    assert found.to_pylist() == [{"n": 3, "latest": datetime(2026, 1, 2, tzinfo=timezone.utc)}]


def test_the_leaderboard_shows_the_latest_report_of_each_name_on_shared_instances(lake: str) -> None:
    found = local_sql.select(
        lake,
        "SELECT report, rank, model, correct_per_1000_tokens AS e0, unranked_because AS why FROM leaderboard",
    )
    assert [tuple(row.values()) for row in found.to_pylist()] == [
        ("nightly", None, "M", 4.0, None),
        ("weekly", 1.0, "M", 2.5, None),
        ("weekly", None, "N", 1.0, "no_tokens"),
    ]


def test_the_leaderboard_tells_of_runs_in_no_layer_over_all_runs_of_a_model(tmp_path: Path) -> None:
    told = {"n": 8.0, "n_errors": 2.0, "n_missing": 1.0, "E0": 7.0, "E0_low": 6.0, "r_ctx_all": 0.5}
    told |= {"E0_errors_as_failures": 5.0, "accuracy_errors_as_failures": 0.25}
    shared = [estimate("r", name, 0.0) for name in told]
    own = [estimate("r", name, value, instance_set="own") for name, value in told.items()]
    write_deltalake(str(tmp_path / "reports"), tables.from_rows("reports", [report("r", "weekly", 1)]))
    write_deltalake(str(tmp_path / "estimates"), tables.from_rows("estimates", shared + own))
    columns = [
        name for name in local_sql.select(str(tmp_path), "FROM leaderboard").column_names if "all_" in name
    ]
    (row,) = local_sql.select(
        str(tmp_path), f"SELECT runs, {', '.join(columns)} FROM leaderboard"
    ).to_pylist()
    assert sorted(row.values()) == sorted([0.0, *told.values()])
    assert (row["all_errors"], row["all_without_token_count"]) == (2.0, 1.0)
    assert row["all_correct_per_1000_tokens_at_least"] < row["all_correct_per_1000_tokens"]


def test_a_view_needs_the_tables_it_reads_and_no_word_of_its_columns() -> None:
    needs, query = local_sql.views()["leaderboard"]
    assert needs == {"estimates", "reports"}
    assert " AS runs" in query


def test_a_view_whose_tables_are_absent_is_not_there(tmp_path: Path) -> None:
    write_deltalake(str(tmp_path / "reports"), tables.from_rows("reports", [report("r", "n", 1)]))
    with pytest.raises(SettingsError, match="allowed: tables and views reports;"):
        local_sql.select(str(tmp_path), "SELECT * FROM leaderboard")


def test_a_query_that_fails_tells_duckdbs_words_and_the_names_there_are(lake: str) -> None:
    with pytest.raises(SettingsError, match=r"(?s)modle.*tables and views estimates, leaderboard, reports"):
        local_sql.select(lake, "SELECT modle FROM estimates")


def test_a_statement_without_rows_is_an_empty_answer(lake: str) -> None:
    assert local_sql.select(lake, "SET threads = 1").num_rows == 0


@pytest.mark.filterwarnings("error")
def test_an_answer_comes_without_warnings(lake: str) -> None:
    assert local_sql.select(lake, "SELECT NULL AS nothing").to_pylist() == [{"nothing": None}]


def test_a_folder_without_tables_is_told(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="no table of effspark"):
        local_sql.select(str(tmp_path), "SELECT 1")


def test_a_damaged_table_is_told_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "runs" / "_delta_log").mkdir(parents=True)
    with pytest.raises(LakeError, match="table runs cannot be opened"):
        local_sql.tables_of(str(tmp_path))
