"""Would another half of the pool have given the same order of models? Held-out reference pools, many splits at once.

    split s: W_s from the reference models;  VO, kappa of the others under W_s, against those under W of the full pool

Each model is measured on its own covered instances that have W. All splits are one kernel: first solvers by bit masks,
then sums of T and n against [W > 0], W and 1 / W of every split as matrix products, block by block of instances, so
that nothing is kept for each run and split. Source: paper appendix B.3, definitions.md section 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
    n, tokens = (np.take(part, order, axis=1).astype(float) for part in (cells.n, cells.tokens))
    under_full = over_instances(n, tokens, solver_work(ranked, np.arange(len(order))).work)
    under_split, solved = _under_splits(n, tokens, ranked, held)
    evaluated = Workload(*(np.where(held, np.nan, part) for part in under_split))
    coverage = ratio(solved, np.full(len(held), float(len(ranked))))
    return HeldOut(
        coverage,
        spearman(*np.broadcast_arrays(under_full.overhead, evaluated.overhead)),
        spearman(*np.broadcast_arrays(under_full.coupling, evaluated.coupling)),
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


def _under_splits(n: Floats, tokens: Floats, ranked: Floats, held: Bools) -> tuple[Workload, Floats]:
    """Workload layer of every model under every split, shape (splits, models), and how many instances are solved."""
    count, runs, spent, work, ratios = np.zeros(len(held)), *np.zeros((4, *held.shape))
    for begin in range(0, len(ranked), BLOCK):
        block = slice(begin, begin + BLOCK)
        costs = ranked[block]
        place = first_solvers(~np.isnan(costs), held)
        lost = place == NOBODY
        rows = np.flatnonzero(lost.any(axis=0))  # few: all others count whole in every split
        less = lost[:, rows].astype(float)
        count += len(costs) - less.sum(axis=1)
        runs += n[block].sum(axis=0) - less @ n[block][rows]
        spent += tokens[block].sum(axis=0) - less @ tokens[block][rows]
        work += at(costs, place, nobody=0.0) @ n[block]
        ratios += at(1 / costs, place, nobody=0.0) @ tokens[block]
    return workload(runs, spent, work, ratios), count
