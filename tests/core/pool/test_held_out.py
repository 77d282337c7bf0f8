"""Held-out reference pools: the shared vector, the obvious loop over splits, and blocks that change nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from effspark.pool import held_out as module
from effspark.pool.held_out import HeldOut, held_out, summary
from effspark.pool.membership import pool
from effspark.resampling.splits import pool_splits
from tests.core.pool import loops
from tests.core.pool.loops import Run, cells, made, vector


def audited(
    runs: list[Run], reference: np.ndarray | None = None
) -> tuple[HeldOut, list[str], list[str], np.ndarray]:
    """The audit, the models in the pool's order, the shared instances, and the splits."""
    whole, instances = cells(runs)
    found = pool(whole, declared=whole.models)
    splits = pool_splits(whole.models, seed=1, count=25) if reference is None else reference
    kept = [one for one, both in zip(instances, found.shared, strict=True) if both]
    audit = held_out(whole.at(found.shared), found.order, splits)
    return audit, [whole.models[model] for model in found.order], kept, splits


def test_the_vector_of_held_out_pools_passes() -> None:
    given, expected = vector("audit_held_out")
    models = loops.names(given["runs"], "model")
    reference = np.array([[model in half for model in models] for half, _ in given["splits"]])
    for row, (_, evaluated) in zip(reference, given["splits"], strict=True):
        assert [model for model, mine in zip(models, row, strict=True) if not mine] == evaluated
    told = summary(audited(given["runs"], reference)[0])
    computed = {
        "n_splits": told.splits,
        "median_coverage": told.median_coverage,
        "median_rho_VO": told.median_rho_overhead,
        "median_rho_kappa": told.median_rho_coupling,
        "p05_rho_VO": told.low_rho_overhead,
        "p95_rho_VO": told.high_rho_overhead,
        "undefined_rho_VO": told.undefined_rho_overhead,
    }
    assert computed == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_every_split_equals_the_obvious_loop(seed: int) -> None:
    runs = made(seed, models=8, instances=25, gaps=0.01)
    found, models, kept, splits = audited(runs)
    full = loops.solver_work(runs, models, kept)
    columns = loops.names(runs, "model")
    for split, row in enumerate(splits):
        reference = [model for model in models if row[columns.index(model)]]
        work = loops.solver_work(runs, reference, kept)
        assert found.coverage[split] == pytest.approx(len(work) / len(kept))
        pairs = [
            (loops.layer(loops.of(runs, model), full), loops.layer(loops.of(runs, model), work))
            for model in models
            if model not in reference
        ]
        expected = [loops.rho([(one[side], two[side]) for one, two in pairs]) for side in (0, 1)]
        assert (found.rho_overhead[split], found.rho_coupling[split]) == pytest.approx(expected, nan_ok=True)


def test_blocks_of_instances_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = made(9, models=8, instances=25, gaps=0.01)
    whole = audited(runs)[0]
    monkeypatch.setattr(module, "BLOCK", 3)
    np.testing.assert_allclose(audited(runs)[0], whole, rtol=1e-12)


def test_a_split_whose_reference_solves_nothing_is_counted_and_not_skipped() -> None:
    runs = [run | {"correct": run["model"] == "m0"} for run in made(2, models=6, gaps=0.0)]
    reference = np.array([[False] + [True] * 2 + [False] * 3, [True] + [False] * 5])
    found, *_ = audited(runs, reference)
    assert found.coverage[0] == 0.0
    assert math.isnan(found.rho_overhead[0])
    told = summary(found)
    assert (told.splits, told.undefined_rho_overhead, told.undefined_rho_coupling) == (2, 1, 1)
    assert told.median_rho_overhead == found.rho_overhead[1]


def test_no_split_has_no_summary_but_a_count() -> None:
    told = summary(HeldOut(*(np.array([]) for _ in range(3))))
    assert (told.splits, told.undefined_rho_overhead) == (0, 0)
    assert math.isnan(told.median_coverage)
