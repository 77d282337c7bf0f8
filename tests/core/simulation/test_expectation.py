from __future__ import annotations

from dataclasses import replace
from math import sqrt

import pytest

from effspark.simulation.draws import End, drawn_runs, runs_of
from effspark.simulation.expectation import ESTIMATES, expected, outcomes
from effspark.simulation.instances import drawn
from effspark.simulation.plan import EVAL_RUNS, Fault
from effspark.simulation.tallies import Stage, realised, tallies

BY_NAME = {eval_run.name: eval_run for eval_run in EVAL_RUNS}


@pytest.mark.parametrize(
    "name", ["birch-lumen-pro-gsm8k", "aurora-wren-flash-chains", "cedar-plover-13b-chains"]
)
def test_outcomes_have_the_frequencies_and_tokens_of_draws(name: str) -> None:
    eval_run = replace(BY_NAME[name], faults={}, attempts=4000)
    runs = drawn_runs(eval_run, drawn(eval_run.benchmark, 1, seed=1), seed=1)
    found = outcomes(runs[0])
    assert sum(outcome.chance for outcome in found) == pytest.approx(1, abs=1e-12)
    for outcome in found:
        tokens = [
            run.tokens
            for run in runs
            if (run.end, run.right, run.usage_missing) == (outcome.end, outcome.right, not outcome.seen)
        ]
        error = sqrt(outcome.chance * (1 - outcome.chance) / len(runs))
        assert abs(len(tokens) / len(runs) - outcome.chance) <= 4 * error, outcome
        if len(tokens) > 30:
            spread = sqrt(outcome.variance / len(tokens))
            assert abs(sum(tokens) / len(tokens) - outcome.mean) <= 4 * spread, outcome
            drawn_variance = sum((count - outcome.mean) ** 2 for count in tokens) / len(tokens)
            assert drawn_variance == pytest.approx(outcome.variance, rel=0.5)


def test_planted_estimates_obey_the_exact_decomposition() -> None:
    runs = runs_of("aurora-kestrel-8b-short-gsm8k", count=120, seed=1)
    found = {name: value.value for name, value in expected(runs).items() if value is not None}
    work = sum(run.instance.work for run in runs) / len(runs)
    assert found["e0"] == pytest.approx(
        1000 * found["r_ctx"] * found["r_logic"] / (work * found["vo"] * found["kappa"]), rel=1e-12
    )
    assert found["accuracy"] == pytest.approx(found["r_ctx"] * found["r_logic"], rel=1e-12)


def test_expectations_are_the_obvious_ones_for_one_instance() -> None:
    run = runs_of("aurora-kestrel-8b-short-gsm8k", count=1, seed=1)[0]
    found = expected([run])
    mean = outcomes(run)[0].mean
    right = outcomes(run)[0].chance / 0.8
    wanted = {
        "r_ctx": 0.8,
        "r_logic": right,
        "accuracy": 0.8 * right,
        "mean_tokens": 0.8 * mean + 0.2 * 512,
        "vo": (0.8 * mean + 0.2 * 512) / run.instance.work,
        "kappa": 1.0,
        "e0": 1000 * 0.8 * right / (0.8 * mean + 0.2 * 512),
    }
    assert {name: value.value for name, value in found.items() if value} == pytest.approx(wanted)


@pytest.mark.parametrize("name", ["birch-lumen-pro-gsm8k", "aurora-kestrel-8b-short-gsm8k"])
def test_standard_errors_are_the_spread_over_seeds(name: str) -> None:
    eval_run = replace(BY_NAME[name], faults={})
    instances = drawn(eval_run.benchmark, 24, seed=1)
    seeds = 150
    runs = [drawn_runs(eval_run, instances, seed=seed) for seed in range(seeds)]
    planted = expected(runs[0])
    found = [tallies(own, stage=Stage.LATE)[eval_run.benchmark, eval_run.planted.key] for own in runs]
    for estimate in ESTIMATES:
        values = [realised(tally, estimate) or 0.0 for tally in found]
        mean = sum(values) / seeds
        spread = sqrt(sum((value - mean) ** 2 for value in values) / (seeds - 1))
        wanted = planted[estimate]
        assert wanted is not None
        # The sample sd of 150 values has a relative error of 6 %; 4 of these, and 5 % for the delta method.
        assert spread == pytest.approx(wanted.standard_error, rel=0.29), estimate
        assert abs(mean - wanted.value) <= 4 * spread / sqrt(seeds) + 0.03 * wanted.standard_error, estimate


def test_a_missing_usage_takes_the_run_away_instead_of_counting_as_nothing() -> None:
    run = runs_of("birch-o4-heron-gsm8k", count=1, seed=1)[0]
    found = expected([run])["r_ctx"]
    assert found is not None
    assert found.value == pytest.approx(0.88 / (0.88 + 0.12 * 0.5))


def test_what_logs_cannot_supply_is_null_and_what_never_happens_is_zero() -> None:
    unknown = expected(runs_of("cedar-plover-13b-chains", count=5, seed=1))
    assert unknown["r_ctx"] is None
    assert unknown["r_logic"] is None
    assert unknown["e0"] is not None
    uncounted = expected(runs_of("cedar-o4-heron-gsm8k", count=9, seed=1))
    assert set(uncounted.values()) == {None}
    never = expected(runs_of("cedar-plover-7b-chains", count=5, seed=1))
    assert never["e0"] == (0.0, 0.0)


def test_an_unscored_run_counts_only_if_it_is_cut() -> None:
    run = replace(runs_of("aurora-wren-flash-chains", count=1, seed=1)[0], fault=Fault.UNSCORED)
    found = expected([run])
    assert found["r_ctx"] == (0.0, 0.0)
    assert {outcome.end for outcome in outcomes(run) if outcome.chance} == {
        End.COMPLETED,
        End.CUT,
        End.AGENT_LIMIT,
    }


def test_runs_that_a_fault_keeps_out_change_nothing() -> None:
    runs = runs_of("cedar-plover-13b-chains", count=6, seed=1)
    lost = [
        replace(run, fault=fault) for run, fault in zip(runs[:2], (Fault.ERROR, Fault.NULL_ID), strict=True)
    ]
    assert expected([*lost, *runs[2:]]) == expected(runs[2:])
