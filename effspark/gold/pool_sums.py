"""Sums of the pool's audits: what a block adds for each model of the pool under every scale that an audit derives.

    leave_self_out   W from the pool without the model itself
    leave_top_k      W from the pool without its k best, for the others
    held_out         W from the reference half of a split, for every split
    common           native and solver-derived W on the instances that have both

All on the shared instances. The scale of the full pool is one more scale of work_sums.py. Source: paper appendix B.3,
definitions.md section 5.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from effspark.gold.block_sums import ALL, Sum
from effspark.gold.blocks import Block, Floats, Ints
from effspark.gold.pools import Pool
from effspark.layers import fixed
from effspark.layers.outcome import ratio
from effspark.layers.workload import SOLVER_SCALE, has_work
from effspark.pool.held_out import split_sums
from effspark.pool.sensitivity import TOPS, without_self
from effspark.pool.solver import solver_work

POOL, LEAVE_SELF_OUT, HELD_OUT, COMMON, COVERED = "pool", "leave_self_out", "held_out", "common", "covered"
LAYER = ("n", "tokens", "work", "tokens_per_work")
"""Sums that make a workload layer."""
SOLVED, FIRST, INSTANCES = "solved", "first", "instances"
"""Instances that are solved, that a model is the first to solve, and all of them."""


def leave_top(k: int) -> str:
    """Part of the audit without the k best.

    >>> leave_top(3)
    'leave_top_3'
    """
    return f"leave_top_{k}"


def of_block(block: Block, pool: Pool) -> Iterator[Sum]:
    """Sums of a block for the audits of one benchmark's pool."""
    yield from _covered(block)
    if not pool.order or not block.shared.any():
        return
    columns = [block.models.index(model) for model in pool.order]  # all cover a shared instance
    n, tokens, solving, solving_tokens = (
        block.sums[name][block.shared][:, columns] for name in ("n", "tokens", "solving", "solving_tokens")
    )
    ranked = ratio(solving_tokens.astype(float), solving.astype(float))
    every = np.arange(len(columns))
    rank = solver_work(ranked, every).rank
    yield _count(POOL, INSTANCES, len(rank))
    yield _count(POOL, SOLVED, int((rank > 0).sum()))
    firsts = np.bincount(rank, minlength=len(columns) + 1)[1:]
    yield Sum(POOL, FIRST, fixed.whole(firsts), models=pool.order)
    without = without_self(ranked)
    yield from _layer(LEAVE_SELF_OUT, n, tokens, without, pool.order)
    yield Sum(LEAVE_SELF_OUT, SOLVED, fixed.whole((~np.isnan(without)).sum(axis=0)), models=pool.order)
    for k in TOPS:
        rest = solver_work(ranked[:, k:], every[:-k]).work
        yield from _layer(leave_top(k), n[:, k:], tokens[:, k:], rest[:, None], pool.order[k:])
        yield _count(leave_top(k), SOLVED, int((~np.isnan(rest)).sum()))
    yield from _held_out(n, tokens, ranked, pool)
    yield from _common(block, n, tokens, pool)


def _covered(block: Block) -> Iterator[Sum]:
    """How many instances anybody covers, and how many of them have work, on each scale."""
    met = block.covers.any(axis=1)
    yield _count(COVERED, INSTANCES, int(met.sum()))
    for scale, work in block.work.items():
        yield _count(COVERED, "with_work", int((met & has_work(work)).sum()), scale=scale)


def _held_out(n: Ints, tokens: Ints, ranked: Floats, pool: Pool) -> Iterator[Sum]:
    found = split_sums(n, tokens, ranked, pool.splits)
    for split, solved in enumerate(found.solved):
        yield _count(HELD_OUT, SOLVED, int(solved), place=split)
        for name in LAYER:
            limbs = getattr(found, name)[:, split]
            yield Sum(HELD_OUT, name, limbs, place=split, models=pool.order)


def _common(block: Block, n: Ints, tokens: Ints, pool: Pool) -> Iterator[Sum]:
    """Both scales on the instances that have both, for every native scale."""
    solver = block.work[SOLVER_SCALE][block.shared]
    for scale, whole in block.work.items():
        native = whole[block.shared]
        both = has_work(native) & has_work(solver)
        if scale == SOLVER_SCALE or not both.any():
            continue
        for instance_set, work in (("native", native), ("solver", solver)):
            one = np.where(both, work, np.nan)[:, None]
            yield from _layer(COMMON, n, tokens, one, pool.order, scale=scale, instance_set=instance_set)


def _layer(
    part: str,
    n: Ints,
    tokens: Ints,
    work: Floats,
    models: tuple[str, ...],
    *,
    scale: str = "",
    instance_set: str = "",
) -> Iterator[Sum]:
    """Sums of a workload layer; W of shape (instances, models) or (instances, 1)."""
    has = has_work(work)
    each: Floats = np.where(has, work, 1.0)
    sums = {
        "n": fixed.whole(n * has),
        "tokens": fixed.whole(tokens * has),
        "work": fixed.limbs(n.astype(float) * np.where(has, each, 0.0)),
        "tokens_per_work": fixed.limbs(tokens * has / each),
    }
    for name, limbs in sums.items():
        yield Sum(part, name, limbs.sum(axis=1), scale, instance_set, models=models)


def _count(part: str, name: str, count: int, *, scale: str = "", place: int = 0) -> Sum:
    """A number that is of no model."""
    return Sum(part, name, fixed.whole(np.array([count])), scale, place=place, models=(ALL,))
