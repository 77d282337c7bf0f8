"""Do models spend more on what they get wrong?

    ratio = mean T of incorrect completed runs / mean T of correct completed runs;  cut runs count on neither side

Harder instances are longer whoever solves them, so the ratio within instances stands beside it. With repeats:
sum over I of mean T of incorrect / sum over I of mean T of correct, over instances that have both. Without: mean over
incorrect runs of T / Tbar(I), by the same over correct runs, where Tbar(I) is the mean over at least three other models
of their mean completed T on I. Source: paper appendix G.4, definitions.md section 7.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import ratio

Floats = npt.NDArray[np.float64]

LEAST_OTHERS = 3


class Pattern(str, Enum):
    """What a ratio says of a model's failures."""

    OVER_INVEST = "Over-invest"
    MODERATE = "Moderate"
    BALANCED = "Balanced"
    SHORTER = "Shorter failures"
    UNDEFINED = "Undefined"


class Completed(NamedTuple):
    """Completed runs by verdict, and the sums of their T; one shape: (models,) or (instances, models)."""

    correct: Floats
    correct_tokens: Floats
    incorrect: Floats
    incorrect_tokens: Floats


class Selection(NamedTuple):
    """Mean T of correct and of incorrect completed runs, and their ratio; NaN where a side is empty."""

    mean_correct: Floats
    mean_incorrect: Floats
    ratio: Floats


def selection(runs: Completed) -> Selection:
    """Selection effect of every model.

    >>> one = selection(Completed(*(np.array(value) for value in (2.0, 300.0, 1.0, 300.0))))
    >>> [value.item() for value in one]
    [150.0, 300.0, 2.0]
    """
    right = ratio(runs.correct_tokens, runs.correct)
    wrong = ratio(runs.incorrect_tokens, runs.incorrect)
    return Selection(right, wrong, ratio(wrong, right))


def pattern(value: float) -> Pattern:
    """Pattern of a ratio, which is not rounded first.

    >>> [pattern(value).value for value in (1.1501, 1.15, 1.05, 0.9499, float("nan"))]
    ['Over-invest', 'Moderate', 'Balanced', 'Shorter failures', 'Undefined']
    """
    if np.isnan(value):
        return Pattern.UNDEFINED
    if value > 1.15:
        return Pattern.OVER_INVEST
    if value > 1.05:
        return Pattern.MODERATE
    return Pattern.BALANCED if value >= 0.95 else Pattern.SHORTER


def across_models(ratios: Floats) -> tuple[float, float]:
    """Mean and sample standard deviation of the defined ratios; NaN for none, and the deviation for one.

    >>> across_models(np.array([1.0, 2.0, np.nan]))
    (1.5, 0.7071067811865476)
    """
    some = ratios[~np.isnan(ratios)]
    mean = float(some.mean()) if len(some) else np.nan
    return mean, float(some.std(ddof=1)) if len(some) > 1 else np.nan


def within_instances(runs: Completed) -> Floats:
    """Ratio within instances, by repeats of a model that has any, else against other models.

    Parameters
    ----------
    runs
        Shape (instances, models).

    Returns
    -------
    Floats
        Shape (models,).

    >>> half = np.array([[1.0], [1.0]])
    >>> within_instances(Completed(half, half * 100, half, half * [[150], [250]]))
    array([2.])
    """
    repeated = ((runs.correct + runs.incorrect) > 1).any(axis=0)
    return np.where(repeated, by_repeats(runs), against_others(runs))


def by_repeats(runs: Completed) -> Floats:
    """Ratio over the instances that a model got both right and wrong; NaN where there are none.

    >>> by_repeats(Completed(*(np.array([[value]]) for value in (2.0, 200.0, 1.0, 150.0))))
    array([1.5])
    """
    wrong, right = met_both(runs)
    return ratio(wrong.sum(axis=0), right.sum(axis=0))


def met_both(runs: Completed) -> tuple[Floats, Floats]:
    """Mean T of incorrect and of correct runs where a model got an instance both ways, else 0; (instances, models).

    >>> met_both(Completed(*(np.array([[value]]) for value in (2.0, 200.0, 1.0, 150.0))))
    (array([[150.]]), array([[100.]]))
    """
    both = (runs.correct > 0) & (runs.incorrect > 0)
    right, wrong, _ = selection(runs)
    return np.where(both, wrong, 0.0), np.where(both, right, 0.0)


def against_others(runs: Completed) -> Floats:
    """Ratio of T relative to what at least three other models spend on the instance; NaN where a side is empty.

    >>> one = np.ones((2, 4))
    >>> right, tokens = one.copy(), one * 100
    >>> right[0, 0], tokens[0, 0] = 0, 300
    >>> against_others(Completed(right, tokens * right, one - right, tokens * (one - right)))
    array([ 3., nan, nan, nan])
    """
    relative = beside_others(runs)
    right = ratio(relative.correct_tokens.sum(axis=0), relative.correct.sum(axis=0))
    wrong = ratio(relative.incorrect_tokens.sum(axis=0), relative.incorrect.sum(axis=0))
    return ratio(wrong, right)


def beside_others(runs: Completed) -> Completed:
    """The runs whose instance at least three other models completed, T relative to what these spent there.

    >>> one = np.ones((1, 4))
    >>> beside_others(Completed(one, one * 100, one * 0, one * 0)).correct_tokens
    array([[1., 1., 1., 1.]])
    """
    spent = ratio(runs.correct_tokens + runs.incorrect_tokens, runs.correct + runs.incorrect)
    has = ~np.isnan(spent)
    others = has.sum(axis=1, keepdims=True) - has
    usual = ratio(np.nansum(spent, axis=1, keepdims=True) - np.where(has, spent, 0.0), others.astype(float))
    counts = (others >= LEAST_OTHERS) & (usual > 0)
    scale = np.where(counts, 1 / np.where(counts, usual, 1.0), 0.0)
    return Completed(
        runs.correct * counts,
        runs.correct_tokens * scale,
        runs.incorrect * counts,
        runs.incorrect_tokens * scale,
    )
