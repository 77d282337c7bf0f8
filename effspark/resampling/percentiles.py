"""Between which values lies the middle of many resamples, some of which are infinite or undefined?

    percentile (type 7):  h = (n - 1) q;  x_floor(h) + (h - floor(h)) (x_ceil(h) - x_floor(h))  of the n sorted values

Undefined values leave and are counted. Infinite ones keep their place; an interpolation that touches one gives it, the
lower one of two. Source: definitions.md sections 3 and 6. Does not decide how many undefined resamples are too many.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEVEL = 0.95


class Interval(NamedTuple):
    """Percentile interval, and how many resamples were infinite and undefined; one shape."""

    low: Floats
    high: Floats
    infinite: Ints
    undefined: Ints


def percentile(values: Floats, q: float) -> Floats:
    """Percentile along the last axis; NaN where no value is defined.

    Parameters
    ----------
    values
        Shape (..., values); null is NaN.
    q
        Share of the values below, 0 to 1.

    >>> percentile(np.array([3.0, 1.0, 2.0, 10.0]), 0.5).item(), percentile(np.array([-np.inf, 0.0, 1.0]), 0.1).item()
    (2.5, -inf)
    """
    ordered = np.sort(values, axis=-1)
    count = (~np.isnan(values)).sum(axis=-1)
    padded = np.concatenate([ordered, np.full((*values.shape[:-1], 1), np.nan)], axis=-1)
    place = np.maximum(count - 1, 0) * q
    below = np.floor(place).astype(np.int64)
    above = np.ceil(place).astype(np.int64)
    low, high = (np.take_along_axis(padded, at[..., None], axis=-1)[..., 0] for at in (below, above))
    touched = np.isinf(low) | np.isinf(high)
    with np.errstate(invalid="ignore"):
        between = low + (place - below) * (high - low)
    return np.where(below == above, low, np.where(touched, np.where(np.isinf(low), low, high), between))


def median(values: Floats) -> Floats:
    """Median along the last axis; NaN where no value is defined.

    >>> median(np.array([[1.0, 4.0, np.nan], [np.nan, np.nan, np.nan]]))
    array([2.5, nan])
    """
    return percentile(values, 0.5)


def interval(values: Floats, *, level: float = LEVEL) -> Interval:
    """Interval that leaves out the same share of resamples on both sides.

    Parameters
    ----------
    values
        Shape (..., resamples); null is NaN.

    >>> interval(np.array([0.0, 1.0, 2.0, np.nan, np.inf]), level=0.5)
    Interval(low=array(0.75), high=array(inf), infinite=array(1), undefined=array(1))
    """
    outside = (1 - level) / 2
    return Interval(
        percentile(values, outside),
        percentile(values, 1 - outside),
        np.asarray(np.isinf(values).sum(axis=-1)),
        np.asarray(np.isnan(values).sum(axis=-1)),
    )
