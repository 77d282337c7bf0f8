"""The shared vectors, read from the tables of a report."""

from __future__ import annotations

import narwhals as nw
import pytest

from effspark.arrow_engine import Laptop
from effspark.gold import pools
from effspark.gold.report_tables import report_tables
from effspark.gold.selected import Inputs
from tests.core.gold import vector_reports
from tests.core.gold.vector_reports import Rows


@pytest.fixture(scope="module")
def report() -> Rows:
    given = vector_reports.inputs()
    frames = (nw.from_native(given[name]) for name in ("moments", "workloads"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pools, "pool_splits", vector_reports.splits)
        found = report_tables(Inputs(*frames, given["eval_runs"]), vector_reports.settings(), Laptop())
    spread = {name: frame.to_arrow() for name, frame in found.frames.items()}
    return {name: rows.to_pylist() for name, rows in (found.tables | spread).items()}


@pytest.mark.parametrize("name", vector_reports.NAMES)
def test_a_report_gives_the_numbers_of_the_vector(name: str, report: Rows) -> None:
    assert vector_reports.faults(name, report) == []
