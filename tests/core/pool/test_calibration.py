"""Calibration of solver-derived against native work: the three shared vectors, and what missing work does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from effspark.pool.calibration import Calibration, calibration
from effspark.pool.membership import pool
from effspark.pool.solver import solver_work
from tests.core.pool import loops
from tests.core.pool.loops import Run, cells, made, vector
from tests.core.pool.test_sensitivity import rows


def calibrated(runs: list[Run], native: dict[str, float], *, common: bool) -> tuple[Calibration, list[str]]:
    whole, instances = cells(runs)
    work = solver_work(whole.cost, pool(whole, declared=whole.models).order).work
    scale = np.array([native.get(instance, math.nan) for instance in instances], float)
    return calibration(whole, scale, work, common=common), list(whole.models)


@pytest.mark.parametrize("name", ["own", "common", "constant_W"])
def test_the_vectors_of_calibration_pass(name: str) -> None:
    given, expected = vector(f"audit_calibration_{name}")
    found, models = calibrated(given["runs"], given["W"], common=given["common_instances"])
    for side in ("native", "solver"):
        computed = rows(getattr(found, side), models)
        for row in expected[side]:
            wanted = {name: value for name, value in row.items() if name not in ("model", "n")}
            assert computed[row["model"]] == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    told = {
        "rho_VO": found.agreement.rho_overhead,
        "rho_kappa": found.agreement.rho_coupling,
        "max_VO_rank_shift": found.agreement.overhead_shift,
        "max_kappa_rank_shift": found.agreement.coupling_shift,
        "tau_VO": found.tau_overhead,
        "tau_kappa": found.tau_coupling,
        "native_coverage": found.native_coverage,
        "solver_coverage": found.solver_coverage,
        "retained_instances": found.retained_instances,
        "unique_W": found.unique_work,
        "largest_tie_block": found.largest_tie_block,
        "n_models": len(models),
    }
    wanted = {name: float(expected[name]) for name in told}
    assert {name: float(value) for name, value in told.items()} == pytest.approx(
        wanted, rel=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("common", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_both_layers_equal_the_obvious_loop(seed: int, common: bool) -> None:
    runs = made(seed, models=5, instances=18)
    draw = np.random.default_rng(seed)
    native = {one: float(draw.integers(1, 5)) for one in loops.names(runs, "instance") if draw.random() < 0.8}
    found, models = calibrated(runs, native, common=common)
    every = loops.names(runs, "instance")
    order = loops.ranked([run for run in runs if run["instance"] in loops.shared(runs, models)])
    solver = loops.solver_work(runs, order, every)
    used = [one for one in native if not common or one in solver]
    derived = {one: work for one, work in solver.items() if not common or one in native}
    for place, model in enumerate(models):
        mine = loops.of(runs, model)
        for layer, work in ((found.native, {one: native[one] for one in used}), (found.solver, derived)):
            expected = loops.layer(mine, work)
            assert (layer.overhead[place], layer.coupling[place]) == pytest.approx(expected, rel=1e-12)
    assert found.native_coverage == pytest.approx(len(native) / len(every))
    assert found.solver_coverage == pytest.approx(len(solver) / len(every))
    values = [native[one] for one in used]
    assert (found.retained_instances, found.unique_work) == (len(used), len(set(values)))
    assert found.largest_tie_block == max(values.count(value) for value in values)


def test_no_native_work_leaves_nothing_to_compare() -> None:
    found, _ = calibrated(made(1), {}, common=False)
    assert (found.native_coverage, found.retained_instances, found.largest_tie_block) == (0.0, 0, 0)
    assert math.isnan(found.tau_overhead)
    assert np.isnan(found.agreement.rho_overhead)
