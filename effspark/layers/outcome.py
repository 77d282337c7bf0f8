"""Did it finish, was it right, how many tokens? The outcome layer, as a function of sums.

    E0 = 1000 * sum(S) / sum(T)      r_ctx = sum(N) / n      r_logic = sum(S) / sum(N)      accuracy = sum(S) / n

Source: paper section 3.1, definitions.md sections 1 to 3. E0, accuracy and E[T] use all runs with T; r_ctx and
r_logic the runs whose completion is known; accuracy_all all judged runs, with T or without. Undefined is NaN here;
`reasons` names why. Does not select runs or instances (selection.py).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Sums = Mapping[str, Floats]
"""Feature name of `moments` -> sums, all of one shape (any leading axes)."""


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient, NaN where the denominator is 0.

    >>> ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25,  nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator == 0, np.nan, np.divide(numerator, denominator))


def efficiency(sums: Sums) -> Floats:
    """E0: correct answers per 1,000 tokens; NaN where no token was generated.

    >>> efficiency({"correct": np.array([2.0]), "tokens": np.array([1600.0])})
    array([1.25])
    """
    return ratio(1000 * sums["correct"], sums["tokens"])


def outcome(sums: Sums, *, least_known: float = 0.95) -> dict[str, Floats]:
    """Quantities of the outcome layer from the sums of `moments`.

    Parameters
    ----------
    sums
        Features n, correct, tokens, known, known_completed, known_correct, refused, refused_correct, missing,
        missing_correct, missing_known, missing_completed, missing_budget, missing_without_budget, errors,
        error_tokens; each of one shape.
    least_known
        Share of runs with known completion below which r_ctx and r_logic are undefined.

    Returns
    -------
    dict
        Metric -> values of the same shape; rates lie in [0, 1], E0 is correct answers per 1,000 tokens, mean_T tokens.

    >>> runs = dict(n=4, correct=2, tokens=1600, known=4, known_completed=3, known_correct=2, refused=0,
    ...     refused_correct=0, missing=1, missing_correct=1, missing_known=0, missing_completed=0, missing_budget=0,
    ...     missing_without_budget=0, errors=1, error_tokens=0)
    >>> found = outcome({name: np.array(float(value)) for name, value in runs.items()})
    >>> {name: round(float(value), 4) for name, value in found.items()} # doctest: +NORMALIZE_WHITESPACE
    {'E0': 1.25, 'accuracy': 0.5, 'mean_T': 400.0, 'known_share': 1.0, 'r_ctx': 0.75, 'r_logic': 0.6667,
     'r_answer': 1.0, 'r_correct': 0.6667, 'r_ctx_all': 0.75, 'accuracy_all': 0.6, 'E0_low': 1.25,
     'E0_errors_as_failures': 1.25, 'accuracy_errors_as_failures': 0.4}
    """
    n, known = sums["n"], sums["known"]
    known_share = ratio(known, n)
    enough = known_share >= least_known
    answered = sums["known_completed"] - sums["refused"]
    all_known = known + sums["missing_known"]
    return {
        "E0": efficiency(sums),
        "accuracy": ratio(sums["correct"], n),
        "mean_T": ratio(sums["tokens"], n),
        "known_share": known_share,
        "r_ctx": np.where(enough, ratio(sums["known_completed"], known), np.nan),
        "r_logic": np.where(enough, ratio(sums["known_correct"], sums["known_completed"]), np.nan),
        "r_answer": np.where(enough, ratio(answered, sums["known_completed"]), np.nan),
        "r_correct": np.where(
            enough, ratio(sums["known_correct"] - sums["refused_correct"], answered), np.nan
        ),
        "r_ctx_all": ratio(sums["known_completed"] + sums["missing_completed"], all_known),
        "accuracy_all": ratio(sums["correct"] + sums["missing_correct"], n + sums["missing"]),
        "E0_low": np.where(
            sums["missing_without_budget"] > 0,
            np.nan,
            ratio(1000 * sums["correct"], sums["tokens"] + sums["missing_budget"]),
        ),
        "E0_errors_as_failures": ratio(1000 * sums["correct"], sums["tokens"] + sums["error_tokens"]),
        "accuracy_errors_as_failures": ratio(sums["correct"], n + sums["errors"]),
    }


UNITS = {"E0": "correct answers per 1,000 tokens", "mean_T": "tokens"}
"""Units of metrics that are no rates; E0_low and E0_errors_as_failures share that of E0."""


def unit(metric: str) -> str:
    """Unit of an outcome metric.

    >>> unit("E0_low"), unit("r_ctx")
    ('correct answers per 1,000 tokens', 'share')
    """
    return UNITS.get(metric.split("_low")[0].split("_errors")[0], "share")


_FREE = ("mean_T", "known_share", "r_ctx", "r_ctx_all", "r_answer")
"""Metrics that need no verdict."""

_RATES = ("r_ctx", "r_logic", "r_answer", "r_correct")

_DENOMINATORS = {
    "E0": ("tokens",),
    "accuracy": ("n",),
    "mean_T": ("n",),
    "known_share": ("n",),
    "r_ctx_all": ("known", "missing_known"),
    "accuracy_all": ("n", "missing"),
    "E0_low": ("tokens", "missing_budget"),
    "E0_errors_as_failures": ("tokens", "error_tokens"),
    "accuracy_errors_as_failures": ("n", "errors"),
}
"""Metric -> features whose sum it is divided by."""


def reason(metric: str, sums: Mapping[str, float], *, scored: bool, least_known: float = 0.95) -> str | None:
    """Why is a metric undefined for these sums of one model? Null where it is defined.

    >>> reason("r_ctx", dict(n=10, known=5), scored=True)
    'completion_unknown'
    >>> reason("E0", dict(n=10, tokens=9), scored=False), reason("E0", dict(n=10, tokens=9), scored=True)
    ('no_verdicts', None)
    """
    if metric not in _FREE and not scored:
        return "no_verdicts"
    if metric in _RATES:
        return _reason_of_rate(metric, sums, least_known)
    if metric == "E0_low" and sums["missing_without_budget"] > 0:
        return "budget_unknown"
    if sum(sums[name] for name in _DENOMINATORS[metric]) > 0:
        return None
    if metric == "r_ctx_all" and sums["n"] + sums["missing"] > 0:
        return "completion_unknown"
    if metric == "accuracy_all":
        return "no_verdicts"
    return "no_tokens" if sums["n"] > 0 else "no_runs_with_tokens"


def _reason_of_rate(metric: str, sums: Mapping[str, float], least_known: float) -> str | None:
    if sums["n"] == 0:
        return "no_runs_with_tokens"
    if sums["known"] == 0 or sums["known"] / sums["n"] < least_known:
        return "completion_unknown"
    if metric != "r_ctx" and sums["known_completed"] == 0:
        return "no_completed_run"
    if metric == "r_correct" and sums["known_completed"] == sums["refused"]:
        return "no_answered_run"
    return None
