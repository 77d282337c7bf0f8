"""Keyed words: the published known answers, one word at a time in plain integers, and independence of other keys."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.resampling.words import Purpose, mix, model_keys, words
from effspark.runs import keys

MASK = 2**64 - 1
G = 0x9E3779B97F4A7C15
KNOWN = {"0": "2 1 2 0 0 1 0 1 1 1 0 1 2 1 1 1", "1": "0 1 1 0 3 1 1 3 1 0 0 2 1 0 0 2"}
"""Weights of gsm8k's first two instances in the first 16 resamples, seed 0 (definitions.md section 6)."""


def mixed(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def word(key: int, draw: int, seed: int, purpose: int) -> int:
    s = mixed(seed ^ mixed((purpose * G) & MASK))
    a = mixed((key * G + s) & MASK)
    return mixed((a + (draw + 1) * G) & MASK)


@pytest.mark.parametrize("instance", KNOWN)
def test_the_known_answers_of_the_instance_bootstrap_come_out(instance: str) -> None:
    of = np.array([keys.instance_key("gsm8k", instance)], np.uint64)
    drawn = words(of, np.arange(2), seed=0, purpose=Purpose.INSTANCES)[:, 0]
    octets = drawn.astype("<u8").view(np.uint8)
    weights = sum((octets >= least).astype(int) for least in (94, 189, 235, 251, 255))
    assert " ".join(map(str, weights)) == KNOWN[instance]


bits = st.integers(0, MASK)


@given(
    st.lists(bits, min_size=1, max_size=4),
    st.lists(st.integers(0, 5000), max_size=4),
    bits,
    st.sampled_from(Purpose),
)
def test_words_equal_the_plain_integers(of: list[int], draws: list[int], seed: int, purpose: Purpose) -> None:
    found = words(np.array(of, np.uint64), np.array(draws, np.int64), seed=seed, purpose=purpose)
    assert found.tolist() == [[word(key, draw, seed, purpose) for key in of] for draw in draws]


@given(bits)
def test_the_shuffle_is_that_of_splitmix64(z: int) -> None:
    assert mix(np.array([z], np.uint64)).tolist() == [mixed(z)]


def test_purposes_are_numbered_as_the_definitions_say() -> None:
    assert [purpose.value for purpose in Purpose] == [1, 2, 3, 4]


def test_a_model_has_the_key_of_its_name() -> None:
    expected = int.from_bytes(hashlib.sha256(b"model\x1fo3").digest()[:8], "big")
    assert model_keys(("x", "o3"))[1] == expected
    assert model_keys(()).shape == (0,)
