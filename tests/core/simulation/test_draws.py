from __future__ import annotations

from collections import Counter
from dataclasses import replace

from effspark.simulation import draws
from effspark.simulation.draws import End, drawn_runs, half_width, runs_of
from effspark.simulation.instances import drawn
from effspark.simulation.plan import EVAL_RUNS, Fault


def test_tokens_spread_evenly_around_their_mean() -> None:
    mean, width = 100, half_width(100)
    grid = 2 * width + 1
    found = [draws._around(mean, (place + 0.5) / grid) for place in range(grid)]
    assert found == list(range(mean - width, mean + width + 1))
    assert draws._around(mean, 0.0) == mean - width
    assert draws._around(mean, 1 - 1e-12) == mean + width


def test_a_run_does_not_depend_on_the_other_runs() -> None:
    eval_run = EVAL_RUNS[0]
    instances = drawn("gsm8k", 30, seed=1)
    whole = {run.names: run for run in drawn_runs(replace(eval_run, faults={}), instances, seed=1)}
    some = drawn_runs(replace(eval_run, attempts=1, faults={}), instances[10:20], seed=1)
    assert [run.tokens for run in some] == [whole[run.names].tokens for run in some]
    assert [run.right for run in some] == [whole[run.names].right for run in some]


def test_faults_strike_exactly_as_many_runs_as_planned() -> None:
    for eval_run in EVAL_RUNS:
        runs = runs_of(eval_run.name, count=120, seed=2)
        struck = Counter(run.fault for run in runs if run.fault is not None)
        assert struck == Counter(eval_run.faults)


def test_faults_change_no_outcome() -> None:
    struck = runs_of("cedar-plover-7b-chains", count=24, seed=1)
    plain = drawn_runs(replace(struck[0].eval_run, faults={}), [run.instance for run in struck[:24]], seed=1)
    assert [(run.end, run.tokens, run.right) for run in struck] == [
        (run.end, run.tokens, run.right) for run in plain
    ]


def test_ends_follow_the_planted_shares_at_their_borders() -> None:
    behaviour = runs_of("birch-lumen-pro-gsm8k", count=1, seed=1)[0].eval_run.planted.behaviour["gsm8k"]
    behaviour = replace(behaviour, refusal=0.1, agent_limit=0.2, completion=0.5)
    borders = [
        (0.0999, End.REFUSED),
        (0.1, End.AGENT_LIMIT),
        (0.2999, End.AGENT_LIMIT),
        (0.3001, End.COMPLETED),
    ]
    borders += [(0.6499, End.COMPLETED), (0.6501, End.CUT), (0.9999, End.CUT)]
    assert [draws._end(behaviour, chance) for chance, _ in borders] == [end for _, end in borders]


def test_cut_runs_burn_their_budget_and_are_never_right() -> None:
    for name in ("birch-lumen-mini-gsm8k", "birch-lumen-pro-chains", "cedar-plover-13b-chains"):
        cut = [run for run in runs_of(name, count=120, seed=1) if run.end is End.CUT]
        assert cut
        assert {run.tokens for run in cut} <= {768, 1024, 1000}
        assert all(run.tokens == (run.budget or run.eval_run.planted.cap) for run in cut)
        assert not any(run.right for run in cut)


def test_only_cut_runs_lose_their_usage_or_are_labelled_against_the_rule() -> None:
    runs = runs_of("birch-lumen-pro-gsm8k", count=120, seed=1)
    assert {run.end for run in runs if run.usage_missing} == {End.CUT}
    assert {run.end for run in runs if run.labelled and not run.right} == {End.CUT}
    assert not any(run.usage_missing and run.labelled for run in runs)


def test_an_unknown_stop_reason_hides_a_plain_end_only() -> None:
    runs = runs_of("aurora-kestrel-8b-gsm8k", count=120, seed=1)
    run = next(run for run in runs if run.fault is Fault.UNKNOWN_STOP)
    assert run.stop_unknown
    assert not replace(run, end=End.REFUSED).stop_unknown
    assert not replace(run, end=End.CUT, usage_missing=True).stop_unknown


def test_a_short_eval_run_covers_a_third_of_the_instances() -> None:
    assert len(runs_of("cedar-o4-heron-gsm8k", count=120, seed=1)) == 40
