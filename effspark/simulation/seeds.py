"""Where does chance come from? One keyed generator a purpose, so that no draw depends on the order of others.

    (seed, "run", "aurora-wren-flash-gsm8k", 17, 1)  ->  Philox keyed by sha256 of exactly these names

Seeds and ids alone; what is drawn from a generator stands with its drawer.
"""

from __future__ import annotations

import hashlib

import numpy as np

_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def generator(seed: int, *names: str | int) -> np.random.Generator:
    """Generator of one purpose.

    >>> generator(1, "a").integers(100, size=3).tolist() == generator(1, "a").integers(100, size=3).tolist()
    True
    >>> generator(1, "a").random() == generator(1, "b").random()
    False
    """
    return np.random.Generator(np.random.Philox(key=int.from_bytes(_hash(seed, *names)[:16], "big")))


def short_id(seed: int, *names: str | int) -> str:
    """Id of 22 characters as Inspect writes them, for the same names always the same.

    >>> short_id(1, "task"), len(short_id(2, "task"))
    ('4YR6Tk4XJQCNecVmFDmK7C', 22)
    """
    value, letters = int.from_bytes(_hash(seed, *names)[:16], "big"), []
    for _ in range(22):
        value, rest = divmod(value, len(_ALPHABET))
        letters.append(_ALPHABET[rest])
    return "".join(letters)


def hex_id(seed: int, *names: str | int) -> str:
    """Id of 32 hexadecimal digits.

    >>> len(hex_id(1, "batch"))
    32
    """
    return _hash(seed, *names).hex()[:32]


def _hash(seed: int, *names: str | int) -> bytes:
    return hashlib.sha256("\x1f".join(map(str, (seed, *names))).encode()).digest()
