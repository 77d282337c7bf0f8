"""Would the order of models be another if something else than tokens were paid for?

    E_cost = 1000 * sum(S) / sum(cost)      cost: total tokens, characters, seconds, GPU hours, USD

The same S, another denominator. Runs without the column leave both sides, so E0 here is that of the runs which have it.
Source: paper appendices G.1 and G.2, definitions.md section 7.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import efficiency
from effspark.resampling.ranks import max_rank_shift, paired_ranks, spearman

Floats = npt.NDArray[np.float64]


class AlternativeCost(NamedTuple):
    """E0 and correct answers per 1,000 units of the cost, shape (models,), and how alike they rank the models."""

    efficiency: Floats
    alternative: Floats
    rho: float
    max_rank_shift: float
    models: int


def alternative_cost(correct: Floats, tokens: Floats, cost: Floats) -> AlternativeCost:
    """Rank models by another cost.

    Parameters
    ----------
    correct, tokens, cost
        Sums of S, T and the cost over the runs of each model that have the cost, shape (models,). A model without such
        runs has sums of 0 and no rank.

    >>> found = alternative_cost(np.array([2.0, 2.0, 1.0]), np.array([100.0, 200.0, 400.0]), np.array([9.0, 4.0, 6.0]))
    >>> found.efficiency, found.rho, found.max_rank_shift, found.models
    (array([20. , 10. ,  2.5]), 0.5, 1.0, 3)
    """
    by_tokens = efficiency({"correct": correct, "tokens": tokens})
    by_cost = efficiency({"correct": correct, "tokens": cost})
    ranked, _ = paired_ranks(by_tokens, by_cost)
    return AlternativeCost(
        by_tokens,
        by_cost,
        spearman(by_tokens, by_cost).item(),
        max_rank_shift(by_tokens, by_cost).item(),
        int((~np.isnan(ranked)).sum()),
    )
