"""Multinomial draws: known answers, plain integers, exact counts and theory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.resampling.draws import _scaled, counts, multinomial
from effspark.resampling.words import Purpose
from tests.core.resampling.test_words import MASK, G, mixed

KNOWN_MODELS = [[8, 5, 5, 7, 3, 2, 1, 9, 0, 1, 13, 7, 13, 9], [10, 1, 8, 12, 4, 13, 2, 8, 7, 0, 2, 1, 4, 8]]
"""First two resamples of 14 models, seed 0."""
KNOWN_INSTANCES = [231, 624, 862, 182, 1189, 1132, 913, 1040]
"""First draws of the first resample of 1,319 instances, seed 0."""


def test_the_known_answers_of_multinomial_draws_come_out() -> None:
    assert multinomial(14, np.arange(2), seed=0, purpose=Purpose.MODELS).tolist() == KNOWN_MODELS
    assert (
        multinomial(1319, np.arange(1), seed=0, purpose=Purpose.INSTANCES)[0, :8].tolist() == KNOWN_INSTANCES
    )


@given(st.integers(1, 40), st.integers(0, 10**6), st.integers(0, MASK), st.sampled_from(Purpose))
def test_draws_equal_the_plain_integers(n: int, resample: int, seed: int, purpose: Purpose) -> None:
    s = mixed(seed ^ mixed((purpose * G) & MASK))
    start = mixed((resample * G + s) & MASK)
    expected = [mixed((start + (i + 1) * G) & MASK) * n >> 64 for i in range(n)]
    assert multinomial(n, np.array([resample]), seed=seed, purpose=purpose).tolist() == [expected]


@pytest.mark.parametrize("n", [2**32 - 1, 2**31 + 12345])
def test_the_high_half_of_a_large_product_is_exact(n: int) -> None:
    words = np.array([0, 1, MASK, MASK - 1, 2**32, 2**32 - 1, 0x9E3779B97F4A7C15], np.uint64)
    assert _scaled(words, n).tolist() == [int(word) * n >> 64 for word in words]


def test_counts_add_up_to_n_in_every_resample() -> None:
    drawn = multinomial(9, np.arange(50), seed=4, purpose=Purpose.MODELS)
    found = counts(drawn)
    assert found.shape == (50, 9)
    assert found.sum(axis=1).tolist() == [9] * 50
    assert found[7].tolist() == [drawn[7].tolist().count(place) for place in range(9)]


def test_every_place_is_drawn_as_often_as_theory_says() -> None:
    found = counts(multinomial(20, np.arange(4000), seed=2, purpose=Purpose.MODELS))
    variance = 1 - 1 / 20  # of a count of n draws with chance 1 / n
    assert found.mean(axis=0) == pytest.approx(1, abs=5 * np.sqrt(variance / 4000))
    assert found.var() == pytest.approx(variance, rel=0.03)
