"""What one answer of Gemini tells of the runs in it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from effspark.errors import LogError
from effspark.readers.gemini_bodies import runs
from effspark.readers.gemini_shapes import Body
from effspark.runs.record import Configuration, LoggedRun, Status, Visibility
from effspark.runs.tokens import Usage

KNOWN = {
    "benchmark_id": "b",
    "instance_id": "1",
    "attempt": "1",
    "configuration": Configuration(request_model="m"),
}


def runs_of(hidden: tuple[str, ...] = (), **fields: Any) -> tuple[LoggedRun, ...]:
    return runs(msgspec.convert({"modelVersion": "m", **fields}, Body), KNOWN, hidden)


def candidate(*texts: str, finish: str | None = "STOP", **fields: Any) -> dict[str, Any]:
    return {"content": {"parts": [{"text": text} for text in texts]}, "finishReason": finish, **fields}


def interaction(*steps: dict[str, Any], **fields: Any) -> LoggedRun:
    (run,) = runs_of(object="interaction", steps=list(steps), **fields)
    return run


def test_thoughts_are_counted_beside_the_answer() -> None:
    counts = {
        "promptTokenCount": 98,
        "candidatesTokenCount": 6,
        "thoughtsTokenCount": 190,
        "totalTokenCount": 294,
    }
    (run,) = runs_of(candidates=[candidate("18")], usageMetadata=counts)
    assert run.usage == Usage(input=98, output=6, reasoning=190, total=294, additive=True)


def test_a_count_that_is_absent_stays_null() -> None:
    (run,) = runs_of(candidates=[candidate(finish="MAX_TOKENS")], usageMetadata={"promptTokenCount": 77})
    assert run.usage == Usage(input=77, additive=True)


def test_what_tools_gave_to_read_is_input() -> None:
    counts = {"promptTokenCount": 60, "toolUsePromptTokenCount": 5, "cachedContentTokenCount": 32}
    (run,) = runs_of(candidates=[candidate("18")], usageMetadata=counts)
    assert (run.usage.input, run.usage.cache_read) == (65, 32)


def test_a_text_marked_as_thought_is_a_summary_and_no_answer() -> None:
    said = {"parts": [{"text": "Counted.", "thought": True}, {"text": "18", "thought": False}]}
    (run,) = runs_of(candidates=[{"content": said}])
    assert (run.reasoning, run.answer, run.trace_visibility) == ("Counted.", "18", Visibility.SUMMARY)


@pytest.mark.parametrize(
    ("thoughts", "hidden", "visibility"),
    [
        (None, (), Visibility.FULL),
        (None, ("m",), Visibility.HIDDEN),
        (0, ("m",), Visibility.FULL),
        (190, (), Visibility.HIDDEN),
    ],
)
def test_thoughts_that_were_counted_but_not_shown_are_hidden(
    thoughts: int | None, hidden: tuple[str, ...], visibility: Visibility
) -> None:
    (run,) = runs_of(hidden, candidates=[candidate("18")], usageMetadata={"thoughtsTokenCount": thoughts})
    assert run.trace_visibility is visibility
    assert run.estimable is (visibility is Visibility.FULL and not hidden)


def test_the_usage_of_n_candidates_is_the_usage_of_none() -> None:
    found = runs_of(
        candidates=[candidate("17", index=1), candidate("18")], usageMetadata={"candidatesTokenCount": 4}
    )
    assert [(run.attempt, run.answer, run.usage) for run in found] == [
        ("1#1", "17", Usage()),
        ("1#0", "18", Usage()),
    ]
    assert found[0].tags == {"usage_output_tokens": "4", "n_choices": "2"}


def test_candidates_without_index_are_told_apart_by_their_place() -> None:
    found = runs_of(candidates=[candidate("17"), candidate("18"), candidate("18")])
    assert [run.attempt for run in found] == ["1#0", "1#1", "1#2"]


def test_a_blocked_prompt_is_a_refusal_that_keeps_its_reason() -> None:
    (run,) = runs_of(promptFeedback={"blockReason": "OTHER"}, usageMetadata={"promptTokenCount": 60})
    assert (run.finish_reason, run.tags, run.usage.input) == ("refusal", {"block_reason": "OTHER"}, 60)


def test_an_answer_without_candidates_ends_for_no_known_reason() -> None:
    (run,) = runs_of(candidates=[], usageMetadata={"promptTokenCount": 60, "thoughtsTokenCount": 9})
    assert (run.finish_reason, run.answer, run.usage.reasoning) == (None, None, 9)


def test_a_body_of_another_endpoint_is_refused() -> None:
    with pytest.raises(LogError, match="neither candidates, promptFeedback nor usageMetadata"):
        runs_of(embedding={"values": [1]})


def test_an_interaction_speaks_in_its_model_output_steps() -> None:
    run = interaction(
        {"type": "user_input", "content": [{"type": "text", "text": "2 + 2?"}]},
        {"type": "thought", "summary": [{"type": "text", "text": "Added."}]},
        {"type": "model_output", "content": [{"type": "text", "text": "It is "}, {"type": "image"}]},
        {"type": "model_output", "content": [{"type": "text", "text": "4."}]},
        status="completed",
    )
    assert (run.answer, run.reasoning, run.trace_visibility) == ("It is 4.", "Added.", Visibility.SUMMARY)


def test_an_interaction_of_the_older_layout_speaks_in_its_outputs() -> None:
    (run,) = runs_of(outputs=[{"type": "thought"}, {"type": "text", "text": "4"}], status="completed")
    assert (run.answer, run.reasoning, run.trace_visibility) == ("4", None, Visibility.HIDDEN)


def test_totals_of_an_interaction_are_additive() -> None:
    totals = {
        "total_input_tokens": 9,
        "total_output_tokens": 779,
        "total_thought_tokens": 912,
        "total_tokens": 1700,
    }
    run = interaction(usage=totals)
    assert run.usage == Usage(input=9, output=779, reasoning=912, total=1700, additive=True)
    assert interaction().usage == Usage(additive=True)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("incomplete", ("incomplete", None, Status.OK)),
        ("budget_exceeded", ("budget_exceeded", "budget_exceeded", Status.OK)),
        ("cancelled", ("cancelled", None, Status.CANCELLED)),
    ],
)
def test_the_status_of_an_interaction_is_its_reason_to_end(status: str, expected: tuple[Any, ...]) -> None:
    run = interaction(status=status)
    assert (run.finish_reason, run.agent_limit, run.status) == expected


def test_times_are_kept_and_a_text_that_is_none_is_a_fault() -> None:
    run = interaction(created="2026-06-01T08:00:00Z", updated="2026-06-01T08:00:09Z")
    assert run.started_at is not None
    assert run.log_version is not None
    assert (run.log_version - run.started_at).total_seconds() == 9
    with pytest.raises(LogError, match="found 'yesterday'"):
        runs_of(candidates=[candidate("18")], createTime="yesterday")
