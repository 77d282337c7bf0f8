"""What the calls of one attempt come to: sums, times, and the call that gave the answer."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers.trace_calls import Call
from effspark.readers.trace_replies import Asked, Reply
from effspark.readers.trace_runs import runs_of
from effspark.runs.record import Configuration, LoggedRun, Status, Visibility
from effspark.runs.tokens import Usage, normalise

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
BASE = {"benchmark_id": "gsm8k", "instance_id": "q1", "attempt": "t"}
MODEL = Configuration(request_model="m")


def call(name: str = "a", output: Any = 7, **fields: Any) -> Call:
    return Call(**{"span_id": name, "configuration": MODEL, "usage": Usage(output=output), **fields})


def run_of(*calls: Call, **base: Any) -> LoggedRun:
    (run,) = runs_of(calls, {**BASE, **base}, ())
    return run


@pytest.mark.parametrize("value", ["7", True])
def test_what_is_no_number_is_left_to_the_check_of_types_and_makes_a_sum_unknown(value: Any) -> None:
    assert run_of(call(output=value)).usage.output is value
    assert run_of(call(), call("b", value)).usage.output is None


INSIDE = Usage(input=40, output=60, reasoning=20, total=100)
BESIDE = Usage(input=300, output=100, reasoning=50, total=450)


@pytest.mark.parametrize(
    ("usages", "added", "flags"),
    [
        ((INSIDE, INSIDE), Usage(input=80, output=120, reasoning=40, total=200), ()),
        ((BESIDE, BESIDE), Usage(input=600, output=200, reasoning=100, total=900), ()),
        ((INSIDE, BESIDE), Usage(input=340, output=210, reasoning=70, total=550), ()),
        ((Usage(input=9, output=5, total=14), Usage(input=98, output=330, total=100)), Usage(input=107), ("conflict",)),
        ((Usage(input=98, output=330, total=100), Usage(input=9, output=5, total=342)),
         Usage(input=107), ("conflict", "gap_folded")),
        ((Usage(output=7), Usage(output=3, reasoning=9)), Usage(output=19), ("conflict",)),
        ((Usage(output=7), Usage(output=0)), Usage(), ("zero_usage",)),
    ],
)  # fmt: skip
def test_calls_are_added_by_the_t_of_each(
    usages: tuple[Usage, ...], added: Usage, flags: tuple[str, ...]
) -> None:
    run = run_of(
        *(call(str(place), usage=usage, replies=(Reply("18"),)) for place, usage in enumerate(usages))
    )
    assert (run.usage, run.quality_flags) == (added, flags)
    each = [normalise(usage, text="18").output for usage in usages]
    assert normalise(run.usage, text="18").output == (None if None in each else sum(one or 0 for one in each))


def test_flags_of_calls_and_of_what_is_known_of_the_run_are_kept_together() -> None:
    run = run_of(call(quality_flags=("x",)), call("b", quality_flags=("x",)), quality_flags=("known",))
    assert run.quality_flags == ("known", "x")
    assert run_of(call(quality_flags=("x",))).quality_flags == ("x",)


def test_costs_are_summed_where_every_call_has_one() -> None:
    assert run_of(call(cost=0.25), call("b", cost=0.5)).cost_usd == 0.75
    assert run_of(call(cost=0.25), call("b")).cost_usd is None
    assert run_of(call(cost=0)).cost_usd == 0


@pytest.mark.parametrize("turned", [False, True])
def test_reasoning_beside_the_output_of_some_calls_only_is_part_of_the_sum(turned: bool) -> None:
    beside = call(usage=Usage(output=19, reasoning=192, additive=True))
    inside = call("b", usage=Usage(output=211, reasoning=192))
    for other, reasoning in ((call("b", 211), None), (inside, 384)):
        pair = (other, beside) if turned else (beside, other)
        assert run_of(*pair).usage == Usage(output=422, reasoning=reasoning)


def test_reasoning_beside_the_output_of_all_calls_stays_beside_the_sum() -> None:
    beside = call(usage=Usage(output=19, reasoning=192, additive=True))
    usage = run_of(beside, beside).usage
    assert usage == Usage(output=38, reasoning=384, additive=True)
    assert normalise(usage, text="18").output == 422


def test_a_run_lasts_from_the_first_start_to_the_last_end_where_all_ends_are_known() -> None:
    outer = call(started_at=NOW, ended_at=NOW + timedelta(seconds=9))
    inner = call("b", started_at=NOW + timedelta(seconds=2), ended_at=NOW + timedelta(seconds=3))
    run, open_ = run_of(inner, outer), run_of(inner, call(started_at=NOW))
    assert (run.started_at, run.latency_seconds, run.latency_kind) == (NOW, 9.0, "wall")
    assert (open_.started_at, open_.latency_seconds, open_.latency_kind) == (NOW, None, None)


def test_the_last_call_to_begin_answers_and_without_times_the_last_of_the_log() -> None:
    early = call(started_at=NOW, replies=(Reply("early"),))
    late = call("b", started_at=NOW + timedelta(microseconds=1), replies=(Reply("late"),))
    assert run_of(late, early).answer == "late"
    assert run_of(late, call("c", replies=(Reply("untimed"),))).answer == "untimed"


def test_a_failed_call_that_was_paid_counts_and_does_not_answer() -> None:
    paid = call("b", 30, failed=True, error_type="cut", started_at=NOW, replies=(Reply("half"),))
    run = run_of(call(started_at=NOW - timedelta(days=1), replies=(Reply("18"),)), paid)
    assert (run.usage.output, run.answer, run.status, run.error_type) == (37, "18", Status.OK, None)
    assert run.tags == {"calls": "2"}


def test_a_call_that_names_no_model_is_one_of_the_model_that_the_others_name() -> None:
    run = run_of(call("b", configuration=None), call(), tags={"subject": "art"})
    assert (run.configuration, run.usage.output) == (MODEL, 14)
    assert run.tags == {"subject": "art", "calls": "2"}


def test_calls_that_name_no_model_are_of_the_one_that_the_user_names_with_their_own_settings() -> None:
    nameless = call(configuration=Configuration(request_model="", output_budget_tokens=64))
    (run,) = runs_of([nameless], BASE, (), model="m-7")
    assert run.configuration == Configuration(request_model="m-7", output_budget_tokens=64)
    (run,) = runs_of([nameless, call("b")], BASE, (), model="m-7")
    assert run.configuration == MODEL
    with pytest.raises(LogError, match=r"or name it for all of these files with --set readers\.model=NAME"):
        runs_of([nameless], BASE, ())


def test_one_call_gives_its_seed_prompt_and_finish_and_may_be_estimated() -> None:
    run = run_of(call(seed=0, asked=Asked("user: 9?", "9?"), replies=(Reply("9", None, "stop"),)))
    assert (run.seed, run.prompt, run.question, run.finish_reason) == (0, "user: 9?", "9?", "stop")
    assert (run.trace_visibility, run.estimable) == (Visibility.FULL, True)


def test_a_model_that_hides_its_reasoning_is_not_estimated_though_its_count_is_0() -> None:
    (run,) = runs_of([call(usage=Usage(reasoning=0), replies=(Reply("9"),))], BASE, ("^M$",))
    assert (run.trace_visibility, run.estimable) == (Visibility.FULL, False)


def test_answers_of_one_call_have_no_cost_and_the_visibility_of_each() -> None:
    one = call(cost=0.5, usage=Usage(input=5, total=12), replies=(Reply("9", "3 * 3"), Reply()))
    first, second = runs_of([one], {**BASE, "tags": {"subject": "art"}}, ())
    assert (first.cost_usd, second.cost_usd) == (None, None)
    assert first.quality_flags == second.quality_flags == ("usage_of_n_choices",)
    assert (first.trace_visibility, second.trace_visibility) == (Visibility.FULL, Visibility.NONE)
    assert first.tags == {"subject": "art", "usage_input_tokens": "5", "usage_total_tokens": "12"}
    assert second.tags == {"subject": "art"}
