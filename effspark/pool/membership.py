"""Which models may define work, on which instances, and in which order are they tried?

    pool = the set in conf, else the models that cover at least 95 % of the instances
    shared = instances that every model of the pool covers
    order = by E0 on the shared instances, then accuracy, then name; no audit orders again

The models outside the pool are evaluated all the same and do not shrink the shared set. Source: paper appendix B.2,
definitions.md sections 2, 3 and 5.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.errors import SettingsError, problem
from effspark.pool.cells import Cells

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

LEAST_COVERAGE = 0.95
COVERS_TOO_FEW = "covers_too_few_instances"
NOT_DECLARED = "not_in_declared_pool"
NO_TOKENS = "no_tokens"
"""Why a model defines no work."""


class Pool(NamedTuple):
    """Columns of the pool's models in order, the shared instances, and why each other model defines no work.

    A model of the pool that generated no token on the shared instances has no E0 and so no place in the order.
    """

    order: Ints
    shared: Bools
    reasons: dict[str, str]


def pool(
    cells: Cells, *, declared: Collection[str] | None = None, least_coverage: float = LEAST_COVERAGE
) -> Pool:
    """Pool of one benchmark.

    Parameters
    ----------
    declared
        Names of the pool's models where conf names them; any coverage is then enough.
    least_coverage
        Share of the instances that a model must cover where conf names none.

    Raises
    ------
    SettingsError
        A declared model is not among those of the cells.

    >>> n = np.array([[1, 1, 1], [1, 1, 0]])
    >>> found = pool(Cells(("a", "b", "c"), n, n * [9, 5, 7], n, n, n * [9, 5, 7]))
    >>> found.order, found.shared, found.reasons
    (array([1, 0]), array([ True,  True]), {'c': 'covers_too_few_instances'})
    """
    names = np.array(cells.models)
    if declared is not None:
        unknown = sorted(set(declared) - set(cells.models))
        if unknown:
            raise SettingsError(
                problem(
                    "models of the declared pool have no runs",
                    where="conf pool",
                    found=", ".join(unknown),
                    allowed=", ".join(cells.models),
                    remedy="name models of this benchmark",
                )
            )
        members, reason = np.isin(names, list(declared)), NOT_DECLARED
    else:
        members, reason = covers_enough(cells, least_coverage), COVERS_TOO_FEW
    shared = np.asarray(cells.covered[:, members].all(axis=1))
    ordered = order(cells.at(shared))
    outside = dict.fromkeys(names[~members].tolist(), reason)
    silent = np.setdiff1d(np.flatnonzero(members), ordered)
    reasons = outside | dict.fromkeys(names[silent].tolist(), NO_TOKENS)
    return Pool(ordered[members[ordered]], shared, reasons)


def covers_enough(cells: Cells, least_coverage: float) -> Bools:
    """Which models cover so large a share of the instances, shape (models,).

    >>> n = np.array([[1, 1], [1, 0]])
    >>> covers_enough(Cells(("a", "b"), n, n, n, n, n), 0.95)
    array([ True, False])
    """
    share = cells.covered.sum(axis=0) / max(1, len(cells.n))
    enough: Bools = share >= least_coverage
    return enough


def order(cells: Cells) -> Ints:
    """Columns of the models by E0, then accuracy, both highest first, then name; a model of undefined E0 has no place.

    >>> n = np.array([[4, 2, 2, 1]])
    >>> order(Cells(("b", "c", "a", "d"), n, n * 0 + [400, 400, 400, 0], n * 0 + [2, 2, 2, 0], n, n))
    array([2, 1, 0])
    """
    sums = (part.sum(axis=0).tolist() for part in (cells.n, cells.tokens, cells.correct))
    return np.array(by_efficiency(cells.models, *sums), np.int64)


def by_efficiency(
    names: Sequence[str], n: Sequence[int], tokens: Sequence[int], correct: Sequence[int]
) -> list[int]:
    """Places of the models in the order of `order`, from their sums over the shared instances.

    >>> by_efficiency(["b", "a", "c"], [4, 4, 4], [400, 400, 0], [2, 2, 0])
    [1, 0]
    """
    scored = [
        (-1000 * correct[model] / tokens[model], -correct[model] / n[model], name, model)
        for model, name in enumerate(names)
        if tokens[model] > 0
    ]
    return [model for *_, model in sorted(scored)]
