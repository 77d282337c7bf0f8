"""Pool splits and nested subsets: known answers, sizes, the obvious sort, and what those that come later change."""

from __future__ import annotations

import numpy as np
import pytest

from effspark.resampling.splits import SPLITS, SUBSETS, nested_subsets, pool_splits
from effspark.resampling.words import model_keys
from tests.core.resampling.test_words import word

MODELS = tuple(f"model-{place}" for place in range(9))

KNOWN_SPLITS = ["4 5 6 8", "0 4 6 8", "0 1 5 7"]
"""Reference models of the first three splits, seed 0."""
KNOWN_SUBSETS = [[3, 8, 10, 15, 16, 29], [4, 10, 13, 17, 18, 20], [4, 6, 9, 15, 27, 29]]
"""Instances of the first three subsets of two cells of 15 with the keys 0 to 29, one in five, seed 0."""


def named(split: np.ndarray, models: tuple[str, ...] = MODELS) -> str:
    return " ".join(model[-1] for model, mine in zip(models, split, strict=True) if mine)


def test_the_known_answers_of_pool_splits_come_out() -> None:
    assert [named(split) for split in pool_splits(MODELS, seed=0, count=3)] == KNOWN_SPLITS


def test_the_known_answers_of_nested_subsets_come_out() -> None:
    of = np.arange(30, dtype=np.uint64)
    found = nested_subsets(of, np.repeat([0, 1], 15), seed=0, count=3, one_in=5)
    assert [np.flatnonzero(row).tolist() for row in found] == KNOWN_SUBSETS


@pytest.mark.parametrize("size", [1, 2, 7, 8])
def test_splits_equal_the_obvious_sort(size: int) -> None:
    models = MODELS[:size]
    of = model_keys(models).tolist()
    found = pool_splits(models, seed=5)
    assert found.shape == (SPLITS, size)
    for draw, split in enumerate(found):
        order = sorted(range(size), key=lambda place: (word(of[place], draw, 5, 3), of[place]))
        assert np.flatnonzero(split).tolist() == sorted(order[: size // 2])


def test_the_order_in_which_models_are_named_changes_no_split() -> None:
    names = {named(split, MODELS) for split in pool_splits(MODELS, seed=1)}
    backwards = {
        " ".join(sorted(named(split, MODELS[::-1]).split())) for split in pool_splits(MODELS[::-1], seed=1)
    }
    assert names == backwards


def test_another_seed_gives_other_splits() -> None:
    assert not np.array_equal(pool_splits(MODELS, seed=1), pool_splits(MODELS, seed=2))


def test_every_model_is_in_the_reference_about_as_often() -> None:
    shares = pool_splits(MODELS, seed=3, count=2000).mean(axis=0)
    assert shares == pytest.approx(4 / 9, abs=5 * np.sqrt(4 / 9 * 5 / 9 / 2000))


def test_subsets_equal_the_obvious_sort_of_each_cell() -> None:
    draw = np.random.default_rng(0)
    of = draw.integers(0, 2**64, 60, np.uint64, endpoint=False)
    cells = draw.integers(0, 5, 60)
    cells[cells == 3] = 4  # a code that no instance has
    found = nested_subsets(of, cells, seed=7, count=20, one_in=4)
    for number, subset in enumerate(found):
        expected: set[int] = set()
        for cell in set(cells.tolist()):
            inside = [place for place in range(60) if cells[place] == cell]
            inside.sort(key=lambda place: (word(int(of[place]), number, 7, 4), int(of[place])))
            expected |= set(inside[: max(1, len(inside) // 4)])
        assert set(np.flatnonzero(subset).tolist()) == expected


def test_a_small_cell_gives_one_and_a_cell_of_a_hundred_ten() -> None:
    of = np.arange(103, dtype=np.uint64)
    found = nested_subsets(of, np.array([0] * 100 + [1] * 3), seed=0, count=5)
    assert found[:, :100].sum(axis=1).tolist() == [10] * 5
    assert found[:, 100:].sum(axis=1).tolist() == [1] * 5


def test_a_cell_that_comes_later_changes_no_other() -> None:
    of, cells = np.arange(50, dtype=np.uint64), np.repeat([0, 1], 25)
    before = nested_subsets(of, cells, seed=0, count=10)
    more = nested_subsets(
        np.append(of, [90, 91]).astype(np.uint64), np.append(cells, [2, 2]), seed=0, count=10
    )
    np.testing.assert_array_equal(more[:, :50], before)


def test_the_numbers_of_draws_are_the_papers() -> None:
    assert (SPLITS, SUBSETS) == (200, 1000)
