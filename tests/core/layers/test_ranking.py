"""Ranks: by E0, then accuracy, then name; who is refused and why; who is the reference."""

from __future__ import annotations

import pytest

from effspark.layers.estimates import ModelSums
from effspark.layers.ranking import Standing, rank_row, ranking, standings
from effspark.sections import ReportSettings
from tests.core.layers.rows import no_sums

SETTINGS = ReportSettings()


def model(
    name: str, correct: int, tokens: int = 100, *, n: int = 4, covered: int = 4, **more: int
) -> ModelSums:
    return ModelSums(
        "b", name, "shared", covered, no_sums(n=n, correct=correct, tokens=tokens, known=n, **more)
    )


def ranks(*models: ModelSums, shared: int = 4, settings: ReportSettings = SETTINGS) -> dict[str, int | None]:
    found = ranking(
        models, {part.model_id: part.model_id for part in models}, shared=shared, settings=settings
    )
    return {name: standing.rank for name, standing in found.items()}


def test_models_are_ranked_by_correct_answers_per_token_not_by_accuracy() -> None:
    assert ranks(model("right", 4, 400), model("cheap", 2, 100), model("wrong", 0, 1)) == {
        "cheap": 1,
        "right": 2,
        "wrong": 3,
    }


def test_ties_go_to_the_higher_accuracy_then_to_the_name() -> None:
    tied = [model("b", 1, 100), model("a", 1, 100), model("z", 2, 200)]
    assert ranks(*tied) == {"z": 1, "a": 2, "b": 3}
    assert ranks(model("many", 2, 200, n=4), model("one", 1, 100, n=1)) == {"one": 1, "many": 2}


def test_equal_ratios_of_other_numbers_are_a_tie() -> None:
    assert ranks(model("b", 1, 3, n=3), model("a", 2, 6, n=6)) == {"a": 1, "b": 2}


def test_a_tie_is_decided_by_the_shown_name() -> None:
    found = ranking([model("1", 1), model("2", 1)], {"1": "zeta", "2": "alpha"}, shared=4, settings=SETTINGS)
    assert (found["2"].rank, found["1"].rank) == (1, 2)


def test_rank_one_is_the_reference_of_all() -> None:
    found = ranking([model("a", 1), model("b", 3)], {"a": "a", "b": "b"}, shared=4, settings=SETTINGS)
    assert found == {"b": Standing(1, "b", None), "a": Standing(2, "b", None)}


def test_a_model_that_was_never_right_is_last_and_no_reference() -> None:
    assert ranks(model("never", 0), model("once", 1)) == {"once": 1, "never": 2}
    found = ranking(
        [model("never", 0), model("nor", 0)], {"never": "never", "nor": "nor"}, shared=4, settings=SETTINGS
    )
    assert found == {"never": Standing(1, None, None), "nor": Standing(2, None, None)}


def test_a_null_e0_is_unranked() -> None:
    found = ranking(
        [model("none", 0, 0), model("some", 1)], {"none": "none", "some": "some"}, shared=4, settings=SETTINGS
    )
    assert found["none"] == Standing(None, None, "no_tokens")
    assert found["some"].rank == 1


@pytest.mark.parametrize(("covered", "is_ranked"), [(20, True), (19, True), (18, False)])
def test_only_models_that_cover_enough_of_the_shared_instances_are_ranked(
    covered: int, is_ranked: bool
) -> None:
    found = ranking([model("m", 1, covered=covered)], {"m": "m"}, shared=20, settings=SETTINGS)["m"]
    assert (found.rank == 1, found.reason) == (
        is_ranked,
        None if is_ranked else "covers_too_few_shared_instances",
    )


def test_where_nothing_is_shared_nobody_is_ranked() -> None:
    nobody = Standing(None, None, "no_shared_instances")
    assert ranking([model("m", 1, covered=0)], {"m": "m"}, shared=0, settings=SETTINGS) == {"m": nobody}
    found = standings([], {"m": "s", "silent": ""}, {"m": "m", "silent": "silent"}, SETTINGS)
    assert found == {"m": nobody, "silent": Standing(None, None, "no_verdicts")}


def test_estimated_and_counted_tokens_are_ranked_apart_unless_conf_says_otherwise() -> None:
    models = [model("counted", 1), model("guessed", 4, estimated=3), model("half", 2, estimated=2)]
    assert ranks(*models) == {"half": 1, "counted": 2, "guessed": 1}
    found = ranking(models, {part.model_id: part.model_id for part in models}, shared=4, settings=SETTINGS)
    assert [found[name].reference_id for name in ("counted", "guessed", "half")] == [
        "half",
        "guessed",
        "half",
    ]
    assert {name for name, standing in found.items() if standing.apart} == {"guessed"}
    together = ReportSettings(rank_estimated_with_counted=True)
    assert ranks(*models, settings=together) == {"guessed": 1, "half": 2, "counted": 3}


def test_models_that_nobody_judged_or_that_have_no_shared_run_stand_unranked() -> None:
    names = {"m": "m", "silent": "silent", "elsewhere": "elsewhere"}
    found = standings(
        [model("m", 1, covered=4), model("silent", 0, covered=9)],
        {"m": "s", "silent": "", "elsewhere": "s"},
        names,
        SETTINGS,
    )
    assert found == {
        "m": Standing(1, "m", None),
        "silent": Standing(None, None, "no_verdicts"),
        "elsewhere": Standing(None, None, "covers_too_few_shared_instances"),
    }


def test_a_model_with_few_of_the_shared_instances_is_unranked() -> None:
    names = {"whole": "whole", "part": "part"}
    found = standings(
        [model("whole", 1, covered=20), model("part", 4, covered=18)],
        dict.fromkeys(names, "s"),
        names,
        SETTINGS,
    )
    assert (found["whole"].rank, found["part"].rank) == (1, None)
    assert found["part"].reason == "covers_too_few_shared_instances"


def test_ranks_follow_the_choice_on_refusals() -> None:
    refusing = model("refusing", 2, 100, n=4, refused=2, refused_tokens=60)
    plain = model("plain", 3, 100)
    names = {"refusing": "refusing", "plain": "plain"}
    scorers = dict.fromkeys(names, "s")
    assert standings([refusing, plain], scorers, names, SETTINGS)["plain"].rank == 1
    assert (
        standings([refusing, plain], scorers, names, ReportSettings(refusals="exclude"))["refusing"].rank == 1
    )


def test_a_rank_row_holds_the_rank_or_the_reason() -> None:
    ranked = rank_row({"model_id": "m"}, Standing(2, "r", None))
    assert (ranked["metric"], ranked["value"], ranked["reason"], ranked["instance_set"]) == (
        "rank",
        2.0,
        None,
        "shared",
    )
    assert rank_row({}, Standing(None, None, "no_tokens"))["value"] is None
