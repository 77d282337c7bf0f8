"""Which axis of difficulty costs efficiency? E0 on each level of an axis.

    E0(level) = 1000 * sum(S) / sum(T) over the instances of the level      drop = 1 - E0(high) / E0(low)

Source: paper section 5.5, definitions.md section 7. A level holds the instances on which the axis has one value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import efficiency, ratio

Floats = npt.NDArray[np.float64]


class Surface(NamedTuple):
    """Levels of the axis, ascending, and E0 on each, shape (levels, models); NaN where no token was generated."""

    levels: Floats
    efficiency: Floats


def surface(correct: Floats, tokens: Floats, axis: Floats) -> Surface:
    """E0 of every model on every level of an axis.

    Parameters
    ----------
    correct, tokens
        Sums of S and T on each instance, shape (instances, models).
    axis
        Value of the axis on each instance, shape (instances,); an instance without one (NaN) is on no level.

    >>> surface(np.array([[1.0], [1.0], [0.0]]), np.array([[10.0], [30.0], [10.0]]), np.array([20.0, 50.0, 50.0]))
    Surface(levels=array([20., 50.]), efficiency=array([[100.],
           [ 25.]]))
    """
    levels = np.unique(axis[~np.isnan(axis)])
    member = (axis == levels[:, None]).astype(float)
    return Surface(levels, efficiency({"correct": member @ correct, "tokens": member @ tokens}))


def drop(found: Surface, *, low: float, high: float) -> Floats:
    """Share of E0 that is lost from one level to another, shape (models,); NaN where a level is absent or E0(low) is 0.

    >>> drop(Surface(np.array([20.0, 50.0]), np.array([[100.0], [25.0]])), low=20, high=50)
    array([0.75])
    """
    ends = [np.flatnonzero(found.levels == level) for level in (low, high)]
    if not all(len(end) for end in ends):
        return np.full(found.efficiency.shape[1], np.nan)
    first, last = (found.efficiency[end[0]] for end in ends)
    return 1 - ratio(last, first)
