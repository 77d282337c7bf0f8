"""What a report stands on: cells, pool, shared instances and parts, and the name it is known by."""

from __future__ import annotations

import narwhals as nw

from effspark import settings as conf
from effspark import tables
from effspark.arrow_engine import Laptop
from effspark.gold.selected import Inputs, Selected, selected
from effspark.layers import moments
from effspark.layers.selection import gathered
from tests.core.layers.reports import beside_scorers, logged, worked
from tests.core.layers.rows import Row, eval_run, table


def basis(rows: list[Row], *overrides: str) -> Selected:
    given = Inputs(
        nw.from_native(moments.partial_moments(table(beside_scorers(rows)))),
        nw.from_native(worked({})),
        tables.from_rows(
            "eval_runs", [eval_run(model) for model in sorted({row["config_id"] for row in rows})]
        ),
    )
    return selected(given, conf.load(overrides=overrides), Laptop())


ROWS = [*(logged("m", place) for place in "ijk"), *(logged("n", place) for place in "ij")]


def shared(found: Selected) -> set[str]:
    return set(gathered(found.shared)["instance_id"].to_pylist())


def test_the_pool_decides_what_is_shared() -> None:
    found = basis(ROWS)
    assert (shared(found), found.covered, found.met) == (set("ijk"), 5, {"b": 3})
    assert [part.pool.order for part in found.parts] == [("m",)]
    declared = basis(ROWS, "benchmarks.b.pool=[n, m]")
    assert (shared(declared), declared.parts[0].pool.order) == (set("ij"), ("m", "n"))
    assert (declared.parts[0].standings["n"].rank, declared.report_id == found.report_id) == (2, False)


def test_excluded_instances_leave_the_cells_but_are_kept_apart() -> None:
    one = "{instance: k, reason: wrong, source: errata, date: 2026-01-01}"
    found = basis(ROWS, f"benchmarks.b.exclusions=[{one}]")
    assert (shared(found), found.covered, found.left_out.num_rows) == (set("ij"), 4, 1)
    assert ("m", "own_whole") in found.parts[0].sums
