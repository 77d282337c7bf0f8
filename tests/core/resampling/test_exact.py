"""Exact sums: any order, any partition, the same bits; and how close to the true sum (architecture.md section 5.3)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark.errors import EffsparkError
from effspark.resampling import exact

reals = st.floats(0, 2**30, allow_subnormal=True) | st.integers(0, 9999).map(lambda t: t / 7)


def true_sum(values: np.ndarray) -> Fraction:
    return sum((Fraction(float(value)) for value in values), Fraction(0))


def test_a_million_ratios_add_to_the_true_sum_within_one_rounding() -> None:
    values = np.full(10**6, 2048.0) / 3
    truth = 10**6 * Fraction(2048.0 / 3)
    found = exact.exact_sum(values)
    assert abs(Fraction(found) - truth) <= truth * Fraction(1, 10**16) + Fraction(math.ulp(found)) / 2
    assert abs(Fraction(float(np.cumsum(values)[-1])) - truth) > 1000 * abs(Fraction(found) - truth)


def test_a_million_mixed_ratios_in_any_order_and_partition_have_the_same_bits() -> None:
    values = (np.arange(10**6) * 7919 % 4096) / (np.arange(10**6) % 9 + 3.0)
    found = exact.exact_sum(values)
    order = np.argsort(np.arange(10**6) * 104_729 % 1_000_003, kind="stable")
    assert exact.exact_sum(values[order]) == exact.exact_sum(values[::-1]) == found
    assert summed_in_parts(np.array_split(values[order], 7)) == found
    by_denominator = [values[place::9] for place in range(9)]
    truth = sum((true_sum_of_multiples(part) for part in by_denominator), Fraction(0))
    assert abs(Fraction(found) - truth) <= truth * Fraction(1, 10**16) + Fraction(math.ulp(found)) / 2


def true_sum_of_multiples(values: np.ndarray) -> Fraction:
    distinct, counts = np.unique(values, return_counts=True)
    pairs = zip(distinct.tolist(), counts.tolist(), strict=True)
    return sum((Fraction(value) * count for value, count in pairs), Fraction(0))


def summed_in_parts(parts: list[np.ndarray]) -> float:
    """What an engine does: bounds add up to one exponent, then the integers of the parts add up."""
    scale = exact.exponent(sum(exact.bound(part) for part in parts))
    split = [exact.limbs(part, scale) for part in parts]
    return exact.total(sum(int(s.high.sum()) for s in split), sum(int(s.low.sum()) for s in split), scale)


@settings(max_examples=60)
@given(st.lists(reals, max_size=20), st.data())
def test_any_order_and_partition_gives_the_same_bits(values: list[float], data: st.DataObject) -> None:
    column = np.array(values, float)
    shuffled = np.array(data.draw(st.permutations(values)), float)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=3)))
    found = exact.exact_sum(column)
    assert found == exact.exact_sum(shuffled) == summed_in_parts(np.split(shuffled, cuts))


@settings(max_examples=60)
@given(st.lists(reals, max_size=20))
def test_what_the_limbs_leave_out_is_bounded_by_the_exponent(values: list[float]) -> None:
    column = np.array(values, float)
    scale = exact.exponent(exact.bound(column))
    left_out = Fraction(len(values), 2 ** (2 * scale + 1))
    found = exact.exact_sum(column)
    assert abs(Fraction(found) - true_sum(column)) <= left_out + Fraction(math.ulp(found)) / 2


@settings(max_examples=60)
@given(st.lists(reals, max_size=20), st.integers(1, 1000))
def test_every_weighted_partial_sum_of_a_limb_stays_below_two_to_the_53(
    values: list[float], weight: int
) -> None:
    column = np.array(values, float)
    split = exact.limbs(column, exact.exponent(exact.bound(column), largest_weight=weight))
    assert sum(abs(int(part)) for part in split.high) * weight <= 2**53
    assert sum(abs(int(part)) for part in split.low) * weight <= 2**53


@pytest.mark.parametrize(
    ("values", "expected"), [([], 0), ([0.0], 0), ([0.2, 0.2], 2), ([3.0, 2.5], 6), ([2.0**60], 2**60)]
)
def test_the_bound_is_the_exact_sum_of_ceilings(values: list[float], expected: int) -> None:
    assert exact.bound(np.array(values, float)) == expected


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_values_that_cannot_be_added_exactly_are_refused(bad: float) -> None:
    with pytest.raises(EffsparkError, match="negative, infinite or undefined"):
        exact.exact_sum(np.array([1.0, bad]))


def test_a_column_too_large_to_add_exactly_is_refused_not_rounded() -> None:
    assert exact.exponent(2**53 - 1) == 0
    with pytest.raises(EffsparkError, match=r"found a bound of 2\^54"):
        exact.exponent(2**53)
    with pytest.raises(EffsparkError, match="coarser unit"):
        exact.exact_sum(np.array([2.0**52, 2.0**52]))


def test_the_empty_sum_and_whole_numbers_are_exact() -> None:
    assert exact.exact_sum(np.array([])) == 0.0
    assert exact.exact_sum(np.arange(1000.0)) == 499500.0
