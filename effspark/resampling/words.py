"""Where does chance come from? Random words that are functions of a seed, a purpose, a key and a number of a draw.

    G = 0x9E3779B97F4A7C15      s = mix(seed xor mix(purpose * G))      a = mix(key * G + s)
    word_r(key) = mix(a + (r + 1) * G)                      mix: the finaliser of splitmix64, all modulo 2^64

What is drawn for one key depends on no other key, so an instance or a model that comes later changes no draw of those
that were there. Source: definitions.md section 6. Does not turn words into weights, splits or orders.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from effspark.runs import keys

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""G, the step between words: 2^64 by the golden ratio."""
_ROUNDS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


class Purpose(IntEnum):
    """What a draw is for; draws of different purposes have nothing to do with each other."""

    INSTANCES = 1
    MODELS = 2
    POOL_SPLITS = 3
    NESTED_SUBSETS = 4


def mix(words: Words) -> Words:
    """Finaliser of splitmix64: a shuffle of all 64-bit words.

    >>> [f"{word:016x}" for word in mix(np.array([0, 1], np.uint64))]
    ['0000000000000000', '5692161d100b05e5']
    """
    mixed = words
    for shift, factor in _ROUNDS:
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    shuffled: Words = mixed ^ (mixed >> np.uint64(31))
    return shuffled


def of_purpose(seed: int, purpose: Purpose) -> Words:
    """Start of all words of a seed and a purpose, shape (1,).

    >>> [f"{word:016x}" for word in of_purpose(0, Purpose.INSTANCES)]
    ['48218226ff3cd4bf']
    """
    return mix(np.array([seed], np.uint64) ^ mix(np.array([int(purpose)], np.uint64) * GOLDEN))


def words(of: Words, draws: Ints, *, seed: int, purpose: Purpose) -> Words:
    """Random words of keys.

    Parameters
    ----------
    of
        Keys, shape (keys,).
    draws
        Numbers of the draws, from 0, shape (draws,).
    seed
        From 0 up to 2^64.

    Returns
    -------
    Words
        Shape (draws, keys).

    >>> of = np.array([keys.instance_key("gsm8k", "0")], np.uint64)
    >>> [f"{word:016x}" for word in words(of, np.arange(2), seed=0, purpose=Purpose.INSTANCES)[:, 0]]
    ['69117b382fd7a8e2', '836aafd7b713bb8f']
    """
    start = mix(of * GOLDEN + of_purpose(seed, purpose))
    step = (draws.astype(np.uint64) + np.uint64(1)) * GOLDEN
    return mix(start[None, :] + step[:, None])


def model_keys(model_ids: tuple[str, ...]) -> Words:
    """Keys of models: the first 8 bytes of sha256(`model` | 0x1f | model_id).

    >>> [f"{key:016x}" for key in model_keys(("m",))]
    ['428c97beefe49b70']
    """
    return np.array([keys.instance_key("model", model) for model in model_ids], np.uint64)
