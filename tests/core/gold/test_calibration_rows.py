"""Rows of calibrations: those of the arrays, on the shared and on the common instances."""

from __future__ import annotations

import math

import numpy as np
import pytest

from effspark.pool.calibration import calibration
from effspark.pool.membership import pool
from effspark.pool.solver import solver_work
from effspark.settings import load
from tests.core.layers.reports import logged, report
from tests.core.layers.rows import of_vector
from tests.core.pool import loops
from tests.core.pool.loops import cells, made


@pytest.mark.parametrize("seed", range(3))
def test_calibrations_of_a_report_are_those_of_the_arrays(seed: int) -> None:
    runs = made(seed, models=6, instances=20, gaps=0.0)
    draw = np.random.default_rng(seed)
    native = {one: float(draw.integers(1, 5)) for one in loops.names(runs, "instance") if draw.random() < 0.8}
    rows = [of_vector(run) | {"verdicts": {"s": run["correct"]}} for run in runs]
    found = report(rows, load(overrides=["benchmarks.b.declared={W: w}"]), work={"W": native})
    read = {
        (row["instance_set"], row["metric"]): (row["value"], row["reason"])
        for row in found.tables["calibrations"].to_pylist()
    }
    whole, instances = cells(runs)
    scale = np.array([native.get(one, math.nan) for one in instances])
    solver = solver_work(whole.cost, pool(whole).order).work
    for which in ("shared", "common"):
        wanted = calibration(whole, scale, solver, common=which == "common")
        expected = {
            "rho_VO": wanted.agreement.rho_overhead, "rho_kappa": wanted.agreement.rho_coupling,
            "VO_rank_shift": wanted.agreement.overhead_shift, "kappa_rank_shift": wanted.agreement.coupling_shift,
            "tau_VO": wanted.tau_overhead, "tau_kappa": wanted.tau_coupling, "instances": wanted.retained_instances,
            "unique_work": wanted.unique_work, "largest_tie_block": wanted.largest_tie_block,
            "native_coverage": wanted.native_coverage, "solver_coverage": wanted.solver_coverage,
        }  # fmt: skip
        assert {metric for where, metric in read if where == which} == set(expected)
        for metric, number in expected.items():
            told, reason = read[which, metric]
            assert (told is None) == (reason is not None)
            assert (math.nan if told is None else told) == pytest.approx(
                float(number), rel=1e-12, nan_ok=True
            )


def test_a_benchmark_without_native_work_is_not_calibrated() -> None:
    assert report([logged("m", "i")]).tables["calibrations"].num_rows == 0
    told = report([logged("m", "i")], load(overrides=["benchmarks.b.declared={W: w}"])).tables["calibrations"]
    assert {row["reason"] for row in told.to_pylist() if row["metric"] == "rho_VO"} == {"too_few_models"}
