"""Is docs/method.md true? Its functions can be imported, its columns are in schemas, its rows in a report."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import narwhals as nw
import pytest

from effspark import tables
from effspark.arrow_engine import Laptop
from effspark.gold.report_tables import GATHERED, SPREAD, report_tables
from effspark.gold.selected import Inputs
from tests.core.gold import vector_reports

PAGE = Path(__file__).resolve().parents[1] / "docs" / "method.md"
LINES = [
    line.split("|")[1:-1]
    for line in PAGE.read_text("utf-8").splitlines()
    if line.startswith("| ") and "`" in line
]
FUNCTIONS = sorted({name for line in LINES for name in re.findall(r"`([\w.]+)`", line[2])})
PLACES = sorted({name for line in LINES for name in re.findall(r"`([^`]+)`", line[3])})


@pytest.fixture(scope="module")
def rows() -> dict[str, set[str]]:
    """Metrics, terms and audits by table, of a report on the shared vectors."""
    given = vector_reports.inputs()
    frames = (nw.from_native(given[name]) for name in ("moments", "workloads"))
    found = report_tables(Inputs(*frames, given["eval_runs"]), vector_reports.settings(), Laptop())
    told: dict[str, set[str]] = {}
    for name, table in found.tables.items():
        for column in ("metric", "term", "audit"):
            if column in table.column_names:
                told.setdefault(name, set()).update(table[column].to_pylist())
    return told


def test_the_page_has_every_table_of_a_report_but_what_is_no_method() -> None:
    named = {re.split(r"[.\[]", place)[0] for place in PLACES}
    assert {*GATHERED, *SPREAD} - named == {"suspects"}
    assert len(FUNCTIONS) > 25


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_there(name: str) -> None:
    module, _, function = name.rpartition(".")
    assert callable(getattr(importlib.import_module(f"effspark.{module}"), function))


@pytest.mark.parametrize("place", PLACES)
def test_every_place_of_a_table_is_there(place: str, rows: dict[str, set[str]]) -> None:
    if "[" in place:
        table, row = re.fullmatch(r"(\w+)\[([\w.]+)\]", place).groups()  # type: ignore[union-attr]
        assert row in rows[table]
    else:
        table, _, column = place.partition(".")
        assert column in tables.columns(table)
