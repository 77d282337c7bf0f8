"""A report is appended once, its row last, and read back as it was computed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from effspark import settings
from effspark.spark.measure import measure
from effspark.spark.report import Written, report
from effspark.spark.store import Store
from tests.spark.small import NOW, column, csv, load

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def store(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("report")
    made = Store(spark, str(folder / "lake"))
    load(made, csv(folder, "log.csv"))
    measure(made, settings.load())
    return made


@pytest.fixture(scope="module")
def written(store: Store) -> tuple[Written, list[str]]:
    """A report, and the names of its writes."""
    return recorded(store)


def recorded(store: Store, *overrides: str) -> tuple[Written, list[str]]:
    points: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        whole = Store.write
        patch.setattr(
            Store, "write", lambda self, point, action: (points.append(point), whole(self, point, action))
        )
        return report(store, settings.load(overrides=overrides), name="r", now=NOW), points


def test_a_report_is_written_once_and_its_row_last(store: Store, written: tuple[Written, list[str]]) -> None:
    first, points = written
    assert points[-1] == "reports"
    assert first.is_new
    again, points = recorded(store)
    assert (again.is_new, points, again.report.report_id) == (False, [], first.report.report_id)
    other, _ = recorded(store, "report.least_coverage=0.5")
    assert other.report.report_id != first.report.report_id


def test_the_numbers_are_those_of_the_rows(written: tuple[Written, list[str]]) -> None:
    made = written[0].report
    estimates = {
        (row["model"], row["metric"]): row["value"]
        for row in made.tables["estimates"].to_pylist()
        if row["instance_set"] == "shared"
    }
    assert estimates["one", "E0"] == 1000 * 1 / 600
    assert estimates["two", "E0"] == 1000 * 1 / 120
    assert (estimates["one", "r_ctx"], estimates["one", "r_logic"]) == (0.5, 1.0)
    assert (estimates["two", "rank"], estimates["one", "rank"]) == (1.0, 2.0)
    terms = {
        row["term"]: row["value"]
        for row in made.tables["decompositions"].to_pylist()
        if row["model"] == "one"
    }
    assert abs(terms["r_ctx"] + terms["r_logic"] + terms["mean_T"] - terms["total"]) < 1e-12


def test_the_row_of_a_report_says_what_it_stands_on(store: Store, written: tuple[Written, list[str]]) -> None:
    row = store.read("reports").where(f"report_id = '{written[0].report.report_id}'").head()
    assert row is not None
    assert json.loads(row["input_versions"])["moments"] == 1
    assert json.loads(row["settings"])["report"]["refusals"] == "include"
    assert json.loads(row["row_counts"])["estimates"] > 0


@pytest.mark.classic
def test_an_empty_lake_gives_an_empty_report(spark: SparkSession, tmp_path: Path) -> None:
    made = Store(spark, str(tmp_path / "lake"))
    load(made, csv(tmp_path, "log.csv", ()))
    measure(made, settings.load())
    assert column(made, "moments", "scorer") == []
    done = report(made, settings.load(), name="r", now=NOW)
    assert (done.report.tables["estimates"].num_rows, done.report.standings) == (0, {})
    assert column(made, "reports", "name") == [("r",)]
