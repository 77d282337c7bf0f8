"""Alternative costs: the shared vectors, and runs without the column on neither side."""

from __future__ import annotations

import math

import numpy as np
import pytest

from effspark.analyses.costs import AlternativeCost, alternative_cost
from tests.core.pool.loops import Run, names, of, success, vector


def compared(runs: list[Run], column: str) -> AlternativeCost:
    sums = []
    for model in names(runs, "model"):
        have = [run for run in of(runs, model) if run[column] is not None]
        sums.append(
            [sum(part) for part in zip(*((success(r), r["tokens"], r[column]) for r in have), strict=True)]
        )
    return alternative_cost(*np.array(sums, float).T)


@pytest.mark.parametrize("column", ["chars", "seconds", "total_tokens"])
def test_the_vectors_of_alternative_costs_pass(column: str) -> None:
    given, expected = vector(f"alternative_cost_{column}")
    assert given["column"] == column
    found = compared(given["runs"], column)
    for row, by_tokens, by_cost in zip(expected["table"], found.efficiency, found.alternative, strict=True):
        assert (by_tokens, by_cost) == pytest.approx((row["E0"], row["alt"]), rel=1e-12)
    told = {"rho": found.rho, "max_rank_shift": found.max_rank_shift, "models": found.models}
    assert told == pytest.approx({name: expected[name] for name in told}, rel=1e-12)


def test_runs_without_the_column_leave_both_sides() -> None:
    given, _ = vector("alternative_cost_seconds")
    some = [run for place, run in enumerate(given["runs"]) if place % 3]
    blanked = [
        run | {"seconds": run["seconds"] if place % 3 else None} for place, run in enumerate(given["runs"])
    ]
    whole, part = compared(some, "seconds"), compared(blanked, "seconds")
    np.testing.assert_array_equal(whole.efficiency, part.efficiency)
    np.testing.assert_array_equal(whole.alternative, part.alternative)


def test_a_model_without_the_column_has_no_rank() -> None:
    found = alternative_cost(
        np.array([1.0, 2.0, 3.0, 0.0]), np.full(4, 10.0) * [1, 1, 1, 0], np.array([3.0, 2.0, 1.0, 0.0])
    )
    assert (found.rho, found.models) == (1.0, 3)
    assert math.isnan(found.alternative[3])
