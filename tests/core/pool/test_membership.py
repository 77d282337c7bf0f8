"""The pool, the shared instances and the order: shared vectors, ties, and the obvious loop."""

from __future__ import annotations

import numpy as np
import pytest

from effspark.errors import SettingsError
from effspark.pool.membership import COVERS_TOO_FEW, NO_TOKENS, NOT_DECLARED, order, pool
from tests.core.pool import loops
from tests.core.pool.loops import Run, cells, made, vector


def ordered(runs: list[Run]) -> list[str]:
    found, _ = cells(runs)
    return [found.models[model] for model in order(found)]


@pytest.mark.parametrize("name", ["rank_ties", "audit_rank"])
def test_the_vectors_of_the_order_pass(name: str) -> None:
    given, expected = vector(name)
    assert ordered(given["runs"]) == expected


def test_the_vector_of_shared_instances_passes() -> None:
    given, expected = vector("audit_shared_instances")
    whole, instances = cells(given["runs"])
    found = pool(whole, declared=whole.models)
    assert [one for one, both in zip(instances, found.shared, strict=True) if both] == expected


@pytest.mark.parametrize("seed", range(6))
def test_pool_and_order_equal_the_obvious_loop(seed: int) -> None:
    runs = made(seed, models=7, gaps=0.25)
    whole, instances = cells(runs)
    found = pool(whole, least_coverage=0.75)
    members = [
        model
        for model in whole.models
        if len({run["instance"] for run in loops.of(runs, model)}) >= 0.75 * len(instances)
    ]
    both = loops.shared(runs, members)
    on_shared = [run for run in runs if run["instance"] in both]
    assert [one for one, kept in zip(instances, found.shared, strict=True) if kept] == both
    expected = [model for model in loops.ranked(on_shared) if model in members]
    assert [whole.models[model] for model in found.order] == expected
    assert found.reasons == {model: COVERS_TOO_FEW for model in whole.models if model not in members}


def test_a_model_that_covers_too_little_does_not_shrink_the_shared_instances() -> None:
    runs = [run for run in made(3, gaps=0.0) if run["model"] != "m2" or run["instance"] == "i004"]
    whole, instances = cells(runs)
    found = pool(whole)
    assert found.reasons == {"m2": COVERS_TOO_FEW}
    assert found.shared.sum() == len(instances)


def test_the_least_coverage_is_enough() -> None:
    n = np.ones((20, 2), np.int64)
    n[0, 1] = 0
    whole, _ = cells(made(0, models=2))
    even = type(whole)(("a", "b"), n, n, n, n, n)
    assert pool(even).reasons == {}
    n[1, 1] = 0
    assert pool(even).reasons == {"b": COVERS_TOO_FEW}


def test_a_declared_pool_takes_whom_it_names_and_no_one_else() -> None:
    runs = made(5, models=4, gaps=0.4)
    whole, instances = cells(runs)
    found = pool(whole, declared={"m3", "m1"})
    assert sorted(whole.models[model] for model in found.order) == ["m1", "m3"]
    assert found.reasons == {"m0": NOT_DECLARED, "m2": NOT_DECLARED}
    assert found.shared.tolist() == [one in loops.shared(runs, ["m1", "m3"]) for one in instances]


def test_a_declared_model_without_runs_is_refused_by_name() -> None:
    whole, _ = cells(made(5, models=2))
    with pytest.raises(SettingsError, match=r"conf pool\): found m8, m9; allowed: m0, m1; name models"):
        pool(whole, declared=["m0", "m9", "m8"])


def test_a_model_without_tokens_has_no_place() -> None:
    runs = [run | {"tokens": 0 if run["model"] == "m1" else 1 + run["tokens"]} for run in made(2, gaps=0.0)]
    whole, _ = cells(runs)
    found = pool(whole)
    assert sorted(whole.models[model] for model in found.order) == [n for n in whole.models if n != "m1"]
    assert found.reasons == {"m1": NO_TOKENS}


def test_nothing_makes_no_pool() -> None:
    none = np.zeros((0, 2), np.int64)
    whole, _ = cells(made(0, models=2))
    found = pool(type(whole)(("a", "b"), none, none, none, none, none))
    assert (found.order.size, found.shared.size, len(found.reasons)) == (0, 0, 2)
