"""Who is the first of the pool to solve an instance, and with how many tokens? Work without a benchmark's help.

    W_solv(I) = cost of the highest-ranked model of the pool that is correct on I, falling through; none: no W_solv

The scale is operational: it depends on the pool and is no least length of a proof, so its coverage and the shares of
the solvers are always told. `first_solvers` answers for many pools at once, with a bit mask of the models that solved
each instance: the first solver is the lowest bit that mask and pool share. Source: paper section 3.2 and appendices B.2
and B.3, definitions.md section 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import ratio

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]

_WORD = 64
NOBODY = -1


class Solvers(NamedTuple):
    """W of every instance, NaN where nobody solved it; who solved it first, as a column, and its rank from 1.

    Where nobody solved it, `solver` is NOBODY and `rank` 0. Shape (instances,).
    """

    work: Floats
    solver: Ints
    rank: Ints


class Shares(NamedTuple):
    """How much of a scale a few solvers define. Shares are of the solved instances, coverage of all.

    `counts` are the instances that each model of the order solved first; `top` counts the most frequent solvers, `rank`
    the first of the order; `effective_solvers` is exp(Shannon entropy of the shares). Null is NaN.
    """

    coverage: float
    counts: Ints
    top1_share: float
    top3_share: float
    rank1_share: float
    rank3_share: float
    effective_solvers: float


def first_solvers(solves: Bools, pools: Bools) -> Ints:
    """Place of the first model of each pool that solved each instance.

    Parameters
    ----------
    solves
        Which models solved which instance, the models in the order in which they are tried; shape (instances, models).
    pools
        Which models each pool holds, shape (pools, models).

    Returns
    -------
    Ints
        Shape (pools, instances); NOBODY where no model of the pool solved the instance.

    >>> solves = np.array([[True, True], [False, True], [False, False]])
    >>> first_solvers(solves, np.array([[True, True], [True, False]]))
    array([[ 0,  1, -1],
           [ 0, -1, -1]])
    """
    masks, held = _masks(solves), _masks(pools)
    found = _lowest_bit(masks[:, 0] & held[:, :1])
    for word in range(1, masks.shape[1]):  # rarely more than a few are left
        pool, instance = np.nonzero(found == NOBODY)
        place = _lowest_bit(masks[instance, word] & held[pool, word])
        found[pool, instance] = np.where(place == NOBODY, NOBODY, place + word * _WORD)
    return found


def solver_work(cost: Floats, order: Ints) -> Solvers:
    """Solver-derived work of every instance for one pool.

    Parameters
    ----------
    cost
        Tokens of a solution, NaN where a model did not solve an instance, shape (instances, models).
    order
        Columns of the pool's models, the highest ranked first.

    >>> solver_work(np.array([[10.0, 5.0], [np.nan, 50.0], [np.nan, np.nan]]), np.array([0, 1]))
    Solvers(work=array([10., 50., nan]), solver=array([ 0,  1, -1]), rank=array([1, 2, 0]))
    """
    ranked = cost[:, order]
    place = first_solvers(~np.isnan(ranked), np.ones((1, len(order)), np.bool_))[0]
    return Solvers(at(ranked, place), np.append(order, NOBODY)[place], place + 1)


def at(ranked: Floats, place: Ints, *, nobody: float = np.nan) -> Floats:
    """Cost at the place of each instance's solver.

    Parameters
    ----------
    ranked
        Shape (instances, models).
    place
        Shape (..., instances).
    nobody
        Value where the place is NOBODY.

    >>> at(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, -1]))
    array([ 2., nan])
    """
    padded = np.concatenate([np.full((len(ranked), 1), nobody), ranked], axis=1)  # NOBODY is the first column
    begins = np.arange(len(ranked)) * padded.shape[1] - NOBODY
    taken: Floats = np.take(padded, place + begins)
    return taken


def shares(solvers: Solvers, order: Ints) -> Shares:
    """How much of the work a few solvers define.

    Parameters
    ----------
    solvers
        Work of the shared instances.
    order
        Columns of the pool's models, the highest ranked first.

    >>> found = shares(Solvers(np.ones(5), np.array([0, 1, 1, 1, -1]), np.array([1, 2, 2, 2, 0])), np.array([0, 1]))
    >>> found.coverage, found.top1_share, found.rank1_share, round(found.effective_solvers, 4)
    (0.8, 0.75, 0.25, 1.7548)
    """
    return shares_of(np.bincount(solvers.rank, minlength=len(order) + 1)[1:], len(solvers.rank))


def shares_of(counts: Ints, instances: int) -> Shares:
    """Shares from how many instances each model of the order solved first, of so many.

    >>> shares_of(np.array([1, 3]), 5).coverage
    0.8
    """
    solved = counts.sum()
    parts = ratio(counts.astype(float), np.full(len(counts), float(solved)))
    some = parts[parts > 0]
    often = np.sort(parts)[::-1]
    return Shares(
        coverage=ratio(np.array(float(solved)), np.array(float(instances))).item(),
        counts=counts,
        top1_share=often[:1].sum().item() if solved else np.nan,
        top3_share=often[:3].sum().item() if solved else np.nan,
        rank1_share=parts[:1].sum().item() if solved else np.nan,
        rank3_share=parts[:3].sum().item() if solved else np.nan,
        effective_solvers=np.exp(-(some * np.log(some)).sum()).item() if solved else np.nan,
    )


def _masks(flags: Bools) -> Words:
    """Rows of flags as 64-bit words, the first flag in the lowest bit; shape (rows, words)."""
    rows, size = flags.shape
    count = max(1, -(-size // _WORD))
    padded = np.zeros((rows, count * _WORD), np.bool_)
    padded[:, :size] = flags
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def _lowest_bit(words: Words) -> Ints:
    """Place of the lowest bit that is set, read from the exponent of its power of two; NOBODY for 0."""
    lowest = np.negative(words)
    lowest &= words
    place = lowest.astype(np.float64).view(np.int64)
    place >>= 52
    place -= 1023
    return np.maximum(place, NOBODY, out=place)
