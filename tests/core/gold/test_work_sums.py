"""Sums of a block on a scale: own, shared, and the instances that a model and its reference cover."""

from __future__ import annotations

import numpy as np

from effspark.gold import work_sums
from effspark.gold.blocks import Block
from effspark.layers import fixed
from effspark.layers.selection import SUMMED

N = np.array([[1, 1], [2, 0], [1, 1]])
TOKENS = np.array([[10, 30], [50, 0], [7, 9]])
BLOCK = Block(
    "b",
    ("m", "n"),
    ("i", "j", "k"),
    dict.fromkeys(SUMMED, np.zeros((3, 2), np.int64)) | {"n": N, "tokens": TOKENS},
    N > 0,
    np.array([True, False, True]),
    {"W": np.array([2.0, 4.0, np.nan]), "empty": np.full(3, np.nan)},
)


def read(references: dict[str, str]) -> dict[tuple[str, str], list[float]]:
    found = {}
    for one in work_sums.of_block(BLOCK, references):
        assert (one.part, one.scale) == ("workload", "W")
        found[one.instance_set, one.name] = [fixed.total(limbs) for limbs in one.limbs.T.tolist()]
    return found


def test_sums_are_over_the_cells_that_have_work() -> None:
    found = read({})
    assert found["own", "n"] == [3, 1]
    assert found["own", "work"] == [2 + 2 * 4, 2]
    assert found["own", "tokens_per_work"] == [10 / 2 + 50 / 4, 15]
    assert found["shared", "tokens"] == [10, 30]
    assert found["pair", "n"] == found["pair_reference", "n"] == [0, 0]


def test_a_pair_is_summed_where_both_cover() -> None:
    found = read({"m": "n", "n": "n"})
    assert (found["pair", "tokens"], found["pair_reference", "tokens"]) == ([10, 30], [30, 30])
    assert found["pair_reference", "work"] == [2, 2]


def test_a_reference_that_is_in_no_cell_of_the_block_has_no_pair() -> None:
    assert read({"m": "elsewhere"})["pair", "n"] == [0, 0]
