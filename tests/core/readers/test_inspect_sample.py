"""Traces of Inspect samples: whose text it is, and how much of the generated text it is."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.readers.inspect_sample import Choice, Message, Output, Sample, text_of, trace
from effspark.runs.record import Visibility


def block(reasoning: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "reasoning", "reasoning": reasoning, **more}


def shown(
    content: Any,
    *,
    model: str = "vllm/open",
    hides: bool = False,
    reasoning_tokens: int | None = None,
    one_call: bool = True,
    **more: Any,
) -> tuple[str | None, str | None, str]:
    """Reasoning, answer and visibility of one assistant message."""
    message = Message(role="assistant", content=content, **more)
    found = trace(
        Sample(output=Output(choices=[Choice(message, "stop")])),
        {"7": "looked up"},
        model=model,
        hides=hides,
        reasoning_tokens=reasoning_tokens,
        one_call=one_call,
    )
    return found.reasoning, found.answer, found.visibility.value


TEXT = {"type": "text", "text": "18"}


@pytest.mark.parametrize(
    ("content", "more", "expected"),
    [
        ("18", {}, (None, "18", "full")),
        ([TEXT, {"type": "image", "image": "x"}, TEXT], {}, (None, "18\n18", "full")),
        ([block("so"), block("then"), TEXT], {}, ("so\nthen", "18", "full")),
        ([block("so"), TEXT], {"reasoning_tokens": 9}, ("so", "18", "full")),
        ([block("attachment://7"), TEXT], {}, ("looked up", "18", "full")),
        ("18", {"reasoning": "of an old log"}, ("of an old log", "18", "full")),
        ([block("so", summary="short")], {}, ("so", None, "full")),
        # summaries: marked, or known of the model
        ([block("", summary="short"), TEXT], {}, ("short", "18", "summary")),
        ([block("cipher", summary="short", redacted=True), TEXT], {}, ("short", "18", "summary")),
        ([block("so"), TEXT], {"model": "anthropic/claude-opus-4-6"}, ("so", "18", "summary")),
        ([block("so"), TEXT], {"model": "anthropic/claude-3-7-sonnet"}, ("so", "18", "full")),
        ([block("so"), TEXT], {"model": "google/gemini-2.5-pro"}, ("so", "18", "summary")),
        ([block("so"), TEXT], {"hides": True}, ("so", "18", "summary")),
        ("18", {"model": "anthropic/claude-opus-4-6"}, (None, "18", "full")),
        # a cipher is no text
        ([block("cipher", redacted=True), TEXT], {"reasoning_tokens": 9}, (None, "18", "redacted")),
        ([block("so"), block("cipher", redacted=True), TEXT], {}, ("so", "18", "redacted")),
        # thought but not shown
        ("18", {"reasoning_tokens": 64}, (None, "18", "hidden")),
        ("", {"reasoning_tokens": 64}, (None, None, "hidden")),
        ("18", {"hides": True}, (None, "18", "hidden")),
        ("18", {"hides": True, "reasoning_tokens": 0}, (None, "18", "full")),
        # a part of what was generated
        ("18", {"one_call": False}, (None, "18", "summary")),
        ("18", {"tool_calls": [{"id": "t"}]}, (None, "18", "summary")),
        ("", {}, (None, None, "none")),
    ],
)
def test_a_trace_is_whole_only_where_the_log_shows_it_whole(
    content: Any, more: dict[str, Any], expected: tuple[str | None, str | None, str]
) -> None:
    assert shown(content, **more) == expected


def test_the_completion_is_the_answer_and_examples_of_the_prompt_are_not() -> None:
    messages = [
        Message(role="assistant", content=[block("of the example"), TEXT], source="input"),
        Message(role="user", content="Q"),
        Message(
            role="assistant",
            content=[block("mine"), {"type": "text", "text": "long form"}],
            source="generate",
        ),
    ]
    sample = Sample(messages=messages, output=Output(completion="18", choices=[Choice(messages[2])]))
    found = trace(sample, {}, model="vllm/m", hides=False, reasoning_tokens=None, one_call=True)
    assert (found.reasoning, found.answer, found.visibility) == ("mine", "18", Visibility.FULL)


def test_a_refusal_block_is_told() -> None:
    said = Message(role="assistant", content=[{"type": "text", "text": "No.", "refusal": True}])
    sample = Sample(output=Output(choices=[Choice(said)]))
    assert trace(sample, {}, model="m", hides=False, reasoning_tokens=None, one_call=True).refused


def test_a_reference_without_its_text_stays_as_it_is() -> None:
    assert text_of("attachment://9", {"7": "x"}) == "attachment://9"
    assert text_of("tc://7", {"7": "x"}) == "x"
    assert text_of("see attachment://7", {"7": "x"}) == "see attachment://7"
    assert text_of(None, {}) == ""
