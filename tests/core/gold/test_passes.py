"""The pass over blocks: numbers do not depend on how many blocks there are, nor on the order of rows."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pyarrow as pa
import pytest

from effspark import settings as conf
from effspark.arrow_engine import Laptop
from effspark.gold import blocks, passes
from effspark.gold.block_sums import Key
from effspark.gold.passes import Plan
from effspark.gold.pools import Pool
from effspark.layers import moments, selection
from tests.core.layers.reports import beside_scorers, logged, worked
from tests.core.layers.rows import table

INSTANCES = [f"i{place}" for place in range(40)]
RUNS = [
    logged(model, instance, output_tokens=tokens + place)
    for model, tokens in (("m", 3), ("n", 50))
    for place, instance in enumerate(INSTANCES)
    if place % 7 or model == "m"
]
WORK = {"W": {instance: 1.0 + place % 3 for place, instance in enumerate(INSTANCES[:30])}}


def numbers(*, count: int = 0, turned: bool = False) -> dict[Key, float]:
    summed = moments.partial_moments(table(beside_scorers(RUNS[::-1] if turned else RUNS)))
    choice = {"benchmark_id": "b", "eval_run_id": "e", "scorer": "s"}
    choices = [choice | {"config_id": model, "model_id": model} for model in "mn"]
    frame = nw.from_native(pa.Table.from_pylist(choices))
    cells = selection.by_instance(nw.from_native(summed), frame)
    solvers = cells.filter(nw.col("model_id") == "n").select(
        "benchmark_id", "instance_id", (nw.col("solving_tokens") / nw.col("solving")).alias("work")
    )
    pool = Pool(("n", "m"), {}, np.array([[True, False], [False, True]]))
    plan = Plan(("W",), {"b": {"m": "m", "n": "m"}}, {"b": pool}, conf.load().report)
    work = nw.from_native(worked(WORK))
    return passes.sums_of_blocks(cells, solvers, work, plan, Laptop(), count=count)["b"]


def test_sums_are_those_of_the_runs() -> None:
    found = numbers()
    of_m = [row for row in RUNS if row["config_id"] == "m" and row["instance_id"] in WORK["W"]]
    assert found[Key("workload", "m", "W", "own", 0, "tokens")] == sum(row["output_tokens"] for row in of_m)
    assert found[Key("workload", "m", "W", "shared", 0, "n")] == 25
    assert found[Key("workload", "n", "W", "pair_reference", 0, "n")] == 25
    assert found[Key("workload", "m", "W", "own", 0, "tokens_per_work")] == pytest.approx(
        sum(row["output_tokens"] / WORK["W"][row["instance_id"]] for row in of_m), rel=1e-15
    )


def test_many_blocks_in_any_order_give_the_same_bits() -> None:
    assert blocks.digits(blocks.CELLS_A_BLOCK * 2) == 1
    assert numbers(count=blocks.CELLS_A_BLOCK * 2, turned=True) == numbers()
