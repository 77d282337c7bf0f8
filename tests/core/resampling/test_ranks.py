"""Rank statistics: the shared vectors, plain loops, nulls, noise and many resamples at once."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.resampling.ranks import (
    average_ranks,
    kendall,
    max_rank_shift,
    paired_ranks,
    pearson,
    rounded,
    spearman,
)

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
Pair = tuple[float, float]


def kept(pairs: Sequence[Pair]) -> list[Pair]:
    return [pair for pair in pairs if not any(map(math.isnan, pair))]


def rank(values: Sequence[float], value: float) -> float:
    return 1 + sum(other < value for other in values) + (values.count(value) - 1) / 2


def ranks(pairs: Sequence[Pair]) -> list[Pair]:
    left, right = ([pair[side] for pair in kept(pairs)] for side in (0, 1))
    return [(rank(left, a), rank(right, b)) for a, b in zip(left, right, strict=True)]


def plain_spearman(pairs: Sequence[Pair]) -> float:
    found = ranks(pairs)
    middle = (len(found) + 1) / 2
    apart = [sum((pair[side] - middle) ** 2 for pair in found) for side in (0, 1)]
    if len(found) < 3 or 0 in apart:
        return math.nan
    return sum((a - middle) * (b - middle) for a, b in found) / math.sqrt(apart[0] * apart[1])


def plain_kendall(pairs: Sequence[Pair]) -> float:
    agree = left = right = 0
    for (a, b), (c, d) in combinations(kept(pairs), 2):
        agree += (a < c) - (a > c) if b < d else (a > c) - (a < c) if b > d else 0
        left, right = left + (a != c), right + (b != d)
    return agree / math.sqrt(left * right) if left and right else math.nan


def plain_shift(pairs: Sequence[Pair]) -> float:
    return max((abs(a - b) for a, b in ranks(pairs)), default=math.nan)


def sides(pairs: Sequence[Pair]) -> tuple[np.ndarray, np.ndarray]:
    left, right = np.array(pairs, float).reshape(-1, 2).T
    return left, right


def test_the_vectors_of_rank_statistics_pass() -> None:
    vector = json.loads((VECTORS / "rank_statistics.json").read_text())
    functions = {"spearman": spearman, "tau_b": kendall, "max_rank_shift": max_rank_shift}
    for name, given_ in vector["input"].items():
        x, y = (np.array([float(value) for value in given_[side]]) for side in "xy")
        found = {of: function(x, y).item() for of, function in functions.items()}
        expected = {of: float(value) for of, value in vector["expected"][name].items()}
        assert found == pytest.approx(expected, rel=1e-12, nan_ok=True), name


values = st.sampled_from([math.nan, -math.inf, -1.5, 0.0, 1.0, 2.0, 3.25, 1e-7, 1e7, math.inf])
some_pairs = st.lists(st.tuples(values, values), max_size=9)


@given(some_pairs)
def test_statistics_equal_the_obvious_loops(pairs: list[Pair]) -> None:
    x, y = sides(pairs)
    assert spearman(x, y) == pytest.approx(plain_spearman(pairs), rel=1e-12, abs=1e-12, nan_ok=True)
    assert kendall(x, y) == pytest.approx(plain_kendall(pairs), rel=1e-12, abs=1e-12, nan_ok=True)
    assert max_rank_shift(x, y) == pytest.approx(plain_shift(pairs), nan_ok=True)


@given(st.lists(st.lists(st.tuples(values, values), min_size=6, max_size=6), min_size=1, max_size=4))
def test_many_rows_at_once_equal_one_by_one(rows: list[list[Pair]]) -> None:
    x, y = np.array(rows).transpose(2, 0, 1)
    for function in (spearman, kendall, max_rank_shift):
        alone = [function(*sides(row)).item() for row in rows]
        np.testing.assert_array_equal(function(x, y), alone)


@given(st.lists(values, max_size=9))
def test_average_ranks_equal_the_obvious_loop(given_: list[float]) -> None:
    defined = [value for value in given_ if not math.isnan(value)]
    expected = [math.nan if math.isnan(value) else rank(defined, value) for value in given_]
    np.testing.assert_array_equal(average_ranks(np.array(given_, float)), expected)


@given(st.floats(allow_nan=False, allow_infinity=False, width=32).filter(lambda value: abs(value) > 1e-30))
def test_rounding_keeps_twelve_digits_and_swallows_noise(value: float) -> None:
    noisy = [value * (1 + step * 2**-52) for step in (-2, -1, 0, 1, 2)]
    found = rounded(np.array(noisy))
    assert found == pytest.approx(value, rel=6e-12)
    assert len(set(found.tolist())) <= 2
    shown = float(f"{value:.11e}")
    assert found[2] == pytest.approx(shown, rel=1.1e-11)


def test_what_is_rounded_alike_is_one_number() -> None:
    for size in range(-290, 290, 7):
        near = np.array([1.0, 1 - 1e-14, 1 + 1e-14]) * 10.0**size
        assert len(set(rounded(near).tolist())) == 1


def test_noise_on_a_constant_orders_nothing() -> None:
    constant = np.array([0.1 + 0.2, 0.3, 0.3 * (1 + 4e-16), 0.3])
    assert math.isnan(spearman(constant, np.arange(4.0)))
    assert math.isnan(kendall(constant, np.arange(4.0)))
    assert max_rank_shift(constant, constant) == 0.0


def test_differences_at_the_twelfth_digit_do_order() -> None:
    assert spearman(1 + np.arange(4) * 1e-11, np.arange(4.0)) == 1.0


def test_a_null_leaves_with_its_pair_before_ranks_are_given() -> None:
    left, right = paired_ranks(np.array([5.0, np.nan, 1.0]), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(left, [2, np.nan, 1])
    np.testing.assert_array_equal(right, [1, np.nan, 2])


def test_the_same_order_correlates_exactly() -> None:
    for size in (3, 7, 14, 25, 1000):
        up = np.random.default_rng(size).random(size)
        assert spearman(up, up) == 1.0
        assert spearman(up, -up) == -1.0


def test_pearson_of_no_pair_is_undefined() -> None:
    assert np.isnan(pearson(np.full(3, np.nan), np.ones(3)))
    assert np.isnan(max_rank_shift(np.array([np.nan]), np.array([1.0])))
    assert np.isnan(spearman(np.array([]), np.array([])))
