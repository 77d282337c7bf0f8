"""Why is one model less efficient than another? The exact decomposition of the log ratio of their E0.

    log E0/E0' = log r_ctx/r_ctx' + log r_logic/r_logic' - log mean_T/mean_T'                    (outcome layer)
    ...        = ... - log VO/VO' - log kappa/kappa' - log mean_W/mean_W'                        (workload layer)
    ...        = ... + log q/q' with VO and kappa of the signal                                  (trace layer)

The terms add up to the total, to rounding; `residual` says how closely. A factor of 0 gives a term of -inf, an
undefined factor an undefined term and sum, while the total keeps what E0 alone says.
Source: definitions.md sections 2 and 3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
GAINS = frozenset({"r_ctx", "r_logic", "q_trace"})
"""Factors that raise E0; all others are costs and enter with a minus."""

TERMS = {
    "outcome": ("r_ctx", "r_logic", "mean_T"),
    "workload": ("r_ctx", "r_logic", "VO", "kappa", "mean_W"),
    "trace": ("r_ctx", "r_logic", "q_trace", "VO", "kappa", "mean_W"),
}
"""Terms of each layer, in the paper's order."""


class Decomposition(NamedTuple):
    """Terms in nats; `total` from E0 itself, `sum` of the terms, and `residual` = total - sum."""

    terms: dict[str, float]
    total: float
    sum: float
    residual: float


def log_ratio(value: float, reference: float) -> float:
    """Natural logarithm of value / reference; -inf for 0, NaN where either is undefined or the reference is 0.

    >>> log_ratio(0.0, 2.0), log_ratio(3.0, 3.0), log_ratio(float("nan"), 1.0)
    (-inf, 0.0, nan)
    """
    if math.isnan(value) or math.isnan(reference) or reference <= 0 or value < 0:
        return math.nan
    return -math.inf if value == 0 else math.log(value) - math.log(reference)


def decompose(model: Mapping[str, float], reference: Mapping[str, float], *, layer: str) -> Decomposition:
    """Decompose log(E0 of the model / E0 of the reference).

    Parameters
    ----------
    model, reference
        E0 and every factor of the layer (`TERMS`), undefined ones NaN.
    layer
        outcome, workload or trace.

    >>> parts = decompose(dict(E0=1.0, r_ctx=1.0, r_logic=0.5, mean_T=500.0),
    ...                   dict(E0=4.0, r_ctx=1.0, r_logic=1.0, mean_T=250.0), layer="outcome")
    >>> {name: round(value, 4) for name, value in parts.terms.items()}, round(parts.total, 4)
    ({'r_ctx': 0.0, 'r_logic': -0.6931, 'mean_T': -0.6931}, -1.3863)
    """
    terms = {}
    for factor in TERMS[layer]:
        change = log_ratio(model[factor], reference[factor])
        terms[factor] = change if factor in GAINS else 0.0 - change
    total = log_ratio(model["E0"], reference["E0"])
    added = math.fsum(terms.values()) if all(map(math.isfinite, terms.values())) else sum(terms.values())
    return Decomposition(terms, total, added, _residual(total, added))


def _residual(total: float, added: float) -> float:
    if math.isinf(total) and total == added:
        return 0.0
    return total - added


def terms_of_resamples(
    model: Mapping[str, Floats], reference: Mapping[str, Floats], *, layer: str
) -> dict[str, Floats]:
    """Terms and total of `decompose` for many resamples at once; each undefined where its own factor is.

    Parameters
    ----------
    model, reference
        E0 and every factor of the layer (`TERMS`), undefined ones NaN; one shape.
    layer
        outcome, workload or trace.

    Returns
    -------
    dict
        Term, and `total`, -> values of that shape, in nats; -inf where the model's factor is 0.

    >>> model = dict(E0=[1.0, 0.0], r_ctx=[1.0, 1.0], r_logic=[0.5, 0.0], mean_T=[500.0, 500.0])
    >>> other = dict(E0=[4.0, 4.0], r_ctx=[1.0, 1.0], r_logic=[1.0, 1.0], mean_T=[250.0, 250.0])
    >>> arrays = [{name: np.array(values) for name, values in one.items()} for one in (model, other)]
    >>> terms_of_resamples(*arrays, layer="outcome")["total"]
    array([-1.38629436,        -inf])
    """
    found = {}
    for factor in (*TERMS[layer], "E0"):
        change = _log_ratios(model[factor], reference[factor])
        found[factor] = change if factor in GAINS or factor == "E0" else 0.0 - change
    found["total"] = found.pop("E0")
    return found


def _log_ratios(value: Floats, reference: Floats) -> Floats:
    """`log_ratio` of arrays."""
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.where(value == 0, -np.inf, np.log(value) - np.log(reference))
        return np.where((reference > 0) & (value >= 0), change, np.nan)
