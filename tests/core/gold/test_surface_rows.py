"""Rows of surfaces: E0 of each model on each level of an axis that conf names, and what is lost to the highest."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from effspark import settings as conf
from effspark.gold import surface_rows
from effspark.gold.parts import Part
from effspark.layers.selection import SUMMED
from tests.core.gold.test_parts import part


def level(model: str, value: float, *, correct: int, tokens: int, n: int = 2) -> dict[str, Any]:
    place = {"benchmark_id": "b", "model_id": model, "scale": "axis depth", "level": value}
    return dict.fromkeys(SUMMED, 0) | {"n": n, "correct": correct, "tokens": tokens} | place


def rows(*levels: dict[str, Any], one: Part | None = None) -> dict[tuple[str, float, str], dict[str, Any]]:
    found = surface_rows.surface_rows(one or part(), levels, conf.load().report)
    assert {row["axis"] for row in found} <= {"depth"}
    return {(row["model_id"], row["level"], row["metric"]): row for row in found}


def test_each_level_has_its_efficiency_and_the_axis_its_drop() -> None:
    found = rows(level("m", 2.0, correct=2, tokens=100), level("m", 5.0, correct=1, tokens=200))
    assert [found["m", at, "E0"]["value"] for at in (2.0, 5.0)] == [20.0, 5.0]
    assert (found["m", 5.0, "drop"]["value"], found["m", 5.0, "drop"]["n"]) == (0.75, 4)


def test_one_level_has_no_drop_and_nothing_right_on_the_lowest_a_reason() -> None:
    assert set(rows(level("m", 2.0, correct=1, tokens=10))) == {("m", 2.0, "E0")}
    found = rows(level("m", 2.0, correct=0, tokens=10), level("m", 3.0, correct=1, tokens=10))
    assert found["m", 3.0, "drop"]["reason"] == "no_correct_run_on_the_lowest_level"
    silent = rows(level("m", 2.0, correct=0, tokens=0), level("m", 3.0, correct=1, tokens=10))
    assert (silent["m", 2.0, "E0"]["reason"], silent["m", 3.0, "drop"]["reason"]) == (
        "no_tokens",
        "no_tokens",
    )


def test_models_that_nobody_judged_have_no_surface() -> None:
    assert rows(level("o", 2.0, correct=0, tokens=10)) == {}


def test_levels_are_summed_by_model() -> None:
    import narwhals as nw

    cells = pa.Table.from_pylist(
        [
            {"benchmark_id": "b", "model_id": "m", "instance_id": one} | dict.fromkeys(SUMMED, 1)
            for one in ("i", "j", "k")
        ]
    )
    levels = pa.Table.from_pylist(
        [
            {"benchmark_id": "b", "instance_id": one, "scale": scale, "kind": kind, "work": work}
            for one, scale, kind, work in (
                ("i", "axis depth", "axis", 2.0), ("j", "axis depth", "axis", 2.0), ("k", "W", "declared", 2.0),
            )
        ]
    )  # fmt: skip
    (found,) = surface_rows.sums_by_level(nw.from_native(cells), nw.from_native(levels))
    assert (found["scale"], found["level"], found["tokens"]) == ("axis depth", 2.0, 2)
