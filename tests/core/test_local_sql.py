"""SQL on a local lake without a JVM: tables and views by name, and errors that help."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark import lakes, local_sql
from effspark.errors import LakeError, SettingsError
from tests import delta

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
    delta.write(folder, "reports", reports)
    delta.write(folder, "estimates", estimates)
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
    told |= {"n_cancelled": 11.0, "n_invalidated": 12.0, "n_excluded": 13.0, "n_unscored": 14.0}
    shared = [estimate("r", name, 0.0) for name in told]
    own = [estimate("r", name, value, instance_set="own") for name, value in told.items()]
    delta.write(tmp_path, "reports", [report("r", "weekly", 1)])
    delta.write(tmp_path, "estimates", shared + own)
    columns = [
        name for name in local_sql.select(str(tmp_path), "FROM leaderboard").column_names if "all_" in name
    ]
    (row,) = local_sql.select(
        str(tmp_path), f"SELECT runs, {', '.join(columns)} FROM leaderboard"
    ).to_pylist()
    assert sorted(row.values()) == sorted([0.0, *told.values()])
    assert (row["all_errors"], row["all_without_token_count"]) == (2.0, 1.0)
    assert row["all_correct_per_1000_tokens_at_least"] < row["all_correct_per_1000_tokens"]


def test_the_leaderboard_says_of_unranked_models_too_how_their_tokens_are_known(tmp_path: Path) -> None:
    own = {"counted": (4.0, 2.0), "guessed": (4.0, 3.0), "without": (0.0, 0.0)}
    rows = [
        estimate("r", metric, value, model_id=name, instance_set="own")
        for name, (n, guessed) in own.items()
        for metric, value in (("n", n), ("n_estimated", guessed))
    ]
    rows += [estimate("r", "rank", None, model_id=name, reason="no_verdicts") for name in own]
    # A ranked model whose counted runs are shared ones, while most of its others are estimated.
    rows += [estimate("r", name, 9.0, model_id="mixed", instance_set="own") for name in ("n", "n_estimated")]
    shared = {"rank": 1.0, "n": 4.0, "n_estimated": 0.0}
    rows += [estimate("r", name, value, model_id="mixed") for name, value in shared.items()]
    delta.write(tmp_path, "reports", [report("r", "weekly", 1)])
    delta.write(tmp_path, "estimates", rows)
    found = local_sql.select(str(tmp_path), "SELECT model_id, tokens_are FROM leaderboard").to_pylist()
    assert {row["model_id"]: row["tokens_are"] for row in found} == {
        "counted": "counted", "guessed": "estimated", "without": None, "mixed": "counted"
    }  # fmt: skip


def test_a_view_needs_the_tables_it_reads_and_no_word_of_its_columns() -> None:
    needs, query = local_sql.views()["leaderboard"]
    assert needs == {"estimates", "reports"}
    assert " AS runs" in query


def test_a_view_whose_tables_are_absent_is_not_there(tmp_path: Path) -> None:
    delta.write(tmp_path, "reports", [report("r", "n", 1)])
    with pytest.raises(SettingsError, match="allowed: tables and views reports;"):
        local_sql.select(str(tmp_path), "SELECT * FROM leaderboard")


def test_a_query_that_fails_tells_duckdbs_words_and_the_names_there_are(lake: str) -> None:
    with pytest.raises(SettingsError, match=r"(?s)modle.*tables and views estimates, leaderboard, reports"):
        local_sql.select(lake, "SELECT modle FROM estimates")


def test_a_view_that_waits_for_a_report_is_told_with_what_makes_it(tmp_path: Path) -> None:
    delta.write(tmp_path, "aliases", [])
    with pytest.raises(SettingsError, match="leaderboard will be there after the first `effspark report`"):
        local_sql.select(str(tmp_path), "SELECT * FROM leaderboard")


def test_labels_that_no_run_bears_are_listed_under_canonical_names(tmp_path: Path) -> None:
    place = {"labels_version": datetime(2026, 1, 1, tzinfo=timezone.utc), "source_sha256": "f"}

    def label(at: int, custom_id: str | None, instance: str) -> dict[str, Any]:
        known = {"target": str(at), "custom_id": custom_id, "benchmark_id": "gsm", "instance_id": instance}
        return {**place, **known, "source_uri": "labels.csv", "source_offset": at}

    delta.write(
        tmp_path,
        "labels",
        [label(0, "q1", "0"), label(9, "q9", "9"), label(5, None, "0"), label(7, None, "8")],
    )
    alias = {"kind": "benchmark", "raw": "gsm", "canonical": "gsm8k", "version": 1}
    delta.write(tmp_path, "aliases", [alias])
    delta.write(tmp_path, "runs", [{"source_record_id": "q1"}, {"source_record_id": None}])
    delta.write(tmp_path, "moments", [{"benchmark_id": "gsm8k", "instance_id": "0"}])
    found = local_sql.select(str(tmp_path), "FROM unmatched_labels").to_pylist()
    assert [(row["benchmark"], row["custom_id"], row["instance"], row["source_offset"]) for row in found] == [
        ("gsm8k", None, "8", 7),
        ("gsm8k", "q9", "9", 9),
    ]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("SET threads = 1", "SET"),
        ("SELECT 1; SELECT 2", "SELECT and SELECT"),
        ("COPY estimates TO '{place}'", "COPY"),
        ("ATTACH '{place}'", "ATTACH"),
        ("CREATE TABLE t AS SELECT 1", "CREATE"),
        ("PRAGMA database_size", "PRAGMA"),
        ("-- nothing", "no statement"),
    ],
)
def test_anything_but_one_select_is_refused(query: str, found: str, lake: str, tmp_path: Path) -> None:
    place = tmp_path / "file"
    with pytest.raises(SettingsError, match=f"found {found}; allowed: one SELECT"):
        local_sql.select(lake, query.format(place=place))
    assert not place.exists()


def test_a_query_reads_no_file_and_no_variable_beside_the_lake(lake: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x\n1\n")
    for other in (f"read_csv('{tmp_path}/a.csv')", f"'{tmp_path}/a.csv'", "opened"):
        with pytest.raises(SettingsError, match="the query cannot be answered"):
            local_sql.select(lake, f"SELECT * FROM {other}")


def test_a_lake_of_another_version_is_not_answered(tmp_path: Path) -> None:
    delta.write(tmp_path, "reports", [], version=lakes.LAKE_VERSION + 1)
    with pytest.raises(LakeError, match="the lake is of another version"):
        local_sql.select(str(tmp_path), "SELECT 1")


def test_a_missing_file_of_a_table_is_told(tmp_path: Path) -> None:
    delta.write(tmp_path, "reports", [report("r", "n", 1)])
    for path in (tmp_path / "reports").glob("*.parquet"):
        path.unlink()
    with pytest.raises(
        LakeError, match=r"(?s)a file of the lake cannot be read .*part-.*not found.*; restore"
    ):
        local_sql.select(str(tmp_path), "SELECT name FROM reports")
    opened = local_sql.tables_of(str(tmp_path))["reports"]
    with pytest.raises(LakeError, match="a file of the lake cannot be read"):
        local_sql.rows_of(str(tmp_path), "reports", opened)


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
