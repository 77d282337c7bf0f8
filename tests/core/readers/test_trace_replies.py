"""Answers, reasoning and finish reasons in the outputs of calls, in the words of each API."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.readers.trace_replies import Asked, Reply, asked, model_in, parsed, reasoning_tokens_in, replies

THOUGHT = {"type": "thinking", "thinking": "9 * 2"}


@pytest.mark.parametrize(
    ("output", "reply"),
    [
        ("18", Reply("18")),
        ("", Reply("")),
        ("[sic] 18", Reply("[sic] 18")),
        ('"18"', Reply('"18"')),
        ({"answer": 18}, Reply('{"answer": 18}')),
        ('{"content": "18"}', Reply('{"content": "18"}')),
        ({"role": "assistant", "content": "18"}, Reply("18")),
        ({"role": "assistant", "content": None, "tool_calls": [{}]}, Reply()),
        (
            {"choices": [{"message": {"content": "18"}, "finish_reason": "length"}]},
            Reply("18", None, "length"),
        ),
        ({"choices": [{"message": {"content": "", "reasoning_content": "9"}}]}, Reply("", "9")),
        ({"choices": [{"text": "18", "finish_reason": "stop"}]}, Reply("18", None, "stop")),
        ({"choices": [{"message": {"content": None, "refusal": "No."}}]}, Reply("No.")),
        (
            {"content": [THOUGHT, {"type": "text", "text": "18"}], "stop_reason": "end_turn"},
            Reply("18", "9 * 2", "end_turn"),
        ),
        ([THOUGHT, {"type": "text", "text": "18"}], Reply("18", "9 * 2")),
        (
            {"candidates": [{"content": {"parts": [{"text": "9", "thought": True}, {"text": "18"}]}}]},
            Reply("18", "9"),
        ),
        (
            {"content": {"parts": [{"text": "18"}], "role": "model"}, "finish_reason": "STOP"},
            Reply("18", None, "STOP"),
        ),
        (
            {
                "output": [
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Counted."}]},
                    {"type": "message", "content": [{"type": "output_text", "text": "18"}]},
                ],
                "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"},
            },
            Reply("18", "Counted.", "max_output_tokens"),
        ),
        ({"message": {"content": "18", "thinking": "9"}, "done_reason": "stop"}, Reply("18", "9", "stop")),
        (
            [{"role": "user", "content": "9 * 2?"}, {"role": "assistant", "content": "18"}],
            Reply("18"),
        ),
    ],
)
def test_an_output_is_read_in_the_words_of_its_api(output: Any, reply: Reply) -> None:
    assert replies(output) == (reply,)


def test_n_choices_are_n_replies_and_no_output_is_none() -> None:
    assert replies({"choices": [{"message": {"content": "18"}}, {"message": {"content": "17"}}]}) == (
        Reply("18"),
        Reply("17"),
    )
    assert replies(None) == ()


def test_json_in_a_string_is_read_and_a_text_stays_a_text() -> None:
    assert parsed('"{\\"a\\": 1}"') == {"a": 1}
    assert parsed("{not json") == "{not json"
    assert parsed("[" * 100_000) == "[" * 100_000


def test_the_question_is_the_only_message_of_the_user() -> None:
    messages = [{"role": "user", "content": "9 * 2?"}, {"role": "assistant", "content": "18"}]
    assert asked({"messages": messages}) == Asked("user: 9 * 2?\nassistant: 18", "9 * 2?")
    assert asked([*messages, {"role": "user", "content": "Sure?"}]).question is None
    assert asked({"q": "9 * 2?"}) == Asked('{"q": "9 * 2?"}', None)


def test_model_and_reasoning_tokens_are_found_where_the_api_puts_them() -> None:
    assert model_in("18", {"modelVersion": "gemini-2.5-flash"}) == "gemini-2.5-flash"
    assert model_in({"model": ""}, None) is None
    assert reasoning_tokens_in({"usage": {"output_tokens_details": {"reasoning_tokens": 0}}}) == 0
    assert reasoning_tokens_in({"usage_metadata": {"thoughts_token_count": 9}}) == 9
    assert reasoning_tokens_in({"usage": None}) is None
    assert reasoning_tokens_in("18") is None
