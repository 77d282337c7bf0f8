"""Who solved what first, as frames: the same as the arrays of the pool, and the geometry of native scales."""

from __future__ import annotations

import math

import narwhals as nw
import pyarrow as pa
import pytest

from effspark import settings as conf
from effspark import tables
from effspark.arrow_engine import Laptop
from effspark.gold import solver_rows
from effspark.gold.selected import Inputs, Selected, selected
from effspark.layers import moments
from effspark.sections import ReportSettings
from tests.core.layers.reports import beside_scorers, logged, report, worked
from tests.core.layers.rows import eval_run, of_vector, table
from tests.core.pool import loops
from tests.core.pool.loops import Run, made


def basis(runs: list[Run]) -> Selected:
    rows = [of_vector(run) | {"verdicts": {"s": run["correct"]}} for run in runs]
    models = loops.names(runs, "model")
    given = Inputs(
        nw.from_native(moments.partial_moments(table(beside_scorers(rows)))),
        nw.from_native(worked({})),
        tables.from_rows("eval_runs", [eval_run(model) for model in models]),
    )
    return selected(given, conf.load(overrides=[f"benchmarks.b.pool=[{', '.join(models)}]"]), Laptop())


def solvers(found: Selected) -> nw.DataFrame[pa.Table]:
    return solver_rows.first_solvers(found.cells, found.shared, found.parts, ReportSettings(), Laptop())


@pytest.mark.parametrize("seed", range(4))
def test_every_shared_instance_has_the_first_of_the_pool_that_solved_it(seed: int) -> None:
    runs = made(seed, gaps=0.02)
    found = basis(runs)
    order = [found.parts[0].names[model] for model in found.parts[0].pool.order]
    rows = solver_rows.instance_workloads(solvers(found), "r").to_arrow()
    assert tables.checked("instance_workloads", rows.cast(tables.schema("instance_workloads"))).num_rows > 0
    read = {row["instance_id"]: row for row in rows.to_pylist()}
    assert set(read) == set(loops.shared(runs, loops.names(runs, "model")))
    for instance, row in read.items():
        work, solver = loops.solver(runs, order, instance)
        assert (row["work"], row["solver"]) == (None if math.isnan(work) else work, solver)
        assert row["rank"] == (None if solver is None else order.index(solver) + 1)
        assert row["reason"] == ("not_solved_by_the_pool" if solver is None else None)


def test_equal_work_is_counted_on_the_shared_and_on_the_common_instances() -> None:
    runs = [
        {"model": "m", "instance": one, "repeat": 0, "tokens": 5, "completed": True, "correct": one != "k"}
        for one in "hijk"
    ]
    work = nw.from_native(worked({"W": {"i": 2.0, "j": 2.0, "k": 2.0, "x": 2.0}, "V": {"h": 1.0, "i": 3.0}}))
    found = {
        (row["scale"], row["instance_set"]): (row["instances"], row["unique"], row["largest"])
        for row in solver_rows.tie_blocks(solvers(basis(runs)), work)
    }
    assert found == {
        ("W", "shared"): (3, 1, 3), ("W", "common"): (2, 1, 2), ("V", "shared"): (2, 2, 1), ("V", "common"): (2, 2, 1),
    }  # fmt: skip


def test_a_refused_solution_is_none_where_refusals_are_excluded() -> None:
    runs = [logged("m", "i", "refusal", output_tokens=5), logged("m", "j"), logged("m", "i", "length")]
    for refusals, work in (("include", 5.0), ("exclude", None)):
        found = report(runs, conf.load(overrides=[f"report.refusals={refusals}"]))
        rows = found.frames["instance_workloads"].to_arrow().to_pylist()
        assert {row["instance_id"]: row["work"] for row in rows}["i"] == work
