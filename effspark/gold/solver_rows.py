"""Solver-derived work as frames: rows of the table `instance_workloads`, and the geometry of native scales beside it.

    cells, shared instances, pool orders  ->  the first of the pool that solved each instance, and what it spent
    that, native work                     ->  how many instances share one W, on the shared and on the common instances

What `pool.solver.solver_work` does with arrays, an engine does here with any number of instances. Source:
definitions.md section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa

from effspark import tables
from effspark.gold.engine import Engine, Frame
from effspark.gold.parts import Part
from effspark.layers.estimates import settled
from effspark.layers.selection import SUMMED, gathered
from effspark.layers.workload import SOLVER_SCALE
from effspark.sections import ReportSettings

Row = dict[str, Any]

UNSOLVED = "not_solved_by_the_pool"

_INSTANCE = ["benchmark_id", "instance_id"]
_PLACES = pa.schema(
    [
        *((name, pa.string()) for name in ("benchmark_id", "model_id", "model")),
        ("place", pa.int64()),
    ]
)


def first_solvers(
    cells: Frame, shared: Frame, parts: Sequence[Part], settings: ReportSettings, engine: Engine
) -> Frame:
    """Who of the pool is the first to solve each shared instance, and what it spent.

    Parameters
    ----------
    cells
        Result of `selection.by_instance`.
    shared
        Shared instances: benchmark_id, instance_id.

    Returns
    -------
    Frame
        benchmark_id, instance_id, work, place (from 1), model_id, model; null but for the first two where no model
        of the pool solved the instance.
    """
    places = [
        {"benchmark_id": part.benchmark_id, "model_id": model, "model": part.names[model], "place": place}
        for part in parts
        for place, model in enumerate(part.pool.order, 1)
    ]
    ranked = engine.frame(pa.Table.from_pylist(places, _PLACES))
    sums = settled({name: nw.col(name) for name in SUMMED}, settings)
    counted = cells.with_columns(*(sums[name].alias(name) for name in ("solving", "solving_tokens")))
    solved = counted.filter(nw.col("solving") > 0).join(ranked, on=["benchmark_id", "model_id"], how="inner")
    spent = nw.col("solving_tokens") / nw.col("solving")
    costs = solved.join(shared, on=_INSTANCE, how="inner").select(
        *_INSTANCE, spent.alias("work"), "place", "model_id", "model"
    )
    return shared.join(engine.least(costs, _INSTANCE, "place"), on=_INSTANCE, how="left")


def instance_workloads(solvers: Frame, report_id: str) -> Frame:
    """Rows of the table `instance_workloads`."""
    reason = nw.when(nw.col("work").is_null()).then(nw.lit(UNSOLVED))
    made = solvers.select(
        nw.lit(report_id).alias("report_id"),
        *_INSTANCE,
        nw.lit(SOLVER_SCALE).alias("scale"),
        "work",
        nw.col("model_id").alias("solver_id"),
        nw.col("model").alias("solver"),
        nw.col("place").alias("rank"),
        reason.alias("reason"),
    )
    return made.select(*tables.columns("instance_workloads"))


def tie_blocks(solvers: Frame, workloads: Frame) -> list[Row]:
    """How many shared instances have native work, how many distinct values it takes, and how many share one.

    Returns
    -------
    list[Row]
        benchmark_id, scale, instance_set (shared: all of them, common: those that the pool solves too), instances,
        unique, largest.
    """
    native = workloads.select(*_INSTANCE, "scale", nw.col("work").alias("native"))
    beside = native.join(solvers.select(*_INSTANCE, "work"), on=_INSTANCE, how="inner")
    named = {"shared": beside, "common": beside.filter(~nw.col("work").is_null())}
    sets = nw.concat([one.with_columns(nw.lit(name).alias("instance_set")) for name, one in named.items()])
    place = ["benchmark_id", "scale", "instance_set"]
    tied = sets.group_by(*place, "native").agg(nw.len().alias("tied"))
    found = tied.group_by(*place).agg(
        nw.col("tied").sum().alias("instances"),
        nw.len().alias("unique"),
        nw.col("tied").max().alias("largest"),
    )
    rows: list[Row] = gathered(found.select(*place, "instances", "unique", "largest")).to_pylist()
    return rows
