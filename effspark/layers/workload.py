"""How many tokens per unit of work, and does overhead grow with work? The workload layer, as a function of sums.

    VO = mean(T / W)      kappa = mean(T) / (mean(W) * VO) = 1 + Cov(W, T/W) / (mean(W) * VO)
    E[T] = E[W] * VO * kappa

Source: paper section 3.2, definitions.md section 2. Covariance is that of the population. W must be positive.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import ratio

Floats = npt.NDArray[np.float64]


class Workload(NamedTuple):
    """Overhead (tokens per unit of work), coupling, mean work and mean tokens; one shape."""

    overhead: Floats
    coupling: Floats
    mean_work: Floats
    mean_tokens: Floats


def workload(n: Floats, tokens: Floats, work: Floats, tokens_per_work: Floats) -> Workload:
    """Workload layer from sums over the runs that have W.

    Parameters
    ----------
    n, tokens, work, tokens_per_work
        Number of runs, sum of T, sum of W and sum of T/W; one shape. An undefined quotient is NaN.

    >>> one = workload(np.array(4.0), np.array(540.0), np.array(14.0), np.array(165.0))
    >>> [round(float(value), 6) for value in one]
    [41.25, 0.935065, 3.5, 135.0]
    """
    overhead = ratio(tokens_per_work, n)
    mean_work, mean_tokens = ratio(work, n), ratio(tokens, n)
    return Workload(overhead, ratio(mean_tokens, mean_work * overhead), mean_work, mean_tokens)
