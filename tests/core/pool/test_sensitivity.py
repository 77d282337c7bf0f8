"""Leave-self-out and leave-top-k: the shared vectors, and the obvious loop that derives every scale anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from effspark.layers.workload import Workload, covariance
from effspark.pool.cells import Rule
from effspark.pool.membership import pool
from effspark.pool.sensitivity import LeaveSelfOut, LeaveTop, leave_self_out, leave_top
from tests.core.pool import loops
from tests.core.pool.loops import Run, cells, made, vector
from tests.core.pool.test_cells import costs


def audited(
    runs: list[Run], k: int = 0, **options: Any
) -> tuple[LeaveSelfOut | LeaveTop, list[str], list[str]]:
    """An audit of all models (k = 0: leave-self-out), the models in its order, and the shared instances."""
    whole, instances = cells(runs)
    found = pool(whole, declared=whole.models)
    some = whole.at(found.shared)
    audit = leave_top(some, found.order, k, **options) if k else leave_self_out(some, found.order, **options)
    kept = [one for one, both in zip(instances, found.shared, strict=True) if both]
    return audit, [whole.models[model] for model in found.order], kept


def rows(layer: Workload, models: list[str]) -> dict[str, dict[str, float]]:
    """The layer as a vector tells it, without what it says of n."""
    told = {
        "VO": layer.overhead,
        "kappa": layer.coupling,
        "kappa_from_cov": 1 + covariance(layer) / (layer.mean_work * layer.overhead),
        "cov_W_VO": covariance(layer),
        "mean_W": layer.mean_work,
        "mean_T": layer.mean_tokens,
    }
    return {
        model: {name: float(values[place]) for name, values in told.items()}
        for place, model in enumerate(models)
    }


def check_layers(found: LeaveSelfOut | LeaveTop, models: list[str], expected: dict[str, Any]) -> None:
    for side in ("base", "perturbed"):
        computed = rows(getattr(found, side), models)
        assert {row["model"] for row in expected[side]} == set(models)
        for row in expected[side]:
            wanted = {name: value for name, value in row.items() if name not in ("model", "n")}
            assert computed[row["model"]] == pytest.approx(wanted, rel=1e-12, abs=1e-12), (side, row["model"])
    told = dict(
        zip(
            ("rho_VO", "rho_kappa", "max_VO_rank_shift", "max_kappa_rank_shift"), found.agreement, strict=True
        )
    )
    wanted = {name: float(expected[name]) for name in told}
    assert {name: float(value) for name, value in told.items()} == pytest.approx(
        wanted, rel=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("name", ["audit_leave_self_out", "audit_leave_self_out_unequal"])
def test_the_vectors_of_leave_self_out_pass(name: str) -> None:
    given, expected = vector(name)
    found, models, _ = audited(given["runs"])
    assert isinstance(found, LeaveSelfOut)
    check_layers(found, models, expected)
    assert dict(zip(models, found.coverage, strict=True)) == pytest.approx(expected["coverage_per_model"])
    summary = {
        "coverage_full": found.full_coverage,
        "coverage_mean": found.coverage.mean(),
        "coverage_median": np.median(found.coverage),
        "coverage_min": found.coverage.min(),
    }
    assert summary == pytest.approx({name: expected[name] for name in summary}, rel=1e-12)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_the_vectors_of_leave_top_pass(k: int) -> None:
    given, expected = vector(f"audit_leave_top_{k}")
    found, models, _ = audited(given["runs"], k)
    assert given["k"] == expected["k"] == found.k  # type: ignore[union-attr]
    check_layers(found, models[k:], expected)
    assert found.coverage == pytest.approx(expected["coverage"], rel=1e-12)
    assert len(models[k:]) == expected["models"]


def close(layer: Workload, place: int, expected: tuple[float, float]) -> bool:
    found = (float(layer.overhead[place]), float(layer.coupling[place]))
    return found == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", range(6))
def test_leave_self_out_equals_the_obvious_loop(seed: int) -> None:
    runs = made(seed, models=7, instances=20, gaps=0.02)
    found, models, kept = audited(runs)
    assert isinstance(found, LeaveSelfOut)
    full = loops.solver_work(runs, models, kept)
    pairs = []
    for place, model in enumerate(models):
        others = [other for other in models if other != model]
        without = loops.solver_work(runs, others, kept)
        base, perturbed = (loops.layer(loops.of(runs, model), work) for work in (full, without))
        assert close(found.base, place, base)
        assert close(found.perturbed, place, perturbed)
        assert found.coverage[place] == pytest.approx(len(without) / len(kept))
        pairs.append((base, perturbed))
    assert found.full_coverage == pytest.approx(len(full) / len(kept))
    overhead, coupling = ([(one[side], two[side]) for one, two in pairs] for side in (0, 1))
    assert found.agreement[:2] == pytest.approx((loops.rho(overhead), loops.rho(coupling)), nan_ok=True)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [1, 2, 5])
def test_leave_top_equals_the_obvious_loop(seed: int, k: int) -> None:
    runs = made(seed, models=7, instances=20, gaps=0.02)
    found, models, kept = audited(runs, k)
    full, rest = (loops.solver_work(runs, order, kept) for order in (models, models[k:]))
    for place, model in enumerate(models[k:]):
        assert close(found.base, place, loops.layer(loops.of(runs, model), full))
        assert close(found.perturbed, place, loops.layer(loops.of(runs, model), rest))
    assert found.coverage == pytest.approx(len(rest) / len(kept))


def test_the_costs_may_be_those_of_another_rule() -> None:
    runs = made(4, models=5, gaps=0.0, repeats=3)
    cheapest = costs(runs, Rule.MIN)
    found, models, kept = audited(runs, cost=cheapest)
    work = {}
    for instance in kept:
        for model in models:
            spent = [run["tokens"] for run in loops.of(runs, model, instance) if loops.solves(run)]
            if spent:
                work[instance] = float(min(spent))
                break
    assert close(found.base, 0, loops.layer(loops.of(runs, models[0]), work))


def test_the_order_that_is_given_is_kept_whoever_leaves() -> None:
    runs = made(8, models=6, instances=20, gaps=0.0)
    whole, instances = cells(runs)
    backwards = pool(whole).order[::-1]
    models = [whole.models[model] for model in backwards]
    left, top = leave_self_out(whole, backwards), leave_top(whole, backwards, 2)
    for place, model in enumerate(models):
        others = loops.solver_work(runs, [other for other in models if other != model], instances)
        assert close(left.perturbed, place, loops.layer(loops.of(runs, model), others))
    rest = loops.solver_work(runs, models[2:], instances)
    assert close(top.perturbed, 0, loops.layer(loops.of(runs, models[2]), rest))


def test_a_lone_model_has_no_scale_but_its_own() -> None:
    found, models, _ = audited(made(1, models=1, gaps=0.0))
    assert isinstance(found, LeaveSelfOut)
    assert len(models) == 1
    assert found.coverage.tolist() == [0.0]
    assert np.isnan(found.perturbed.overhead).all()
    assert np.isnan(found.agreement.rho_overhead)
