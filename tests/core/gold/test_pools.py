"""The pool of a benchmark: who is in it, in which order, why others are not, and its splits."""

from __future__ import annotations

import numpy as np
import pytest

from effspark import settings as conf
from effspark.errors import SettingsError
from effspark.gold import pools
from effspark.gold.pools import Pool, members, pool_of
from effspark.layers.estimates import ModelSums
from effspark.layers.selection import SUMMED
from effspark.resampling.splits import pool_splits
from effspark.sections import Benchmark

NAMES = {"1": "m", "2": "n", "3": "o"}


def rows(*models: str) -> list[dict[str, str]]:
    return [{"benchmark_id": "b", "model_id": model} for model in models]


def summed(model: str, *, correct: int, tokens: int = 100, estimated: int = 0) -> ModelSums:
    counted = {"n": 4, "tokens": tokens, "correct": correct, "estimated": estimated}
    return ModelSums("b", model, "shared", 4, dict.fromkeys(SUMMED, 0) | counted)


def pool(models: str, *sums: ModelSums, declared: str = "", overrides: tuple[str, ...] = ()) -> Pool:
    by_model = {(one.model_id, "shared"): one for one in sums}
    scorers = {"1": "s", "2": "s", "3": ""}
    return pool_of(models, by_model, scorers, NAMES, declared, conf.load(overrides=overrides))


def test_coverage_decides_unless_conf_names_the_models() -> None:
    assert members(rows("1"), rows("1", "2"), {"b": NAMES}, {}) == rows("1")
    declared = {"b": Benchmark(pool=("n", "m"))}
    assert members(rows("1"), rows("1", "2"), {"b": NAMES}, declared) == rows("1", "2")


def test_a_declared_model_that_nobody_judged_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(SettingsError, match=r"benchmarks\.b\.pool.*found o; allowed: m, n"):
        members(rows("1"), rows("1", "2"), {"b": NAMES}, {"b": Benchmark(pool=("o", "m"))})


def test_the_order_is_by_efficiency_and_the_splits_follow_it() -> None:
    found = pool("12", summed("1", correct=1), summed("2", correct=3))
    assert (found.order, found.reasons) == (("2", "1"), {"3": "no_verdicts"})
    assert (found.splits == pool_splits(("2", "1"), seed=0, count=200)).all()
    assert pool(
        "12", summed("1", correct=1), summed("2", correct=3), overrides=("pool.splits=3",)
    ).splits.shape == (3, 2)


def test_a_model_outside_knows_why() -> None:
    assert pool("1", summed("1", correct=1)).reasons == {"2": "covers_too_few_instances", "3": "no_verdicts"}
    assert pool("1", summed("1", correct=1), declared="m").reasons["2"] == "not_in_declared_pool"
    silent = pool("12", summed("1", correct=1), summed("2", correct=0, tokens=0))
    assert (silent.order, silent.reasons["2"]) == (("1",), "no_tokens")
    assert silent.splits.shape == (0, 1)
    assert pool("12", summed("1", correct=1)).reasons["2"] == "no_tokens"


def test_estimated_tokens_define_no_work_beside_counted_ones() -> None:
    sums = summed("1", correct=4, estimated=4), summed("2", correct=3)
    assert pool("12", *sums).order == ("2",)
    assert pool("12", *sums).reasons["1"] == "estimated_tokens"
    assert pool("12", *sums, overrides=("report.rank_estimated_with_counted=true",)).order == ("1", "2")
    assert pool("1", sums[0]).order == ("1",)


def test_nobody_is_a_pool_of_none() -> None:
    assert (pools.NOBODY.order, pools.NOBODY.splits.shape) == ((), (0, 0))
    assert np.asarray(pool("").splits).shape == (0, 0)
