"""How far from the whole suite does a small nested suite land?

    relative error = |value on the subset - value on all| / |value on all|      rho = Spearman of the two over models

For each metric the median and 95th percentile of the error over subsets and models, and the median of rho over subsets.
Source: paper appendix G.3, definitions.md sections 6 and 7. The subsets are drawn in resampling/splits.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import ratio
from effspark.layers.workload import over_instances
from effspark.resampling.percentiles import median, percentile
from effspark.resampling.ranks import spearman

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class SubsetError(NamedTuple):
    """Error and rank stability of one metric, and how many errors and rho were undefined."""

    median_error: float
    high_error: float
    median_rho: float
    undefined_errors: int
    undefined_rho: int


class Sums(NamedTuple):
    """Sums over the runs of each instance and model, as `moments` names them; shape (instances, models)."""

    n: Floats
    correct: Floats
    tokens: Floats
    known: Floats
    known_completed: Floats
    known_correct: Floats


def metrics(sums: Sums, weights: Floats, work: Floats | None = None) -> dict[str, Floats]:
    """Metrics of every model in every weighting of the instances.

    Parameters
    ----------
    weights
        How often each instance counts, shape (weightings, instances).
    work
        W of each instance, NaN where there is none, shape (instances,); without it VO and kappa are left out.

    Returns
    -------
    dict
        E0, accuracy, r_ctx, r_logic, VO, kappa, each of shape (weightings, models).

    >>> one, right = np.ones((2, 1)), np.array([[1.0], [0.0]])
    >>> found = metrics(Sums(one, right, one * [[10], [30]], one, one, right), np.array([[1.0, 1.0], [1.0, 0.0]]))
    >>> found["E0"]
    array([[ 25.],
           [100.]])
    """
    weighed = Sums(*(weights @ part for part in sums))
    found = {
        "E0": ratio(1000 * weighed.correct, weighed.tokens),
        "accuracy": ratio(weighed.correct, weighed.n),
        "r_ctx": ratio(weighed.known_completed, weighed.known),
        "r_logic": ratio(weighed.known_correct, weighed.known_completed),
    }
    if work is not None:
        layer = over_instances(sums.n, sums.tokens, work, weights=weights)
        found |= {"VO": layer.overhead, "kappa": layer.coupling}
    return found


def subset_error(on_subsets: Floats, on_all: Floats) -> SubsetError:
    """Error of one metric.

    Parameters
    ----------
    on_subsets
        Shape (subsets, models).
    on_all
        Shape (models,); relative to 0 there is no error.

    >>> subset_error(np.array([[1.1, 2.0, 3.0], [1.0, 2.0, 3.3]]), np.array([1.0, 2.0, 3.0]))[2:]
    (1.0, 0, 0)
    """
    errors = ratio(np.abs(on_subsets - on_all), np.abs(on_all) + np.zeros_like(on_subsets)).ravel()
    rho = spearman(on_subsets, np.broadcast_to(on_all, on_subsets.shape))
    return SubsetError(
        median(errors).item(),
        percentile(errors, 0.95).item(),
        median(rho).item(),
        int(np.isnan(errors).sum()),
        int(np.isnan(rho).sum()),
    )


def subset_errors(sums: Sums, subsets: Bools, work: Floats | None = None) -> dict[str, SubsetError]:
    """Error of every metric over the subsets, shape (subsets, instances).

    >>> one = np.ones((4, 3))
    >>> sums = Sums(one, one, one * [10, 20, 40] * [[1], [1], [2], [2]], one, one, one)
    >>> subset_errors(sums, np.array([[True, False, True, False]]))["E0"].median_error
    0.0
    """
    whole = metrics(sums, np.ones((1, subsets.shape[1])), work)
    parts = metrics(sums, subsets.astype(float), work)
    return {name: subset_error(values, whole[name][0]) for name, values in parts.items()}
