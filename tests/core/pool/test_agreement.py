"""Agreement of two scales: rho and shifts of overhead and of coupling, each from its own pair of columns."""

from __future__ import annotations

import numpy as np
import pytest

from effspark.layers.workload import Workload
from effspark.pool.agreement import agreement, of_models
from tests.core.pool import loops


def layer(overhead: list[float], coupling: list[float]) -> Workload:
    return Workload(np.array(overhead), np.array(coupling), np.ones(len(overhead)), np.ones(len(overhead)))


def test_overhead_and_coupling_are_compared_apart() -> None:
    one, other = layer([1, 2, 3, 4], [4, 3, 2, 1]), layer([1, 2, 4, 3], [4, 3, 2, 1])
    found = agreement(one, other)
    assert found.rho_overhead == pytest.approx(loops.rho([(1, 1), (2, 2), (3, 4), (4, 3)]))
    assert (found.rho_coupling, found.overhead_shift, found.coupling_shift) == (1.0, 1.0, 0.0)


def test_models_without_a_value_leave_first() -> None:
    found = agreement(layer([1, 2, np.nan, 4], [1, 1, 1, 1]), layer([1, 2, 3, 9], [1, 2, 3, 4]))
    assert (found.rho_overhead, found.overhead_shift) == (1.0, 0.0)
    assert np.isnan(found.rho_coupling)


def test_models_are_taken_from_the_last_axis() -> None:
    several = Workload(*(np.arange(6.0).reshape(2, 3) for _ in range(4)))
    assert of_models(several, np.array([2, 0])).overhead.tolist() == [[2, 0], [5, 3]]
