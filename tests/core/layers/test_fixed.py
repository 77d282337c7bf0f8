"""Sums in fixed point: exact, in any order, and refused where they could not be."""

from __future__ import annotations

import math
from fractions import Fraction

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
