"""Sums of the audits: those of a block are those of its runs, and nothing is added where nothing is shared."""

from __future__ import annotations

import numpy as np
import pytest

from effspark.gold import block_sums, pool_sums
from effspark.gold.block_sums import Key
from effspark.gold.blocks import Block
from effspark.gold.pools import NOBODY, Pool
from effspark.layers.selection import SUMMED

SOLVED = np.array([[1, 0], [1, 1], [0, 0]])
TOKENS = np.array([[10, 30], [8, 40], [5, 5]])


def block(shared: tuple[bool, ...] = (True, True, True)) -> Block:
    """Models m, n on instances i, j, k; nobody solved k, and nobody has W of V there."""
    sums = {name: np.zeros((3, 2), np.int64) for name in SUMMED}
    sums |= {
        "n": np.ones((3, 2), np.int64),
        "tokens": TOKENS,
        "solving": SOLVED,
        "solving_tokens": SOLVED * TOKENS,
    }
    work = {"V": np.array([2.0, 4.0, np.nan]), "W_solv": np.array([10.0, 8.0, np.nan])}
    return Block("b", ("m", "n"), ("i", "j", "k"), sums, np.ones((3, 2), bool), np.array(shared), work)


def numbers(one: Block, pool: Pool) -> dict[Key, float]:
    rows = block_sums.rows(one, pool_sums.of_block(one, pool)).to_pylist()
    return {
        Key(*(row[name] for name in Key._fields)): sum(
            row[f"limb_{limb}"] / 2 ** (30 * limb) for limb in range(4)
        )
        for row in rows
    }


def test_every_audit_has_its_sums() -> None:
    found = numbers(block(), Pool(("m", "n"), {}, np.array([[True, False], [False, True]])))

    def read(part: str, model: str, name: str, place: int = 0, scale: str = "", which: str = "") -> float:
        return found.get(Key(part, model, scale, which, place, name), 0.0)

    assert [read("pool", "", name) for name in ("instances", "solved")] == [3, 2]
    assert [read("pool", model, "first") for model in "mn"] == [2, 0]
    assert [read("leave_self_out", "m", name) for name in ("solved", "n", "work")] == [1, 1, 40]
    assert [read("leave_self_out", "n", name) for name in ("solved", "n", "work", "tokens")] == [2, 2, 18, 70]
    assert [read("leave_top_1", "n", name) for name in ("n", "work", "tokens_per_work")] == [1, 40, 1]
    assert (read("leave_top_1", "", "solved"), read("leave_top_3", "", "solved")) == (1, 0)
    assert [read("held_out", "n", name, 0) for name in ("n", "work")] == [2, 18]
    assert read("held_out", "n", "tokens_per_work", 0) == pytest.approx(3 + 5, rel=1e-15)
    assert [read("held_out", "", "solved", place) for place in (0, 1)] == [2, 1]
    assert [read("common", "m", "work", 0, "V", which) for which in ("native", "solver")] == [6, 18]
    assert [
        read("covered", "", name, 0, scale) for name, scale in (("instances", ""), ("with_work", "V"))
    ] == [3, 2]


def test_only_shared_instances_are_audited() -> None:
    pool = Pool(("m", "n"), {}, np.array([[True, False]]))
    found = numbers(block((True, False, False)), pool)
    assert found[Key("pool", "", "", "", 0, "instances")] == 1
    assert {key.part for key in numbers(block((False, False, False)), pool)} == {"covered"}
    assert {key.part for key in numbers(block(), NOBODY)} == {"covered"}
