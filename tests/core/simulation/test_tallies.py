from __future__ import annotations

from dataclasses import replace

import pytest

from effspark.simulation.draws import End, Run, runs_of
from effspark.simulation.plan import Fault
from effspark.simulation.tallies import UNLABELLED, Stage, realised, tallies

PLAIN = runs_of("birch-o4-heron-chains", count=1, seed=1)[0]
GROUP = ("chains", "o4-heron@1024")
WORK = PLAIN.instance.work


def run(**changes: object) -> Run:
    plain = {"end": End.COMPLETED, "right": True, "labelled": True, "tokens": 300, "usage_missing": False}
    return replace(PLAIN, **{**plain, "fault": None, **changes})  # type: ignore[arg-type]


def tally(*runs: Run, stage: Stage = Stage.LATE, group: tuple[str, str] = GROUP) -> dict[str, float]:
    return {name: value for name, value in tallies(runs, stage=stage)[group].items() if value}


def test_a_right_run_counts_in_every_layer() -> None:
    assert tally(run()) == {
        "runs": 1,
        "n": 1,
        "tokens": 300,
        "tokens_squared": 90_000,
        "correct": 1,
        "correct_tokens": 300,
        "known": 1,
        "known_completed": 1,
        "known_correct": 1,
        "work": WORK,
        "overhead": 300 / WORK,
    }


def test_a_cut_run_labelled_correct_counts_zero_and_is_tallied() -> None:
    found = tally(run(end=End.CUT, right=False, tokens=1024))
    assert {name: found.get(name, 0) for name in ("n", "correct", "known", "known_completed")} == {
        "n": 1,
        "correct": 0,
        "known": 1,
        "known_completed": 0,
    }
    assert (found["truncated"], found["truncated_correct"]) == (1, 1)


def test_missing_usage_is_never_zero_tokens() -> None:
    found = tally(run(end=End.CUT, right=False, labelled=False, tokens=1024, usage_missing=True))
    assert found == {
        "runs": 1,
        "missing": 1,
        "missing_budget": 1024,
        "missing_known": 1,
        "missing_truncated": 1,
        "censored": 1,
    }
    assert (
        tally(run(end=End.CUT, right=False, usage_missing=True, budget=None))["missing_without_budget"] == 1
    )


@pytest.mark.parametrize(
    ("fault", "wanted"),
    [
        (Fault.ERROR, {"runs": 1, "errors": 1}),
        (Fault.ERROR_WITH_TOKENS, {"runs": 1, "errors": 1, "errors_with_tokens": 1, "error_tokens": 300}),
        (Fault.CANCELLED, {"runs": 1, "cancelled": 1}),
        (Fault.INVALIDATED, {"runs": 1, "invalidated": 1}),
        (Fault.EXCLUDED, {"runs": 1, "excluded": 1}),
        (Fault.UNSCORED, {"runs": 1, "unscored": 1}),
    ],
)
def test_runs_out_of_every_layer_are_counted_alone(fault: Fault, wanted: dict[str, int]) -> None:
    assert tally(run(fault=fault)) == wanted


def test_the_harness_cuts_without_truncating_and_a_refusal_completes() -> None:
    stopped = tally(run(end=End.AGENT_LIMIT, right=False, labelled=False))
    assert (stopped["agent_limited"], stopped.get("truncated", 0), stopped.get("known_completed", 0)) == (
        1,
        0,
        0,
    )
    refused = tally(run(end=End.REFUSED, right=False, labelled=False, tokens=24))
    assert (refused["refused"], refused["refused_tokens"], refused["known_completed"]) == (1, 24, 1)


def test_broken_records_are_no_runs_until_they_are_mended() -> None:
    broken = [
        run(fault=fault)
        for fault in (Fault.HALF_WRITTEN, Fault.INVALID_UTF8, Fault.TEXT_COUNT, Fault.NULL_ID)
    ]
    assert tallies(broken, stage=Stage.FIRST) == {}
    assert tally(*broken)["n"] == 2


def test_a_late_label_moves_the_run_to_its_benchmark_with_its_verdict() -> None:
    late = run(fault=Fault.LATE_LABEL)
    first = tally(late, stage=Stage.FIRST, group=(UNLABELLED, GROUP[1]))
    assert (first["n"], first.get("correct", 0)) == (1, 0)
    assert tally(late)["correct"] == 1


def test_an_edited_verdict_is_wrong_at_first() -> None:
    edited = run(fault=Fault.EDITED)
    assert tally(edited, stage=Stage.FIRST).get("correct", 0) == 0
    assert tally(edited)["correct"] == 1


def test_unknown_completion_keeps_tokens_and_verdicts_but_no_completion() -> None:
    unknown = runs_of("cedar-plover-13b-chains", count=1, seed=1)[0]
    own = replace(unknown, end=End.COMPLETED, right=True, labelled=True, tokens=300)
    found = tally(own, group=("chains", "meta/plover-13b@unknown"))
    assert (found["n"], found["correct"], found.get("known", 0), found.get("known_completed", 0)) == (
        1,
        1,
        0,
        0,
    )
    assert realised(found, "r_ctx") is None


def test_realised_estimates_are_those_of_definitions() -> None:
    cut = run(end=End.CUT, right=False, labelled=False, tokens=1024)
    found = tallies([run(), run(right=False, labelled=False, tokens=100), cut], stage=Stage.LATE)[GROUP]
    assert realised(found, "e0") == pytest.approx(1000 / 1424)
    assert realised(found, "r_ctx") == pytest.approx(2 / 3)
    assert realised(found, "r_logic") == pytest.approx(1 / 2)
    assert realised(found, "mean_tokens") == pytest.approx(1424 / 3)
    assert realised(found, "vo") == pytest.approx(1424 / 3 / WORK)
    assert realised(found, "kappa") == pytest.approx(1)
