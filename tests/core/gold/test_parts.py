"""One benchmark's part of a report: models, names, scorers, places, references."""

from __future__ import annotations

from effspark import settings as conf
from effspark.gold.parts import Part, part_of, references, shown_names
from effspark.layers.estimates import ModelSums
from effspark.layers.selection import SUMMED, Choice
from effspark.tables import from_rows
from tests.core.layers.rows import eval_run


def sums(model: str, instance_set: str, correct: int) -> ModelSums:
    counted = dict.fromkeys(SUMMED, 0) | {"n": 2, "tokens": 100, "correct": correct}
    return ModelSums("b", model, instance_set, 2, counted)


def part() -> Part:
    choices = [
        Choice("b", "e", model, model, scorer, ()) for model, scorer in (("m", "s"), ("n", "s"), ("o", ""))
    ]
    other = Choice("c", "e", "m", "m", "s", ())
    eval_runs = from_rows("eval_runs", [eval_run(model) for model in "mno"])
    found = [
        sums(model, where, correct) for where in ("own", "shared") for model, correct in (("m", 1), ("n", 2))
    ]
    found += [sums("o", "own", 0), ModelSums("c", "m", "own", 1, sums("m", "own", 1).sums)]
    every = [*choices, other]
    members = [
        {"benchmark_id": name, "model_id": model} for name, model in (("b", "m"), ("b", "n"), ("c", "m"))
    ]
    return part_of("r", "b", every, shown_names("b", every, eval_runs), found, members, conf.load())


def test_models_are_named_judged_and_placed() -> None:
    one = part()
    assert one.names == {"m": "m", "n": "n", "o": "o"}
    assert [one.is_scored(model) for model in "mno"] == [True, True, False]
    assert {model: standing.rank for model, standing in one.standings.items()} == {"n": 1, "m": 2, "o": None}
    assert set(one.sums) == {("m", "own"), ("n", "own"), ("o", "own"), ("m", "shared"), ("n", "shared")}


def test_the_pool_is_ordered_and_the_others_know_why_they_are_outside() -> None:
    one = part()
    assert one.pool.order == ("n", "m")
    assert one.pool.reasons == {"o": "no_verdicts"}
    assert one.places == {"n": 1, "m": 2, "o": None}
    assert one.pool.splits.shape == (200, 2)


def test_rows_say_of_which_model_and_against_whom_they_are() -> None:
    one = part()
    assert one.references == {"m": "n", "n": "n"}
    assert one.against("m") == {
        "report_id": "r", "benchmark_id": "b", "scorer": "s", "model_id": "m", "model": "m",
        "reference_id": "n", "reference": "n",
    }  # fmt: skip
    assert references([one]).to_pylist() == [
        {"benchmark_id": "b", "model_id": model, "reference_id": "n"} for model in "mn"
    ]
