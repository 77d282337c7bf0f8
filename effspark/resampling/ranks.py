"""How alike do two sets of numbers order the same models? Ranks, Spearman, Kendall and the largest shift.

    rho = Pearson of average ranks      tau_b = (concordant - discordant) / sqrt(pairs untied in x * pairs untied in y)

The rules: pairs with a null leave first; numbers are ranked as rounded to 12 significant digits, so that float noise on
what is constant orders nothing; rho is undefined for fewer than 3 pairs, rho and tau_b where a side is constant. Ranks
count from 1, upwards; infinite values keep their place. Source: definitions.md section 3.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import ratio

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

DIGITS = 12
LEAST_PAIRS = 3
"""Fewer pairs have no Spearman correlation."""


def rounded(values: Floats, *, digits: int = DIGITS) -> Floats:
    """Values rounded to so many significant digits; 0, infinite and undefined values stay.

    >>> rounded(np.array([0.1 + 0.2, 1234567890123456.0, -np.inf])).tolist()
    [0.3, 1234567890120000.0, -inf]
    """
    plain = np.isfinite(values) & (values != 0)
    size = np.floor(np.log10(np.abs(np.where(plain, values, 1.0))))
    places = np.minimum(digits - 1 - size, 300)  # 10^300 is a number, 10^310 is none
    whole = np.rint(values * 10.0 ** np.maximum(places, 0) / 10.0 ** np.maximum(-places, 0))
    carried = np.abs(whole) >= 10.0**digits  # 999... rounds up to a number of one digit more
    whole, places = np.where(carried, whole / 10, whole), places - carried
    shown = whole / 10.0 ** np.maximum(places, 0) * 10.0 ** np.maximum(-places, 0)
    return np.where(plain, shown, values)


def average_ranks(values: Floats) -> Floats:
    """Ranks along the last axis, tied values sharing the mean of their ranks; a null has none and takes no place.

    >>> average_ranks(np.array([[3.0, 1.0, 3.0], [np.nan, 5.0, 4.0]]))
    array([[2.5, 1. , 2.5],
           [nan, 2. , 1. ]])
    """
    size = values.shape[-1]
    if size == 0:
        return np.empty(values.shape)
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    place = np.broadcast_to(np.arange(size), values.shape)
    begins = np.ones(values.shape, np.bool_)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(values.shape, np.bool_)
    ends[..., :-1] = begins[..., 1:]
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, place, size)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, 1 + (first + last) / 2, axis=-1)
    return np.where(np.isnan(values), np.nan, ranks)


def paired_ranks(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Average ranks of both sides over the pairs without a null, by the rules of this module.

    >>> paired_ranks(np.array([1.0, np.nan, 3.0]), np.array([9.0, 5.0, 7.0]))
    (array([ 1., nan,  2.]), array([ 2., nan,  1.]))
    """
    lost = np.isnan(x) | np.isnan(y)
    left, right = (average_ranks(np.where(lost, np.nan, rounded(side))) for side in (x, y))
    return left, right


def pearson(x: Floats, y: Floats) -> Floats:
    """Correlation along the last axis over the pairs without a null; NaN where a side is constant.

    Exact up to one rounding a step where values are ranks: all sums are of whole or half numbers.

    >>> pearson(np.array([1.0, 2.0, 4.0]), np.array([2.0, 4.0, 8.0])), pearson(np.ones(3), np.arange(3.0))
    (array(1.), array(nan))
    """
    kept = ~(np.isnan(x) | np.isnan(y))
    n = kept.sum(axis=-1)
    a, b = np.where(kept, x, 0.0), np.where(kept, y, 0.0)
    sum_a, sum_b = a.sum(axis=-1), b.sum(axis=-1)
    of_a, of_b = n * (a * a).sum(axis=-1) - sum_a**2, n * (b * b).sum(axis=-1) - sum_b**2
    together = n * (a * b).sum(axis=-1) - sum_a * sum_b
    return ratio(together, np.sqrt(of_a * of_b))


def spearman(x: Floats, y: Floats) -> Floats:
    """Spearman's rho along the last axis.

    Parameters
    ----------
    x, y
        Shape (..., models); null is NaN.

    Returns
    -------
    Floats
        Shape (...), in [-1, 1].

    >>> spearman(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([2.0, 1.0, 4.0, 3.0, 5.0])).item()
    0.8
    """
    left, right = paired_ranks(x, y)
    pairs = (~np.isnan(left)).sum(axis=-1)
    return np.where(pairs < LEAST_PAIRS, np.nan, pearson(left, right))


def kendall(x: Floats, y: Floats) -> Floats:
    """Kendall's tau-b along the last axis; shapes as in `spearman`.

    >>> kendall(np.array([1.0, 2.0]), np.array([2.0, 1.0])).item()
    -1.0
    """
    left, right = paired_ranks(x, y)
    signs = [np.nan_to_num(np.sign(side[..., :, None] - side[..., None, :])) for side in (left, right)]
    untied = [np.abs(sign).sum(axis=(-2, -1)) for sign in signs]
    return ratio((signs[0] * signs[1]).sum(axis=(-2, -1)), np.sqrt(untied[0] * untied[1]))


def max_rank_shift(x: Floats, y: Floats) -> Floats:
    """Largest difference of average ranks along the last axis; NaN where no pair is left.

    >>> max_rank_shift(np.array([1.0, 2.0, 3.0, np.nan]), np.array([3.0, 1.0, 2.0, 0.0])).item()
    2.0
    """
    left, right = paired_ranks(x, y)
    shift = np.abs(left - right)
    some = ~np.isnan(shift).all(axis=-1)
    return np.where(some, np.where(np.isnan(shift), 0.0, shift).max(axis=-1, initial=0.0), np.nan)
