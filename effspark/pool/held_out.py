"""Would another half of the pool have given the same order of models? Held-out reference pools, many splits at once.

    split s: W_s from the reference models;  VO, kappa of the others under W_s, against those under W of the full pool

Each model is measured on its own covered instances that have W. All splits are one kernel: first solvers by bit masks,
then sums of T and n against [W > 0], W and 1 / W of every split as exact matrix products, block by block of instances,
so that nothing is kept for each run and split. Source: paper appendix B.3, definitions.md section 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers import fixed
from effspark.layers.outcome import ratio
from effspark.layers.workload import Workload, over_instances, workload
from effspark.pool.cells import Cells
from effspark.pool.solver import NOBODY, at, first_solvers, solver_work
from effspark.resampling.percentiles import median, percentile
from effspark.resampling.ranks import spearman

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

BLOCK = 512
"""Instances that are summed at once: with 200 splits what fits a cache."""
TAILS = (0.05, 0.95)


class HeldOut(NamedTuple):
    """What each split gives, shape (splits,): coverage, rho of VO and of kappa; undefined is NaN."""

    coverage: Floats
    rho_overhead: Floats
    rho_coupling: Floats


class SplitSums(NamedTuple):
    """Sums over the instances that a split's reference solves: of n, T, W and T/W of each model, as limbs.

    `solved` counts the instances, shape (splits,); the others have shape (LIMBS, splits, models).
    """

    solved: Ints
    n: Ints
    tokens: Ints
    work: Ints
    tokens_per_work: Ints


class Summary(NamedTuple):
    """Medians over the splits, the 5 and 95 % of rho of VO, and how many splits have no rho."""

    splits: int
    median_coverage: float
    median_rho_overhead: float
    median_rho_coupling: float
    low_rho_overhead: float
    high_rho_overhead: float
    undefined_rho_overhead: int
    undefined_rho_coupling: int


def held_out(cells: Cells, order: Ints, reference: Bools, *, cost: Floats | None = None) -> HeldOut:
    """Measure the evaluated half of every split under the work of its reference half.

    Parameters
    ----------
    cells
        Shared instances.
    order
        Columns of the pool's models, the highest ranked first; not ordered again within a split.
    reference
        Which models of `cells` are the reference of each split, shape (splits, models); others of the pool are
        evaluated.
    cost
        Tokens of a solution, shape (instances, models); by the rule `mean` where null.

    >>> n = np.ones((2, 4), int)
    >>> tokens = n * [1, 2, 3, 4]
    >>> one = Cells(tuple("abcd"), n, tokens, n, n, tokens)
    >>> held_out(one, np.arange(4), np.array([[True, False, False, False]]))
    HeldOut(coverage=array([1.]), rho_overhead=array([1.]), rho_coupling=array([nan]))
    """
    held, costs = reference[:, order], cells.cost if cost is None else cost
    ranked = np.take(costs, order, axis=1)
    n, tokens = (np.take(part, order, axis=1) for part in (cells.n, cells.tokens))
    full = over_instances(
        n.astype(float), tokens.astype(float), solver_work(ranked, np.arange(len(order))).work
    )
    sums = split_sums(n, tokens, ranked, held)
    layer = workload(*map(fixed.totals, (sums.n, sums.tokens, sums.work, sums.tokens_per_work)))
    return agreements(
        full, layer, held, ratio(sums.solved.astype(float), np.full(len(held), float(len(ranked))))
    )


def agreements(full: Workload, split: Workload, held: Bools, coverage: Floats) -> HeldOut:
    """How the evaluated models of every split are ordered, under its work and under that of the full pool.

    Parameters
    ----------
    full, split
        Workload layer of the pool's models, shape (models,) and (splits, models).
    held
        Which models are the reference of each split, shape (splits, models).
    coverage
        Share of the instances that each split's reference solves, shape (splits,).
    """
    evaluated = Workload(*(np.where(held, np.nan, part) for part in split))
    return HeldOut(
        coverage,
        spearman(*np.broadcast_arrays(full.overhead, evaluated.overhead)),
        spearman(*np.broadcast_arrays(full.coupling, evaluated.coupling)),
    )


def summary(found: HeldOut) -> Summary:
    """Medians and tails over the splits; a split without rho is dropped there and counted.

    >>> summary(HeldOut(np.array([0.5, 1.0]), np.array([np.nan, 1.0]), np.array([0.0, 1.0])))[:4]
    (2, 0.75, 1.0, 0.5)
    """
    low, high = (percentile(found.rho_overhead, tail).item() for tail in TAILS)
    return Summary(
        splits=len(found.coverage),
        median_coverage=median(found.coverage).item(),
        median_rho_overhead=median(found.rho_overhead).item(),
        median_rho_coupling=median(found.rho_coupling).item(),
        low_rho_overhead=low,
        high_rho_overhead=high,
        undefined_rho_overhead=int(np.isnan(found.rho_overhead).sum()),
        undefined_rho_coupling=int(np.isnan(found.rho_coupling).sum()),
    )


def split_sums(n: Ints, tokens: Ints, ranked: Floats, held: Bools) -> SplitSums:
    """Sums under the work of every split.

    Parameters
    ----------
    n, tokens
        Runs and sum of T of the pool's models in order, shape (instances, models).
    ranked
        Tokens of a solution, NaN where a model did not solve an instance, shape (instances, models).
    held
        Which models are the reference of each split, shape (splits, models).

    >>> one = np.array([[2, 4]])
    >>> found = split_sums(np.ones((1, 2), int), one, one.astype(float), np.array([[True, False], [False, True]]))
    >>> found.solved, fixed.totals(found.tokens_per_work)
    (array([1, 1]), array([[1. , 2. ],
           [0.5, 1. ]]))
    """
    solved = np.zeros(len(held), np.int64)
    runs, spent = np.zeros((2, *held.shape), np.int64)
    work = _Products(np.nan_to_num(ranked), n, held.shape)
    ratios = _Products(np.nan_to_num(1 / ranked), tokens, held.shape)
    for begin in range(0, len(ranked), BLOCK):
        block = slice(begin, begin + BLOCK)
        place = first_solvers(~np.isnan(ranked[block]), held)
        lost = place == NOBODY
        rows = np.flatnonzero(lost.any(axis=0))  # few: all others count whole in every split
        less = lost[:, rows].astype(float)
        solved += lost.shape[1] - lost[:, rows].sum(axis=1)
        for summed, part in ((runs, n[block]), (spent, tokens[block])):
            summed += (part.sum(axis=0) - less @ part[rows].astype(float)).astype(np.int64)
        work.add(block, place)
        ratios.add(block, place)
    return SplitSums(solved, fixed.whole(runs), fixed.whole(spent), work.limbs(), ratios.limbs())


class _Products:
    """Sums over instances of a real of each split's solver times a whole number of each model, exact."""

    def __init__(self, reals: Floats, counts: Ints, shape: tuple[int, ...]) -> None:
        self._parts = fixed.cut(reals, BLOCK * int(counts.max(initial=0)))
        self._counts = counts.astype(float)
        self._sums = [np.zeros(shape, np.int64) for _ in self._parts]
        self._none = np.zeros((fixed.LIMBS, *shape), np.int64)

    def add(self, block: slice, place: Ints) -> None:
        """The instances of a block, solved by the model at `place`, shape (splits, instances)."""
        for (part, _), summed in zip(self._parts, self._sums, strict=True):
            summed += (at(part[block], place, nobody=0.0) @ self._counts[block]).astype(np.int64)

    def limbs(self) -> Ints:
        """The sums, shape (LIMBS, splits, models)."""
        placed = (
            fixed.placed(summed, place) for (_, place), summed in zip(self._parts, self._sums, strict=True)
        )
        return sum(placed, self._none)
