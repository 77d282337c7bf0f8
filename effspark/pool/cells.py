"""What did each model spend on each instance, and what does it cost to solve it? Sums over runs, as arrays.

    cost(instance, model) = mean T over the model's correct runs on the instance with T > 0     (rule `mean`)

A cell is one model on one instance. The rule `mean` is a function of sums; `first` and `min` take the runs themselves
(`costs_of_runs`). Source: definitions.md section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import ratio

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Rule(str, Enum):
    """Which of a model's correct runs on an instance says what solving it costs."""

    MEAN = "mean"
    FIRST = "first"
    MIN = "min"


@dataclass(frozen=True)
class Cells:
    """Sums over the runs of each cell, shape (instances, models); `models` are display names, in the columns' order.

    `n` counts the runs in the outcome layer, `solving` the correct ones with T > 0, whose T are `solving_tokens`.
    """

    models: tuple[str, ...]
    n: Ints
    tokens: Ints
    correct: Ints
    solving: Ints
    solving_tokens: Ints

    @property
    def covered(self) -> Bools:
        """Which cells have a run."""
        return self.n > 0

    @property
    def cost(self) -> Floats:
        """Tokens of a solution by the rule `mean`; NaN where the model did not solve the instance."""
        return ratio(self.solving_tokens.astype(float), self.solving.astype(float))

    def at(self, instances: Bools | Ints) -> Cells:
        """Cells of some instances.

        >>> one = np.array([[1], [2]])
        >>> Cells(("a",), one, one, one, one, one).at(np.array([False, True])).n
        array([[2]])
        """
        return self._taken(self.models, (instances, slice(None)))

    def of(self, models: Ints) -> Cells:
        """Cells of some models, given by their columns, in that order.

        >>> one = np.array([[1, 2]])
        >>> Cells(("a", "b"), one, one, one, one, one).of(np.array([1, 0])).models
        ('b', 'a')
        """
        return self._taken(tuple(self.models[model] for model in models), (slice(None), models))

    def _taken(self, models: tuple[str, ...], where: tuple[Bools | Ints | slice, Ints | slice]) -> Cells:
        sums = (self.n, self.tokens, self.correct, self.solving, self.solving_tokens)
        return Cells(models, *(part[where] for part in sums))


def costs_of_runs(
    instance: Ints, model: Ints, tokens: Ints, solved: Bools, *, shape: tuple[int, int], rule: Rule
) -> Floats:
    """Tokens of a solution in every cell, from runs.

    Parameters
    ----------
    instance, model
        Row and column of the cell of each run, shape (runs,), in the order in which the runs were made.
    tokens, solved
        T, and S of each run; a run without tokens solves nothing.
    shape
        (instances, models).

    Returns
    -------
    Floats
        Shape `shape`; NaN where no run solved the instance.

    >>> one = np.zeros(3, int)
    >>> runs = (one, one, np.array([30, 50, 20]), np.array([False, True, True]))
    >>> [costs_of_runs(*runs, shape=(1, 1), rule=rule).item() for rule in Rule]
    [35.0, 50.0, 20.0]
    """
    solves = solved & (tokens > 0)
    cell, spent = (instance * shape[1] + model)[solves], tokens[solves]
    if rule is Rule.MEAN:
        total, count = (np.bincount(cell, of, shape[0] * shape[1]) for of in (spent, np.ones(len(cell))))
        return ratio(total.astype(float), count.astype(float)).reshape(shape)
    order = np.lexsort((spent, cell)) if rule is Rule.MIN else np.argsort(cell, kind="stable")
    cost = np.full(shape[0] * shape[1], np.nan)
    cells, begins = np.unique(cell[order], return_index=True)
    cost[cells] = spent[order][begins]
    return cost.reshape(shape)
