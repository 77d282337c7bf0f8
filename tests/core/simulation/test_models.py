from __future__ import annotations

import pytest

from effspark.simulation.models import Behaviour, Model, chance_right, mean_tokens


def test_at_mean_work_coupling_and_slope_change_nothing() -> None:
    plain = Behaviour(completion=1, correctness=0.7, overhead=50)
    bent = Behaviour(completion=1, correctness=0.7, overhead=50, slope=0.4, coupling=0.5)
    assert mean_tokens(plain, 5, mean_work=5) == mean_tokens(bent, 5, mean_work=5) == 250
    assert chance_right(plain, 5, mean_work=5) == chance_right(bent, 5, mean_work=5) == 0.7


def test_coupling_raises_overhead_with_work() -> None:
    coupled = Behaviour(completion=1, correctness=1, overhead=50, coupling=0.5)
    assert [mean_tokens(coupled, work, mean_work=4) / work for work in (2, 4, 8)] == [37.5, 50, 75]


@pytest.mark.parametrize(("work", "chance"), [(1, 1.0), (4, 0.75), (8, 0.25), (16, 0.0)])
def test_correctness_falls_with_work_and_stays_a_probability(work: int, chance: float) -> None:
    behaviour = Behaviour(completion=1, correctness=0.75, overhead=1, slope=0.5)
    assert chance_right(behaviour, work, mean_work=4) == chance


@pytest.mark.parametrize(
    ("budgets", "stored", "key"),
    [((512,), "512", "m@512"), ((1, 2), "varies", "m@varies"), ((), None, "m@unknown")],
)
def test_a_budget_is_spelt_as_the_table_of_eval_runs_spells_it(
    budgets: tuple[int, ...], stored: str | None, key: str
) -> None:
    model = Model(name="m", budgets=budgets, behaviour={})
    assert (model.output_budget, model.key) == (stored, key)
