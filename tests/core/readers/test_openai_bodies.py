from __future__ import annotations

from typing import Any

import msgspec
import pytest

from effspark.errors import LogError
from effspark.readers.openai_bodies import fault_of, runs, time_of
from effspark.readers.openai_shapes import Body, Fault
from effspark.runs.record import LoggedRun, Status
from effspark.runs.tokens import Usage

BASE = {"benchmark_id": "b", "instance_id": "q", "attempt": "q"}
HIDDEN = (r"(^|/)o[134](-|$)",)


def of(**fields: Any) -> tuple[LoggedRun, ...]:
    return runs(msgspec.convert({"model": "gpt-4o", **fields}, Body), BASE, HIDDEN)


def chat(
    message: dict[str, Any] | None = None,
    *,
    finish: str | None = "stop",
    reasoning: int | None = None,
    model: str = "gpt-4o",
) -> LoggedRun:
    usage = {"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": reasoning}}
    choice = {"message": message or {"content": "18"}, "finish_reason": finish}
    (run,) = of(object="chat.completion", model=model, choices=[choice], usage=usage)
    return run


def response(**fields: Any) -> LoggedRun:
    (run,) = of(object="response", **fields)
    return run


@pytest.mark.parametrize(
    ("message", "reasoning", "model", "visibility", "estimable"),
    [
        ({"content": "18"}, None, "gpt-4o", "full", True),
        ({"content": "18"}, 0, "gpt-4o", "full", True),
        ({"content": "18"}, 64, "gpt-4o", "hidden", False),
        ({"content": "18"}, None, "o1-mini", "hidden", False),
        ({"content": "18"}, 0, "o1-mini", "full", False),
        ({"content": ""}, None, "gpt-4o", "none", False),
        ({"content": None}, 0, "gpt-4o", "none", False),
        ({"content": "18", "reasoning_content": "9 * 2"}, None, "qwq", "full", True),
        ({"content": "18", "reasoning": "9 * 2"}, 64, "qwq", "full", True),
        ({"content": "18", "reasoning": {"effort": "low"}}, None, "qwq", "full", True),
    ],
)
def test_a_chat_trace_is_full_only_where_nothing_is_hidden(
    message: dict[str, Any], reasoning: int | None, model: str, visibility: str, estimable: bool
) -> None:
    run = chat(message, reasoning=reasoning, model=model)
    assert (run.trace_visibility.value, run.estimable) == (visibility, estimable)


@pytest.mark.parametrize(
    ("items", "reasoning", "visibility", "text"),
    [
        ([], 0, "full", None),
        ([{"type": "reasoning", "summary": []}], None, "hidden", None),
        ([{"type": "reasoning", "summary": []}], 64, "hidden", None),
        ([{"type": "reasoning", "summary": [{"text": "a"}, {"text": "b"}]}], 64, "summary", "a\nb"),
        (
            [{"type": "reasoning", "content": [{"text": "9 * 2"}], "summary": [{"text": "a"}]}],
            64,
            "full",
            "9 * 2",
        ),
    ],
)
def test_a_response_shows_its_reasoning_whole_in_summary_or_not(
    items: list[Any], reasoning: int | None, visibility: str, text: str | None
) -> None:
    message = {"type": "message", "content": [{"type": "output_text", "text": "18"}]}
    usage = {"output_tokens": 70, "output_tokens_details": {"reasoning_tokens": reasoning}}
    run = response(status="completed", output=[*items, message], usage=usage)
    assert (run.trace_visibility.value, run.reasoning, run.answer) == (visibility, text, "18")


@pytest.mark.parametrize(
    ("finish", "refusal", "expected"),
    [
        ("stop", None, "stop"),
        ("stop", "", "stop"),
        ("stop", "no", "refusal"),
        ("length", "no", "length"),
        ("tool_calls", None, "tool_calls"),
        (None, None, None),
    ],
)
def test_a_refusal_is_the_reason_unless_the_answer_was_cut(
    finish: str | None, refusal: str | None, expected: str | None
) -> None:
    assert chat({"content": "x", "refusal": refusal}, finish=finish).finish_reason == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"status": "completed"}, "completed"),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "max_output_tokens",
        ),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"status": "incomplete", "incomplete_details": None}, "incomplete"),
        ({"status": "failed", "error": {"code": "server_error", "message": "m"}}, "failed"),
        ({}, None),
    ],
)
def test_the_finish_reason_of_a_response_is_its_status_or_why_it_is_incomplete(
    fields: dict[str, Any], expected: str | None
) -> None:
    assert response(**fields).finish_reason == expected


