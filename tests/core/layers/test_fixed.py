"""Sums in fixed point: exact, in any order, and refused where they could not be."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.errors import EffsparkError
from effspark.layers import fixed

reals = st.floats(0, 2.0**40).filter(lambda value: value == 0 or value > 2.0**-30)


@given(st.lists(reals, max_size=30), st.randoms())
def test_any_grouping_gives_the_sum_rounded_once(values: list[float], random: object) -> None:
    shuffled = sorted(values)
    parts = [fixed.limbs(np.array(part)).sum(axis=1) for part in (values[:7], values[7:])]
    other = fixed.limbs(np.array(shuffled)).sum(axis=1)
    assert (sum(parts) == other).all()
    assert fixed.total(other.tolist()) == float(sum(map(Fraction, values))) == math.fsum(values)


def test_a_million_ratios_are_summed_to_one_rounding_of_each() -> None:
    n = 10**6
    summed = fixed.total(fixed.limbs(np.full(n, 2048 / 3)).sum(axis=1).tolist())
    assert summed == float(n * Fraction(2048 / 3))
    assert abs(Fraction(summed) - Fraction(n * 2048, 3)) / Fraction(n * 2048, 3) < Fraction(1, 2**52)


def test_whole_numbers_have_no_part_below_the_point() -> None:
    assert fixed.whole(np.array([[1, 2]])).tolist() == [[[1, 2]], [[0, 0]], [[0, 0]], [[0, 0]]]
    assert fixed.total([2**60, 0, 0, 0]) == 2.0**60


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, 2.0**53])
def test_what_has_no_limbs_is_refused(value: float) -> None:
    with pytest.raises(EffsparkError, match="fixed-point sum: found negative, undefined or huge"):
        fixed.limbs(np.array([1.0, value]))


smaller = reals.filter(lambda value: value < 2.0**30)


def products(values: np.ndarray, counts: np.ndarray) -> list[list[Fraction]]:
    """Sums over rows of every column of one times every column of the other, by parts that float64 adds exactly."""
    most = int(counts.max(axis=1).sum())
    summed = sum(
        (
            fixed.placed((part.T @ counts.astype(float)).astype(np.int64), place)
            for part, place in fixed.cut(values, most)
        ),
        np.zeros((fixed.LIMBS, 2, 2), np.int64),
    )
    return [
        [sum(Fraction(int(limb), 2 ** (30 * at)) for at, limb in enumerate(summed[:, a, b])) for b in (0, 1)]
        for a in (0, 1)
    ]


@given(
    st.lists(st.tuples(smaller, smaller, st.integers(0, 2**20), st.integers(0, 3)), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
def test_products_are_exact_in_any_order(rows: list[tuple[float, float, int, int]], random: Random) -> None:
    values = np.array([row[:2] for row in rows], float)
    counts = np.array([row[2:] for row in rows], int)
    found = products(values, counts)
    order = random.sample(range(len(rows)), len(rows))
    assert found == products(values[order], counts[order])
    for a in range(2):
        for b in range(2):
            pairs = zip(values[:, a], counts[:, b], strict=True)
            exact = sum(Fraction(value) * int(count) for value, count in pairs)
            assert 0 <= exact - found[a][b] <= Fraction(int(counts[:, b].sum()), 2**90)


def test_counts_that_no_float_adds_exactly_are_refused() -> None:
    with pytest.raises(EffsparkError, match="found counts of"):
        fixed.cut(np.ones(2), 2**53)
