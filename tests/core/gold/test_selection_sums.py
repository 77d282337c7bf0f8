"""Sums of selection effects: those of a block are those of its cells, and add up over blocks."""

from __future__ import annotations

import numpy as np
import pytest

from effspark.gold import block_sums, selection_sums
from effspark.gold.blocks import Block
from effspark.layers.selection import SUMMED


def block(
    done: list[list[int]], right: list[list[int]], tokens: list[list[int]], right_tokens: list[list[int]]
) -> Block:
    shape = np.array(done).shape
    sums = {name: np.zeros(shape, np.int64) for name in SUMMED} | {
        "known_completed": np.array(done), "known_correct": np.array(right),
        "known_completed_tokens": np.array(tokens), "known_correct_tokens": np.array(right_tokens),
    }  # fmt: skip
    instances = tuple("ij"[: shape[0]])
    models = tuple("klmn"[: shape[1]])
    return Block("b", models, instances, sums, np.ones(shape, bool), np.ones(shape[0], bool), {})


def numbers(one: Block) -> dict[tuple[str, str], float]:
    rows = block_sums.rows(one, selection_sums.of_block(one)).to_pylist()
    assert {row["part"] for row in rows} == {selection_sums.PART}
    return {
        (row["model_id"], row["name"]): sum(row[f"limb_{limb}"] / 2 ** (30 * limb) for limb in range(4))
        for row in rows
    }


def test_repeats_are_compared_where_a_model_was_right_and_wrong() -> None:
    found = numbers(block([[3], [1]], [[2], [1]], [[500], [70]], [[200], [70]]))
    assert (found["k", "repeated"], found["k", "met_wrong"], found["k", "met_right"]) == (1, 300, 100)


def test_single_runs_stand_beside_what_three_others_spent() -> None:
    found = numbers(block([[1, 1, 1, 1]], [[0, 1, 1, 1]], [[300, 100, 100, 100]], [[0, 100, 100, 100]]))
    assert (found["k", "beside_incorrect"], found["k", "beside_incorrect_tokens"]) == (1, 3)
    assert found["l", "beside_correct_tokens"] == pytest.approx(100 / (500 / 3))
    assert ("k", "repeated") not in found
