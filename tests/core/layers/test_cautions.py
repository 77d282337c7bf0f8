"""What is said beside the numbers, and when it is not."""

from __future__ import annotations

from typing import Any

import pytest

from effspark import settings as conf
from tests.core.layers.reports import logged, report
from tests.core.layers.rows import Row

MOSTLY_CUT = (
    "token counts are missing mostly on cut runs of m; "
    "read what all runs give (finished, of all known; E0 at least, where budgets are known)"
)


def said(given_runs: list[Row], *overrides: str, **of_models: Row) -> list[str]:
    found = report(given_runs, conf.load(overrides=overrides), **of_models).warnings
    assert all(text.startswith("b: ") for text in found)
    return [text.removeprefix("b: ") for text in found]


def many(model: str, count: int, *ends: str, **more: Any) -> list[Row]:
    return [logged(model, str(place), *ends, **more) for place in range(count)]


def test_of_plain_runs_nothing_is_said() -> None:
    assert said([*many("m", 3), *many("n", 3)]) == []


def test_runs_of_logs_that_name_no_benchmark_are_told_with_the_remedy() -> None:
    found = report(many("m", 3, benchmark_id="unlabelled")).warnings
    assert found == [
        "unlabelled: runs of logs that name no benchmark stand together here; say which it is with --benchmark NAME, "
        "or of each run with a labels file (--labels FILE: custom_id, benchmark, instance, correct)"
    ]


def test_a_budget_that_all_share_is_told() -> None:
    alike = {"output_budget": "2048"}
    assert said([*many("m", 3), *many("n", 3)], m=alike, n=alike) == [
        "output budget of all models: 2,048 tokens"
    ]


def test_a_mix_of_scorers_and_scorers_not_used_are_named() -> None:
    assert said(
        [logged("m", "1", verdicts={"label": True, "a": True}), logged("n", "1", verdicts={"a": True})]
    ) == [
        "verdicts of several scorers are compared: a, label",
        "scorers not used: a; choose with benchmarks.b.scorers in conf",
    ]


def test_a_scorer_that_may_count_faults_is_no_verdict_and_is_named() -> None:
    found = said([logged("m", "1", verdicts={"toxicity": False}), logged("n", "1", verdicts={"a": True})])
    assert found == [
        "by their names these may count faults, so that 0 is good, and are taken as no verdict: toxicity; "
        "name them in benchmarks.b.scorers in conf if they judge answers",
        "no verdicts for m; only tokens and completion are reported",
    ]


def test_budgets_that_differ_are_told() -> None:
    found = said([*many("m", 1), *many("n", 1)], m={"output_budget": "512"}, n={"output_budget": None})
    assert found == [
        "output budgets differ, and each model is reported under its own (512 tokens: m; unknown: n)"
    ]


def test_one_name_with_several_configurations_is_told() -> None:
    found = said([*many("m", 1), *many("n", 1)], m={"model": "x"}, n={"model": "x"})
    assert found == ["x was run in 2 configurations; they are kept apart as 2 models"]


def test_where_completion_is_unknown_of_few_runs_it_is_told_what_rests_on_which() -> None:
    few = [*many("m", 39), logged("m", "39", "unknown"), *many("n", 40)]
    text = (
        "whether runs finished is not known of some runs: m (1 of 40); finished, right when finished and "
        "decompositions rest on the others, E0 and accuracy on all"
    )
    assert said(few) == [text]
    assert text not in said(few, "report.unknown_completion=as_completed")
    assert text not in said([logged("m", "1", "unknown"), *many("m", 1), *many("n", 2)])


def test_cuts_that_are_inferred_are_told() -> None:
    cut = logged("m", "3", "unknown", truncated=True, truncation_source="inferred_budget")
    assert said([*many("m", 3), cut, *many("n", 3), logged("n", "3", "length")]) == [
        "that runs were cut is inferred, not logged: m (1); the view truncated_runs has each and why",
        "cut runs that were judged correct count as wrong: m (1), n (1)",
        "no model of the pool solves 1 instance, perhaps for a wrong gold answer: 3 (table suspects)",
    ]


def test_replayed_repeats_are_told() -> None:
    replays = many("m", 2, replayed=True)
    assert said([*many("m", 2), *many("n", 2), *replays]) == [
        "2 repeats of m replay an answer that was there before; each set of equal answers weighs as one run"
    ]