def test_a_cancelled_response_is_cancelled() -> None:
    assert response(status="cancelled").status is Status.CANCELLED


def test_usage_is_handed_on_in_the_words_of_either_shape() -> None:
    expected = Usage(input=98, output=330, reasoning=256, total=428, cache_read=64, cache_write=32)
    old = {
        "prompt_tokens": 98,
        "completion_tokens": 330,
        "total_tokens": 428,
        "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 32},
        "completion_tokens_details": {"reasoning_tokens": 256},
    }
    new = {
        name.replace("prompt", "input").replace("completion", "output"): value for name, value in old.items()
    }
    assert of(choices=[{"message": {"content": "18"}}], usage=old)[0].usage == expected
    assert response(usage=new).usage == expected
    assert response(usage=None).usage == Usage()


def test_a_count_of_zero_is_no_missing_count() -> None:
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    assert of(choices=[{"message": {"content": ""}}], usage=usage)[0].usage == Usage(
        input=0, output=0, total=0
    )


def test_no_run_of_several_choices_gets_their_common_usage() -> None:
    choices = [{"message": {"content": text}, "index": index} for index, text in ((1, "a"), (0, "b"))]
    first, second = of(choices=choices, usage={"prompt_tokens": 5, "completion_tokens": 7})
    assert (first.attempt, second.attempt) == ("q#1", "q#0")
    assert first.usage == second.usage == Usage()
    assert not first.estimable
    assert first.tags == {"usage_input_tokens": "5", "usage_output_tokens": "7", "n_choices": "2"}
    assert second.tags == {}
    assert first.quality_flags == second.quality_flags == ("usage_of_n_choices",)


def test_choices_without_an_index_are_named_by_their_place() -> None:
    choices = [{"message": {"content": text}} for text in "ab"]
    assert [run.attempt for run in of(choices=choices)] == ["q#0", "q#1"]


@pytest.mark.parametrize("indices", [(0, 0, 0), (None, 0, 1), (5, 5, None)])
def test_choices_whose_indices_repeat_are_named_by_their_place(indices: tuple[int | None, ...]) -> None:
    choices = [
        {"message": {"content": text}, "index": index} for text, index in zip("abc", indices, strict=True)
    ]
    assert [(run.attempt, run.answer) for run in of(choices=choices)] == [
        ("q#0", "a"),
        ("q#1", "b"),
        ("q#2", "c"),
    ]


def test_a_body_without_object_is_judged_by_its_fields() -> None:
    output = [{"type": "message", "content": [{"text": "18"}]}]
    assert of(output=output, status="completed")[0].finish_reason == "completed"
    assert of(choices=[{"message": {"content": "18"}, "finish_reason": "stop"}])[0].finish_reason == "stop"


@pytest.mark.parametrize(
    "fields", [{"object": "list"}, {"choices": []}, {"object": "chat.completion", "output": []}]
)
def test_a_body_of_another_endpoint_is_an_error(fields: dict[str, Any]) -> None:
    with pytest.raises(LogError, match=r"response\.body: found object .* allowed: a chat completion"):
        of(**fields)


def test_the_log_version_is_the_time_of_completion() -> None:
    run = response(created_at=1764445100.5, completed_at=1764445160.0)
    assert run.started_at is not None
    assert run.log_version is not None
    assert run.started_at.isoformat() == "2025-11-29T19:38:20.500000+00:00"
    assert run.log_version.isoformat() == "2025-11-29T19:39:20+00:00"


@pytest.mark.parametrize("seconds", [0, -1, 2**32, 1764445002000, float("inf")])
def test_what_cannot_be_seconds_is_no_time_and_is_flagged(seconds: float) -> None:
    assert time_of(seconds) is None
    run = response(created_at=seconds)
    assert (run.started_at, run.log_version, run.quality_flags) == (None, None, ("odd_time",))


def test_an_error_is_named_by_code_then_type_then_status() -> None:
    assert fault_of(Fault(code=400, type="t", message="m"), 500) == ("400", "m")
    assert fault_of(Fault(type="t"), 500) == ("t", None)
    assert fault_of("down", 500) == ("500", "down")
    assert fault_of(None, None) == (None, None)
