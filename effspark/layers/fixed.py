"""How are real numbers added so that every order of addition gives the same bits, whatever their size?

    x  ->  floor(x)  and three limbs of 30 bits below the point      sum(x) = sums of the limbs, rounded once

A ratio such as T/W is rounded once, as a float; its limbs hold that float exactly down to 2^-90, and sums of up to
2^33 of them fit 64 bits. So partial sums may be added in any order and on any machine, as whole numbers, and no bound
has to be known before (docs/decisions/fixed-point-sums.md). Source: architecture.md section 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from effspark.errors import EffsparkError

LIMBS = 4
LIMB_BITS = 30

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
    exact = sum(Fraction(int(part), 2 ** (LIMB_BITS * place)) for place, part in enumerate(sums))
    return float(exact)
