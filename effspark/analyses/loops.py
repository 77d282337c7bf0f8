"""Do truncated runs end in a loop, or in a copy of the prompt?

    tail = last 512 words of the text      repeated fraction = 1 - distinct n-grams / n-grams of the tail
    repeated members = share of n-grams that come at least twice      prompt copy = share of n-grams that the prompt has

Words are what stands between white space, n is 4; both are told with the result. A tail of fewer words than n has no
n-gram and no measure. Source: paper appendix G.7, definitions.md section 7.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import ratio
from effspark.resampling.percentiles import median

Floats = npt.NDArray[np.float64]

N = 4
WINDOW = 512


class Tail(NamedTuple):
    """Measures of one tail; fractions from 0 to 1, NaN where it has no n-gram (prompt copy also without a prompt)."""

    n_grams: int
    repeated_fraction: float
    repeated_member_fraction: float
    prompt_copy: float


class Truncations(NamedTuple):
    """Row of a benchmark: rates over models, tails over truncated runs."""

    rates: Floats
    total: int
    max_rate: float
    median_rate: float
    mean_repeated: float
    mean_prompt_copy: float


def tail(text: str, prompt: str | None, *, n: int = N, window: int = WINDOW) -> Tail:
    """Measures of the tail of a truncated text.

    >>> tail("q a a a a a a", "a a a a b", window=6)
    Tail(n_grams=3, repeated_fraction=0.6666666666666667, repeated_member_fraction=1.0, prompt_copy=1.0)
    """
    found = Counter(_n_grams(text.split()[-window:], n))
    count = found.total()
    if not count:
        return Tail(0, np.nan, np.nan, np.nan)
    asked = set(_n_grams(prompt.split(), n)) if prompt is not None else None
    copied = np.nan if asked is None else sum(times for gram, times in found.items() if gram in asked) / count
    repeated = sum(times for times in found.values() if times > 1)
    return Tail(count, 1 - len(found) / count, repeated / count, copied)


def truncations(truncated: Floats, runs: Floats, repeated: Floats, copied: Floats) -> Truncations:
    """Row of a benchmark.

    Parameters
    ----------
    truncated, runs
        Truncated runs and all runs of each model, shape (models,).
    repeated, copied
        Repeated fraction and prompt copy of every truncated run, NaN where undefined, shape (truncated runs,).

    >>> truncations(np.array([1.0, 0.0]), np.array([4.0, 4.0]), np.array([0.5]), np.array([np.nan]))
    Truncations(rates=array([0.25, 0.  ]), total=1, max_rate=0.25, median_rate=0.125, mean_repeated=0.5,
                mean_prompt_copy=nan)
    """
    rates = ratio(truncated, runs)
    some = rates[~np.isnan(rates)]
    return Truncations(
        rates,
        int(truncated.sum()),
        float(some.max()) if len(some) else np.nan,
        median(rates).item(),
        _mean(repeated),
        _mean(copied),
    )


def _n_grams(words: list[str], n: int) -> list[tuple[str, ...]]:
    return list(zip(*(words[start:] for start in range(n)), strict=False))


def _mean(values: Floats) -> float:
    some = values[~np.isnan(values)]
    return float(some.mean()) if len(some) else np.nan
