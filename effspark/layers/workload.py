"""How many tokens per unit of work, and does overhead grow with work? The workload layer, as a function of sums.

    VO = mean(T / W)      kappa = mean(T) / (mean(W) * VO) = 1 + Cov(W, T/W) / (mean(W) * VO)
    E[T] = E[W] * VO * kappa

Source: paper section 3.2, definitions.md section 2. Covariance is that of the population. Runs whose instance has no W,
or none above 0, are no part of this layer; `over_instances` leaves them out and `retained` counts the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import ratio

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

SOLVER_SCALE = "W_solv"
"""The scale that a report derives from solvers, whose name no other can bear."""


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


def covariance(layer: Workload) -> Floats:
    """Population covariance of W and T/W; 0 where overhead does not depend on work.

    >>> one = workload(np.array(4.0), np.array(540.0), np.array(14.0), np.array(165.0))
    >>> covariance(one).item(), round(1 + covariance(one).item() / (3.5 * 41.25), 6) == round(one.coupling.item(), 6)
    (-9.375, True)
    """
    return layer.mean_tokens - layer.mean_work * layer.overhead


def has_work(work: Floats) -> Bools:
    """Which values can be divided by: finite and above 0.

    >>> has_work(np.array([2.0, 0.0, -1.0, np.nan, np.inf]))
    array([ True, False, False, False, False])
    """
    return np.isfinite(work) & (work > 0)


def over_instances(n: Floats, tokens: Floats, work: Floats, *, weights: Floats | None = None) -> Workload:
    """Workload layer of every model from its sums on each instance.

    Parameters
    ----------
    n, tokens
        Runs and sum of T, shape (instances, models).
    work
        W, shape (instances,) or (instances, models) where it differs by model; null is NaN.
    weights
        How often each instance counts, shape (..., instances); once where null.

    Returns
    -------
    Workload
        Shape (models,), or (..., models) with weights.

    >>> n, tokens = np.ones((3, 1)), np.array([[100.0], [300.0], [77.0]])
    >>> over_instances(n, tokens, np.array([2.0, 4.0, np.nan])).overhead
    array([62.5])
    >>> over_instances(n, tokens, np.array([2.0, 4.0, np.nan]), weights=np.array([[1.0, 0, 0], [0, 3, 9]])).overhead
    array([[50.],
           [75.]])
    """
    counts = has_work(work)
    each, inverse = np.where(counts, work, 0.0), counts / np.where(counts, work, 1.0)
    if work.ndim == 1:
        times = np.ones(len(work)) if weights is None else weights
        sums = ((times * scale) @ part for scale, part in _products(n, tokens, counts, each, inverse))
    else:
        parts = (scale * part for scale, part in _products(n, tokens, counts, each, inverse))
        sums = (part.sum(axis=0) if weights is None else weights @ part for part in parts)
    return workload(*sums)


def _products(
    n: Floats, tokens: Floats, counts: Bools, work: Floats, inverse: Floats
) -> tuple[tuple[Floats | Bools, Floats], ...]:
    """Factors whose products are n, T, W and T/W of the runs that have W."""
    return (counts, n), (counts, tokens), (work, n), (inverse, tokens)


def retained(n: Floats, work: Floats) -> Floats:
    """Runs of every model that have W, shape (models,); coverage is their share of all its runs.

    >>> retained(np.array([[1.0, 2.0], [1.0, 0.0]]), np.array([np.nan, 3.0]))
    array([1., 0.])
    """
    counts: Floats = (n * has_work(work[:, None] if work.ndim == 1 else work)).sum(axis=0)
    return counts
