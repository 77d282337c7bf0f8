"""Sums of the workload layer: what a block adds on each scale of work, for each model and instance set.

    own, shared: the model's own runs      pair, pair_reference: those of a model and of its reference on the instances
                                           that both cover

All factors of the layer are computed on the runs that have W, so the outcome sums are taken again on these. Source:
definitions.md section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from effspark.gold.block_sums import Sum
from effspark.gold.blocks import Block, Bools, Floats, Ints
from effspark.layers import fixed
from effspark.layers.workload import has_work

PART = "workload"

COUNTED = ("n", "tokens", "correct", "known", "known_completed", "known_correct", "known_tokens")
"""Features of moments that the layer uses."""
NAMES = (*COUNTED, "work", "tokens_per_work", "known_work", "known_tokens_per_work")
"""Numbers of this part: sums over the runs that have W, and over those of them whose completion is known."""


def of_block(block: Block, references: Mapping[str, str]) -> Iterator[Sum]:
    """Sums of a block on all its scales.

    Parameters
    ----------
    references
        model_id -> model_id of its reference.
    """
    reference = np.array([_place(block, references.get(model, "")) for model in block.models], np.int64)
    met = reference >= 0
    both = block.covers & block.covers[:, reference] & met
    sets = {
        "own": np.ones_like(block.covers),
        "shared": np.broadcast_to(block.shared[:, None], block.covers.shape),
    }
    for scale, work in block.work.items():
        has = has_work(work)
        if not has.any():
            continue
        numbers = _numbers(block, np.where(has, work, 1.0))
        for instance_set, mask in {**sets, "pair": both}.items():
            yield from _summed(numbers, mask & has[:, None], scale, instance_set)
        theirs = {name: limbs[:, :, reference] for name, limbs in numbers.items()}
        yield from _summed(theirs, both & has[:, None], scale, "pair_reference")


def _place(block: Block, model: str) -> int:
    return block.models.index(model) if model in block.models else -1


def _numbers(block: Block, work: Floats) -> dict[str, Ints]:
    """Limbs of every number of each cell, shape (LIMBS, instances, models)."""
    each = {name: block.sums[name] for name in COUNTED}
    real = {
        "work": each["n"] * work[:, None],
        "tokens_per_work": each["tokens"] / work[:, None],
        "known_work": each["known"] * work[:, None],
        "known_tokens_per_work": each["known_tokens"] / work[:, None],
    }
    return {name: fixed.whole(values) for name, values in each.items()} | {
        name: fixed.limbs(values) for name, values in real.items()
    }


def _summed(numbers: Mapping[str, Ints], mask: Bools, scale: str, instance_set: str) -> Iterator[Sum]:
    for name, limbs in numbers.items():
        yield Sum(PART, name, (limbs * mask).sum(axis=1), scale, instance_set)
