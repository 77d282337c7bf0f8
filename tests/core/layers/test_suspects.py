"""Instances that every pool model was asked and none solved, against an obvious loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import narwhals as nw
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from effspark.layers.suspects import suspects

Cells = Mapping[tuple[str, str], tuple[int, int]]
"""(model, instance) -> runs in the layer, successes."""


def found(cells: Cells, pool: Sequence[str], least_models: int = 2) -> list[tuple[str, int, int]]:
    rows = [
        {
            "benchmark_id": "b",
            "model_id": model,
            "instance_id": instance,
            "n": n,
            "known_completed": min(n, 1),
            "correct": correct,
            "covers": int(n > 0),
        }
        for (model, instance), (n, correct) in cells.items()
    ]
    names = ("benchmark_id", "model_id", "instance_id", "n", "known_completed", "correct", "covers")
    schema = pa.schema([(name, pa.string() if name.endswith("_id") else pa.int64()) for name in names])
    members = pa.table({"benchmark_id": ["b"] * len(pool), "model_id": pa.array(pool, pa.string())})
    table = suspects(
        nw.from_native(pa.Table.from_pylist(rows, schema)),
        nw.from_native(members.cast(pa.schema([("benchmark_id", pa.string()), ("model_id", pa.string())]))),
        least_models=least_models,
    ).to_arrow()
    assert table.column_names == ["benchmark_id", "instance_id", "models", "n", "completed"]
    assert table["completed"].to_pylist() == table["models"].to_pylist()
    return sorted((row["instance_id"], row["models"], row["n"]) for row in table.to_pylist())


def test_an_instance_that_all_were_asked_and_none_solved_is_a_suspect_with_the_runs_that_failed() -> None:
    cells = {("m", "i"): (3, 0), ("n", "i"): (1, 0), ("m", "j"): (1, 0), ("n", "j"): (2, 1)}
    assert found(cells, ["m", "n"]) == [("i", 2, 4)]


def test_an_instance_that_one_of_the_pool_does_not_cover_is_none() -> None:
    cells = {("m", "i"): (1, 0), ("n", "i"): (0, 0), ("m", "j"): (1, 0)}
    assert found(cells, ["m", "n"]) == []


def test_models_outside_the_pool_neither_make_a_suspect_nor_clear_one() -> None:
    cells = {("m", "i"): (1, 0), ("n", "i"): (1, 0), ("out", "i"): (1, 1)}
    assert found(cells, ["m", "n"]) == [("i", 2, 2)]


def test_a_pool_of_one_model_has_no_suspects_unless_that_is_asked_for() -> None:
    assert found({("m", "i"): (1, 0)}, ["m"]) == []
    assert found({("m", "i"): (1, 0)}, ["m"], least_models=1) == [("i", 1, 1)]
    assert found({}, []) == []


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("mno"), st.sampled_from("ijk")),
        st.integers(0, 3).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    ),
    st.lists(st.sampled_from("mno"), unique=True),
)
def test_suspects_are_those_of_an_obvious_loop(cells: Cells, pool: list[str]) -> None:
    expected = []
    for instance in "ijk":
        asked = [cells.get((model, instance), (0, 0)) for model in pool]
        if len(pool) >= 2 and all(n > 0 and not correct for n, correct in asked):
            expected.append((instance, len(pool), sum(n for n, _ in asked)))
    assert found(cells, pool) == expected
