"""Factor surfaces: the shared vector, and levels run by run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from effspark.analyses.surfaces import Surface, drop, surface
from tests.core.pool.loops import Run, cells, made, names, of, success, vector


def on_axis(runs: list[Run], axis: str) -> tuple[Surface, list[str]]:
    sums, instances = cells(runs)
    level = {run["instance"]: run[axis] for run in runs}
    values = np.array([math.nan if level[one] is None else level[one] for one in instances], float)
    return surface(sums.correct.astype(float), sums.tokens.astype(float), values), list(sums.models)


def test_the_vector_of_the_factor_surface_passes() -> None:
    given, expected = vector("factor_surface")
    found, models = on_axis(given["runs"], given["axis"])
    lost = drop(found, low=given["low"], high=given["high"])
    assert dict(zip(models, lost, strict=True)) == pytest.approx(expected["drop"], rel=1e-12)
    for place, model in enumerate(models):
        told = {
            f"{level:g}": value for level, value in zip(found.levels, found.efficiency[:, place], strict=True)
        }
        assert told == pytest.approx(expected["surface"][model], rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_levels_equal_the_obvious_sums(seed: int) -> None:
    runs = [run | {"depth": int(run["instance"][1:]) % 4 or None} for run in made(seed, repeats=3)]
    found, models = on_axis(runs, "depth")
    assert found.levels.tolist() == [1, 2, 3]
    for row, level in enumerate(found.levels):
        for column, model in enumerate(models):
            mine = [run for run in of(runs, model) if run["depth"] == level]
            spent = sum(run["tokens"] for run in mine)
            expected = 1000 * sum(map(success, mine)) / spent if spent else math.nan
            assert found.efficiency[row, column] == pytest.approx(expected, rel=1e-12, nan_ok=True)
    assert len(names(runs, "model")) == len(models)


def test_a_level_that_is_absent_or_has_no_right_answer_gives_no_drop() -> None:
    found = Surface(np.array([1.0, 2.0]), np.array([[0.0, 4.0], [3.0, 1.0]]))
    lost = drop(found, low=1, high=2)
    assert math.isnan(lost[0])
    assert lost[1] == 0.75
    assert np.isnan(drop(found, low=1, high=3)).all()


def test_an_axis_without_values_has_no_levels() -> None:
    found = surface(np.ones((2, 3)), np.ones((2, 3)), np.full(2, np.nan))
    assert (found.levels.shape, found.efficiency.shape) == ((0,), (0, 3))