def test_estimated_tokens_are_told_and_how_they_are_ranked() -> None:
    guessed = many("n", 2, token_source="tokenizer")
    assert said(guessed) == ["tokens are a tokenizer's estimate of the visible text for all models"]
    mixed = [*many("m", 2), *guessed]
    apart, together = said(mixed), said(mixed, "report.rank_estimated_with_counted=true")
    assert apart == [
        "tokens of 1 of 2 models are a tokenizer's estimate; they are ranked apart from counted ones"
    ]
    assert together == [
        "tokens of 1 of 2 models are a tokenizer's estimate; they are ranked together with counted ones"
    ]


@pytest.mark.parametrize(("errors", "told"), [(5, False), (6, True)])
def test_error_rates_that_differ_by_more_than_two_points_are_told(errors: int, told: bool) -> None:
    given_runs = [
        *many("m", 97),
        *many("m", 3, status="error"),
        *many("n", 100 - errors),
        *many("n", errors, status="error"),
    ]
    found = [text for text in said(given_runs, "report.least_coverage=0.5") if text.startswith("error rates")]
    assert found == (
        ["error rates differ (3.0% to 6.0%); compare with what errors as failures give"] if told else []
    )


def test_tokens_missing_mostly_on_cut_runs_are_told() -> None:
    lost = many("m", 5, "length", output_tokens=None, output_budget_tokens=9)
    text = MOSTLY_CUT
    assert said([*many("m", 5), *lost]) == [text]
    assert said([*many("m", 5), *lost[1:]]) == []


def test_refused_runs_that_are_left_out_do_not_hide_missing_tokens_of_cut_ones() -> None:
    unknown = {"output_tokens": None, "output_budget_tokens": 9}
    given_runs = [*many("m", 5), *many("m", 5, "length"), *many("m", 5, "length", **unknown)]
    given_runs += many("m", 6, "refusal", **unknown)
    mostly = MOSTLY_CUT
    assert mostly not in said(given_runs)
    assert mostly in said(given_runs, "report.refusals=exclude")


def test_unscored_eval_runs_of_a_judged_model_are_told_once_whatever_their_budgets() -> None:
    spare = [logged("m2", str(place), verdicts={}, eval_run_id="f") for place in range(2)]
    spare += [logged("m3", "3", verdicts={}, eval_run_id="f")]
    same = {"model_id": "m", "model": "m"}
    found = said([*many("m", 3), *spare], m2=same, m3=same | {"runs": 2})
    assert found == ["3 runs belong to eval runs that nobody judged (1); they are counted, and in no layer"]


def test_models_that_nobody_judged_are_named() -> None:
    found = said([*many("m", 1), *many("n", 1, verdicts={})])
    assert found == ["no verdicts for n; only tokens and completion are reported"]


def test_models_outside_the_pool_are_counted_among_the_judged() -> None:
    found = said([*many("m", 20), *many("n", 18), *many("o", 99, verdicts={})])
    assert found[-1] == "1 of 2 models cover less than 95% of the 20 instances met and are outside the pool"


def test_what_conf_overrides_is_told_where_it_changes_anything() -> None:
    refused, unknown = many("m", 2, "refusal"), many("m", 1, "unknown")
    overrides = ("report.refusals=exclude", "report.unknown_completion=as_completed")
    assert said([*many("m", 9), *refused, *unknown], *overrides) == [
        "2 refused runs are left out (conf refusals)",
        "1 run of unknown completion counts as completed (conf unknown_completion)",
    ]
    assert said(many("m", 9), *overrides) == said([*many("m", 9), *refused]) == []


def test_counts_that_contradict_each_other_are_told_with_their_number() -> None:
    found = said([*many("m", 3, token_convention="conflict"), *many("n", 3)])
    assert found == [
        "the logs count more reasoning than output, and both are added to T, which may be too large: m (3)"
    ]


def test_finished_runs_without_a_verdict_beside_cut_ones_are_told() -> None:
    bare = [logged("m", str(place), verdicts={"s": None}) for place in range(4, 6)]
    cut = logged("m", "3", "length", verdicts={"s": False})
    text = "finished runs without a verdict are left out, cut ones need none, so finished and E0 read too low: m (2)"
    assert text in said([*many("m", 3), cut, *bare])
    assert text not in said([*many("m", 3), *bare])
