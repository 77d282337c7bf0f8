"""Do models keep their order from one benchmark to another?

    rho(b, b') = Spearman over the models that both benchmarks share, of E0, accuracy, VO_solv or kappa_solv
    interval   = percentiles of rho over resamples of the models

Mode `fixed` correlates the ranks of the full sample, as drawn; mode `rerank` ranks each resample anew. Source: paper
section 5.4 and appendix C.1, definitions.md section 6. How well kappa transfers is a property of models, not of this.
"""

from __future__ import annotations

from enum import Enum
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.resampling.percentiles import LEVEL, interval, median
from effspark.resampling.ranks import LEAST_PAIRS, paired_ranks, pearson, spearman

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Mode(str, Enum):
    """What is correlated in a resample of models."""

    FIXED = "fixed"
    RERANK = "rerank"


class Transfer(NamedTuple):
    """Rho of every pair of benchmarks, by their places, and the range over the defined ones; undefined is NaN."""

    pairs: tuple[tuple[int, int], ...]
    rho: Floats
    low: float
    median: float
    high: float


class Correlation(NamedTuple):
    """Rho of the full sample and its interval over so many resamples, of which some are undefined."""

    rho: float
    low: float
    high: float
    resamples: int
    undefined: int


def transfer(values: Floats) -> Transfer:
    """Rank correlation of one metric between all pairs of benchmarks.

    Parameters
    ----------
    values
        Metric of the shared models, null is NaN; shape (benchmarks, models).

    >>> found = transfer(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 4.0], [3.0, 2.0, 1.0]]))
    >>> found.pairs, found.rho, found.median
    (((0, 1), (0, 2), (1, 2)), array([ 1., -1., -1.]), -1.0)
    """
    pairs = tuple(combinations(range(len(values)), 2))
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    rho = spearman(values[left], values[right])
    defined = rho[~np.isnan(rho)]
    low, high = (defined.min(), defined.max()) if len(defined) else (np.nan, np.nan)
    return Transfer(pairs, rho, float(low), median(rho).item(), float(high))


def correlation(
    x: Floats, y: Floats, drawn: Ints, *, mode: Mode = Mode.FIXED, level: float = LEVEL
) -> Correlation:
    """Rank correlation of two benchmarks with an interval over resamples of the models.

    Parameters
    ----------
    x, y
        Metric of the shared models, shape (models,); models with a null on one side leave first, so give none.
    drawn
        Places of the models that each resample draws, shape (resamples, models).

    >>> x = np.array([1.0, 2.0, 3.0, 4.0])
    >>> correlation(x, np.array([1.0, 3.0, 2.0, 4.0]), np.array([[0, 1, 2, 3], [2, 2, 2, 2]]))
    Correlation(rho=0.8, low=0.8, high=0.8, resamples=2, undefined=1)
    """
    if mode is Mode.FIXED:
        left, right = paired_ranks(x, y)
        resampled = pearson(left[drawn], right[drawn])
    else:
        resampled = spearman(x[drawn], y[drawn])
    found = interval(resampled if len(x) >= LEAST_PAIRS else np.full(len(drawn), np.nan), level=level)
    return Correlation(
        spearman(x, y).item(), found.low.item(), found.high.item(), len(drawn), int(found.undefined)
    )
