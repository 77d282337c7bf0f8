"""Which calls of a trace are one run, and what they sum to."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers.trace_calls import MORE_OUTSIDE, Call, ancestors, calls_of_model, innermost
from effspark.readers.trace_replies import Reply
from effspark.readers.trace_runs import runs_of
from effspark.runs.record import Configuration, LoggedRun, Status, Visibility
from effspark.runs.tokens import Usage

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
BASE = {"benchmark_id": "gsm8k", "instance_id": "q1", "attempt": "t"}
HIDDEN = (r"^o4",)


def call(name: str, output: int | None = 7, *, model: str = "m", at: int = 0, **fields: Any) -> Call:
    return Call(
        span_id=name,
        configuration=Configuration(request_model=model, output_budget_tokens=64),
        usage=Usage(output=output),
        started_at=NOW + timedelta(seconds=at),
        ended_at=NOW + timedelta(seconds=at + 1),
        **fields,
    )


def run_of(*calls: Call) -> LoggedRun:
    (run,) = runs_of(calls, BASE, HIDDEN)
    return run


def names(calls: list[Call]) -> list[str]:
    return [one.span_id for one in calls]


def test_an_outer_span_that_repeats_its_calls_is_left_out() -> None:
    calls = [call("agent", 14), call("a"), call("b")]
    assert names(innermost(calls, {"a": "agent", "b": "agent"})) == ["a", "b"]


def test_a_wrapper_counts_where_the_call_inside_reports_nothing() -> None:
    assert names(innermost([call("sdk"), call("http", None)], {"http": "sdk"})) == ["sdk"]
    assert names(innermost([call("sdk", None), call("http", None)], {"http": "sdk"})) == ["http"]


def test_a_silent_call_beside_one_that_reports_is_a_call() -> None:
    assert names(innermost([call("a"), call("b", None)], {"a": "root", "b": "root"})) == ["a", "b"]


def test_spans_that_are_their_own_ancestors_end() -> None:
    assert list(ancestors("a", {"a": "b", "b": "a"})) == ["b"]
    assert names(innermost([call("a")], {"a": "b", "b": "a"})) == ["a"]


def test_calls_of_a_grader_are_not_the_models() -> None:
    calls = [call("a"), call("judge"), call("below")]
    parents = {"below": "tool", "tool": "judge"}
    assert names(calls_of_model(calls, parents, {"judge"})) == ["a"]


@pytest.mark.parametrize(
    ("outer", "inner", "judged", "flagged"),
    [
        (107, (7,), None, True), (7, (7,), None, False), (5, (7,), None, False), (14, (7, 7), None, False),
        (15, (7, 7), None, True), (107, (7,), 100, False), (None, (7,), None, False), (107, (7, None), None, True),
    ],
)  # fmt: skip
def test_calls_inside_a_span_that_reports_more_than_they_do_are_flagged(
    outer: int | None, inner: tuple[int | None, ...], judged: int | None, flagged: bool
) -> None:
    calls = [call("agent", outer), *(call(str(place), output) for place, output in enumerate(inner))]
    parents = {one.span_id: "agent" for one in calls[1:]}
    if judged is not None:
        calls, parents = [*calls, call("grade", judged)], {**parents, "grade": "judge", "judge": "agent"}
    kept = calls_of_model(calls, parents, {"judge"})
    assert {flag for one in kept for flag in one.quality_flags} == ({MORE_OUTSIDE} if flagged else set())
    assert MORE_OUTSIDE in run_of(*kept).quality_flags or not flagged


def test_usage_is_summed_and_the_last_call_gives_answer_and_finish() -> None:
    first = call("a", 20, at=0, replies=(Reply("call", None, "tool_calls"),))
    last = call("b", 50, at=3, replies=(Reply("18", None, "stop"),))
    run = run_of(last, first)
    assert (run.usage.output, run.answer, run.finish_reason) == (70, "18", "stop")
    assert (run.latency_seconds, run.started_at) == (4.0, NOW)
    assert (run.configuration.output_budget_tokens, run.tags) == (
        None,
        {"calls": "2", "call_budget_tokens": "64"},
    )
    assert (run.trace_visibility, run.estimable) == (Visibility.SUMMARY, False)


def test_a_sum_has_a_count_only_where_every_call_has_it() -> None:
    usages = [Usage(output=7, reasoning=4), Usage(output=7), Usage(output=None)]
    calls = [replace(call(str(place)), usage=usage) for place, usage in enumerate(usages)]
    assert run_of(*calls[:2]).usage == Usage(output=14)
    assert run_of(*calls).usage == Usage()


def test_a_failed_call_that_was_tried_again_is_told_and_costs_nothing() -> None:
    run = run_of(call("a", None, failed=True, error_type="timeout"), call("b", at=2))
    assert (run.status, run.usage.output, run.error_type) == (Status.OK, 7, None)
    assert run.tags == {"failed_calls": "1"}
    assert run.configuration.output_budget_tokens == 64


def test_a_failed_call_alone_is_a_failed_run() -> None:
    run = run_of(call("a", None, failed=True, error_type="timeout", error_message="late"))
    assert (run.status, run.error_type, run.error_message) == (Status.ERROR, "timeout", "late")


def test_n_answers_of_one_call_are_n_runs_without_a_count() -> None:
    runs = runs_of([call("a", 30, replies=(Reply("18"), Reply("17")))], BASE, HIDDEN)
    assert [(run.attempt, run.answer, run.usage, run.estimable) for run in runs] == [
        ("t#0", "18", Usage(), False),
        ("t#1", "17", Usage(), False),
    ]
    assert [run.tags for run in runs] == [{"usage_output_tokens": "30"}, {}]


@pytest.mark.parametrize(
    ("model", "reply", "reasoning", "visibility"),
    [
        ("m", Reply("18", "9 * 2"), None, Visibility.FULL),
        ("m", Reply("18"), None, Visibility.FULL),
        ("m", Reply("18"), 5, Visibility.HIDDEN),
        ("m", Reply(), None, Visibility.NONE),
        ("o4-mini", Reply("18"), None, Visibility.HIDDEN),
        ("o4-mini", Reply("18"), 0, Visibility.FULL),
        ("o4-mini", Reply("18", "Counted."), 5, Visibility.SUMMARY),
    ],
)
def test_a_trace_is_shown_as_far_as_the_log_shows_it(
    model: str, reply: Reply, reasoning: int | None, visibility: Visibility
) -> None:
    one = replace(call("a", model=model, replies=(reply,)), usage=Usage(output=7, reasoning=reasoning))
    assert run_of(one).trace_visibility is visibility


def test_calls_of_no_model_or_of_several_are_refused() -> None:
    with pytest.raises(LogError, match=r"several models \(span a\): found m, n; .* EVALUATOR"):
        run_of(call("a"), call("b", model="n"))
    with pytest.raises(LogError, match="no model"):
        run_of(replace(call("a"), configuration=None))
