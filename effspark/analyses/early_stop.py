"""How many tokens come after the right answer is there? Not a function of sums: medians need the runs.

    T' = ceil(T * characters of the shortest prefix that already gives the right answer / characters of the trace)
    gain = sum(T) / sum(T')  over all runs      wasted tail = (T - T') / T  over correct runs

The prefix is looked for in correct runs only, at ends of words; where there is none, T' = T. An upper bound: it stops
with the gold answer in hand, which no stopping rule can. Source: paper appendix G.6, definitions.md section 7.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import efficiency, ratio
from effspark.resampling.percentiles import median

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_WORD_END = re.compile(r"(?<=\S)(?=\s|\Z)")
_TO_WORD_END = re.compile(r"\s*\S+")


class EarlyStop(NamedTuple):
    """E0 as it is and with perfect stopping, the gain, and the wasted tails of one model; undefined is NaN."""

    efficiency: float
    stopped_efficiency: float
    gain: float
    mean_wasted_tail: float
    median_wasted_tail: float
    correct: int


class Summary(NamedTuple):
    """Over the models of a benchmark: median and maximum of the gains, median of the median tails."""

    median_gain: float
    max_gain: float
    median_wasted_tail: float


def shortest_prefix(
    trace: str, is_right: Callable[[str], bool], *, turns: Iterable[int] | None = None
) -> int | None:
    """Characters of the shortest prefix, up to the end of a word, that gives the right answer; null where none does.

    A longer prefix may be wrong again, so all are tried in turn, or those that end in the word of a turn.

    Parameters
    ----------
    turns
        Places of which the last word of that prefix, with the space before it, holds one (benchmarks/turns.py).

    >>> shortest_prefix("so 7. No, 8.", lambda text: text.endswith("7.")), shortest_prefix("so", lambda text: False)
    (5, None)
    """
    every = (found.start() for found in _WORD_END.finditer(trace))
    ends = every if turns is None else _ends(trace, turns)
    return first_right(ends, lambda end: is_right(trace[:end]))


def _ends(trace: str, places: Iterable[int]) -> Iterable[int]:
    """Ends of the words that hold some places, in order."""
    last = -1
    for place in sorted(set(places)):
        if place >= last and (word := _TO_WORD_END.match(trace, place)) is not None:
            last = word.end()
            yield last


def first_right(ends: Iterable[int], is_right: Callable[[int], bool]) -> int | None:
    """First end at which the answer is right; null where it is right at none.

    >>> first_right([1, 2, 3], lambda end: end == 2)
    2
    """
    return next((end for end in ends if is_right(end)), None)


def stopped_tokens(tokens: int, prefix: int | None, trace: int) -> int:
    """T' of a run from the characters (or token ids) of the prefix and of the whole trace.

    >>> stopped_tokens(100, 5, 12), stopped_tokens(100, None, 12)
    (42, 100)
    """
    return tokens if prefix is None else -(-tokens * prefix // trace)


def early_stop(tokens: Floats, stopped: Floats, correct: Bools) -> EarlyStop:
    """Early stopping of one model.

    Parameters
    ----------
    tokens, stopped, correct
        T, T' and S of each run, shape (runs,); T' of a run that is not correct is not looked at.

    >>> found = early_stop(np.array([100.0, 300.0]), np.array([25.0, 10.0]), np.array([True, False]))
    >>> found.gain, found.median_wasted_tail
    (1.2307692307692308, 0.75)
    """
    spent = np.where(correct, stopped, tokens)
    right, whole, short = (np.array(float(part)) for part in (correct.sum(), tokens.sum(), spent.sum()))
    tails = ratio((tokens - spent)[correct], tokens[correct])
    some = tails[~np.isnan(tails)]
    return EarlyStop(
        efficiency({"correct": right, "tokens": whole}).item(),
        efficiency({"correct": right, "tokens": short}).item(),
        ratio(whole, short).item(),
        float(some.mean()) if len(some) else np.nan,
        median(tails).item(),
        int(correct.sum()),
    )


def summary(gains: Floats, median_tails: Floats) -> Summary:
    """Row of a benchmark from those of its models, shape (models,).

    >>> summary(np.array([1.0, 1.5, 2.0]), np.array([0.0, 0.5, 0.9]))
    Summary(median_gain=1.5, max_gain=2.0, median_wasted_tail=0.5)
    """
    some = gains[~np.isnan(gains)]
    return Summary(
        median(gains).item(), float(some.max()) if len(some) else np.nan, median(median_tails).item()
    )
