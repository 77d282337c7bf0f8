"""First solvers, their work and their shares: the shared vectors and obvious loops, for one pool and for many."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from effspark.pool.cells import Rule
from effspark.pool.membership import pool
from effspark.pool.solver import NOBODY, Solvers, at, first_solvers, shares, solver_work
from tests.core.pool import loops
from tests.core.pool.loops import Run, cells, made, vector
from tests.core.pool.test_cells import costs


def solved(runs: list[Run], rule: Rule, members: list[str]) -> list[dict[str, Any]]:
    """What a vector tells of each instance that anybody solves."""
    whole, instances = cells(runs)
    ordered = pool(whole, declared=members).order
    found = solver_work(costs(runs, rule), ordered)
    return [
        {"instance": instance, "W": work, "solver": whole.models[who], "solver_rank": rank}
        for instance, work, who, rank in zip(instances, *(part.tolist() for part in found), strict=True)
        if who != NOBODY
    ]


@pytest.mark.parametrize(
    "name",
    [
        "solver_workload",
        "audit_solver_workload",
        "solver_repeats_mean",
        "solver_repeats_first",
        "solver_repeats_min",
    ],
)
def test_the_vectors_of_solver_work_pass(name: str) -> None:
    given, expected = vector(name)
    found = solved(given["runs"], Rule(given.get("repeat_rule", "mean")), given["pool"])
    assert [{**one, "W": pytest.approx(one["W"], rel=1e-12)} for one in expected] == found


@pytest.mark.parametrize("name", ["solver_audit", "audit_solver_audit"])
def test_the_vectors_of_solver_shares_pass(name: str) -> None:
    given, expected = vector(name)
    whole, instances = cells(given["runs"])
    found = pool(whole)
    on_shared = whole.at(found.shared)
    told = shares(solver_work(on_shared.cost, found.order), found.order)
    parts = told.counts / told.counts.sum()
    computed = {
        **told._asdict(),
        "counts": dict(
            sorted(zip([whole.models[m] for m in found.order], told.counts.tolist(), strict=True))
        ),
        "no_correct_share": 1 - told.coverage,
        "inverse_simpson": 1 / (parts**2).sum(),
        "shared_instances": int(found.shared.sum()),
        "solved": int(told.counts.sum()),
    }
    assert len(instances) == expected["shared_instances"]
    assert computed.pop("counts") == expected.pop("counts")
    assert computed == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_solver_work_equals_the_obvious_fall_through(seed: int) -> None:
    runs = made(seed, repeats=3)
    whole, instances = cells(runs)
    order = np.random.default_rng(seed).permutation(len(whole.models))[:4]
    found = solver_work(whole.cost, order)
    tried = [whole.models[model] for model in order]
    for row, instance in enumerate(instances):
        work, who = loops.solver(runs, tried, instance)
        assert found.work[row] == pytest.approx(work, rel=1e-12, nan_ok=True)
        assert found.solver[row] == (NOBODY if who is None else whole.models.index(who))
        assert found.rank[row] == (0 if who is None else 1 + tried.index(who))


@pytest.mark.parametrize("models", [1, 63, 64, 65, 130])
def test_many_pools_at_once_equal_the_obvious_search(models: int) -> None:
    draw = np.random.default_rng(models)
    solves = draw.random((40, models)) < 3 / models
    pools = draw.random((9, models)) < 0.5
    pools[0], pools[1] = True, False
    found = first_solvers(solves, pools)
    for row, pool_ in enumerate(pools):
        for instance, right in enumerate(solves):
            places = [place for place in range(models) if pool_[place] and right[place]]
            assert found[row, instance] == (places[0] if places else NOBODY)


def test_the_last_of_a_word_is_found() -> None:
    solves = np.zeros((1, 128), np.bool_)
    solves[0, 127] = True
    assert first_solvers(solves, np.ones((1, 128), np.bool_)).tolist() == [[127]]
    solves[0, 63] = True
    assert first_solvers(solves, np.ones((1, 128), np.bool_)).tolist() == [[63]]


def test_costs_are_taken_at_each_place_and_nobody_costs_nothing_known() -> None:
    ranked = np.array([[1.0, 2.0], [3.0, np.nan]])
    np.testing.assert_array_equal(at(ranked, np.array([[0, 0], [1, -1]])), [[1, 3], [2, np.nan]])


@pytest.mark.parametrize("seed", range(4))
def test_shares_equal_the_obvious_count(seed: int) -> None:
    runs = made(seed, models=7, instances=30)
    whole, instances = cells(runs)
    order = np.random.default_rng(seed).permutation(7)
    told = shares(solver_work(whole.cost, order), order)
    tried = [whole.models[model] for model in order]
    firsts = Counter(who for who in (loops.solver(runs, tried, one)[1] for one in instances) if who)
    total = sum(firsts.values())
    often = [count / total for _, count in firsts.most_common()]
    assert told.counts.tolist() == [firsts[name] for name in tried]
    assert told.coverage == pytest.approx(total / len(instances))
    assert (told.top1_share, told.top3_share) == pytest.approx((often[0], sum(often[:3])))
    assert (told.rank1_share, told.rank3_share) == pytest.approx(
        (firsts[tried[0]] / total, sum(firsts[name] for name in tried[:3]) / total)
    )
    assert told.effective_solvers == pytest.approx(math.exp(-sum(part * math.log(part) for part in often)))


def test_one_solver_alone_is_one_effective_solver() -> None:
    assert (
        shares(Solvers(np.ones(3), np.zeros(3, int), np.ones(3, int)), np.array([0, 1])).effective_solvers
        == 1.0
    )


def test_where_nobody_solves_anything_shares_are_undefined_and_coverage_is_zero() -> None:
    told = shares(solver_work(np.full((3, 2), np.nan), np.array([1, 0])), np.array([1, 0]))
    assert told.coverage == 0.0
    assert told.counts.tolist() == [0, 0]
    assert all(math.isnan(value) for value in told[2:])


def test_an_empty_pool_or_no_instance_has_no_work() -> None:
    assert solver_work(np.ones((2, 1)), np.array([], int)).rank.tolist() == [0, 0]
    assert math.isnan(shares(solver_work(np.ones((0, 1)), np.array([0])), np.array([0])).coverage)
