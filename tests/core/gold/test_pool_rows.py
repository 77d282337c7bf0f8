"""Rows of the pool: each audit equals the one of arrays, undefined numbers have a reason, splits are data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from effspark.gold.report_tables import ReportTables
from effspark.pool.held_out import held_out, summary
from effspark.pool.membership import pool
from effspark.pool.sensitivity import leave_self_out, leave_top
from effspark.resampling.splits import pool_splits
from effspark.settings import load
from tests.core.layers.reports import logged, report
from tests.core.layers.rows import of_vector
from tests.core.pool import loops
from tests.core.pool.loops import Run, cells, made

Row = dict[str, Any]


def reported(runs: list[Run]) -> ReportTables:
    rows = [of_vector(run) | {"verdicts": {"s": run["correct"]}} for run in runs]
    return report(rows, load(overrides=[f"benchmarks.b.pool=[{', '.join(loops.names(runs, 'model'))}]"]))


def audits(found: ReportTables) -> dict[tuple[str, str, str], Row]:
    return {(row["audit"], row["model_id"], row["metric"]): row for row in found.tables["audits"].to_pylist()}


def value(row: Row) -> float:
    assert (row["value"] is None) == (row["reason"] is not None)
    return math.nan if row["value"] is None else float(row["value"])


@pytest.mark.parametrize("seed", range(3))
def test_audits_of_a_report_are_those_of_the_arrays(seed: int) -> None:
    runs = made(seed, models=8, instances=30, gaps=0.01)
    whole, _ = cells(runs)
    mine = pool(whole, declared=whole.models)
    some = whole.at(mine.shared)
    read = audits(reported(runs))
    models = [whole.models[model] for model in mine.order]
    self_out = leave_self_out(some, mine.order)
    layers = {"leave_self_out": (models, self_out.perturbed, self_out.agreement)}
    for k in (1, 3, 5):
        top = leave_top(some, mine.order, k)
        layers[f"leave_top_{k}"] = (models[k:], top.perturbed, top.agreement)
        assert value(read[f"leave_top_{k}", "", "coverage"]) == pytest.approx(top.coverage)
    for audit, (left, layer, agreed) in layers.items():
        for place, model in enumerate(left):
            for name, side in (("VO", layer.overhead), ("kappa", layer.coupling)):
                told = value(read[audit, model, name])
                assert told == pytest.approx(side[place], rel=1e-12, nan_ok=True)
        told = [
            value(read[audit, "", name])
            for name in ("rho_VO", "rho_kappa", "VO_rank_shift", "kappa_rank_shift")
        ]
        assert told == pytest.approx([float(part) for part in agreed], rel=1e-12, nan_ok=True)
    splits = pool_splits(tuple(models), seed=0, count=200)
    columns = np.zeros_like(splits)
    columns[:, mine.order] = splits
    expected = summary(held_out(some, mine.order, columns))
    names = {
        "median_rho_VO": 2,
        "median_rho_kappa": 3,
        "p05_rho_VO": 4,
        "p95_rho_VO": 5,
        "undefined_rho_VO": 6,
    }
    for name, place in names.items():
        assert value(read["held_out", "", name]) == pytest.approx(expected[place], rel=1e-12, nan_ok=True)


def test_splits_are_data() -> None:
    rows = reported(made(1, models=5, gaps=0.0)).tables["pool_splits"].to_pylist()
    models = sorted({row["model_id"] for row in rows})
    assert len(rows) == 200 * 5
    drawn = pool_splits(tuple(models), seed=0, count=200)
    read = {(row["split"], row["model_id"]): row["is_reference"] for row in rows}
    assert [[read[split, model] for model in models] for split in range(200)] == drawn.tolist()


def test_one_model_is_a_pool_that_no_audit_can_judge() -> None:
    found = report([logged("m", "i"), logged("m", "j", "length")])
    read = audits(found)
    assert found.tables["pool_splits"].num_rows == 0
    assert read["held_out", "", "splits"]["value"] == 0
    assert (value(read["pool", "", "coverage"]), value(read["leave_self_out", "", "full_coverage"])) == (
        0.5,
        0.5,
    )
    assert (
        read["leave_self_out", "", "rho_VO"]["value"],
        read["leave_self_out", "", "rho_VO"]["reason"],
    ) == (
        None,
        "too_few_models",
    )
    assert read["leave_self_out", "m", "VO"]["reason"] == "nothing_solved"
    assert read["leave_top_1", "", "coverage"]["value"] == 0


def test_every_model_stands_in_the_order_or_knows_why_not() -> None:
    runs = [*(logged("m", place) for place in "ij"), logged("n", "i"), logged("o", "i", verdicts={})]
    rows = {row["model"]: row for row in report(runs).tables["pool_orders"].to_pylist()}
    assert (rows["m"]["place"], rows["m"]["efficiency"], rows["m"]["first_solved"]) == (1, 10.0, 2)
    assert (rows["n"]["place"], rows["n"]["reason"], rows["n"]["covered"]) == (
        None,
        "covers_too_few_instances",
        1,
    )
    assert (rows["o"]["efficiency"], rows["o"]["reason"]) == (None, "no_verdicts")


def test_equal_work_orders_nobody() -> None:
    rows = [logged(model, place, output_tokens=7) for model in "mno" for place in "ij"]
    read = audits(report(rows))
    assert read["leave_self_out", "", "rho_VO"]["reason"] == "constant_ranks"
    assert value(read["leave_self_out", "", "VO_rank_shift"]) == 0
