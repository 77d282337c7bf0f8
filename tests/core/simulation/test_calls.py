from __future__ import annotations

from effspark.simulation import calls
from effspark.simulation.draws import runs_of


def test_runs_of_an_eval_run_follow_each_other_and_end_after_they_began() -> None:
    runs = runs_of("aurora-kestrel-8b-gsm8k", count=120, seed=1)
    starts = [calls.started_at(run) for run in runs]
    assert starts == sorted(set(starts))
    assert starts[0] == runs[0].eval_run.started
    assert all(calls.completed_at(run) > calls.started_at(run) for run in runs)


def test_parts_of_counts_stay_within_the_whole() -> None:
    for run in runs_of("birch-o4-heron-gsm8k", count=24, seed=1):
        assert 0 < (calls.reasoning_tokens(run) or 0) <= run.tokens
        assert calls.input_tokens(run) > calls.CACHED_TOKENS
    plain = runs_of("aurora-kestrel-8b-gsm8k", count=1, seed=1)[0]
    assert calls.reasoning_tokens(plain) is None


def test_time_and_cost_grow_with_tokens() -> None:
    short, long = sorted(runs_of("cedar-plover-13b-chains", count=2, seed=1), key=lambda run: run.tokens)[::3]
    assert calls.latency_seconds(short) < calls.latency_seconds(long)
    assert calls.cost_usd(short) < calls.cost_usd(long)
