"""How much does solver-derived work depend on single models of the pool? Leave out oneself, or the best.

    leave-self-out:  model m is measured by W of the pool without m          (only instances that m solved first change)
    leave-top-k:     the k best leave the pool and the models that are compared; W of the rest against W of all

The pool is ordered once; no audit orders it again. Rank agreement is over the models of the pool, on the shared
instances, each model on those it covers that have W. Source: paper appendix B.3, definitions.md section 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import ratio
from effspark.layers.workload import Workload, over_instances
from effspark.pool.agreement import Agreement, agreement
from effspark.pool.cells import Cells
from effspark.pool.solver import NOBODY, at, first_solvers, solver_work

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TOPS = (1, 3, 5)
"""How many of the best leave, in turn."""


class LeaveSelfOut(NamedTuple):
    """Workload layer under the full pool and under the pool without oneself, models in the pool's order.

    `coverage` is the share of the shared instances that the others solve, shape (models,); `full_coverage` that of all.
    """

    base: Workload
    perturbed: Workload
    agreement: Agreement
    coverage: Floats
    full_coverage: float


class LeaveTop(NamedTuple):
    """Workload layer of the models that are left, under the full pool and under what is left of it, in its order."""

    k: int
    base: Workload
    perturbed: Workload
    agreement: Agreement
    coverage: float


def leave_self_out(cells: Cells, order: Ints, *, cost: Floats | None = None) -> LeaveSelfOut:
    """Measure every model of the pool without its own help.

    Parameters
    ----------
    cells
        Shared instances.
    order
        Columns of the pool's models, the highest ranked first.
    cost
        Tokens of a solution, shape (instances, models); by the rule `mean` where null.

    >>> n = np.ones((4, 3), int)
    >>> tokens, right = np.array([[4, 6, 9], [2, 8, 9], [3, 5, 9], [7, 7, 9]]), np.array([[1, 1, 1]] * 3 + [[0, 1, 1]])
    >>> found = leave_self_out(Cells(("a", "b", "c"), n, tokens, right, right, tokens * right), np.array([0, 1, 2]))
    >>> found.base.overhead.round(4), found.perturbed.overhead.round(4), found.coverage
    (array([1.    , 2.0417, 2.7589]), array([0.6292, 1.9861, 2.7589]), array([1., 1., 1.]))
    """
    ranked, mine = _ranked(cells, order, cost)
    full, without = solver_work(ranked, np.arange(len(order))), without_self(ranked)
    base, perturbed = over_instances(*mine, full.work), over_instances(*mine, without)
    count = np.full(len(order), float(len(ranked)))
    coverage = ratio((~np.isnan(without)).sum(axis=0).astype(float), count)
    return LeaveSelfOut(base, perturbed, agreement(base, perturbed), coverage, _share(full.solver))


def without_self(ranked: Floats) -> Floats:
    """W of every instance for each model, from the pool without that model.

    Parameters
    ----------
    ranked
        Tokens of a solution, NaN where a model did not solve an instance, shape (instances, models); the models in
        the pool's order.

    Returns
    -------
    Floats
        Shape (instances, models).

    >>> without_self(np.array([[10.0, 5.0], [np.nan, 50.0]]))
    array([[ 5., 10.],
           [50., nan]])
    """
    solved, models = ~np.isnan(ranked), np.arange(ranked.shape[1])
    everyone = np.ones((1, len(models)), np.bool_)
    first = first_solvers(solved, everyone)[0]
    second = first_solvers(solved & (models != first[:, None]), everyone)[0]
    without: Floats = at(ranked, np.where(models[:, None] == first, second, first)).T
    return without


def leave_top(cells: Cells, order: Ints, k: int, *, cost: Floats | None = None) -> LeaveTop:
    """Measure the models that are left when the k best leave the pool.

    Parameters
    ----------
    cells, order, cost
        As in `leave_self_out`.
    k
        How many leave.

    >>> n = np.ones((4, 3), int)
    >>> tokens, right = np.array([[4, 6, 9], [2, 8, 9], [3, 5, 9], [7, 7, 9]]), np.array([[1, 1, 1]] * 3 + [[0, 1, 1]])
    >>> found = leave_top(Cells(("a", "b", "c"), n, tokens, right, right, tokens * right), np.array([0, 1, 2]), 1)
    >>> found.perturbed.overhead.round(4), found.agreement.rho_overhead
    (array([1.    , 1.4277]), array(nan))
    """
    left = order[k:]
    ranked, mine = _ranked(cells, left, cost)
    rest = solver_work(ranked, np.arange(len(left)))
    full = solver_work(cells.cost if cost is None else cost, order)
    base, perturbed = over_instances(*mine, full.work), over_instances(*mine, rest.work)
    return LeaveTop(k, base, perturbed, agreement(base, perturbed), _share(rest.solver))


def _ranked(cells: Cells, order: Ints, cost: Floats | None) -> tuple[Floats, tuple[Floats, Floats]]:
    """Costs of the models in order, and their runs and tokens."""
    costs = cells.cost if cost is None else cost
    n, tokens = (np.take(part, order, axis=1).astype(float) for part in (cells.n, cells.tokens))
    return np.take(costs, order, axis=1), (n, tokens)


def _share(solver: Ints) -> float:
    """Share of the instances that anybody solved; NaN where there are none."""
    return float(np.mean(solver != NOBODY)) if len(solver) else np.nan
