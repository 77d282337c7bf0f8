"""Sums of blocks: whole numbers that add up over any blocks to one number each."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pyarrow as pa

from effspark.gold import block_sums
from effspark.gold.block_sums import Key, Sum
from effspark.gold.blocks import Block
from effspark.layers import fixed

BLOCK = Block("b", ("m", "n"), (), {}, np.zeros((0, 2), bool), np.zeros(0, bool), {})


def rows(*sums: Sum) -> pa.Table:
    return block_sums.rows(BLOCK, sums)


def test_blocks_add_up_and_zeros_are_left_out() -> None:
    parts = [
        rows(Sum("p", "x", fixed.limbs(np.array([1 / 3, 0.0])), "W", "own", 4)),
        rows(Sum("p", "x", fixed.limbs(np.array([2 / 3, 5.0])), "W", "own", 4)),
        rows(Sum("p", "n", fixed.whole(np.array([0, 0])))),
    ]
    assert [part.num_rows for part in parts] == [1, 2, 0]
    found = block_sums.added_up(nw.from_native(pa.concat_tables(parts)))
    assert found == {"b": {Key("p", "m", "W", "own", 4, "x"): 1.0, Key("p", "n", "W", "own", 4, "x"): 5.0}}


def test_numbers_are_found_by_model_and_name() -> None:
    sums = {Key("p", model, "W", where, 0, "n"): value for model, where, value in
            (("m", "own", 1.0), ("m", "shared", 2.0), ("n", "own", 3.0))}  # fmt: skip
    assert block_sums.named(sums, "p", ("n", "work"), scale="W", instance_set="own") == {
        "m": {"n": 1.0, "work": 0.0}, "n": {"n": 3.0, "work": 0.0}
    }  # fmt: skip
    assert block_sums.named(sums, "q", ("n",), scale="W", instance_set="own") == {}
