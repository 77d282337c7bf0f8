"""How are real numbers added so that every order of addition gives the same bits, whatever their size?

    x  ->  floor(x)  and three limbs of 30 bits below the point      sum(x) = sums of the limbs, rounded once

A ratio such as T/W is rounded once, as a float; its limbs hold that float exactly down to 2^-90, and sums of up to
2^33 of them fit 64 bits. So partial sums may be added in any order and on any machine, as whole numbers, and no bound
has to be known before (docs/decisions/fixed-point-sums.md). Source: architecture.md section 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from effspark.errors import EffsparkError

LIMBS = 4
LIMB_BITS = 30
_UNITS = 1 << LIMB_BITS * (LIMBS - 1)
EXACT_BITS = 53
"""Whole numbers up to 2^53 add exactly in float64."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def limbs(values: Floats) -> Ints:
    """Limbs of non-negative reals, shape (LIMBS, *shape): whole part, then units of 2^-30, 2^-60 and 2^-90.

    Raises
    ------
    EffsparkError
        A value is negative, undefined or not below 2^53.

    >>> limbs(np.array([2.5])).ravel().tolist()
    [2, 536870912, 0, 0]
    """
    if values.size and not (np.all(values >= 0) and np.all(values < 2.0**53)):
        raise EffsparkError(
            "fixed-point sum: found negative, undefined or huge values; allowed: from 0 to 2^53; "
            "leave such rows out before adding"
        )
    parts, rest = [], np.asarray(values, dtype=np.float64)
    for _ in range(LIMBS):
        whole = np.floor(rest)
        parts.append(whole.astype(np.int64))
        rest = np.ldexp(rest - whole, LIMB_BITS)
    return np.stack(parts)


def whole(values: Ints) -> Ints:
    """Limbs of whole numbers.

    >>> whole(np.array([7])).ravel().tolist()
    [7, 0, 0, 0]
    """
    return np.stack([values, *np.zeros((LIMBS - 1, *values.shape), np.int64)])


def total(sums: Sequence[int]) -> float:
    """The sum that the sums of limbs stand for, rounded once.

    >>> total([1, 2**29, 0, 0])
    1.5
    """
    units = 0
    for part in sums:
        units = (units << LIMB_BITS) + int(part)
    return units / _UNITS


def totals(sums: Ints) -> Floats:
    """`total` of every number of an array of sums of limbs, shape (LIMBS, *shape).

    >>> totals(np.array([[1, 0], [2**29, 0], [0, 0], [0, 0]]))
    array([1.5, 0. ])
    """
    rows = sums.reshape(LIMBS, -1).T.tolist()
    return np.array([total(row) for row in rows], np.float64).reshape(sums.shape[1:])


def cut(reals: Floats, most: int) -> list[tuple[Floats, int]]:
    """Reals as parts that are whole numbers, each in units of 2^-place, so short that float64 adds up their products
    with whole numbers exactly, whatever the order.

    Parameters
    ----------
    reals
        Non-negative, any shape.
    most
        What the whole numbers of one sum of products add up to at most.

    Returns
    -------
    list[tuple[Floats, int]]
        Parts and their place, coarsest first; each real is their sum, but for what is below 2^-90.

    Raises
    ------
    EffsparkError
        `most` is 2^52 or more.

    >>> cut(np.array([0.5, 3.0]), most=2**50)
    [(array([0., 3.]), 0), (array([2., 0.]), 2)]
    """
    width = EXACT_BITS - int(most).bit_length()
    if width < 1:
        raise EffsparkError(f"exact sum: found counts of {most:,}; allowed: up to 2^52; add up fewer at once")
    place = -int(np.frexp(reals.max(initial=0.0))[1])  # reals are below 2^-place
    parts, rest, end = [], reals, LIMB_BITS * (LIMBS - 1)
    while place < end and rest.any():
        place = min(place + width, end)
        scaled = np.ldexp(rest, place)
        part = np.floor(scaled)
        parts.append((part, place))
        rest = np.ldexp(scaled - part, -place)
    return parts


def placed(values: Ints, place: int) -> Ints:
    """Limbs of whole numbers in units of 2^-place.

    >>> placed(np.array([5]), 1).ravel().tolist(), placed(np.array([1]), 40).ravel().tolist()
    ([2, 536870912, 0, 0], [0, 0, 1048576, 0])
    """
    parts, rest = [], values
    for limb in range(LIMBS):
        shift = place - LIMB_BITS * limb
        part = rest >> min(shift, 62) if shift > 0 else rest << -shift
        rest = rest - (part << min(shift, 62)) if shift > 0 else np.zeros_like(rest)
        parts.append(part)
    return np.stack(parts)
