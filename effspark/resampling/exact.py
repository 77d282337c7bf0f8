"""How are real numbers summed so that every order of addition gives the same bits?

    x  ->  integers  q = rint(x * 2^e),  r = rint((x - q * 2^-e) * 2^(2e))      (points: two limbs, value and remainder)
    sum(x)  =  (sum(q) + sum(r) * 2^-e) * 2^-e,   every partial sum below 2^53, so float64 adds exactly

The exponent e comes from the bit length of an exact integer bound, the sum of ceil(x) over the column, so it is the
same however the rows are partitioned. Source: architecture.md section 5.3. Does not draw weights (weights.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.errors import EffsparkError
from effspark.layers.fixed import EXACT_BITS

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Limbs(NamedTuple):
    """A real column as integers: `high` in units of 2^-exponent, `low` in units of 2^-(2 * exponent)."""

    high: Ints
    low: Ints
    exponent: int


def bound(values: Floats) -> int:
    """Exact integer bound of a column: the sum of ceil(x) over its rows. Bounds of parts add up.

    Parameters
    ----------
    values
        Finite, non-negative, shape (rows,).

    Raises
    ------
    EffsparkError
        A value is negative, infinite or undefined.

    >>> bound(np.array([0.5, 2.0]))
    3
    """
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        raise EffsparkError(
            "exact sum: found negative, infinite or undefined values; allowed: finite values from 0; "
            "leave such rows out before adding"
        )
    return sum(int(part) for part in np.ceil(values))


def exponent(total_bound: int, *, largest_weight: int = 1) -> int:
    """Power of two that scales a column so that every weighted partial sum stays below 2^53.

    Parameters
    ----------
    total_bound
        `bound` of the whole column, over all parts.
    largest_weight
        1 for points, 5 for 8-bit Poisson weights.

    Raises
    ------
    EffsparkError
        The column cannot be added exactly at all.

    >>> exponent(1000), exponent(1000, largest_weight=5)
    (43, 40)
    """
    scale = EXACT_BITS - max(1, (total_bound * largest_weight).bit_length())
    if scale < 0:
        raise EffsparkError(
            f"exact sum: found a bound of 2^{EXACT_BITS - scale}; allowed: 2^{EXACT_BITS}; "
            "report fewer runs at once or a coarser unit"
        )
    return scale


def limbs(values: Floats, scale: int) -> Limbs:
    """Split a column into two integer limbs; what they leave out is below 2^-(2 * scale + 1) a row.

    >>> limbs(np.array([1 / 3]), 10)
    Limbs(high=array([341]), low=array([341]), exponent=10)
    """
    high = np.rint(np.ldexp(values, scale))
    low = np.rint(np.ldexp(values - np.ldexp(high, -scale), 2 * scale))
    return Limbs(high.astype(np.int64), low.astype(np.int64), scale)


def total(high: int, low: int, scale: int) -> float:
    """Sum of a column from the sums of its limbs.

    >>> total(682, 682, 10) == 682 / 1024 + 682 / 1024**2
    True
    """
    return float((int(high) * 2**scale + int(low)) / 2 ** (2 * scale))


def exact_sum(values: Floats) -> float:
    """Sum of non-negative reals that no order of addition changes.

    Beside one rounding the error is at most n * 2^-(2e + 1): 1e-17 of the sum for a million ratios 2048 / 3, more
    for values far below 1.

    >>> exact_sum(np.full(3, 2048 / 3)) == 2048.0
    True
    """
    scale = exponent(bound(values))
    parts = limbs(values, scale)
    return total(int(parts.high.sum()), int(parts.low.sum()), scale)
