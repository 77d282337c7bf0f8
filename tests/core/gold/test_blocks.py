"""Cells as arrays: every cell at its place whatever the order of rows, and few enough cells a block."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from effspark.gold import blocks
from effspark.layers.selection import COVERS, SUMMED


def cell(model: str, instance: str, W: float | None = None, **known: float | None) -> dict[str, object]:
    place = {"benchmark_id": "b", blocks.BLOCK: "", "model_id": model, "instance_id": instance}
    return {
        **place,
        **dict.fromkeys(SUMMED, 0),
        COVERS: 1,
        blocks.SHARED: 1,
        blocks.column_of("W"): W,
        **known,
    }


def table(*cells: dict[str, object]) -> pa.Table:
    return pa.Table.from_pylist(list(cells), blocks.schema(("W",)))


CELLS = (
    cell("n", "z", tokens=5, W=2.0),
    cell("m", "z", tokens=7, W=2.0, **{COVERS: 0}),
    cell("m", "a\0", tokens=9, **{blocks.SHARED: 0}),
    cell("m", "a", tokens=3, W=1.0),
)


@pytest.mark.parametrize("seed", range(4))
def test_cells_stand_at_their_place_in_any_order_of_rows(seed: int) -> None:
    rows = list(CELLS)
    random.Random(seed).shuffle(rows)
    block = blocks.from_rows(table(*rows), ("W",))
    assert (block.models, block.instances) == (("m", "n"), ("a", "a\0", "z"))
    assert block.sums["tokens"].tolist() == [[3, 0], [9, 0], [7, 5]]
    assert block.covers.tolist() == [[True, False], [True, False], [False, True]]
    assert block.shared.tolist() == [True, False, True]
    assert np.array_equal(block.work["W"], [1.0, np.nan, 2.0], equal_nan=True)


def test_a_block_holds_no_more_cells_than_fit_at_once_where_keys_spread_evenly() -> None:
    for cells in (0, 1, blocks.CELLS_A_BLOCK, blocks.CELLS_A_BLOCK + 1, 10**9):
        count = 16 ** blocks.digits(cells)
        assert cells <= count * blocks.CELLS_A_BLOCK
        assert count == 1 or cells > count / 16 * blocks.CELLS_A_BLOCK
