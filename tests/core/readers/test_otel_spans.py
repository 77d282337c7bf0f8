"""What single OpenTelemetry spans say of calls."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.readers.otel_spans import call_of
from effspark.readers.otlp import Ended, Event, KeyValue, Span
from effspark.readers.trace_calls import Call
from effspark.readers.trace_replies import Reply
from effspark.runs.record import Configuration
from effspark.runs.tokens import Usage

MODEL = {"gen_ai.request.model": "m"}


def event(name: str, **known: str) -> Event:
    told = [KeyValue(key.replace("__", "."), {"stringValue": value}) for key, value in known.items()]
    return Event(name, attributes=told)


def call(known: dict[str, Any], *events: Event, **fields: Any) -> Call:
    found = call_of(Span("t", "s", events=list(events), **fields), {**MODEL, **known})
    assert found is not None
    return found


def test_a_span_is_a_call_where_it_names_a_model_and_no_other_work() -> None:
    assert call_of(Span("t", "s"), {"gen_ai.usage.output_tokens": 7}) is None
    assert call_of(Span("t", "s"), {**MODEL, "gen_ai.operation.name": "embeddings"}) is None
    found = call({"gen_ai.request.model": "", "gen_ai.response.model": "m-1"})
    assert found.configuration == Configuration(request_model="m-1")


def test_counts_are_read_in_the_words_of_each_generation() -> None:
    older = {"gen_ai.usage.completion_tokens": 7, "llm.usage.total_tokens": 12}
    assert call(older).usage == Usage(output=7, total=12)
    assert call({**older, "gen_ai.usage.output_tokens": 0}).usage.output == 0
    assert call({**older, "gen_ai.usage.output_tokens": None}).usage.output == 7
    cached = {"gen_ai.usage.input_tokens.cached": 3, "gen_ai.usage.cache_creation_input_tokens": 4}
    assert call(cached).usage == Usage(cache_read=3, cache_write=4)


def test_a_failed_span_says_why_and_another_does_not() -> None:
    nameless, known = event("exception"), event("exception", exception__type="KeyError")
    told = {"error.type": "timeout"}
    late, fine = call(told, known, status=Ended(2, "Late.")), call(told, status=Ended(1, "Fine."))
    assert (late.failed, late.error_type, late.error_message) == (True, "timeout", "Late.")
    assert (fine.failed, fine.error_type, fine.error_message) == (False, None, None)
    assert call({}, nameless, known, status=Ended("2")).error_type == "KeyError"
    assert call({}, nameless, status=Ended("STATUS_CODE_ERROR")).error_type is None


def test_answers_stand_in_attributes_else_in_events_else_flattened() -> None:
    flat = {"gen_ai.completion.1.content": "2", "gen_ai.completion.0.content": "1"}
    choice = event("gen_ai.choice", content="3")
    older = event("gen_ai.content.completion", gen_ai__completion="4")
    assert call({**flat, "gen_ai.completion": "5"}, choice, older).replies == (Reply("5"),)
    assert call(flat, choice, older).replies == (Reply("4"),)
    assert call(flat, choice, choice).replies == (Reply("3"), Reply("3"))
    assert call(flat, event("other", content="6")).replies == (Reply("1"), Reply("2"))
    assert call({}).replies == ()


@pytest.mark.parametrize("message", ['{"content": "18"}', '[{"text": "1"}, {"text": "8"}]', "18", '"18"'])
def test_the_message_of_a_choice_is_an_object_or_the_content_alone(message: str) -> None:
    found = call({}, event("gen_ai.choice", message=message, finish_reason="stop"))
    assert found.replies == (Reply("18", None, "stop"),)


def test_reasoning_beside_a_text_is_that_of_its_reply_where_it_is_a_text() -> None:
    assert call({"ai.response.text": "18", "ai.response.reasoning": "9"}).replies == (Reply("18", "9"),)
    assert call({"ai.response.text": "18", "ai.response.reasoning": ["9"]}).replies == (Reply("18"),)


def test_finish_reasons_of_the_span_outrank_those_of_the_answer() -> None:
    told = {"gen_ai.completion.0.finish_reason": "stop"}
    found = [
        call({**told, "gen_ai.response.finish_reasons": reasons}).replies[0].finish_reason
        for reasons in (["length"], '["length"]', "length", [None], None)
    ]
    assert found == ["length", "length", "length", "stop", "stop"]
    assert call({"ai.response.finishReason": "length"}).replies == (Reply(None, None, "length"),)


def test_the_question_is_read_where_the_prompt_stands() -> None:
    flat = {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "9 * 2?"}
    sent = event("gen_ai.content.prompt", gen_ai__prompt="Of the event?")
    assert call(flat).asked.question == "9 * 2?"
    assert call(flat, sent).asked.question == "Of the event?"
    assert call({**flat, "gen_ai.prompt": "1?"}, sent).asked.question == "1?"
    assert call({}).asked.prompt is None


def test_settings_are_read_and_the_newer_name_of_a_provider_wins() -> None:
    known = {"gen_ai.system": "old", "gen_ai.provider.name": "new", "gen_ai.request.reasoning.level": "low"}
    found = call({**known, "gen_ai.request.temperature": 0.0, "gen_ai.request.seed": 0}, parent_span_id="")
    assert found.configuration is not None
    assert (found.configuration.provider_name, found.configuration.reasoning_effort) == ("new", "low")
    assert (found.configuration.temperature, found.seed, found.parent_id) == (0.0, 0, None)


def test_a_place_of_thousands_of_digits_is_no_place() -> None:
    assert call({f"gen_ai.completion.{'9' * 5000}.content": "1"}).replies == ()
