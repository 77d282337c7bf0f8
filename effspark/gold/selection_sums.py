"""Sums of selection effects: what a block adds where right and wrong runs are compared within instances.

    repeats   mean T of wrong and of right completed runs, on the instances that a model got both ways
    others    T beside what at least three other models spent on the instance, over right and over wrong runs

Source: paper appendix G.4, definitions.md section 7.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from effspark.analyses.selection import Completed, beside_others, met_both
from effspark.gold.block_sums import Sum
from effspark.gold.blocks import Block
from effspark.layers import fixed

PART = "selection"
REPEATED, MET_WRONG, MET_RIGHT = "repeated", "met_wrong", "met_right"
BESIDE = ("beside_correct", "beside_correct_tokens", "beside_incorrect", "beside_incorrect_tokens")
"""Numbers of the comparison with other models, in the order of `Completed`."""


def of_block(block: Block) -> Iterator[Sum]:
    """Sums of a block over all its instances, for every model."""
    runs = _completed(block)
    yield Sum(PART, REPEATED, fixed.whole(((runs.correct + runs.incorrect) > 1).astype(np.int64)).sum(axis=1))
    for name, values in zip((MET_WRONG, MET_RIGHT), met_both(runs), strict=True):
        yield Sum(PART, name, fixed.limbs(values).sum(axis=1))
    for name, values in zip(BESIDE, beside_others(runs), strict=True):
        yield Sum(PART, name, fixed.limbs(values).sum(axis=1))


def _completed(block: Block) -> Completed:
    """Runs of known completion that completed, by verdict."""
    done, done_tokens, right, right_tokens = (
        block.sums[name].astype(float)
        for name in ("known_completed", "known_completed_tokens", "known_correct", "known_correct_tokens")
    )
    return Completed(right, right_tokens, done - right, done_tokens - right_tokens)
