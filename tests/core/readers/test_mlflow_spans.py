"""What single spans of MLflow say."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

import msgspec

from effspark.readers.mlflow_spans import Ended, Span, call_of, mapping, plain, usage_of
from effspark.readers.trace_calls import Call
from effspark.readers.trace_replies import Reply
from effspark.runs.record import Configuration
from effspark.runs.tokens import Usage

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def call(*, model: str | None = None, **known: Any) -> Call:
    attributes = {key.replace("__", "."): json.dumps(value) for key, value in known.items()}
    found = call_of(Span("s", attributes={"mlflow.spanType": '"LLM"', **attributes}), model=model)
    assert found is not None
    return found


def test_a_span_of_an_unknown_kind_is_a_call_where_it_names_model_or_usage() -> None:
    unknown, grader = {"mlflow.spanType": '"UNKNOWN"'}, {"mlflow.spanType": "EVALUATOR"}
    model = {"mlflow.llm.model": '"m"'}
    yes: list[Any] = [unknown | model, {"gen_ai.request.model": "m"}, {"mlflow.chat.tokenUsage": "{}"}]
    no: list[Any] = [unknown, unknown | {"mlflow.llm.model": "null"}, grader | model, None]
    assert all(call_of(Span("s", attributes=known)) is not None for known in yes)
    assert all(call_of(Span("s", attributes=known)) is None for known in no)
    assert Span(attributes=grader).is_grader


def test_a_span_says_who_it_is_and_an_empty_one_is_nameless() -> None:
    older = msgspec.convert({"context": {"span_id": "a"}, "parent_id": "b"}, Span)
    assert (older.name_of, older.parent, Span().name_of, Span().parent) == ("a", "b", "", None)


def test_a_span_failed_where_its_status_says_so() -> None:
    failed = Span(status=Ended("STATUS_CODE_ERROR", "Late.")).failure
    assert failed == Ended("STATUS_CODE_ERROR", "Late.")
    assert Span(status=Ended("OK"), status_code="ERROR").failure is None
    found = call_of(Span(status_code="ERROR", status_message="", attributes={"mlflow.spanType": "LLM"}))
    assert found is not None
    assert (found.failed, found.error_message) == (True, None)


def test_the_model_is_that_of_the_span_else_of_inputs_outputs_or_the_trace() -> None:
    told = {"mlflow__spanInputs": {"model": "in"}, "mlflow__spanOutputs": {"model": "out"}}
    found = [call(mlflow__llm__model="span", **told), call(model="trace", **told), call(model="trace")]
    names = [one.configuration and one.configuration.request_model for one in found]
    assert names == ["span", "in", "trace"]
    assert [one.response_model for one in found] == ["out", "out", None]
    assert call().configuration == Configuration(request_model="")


def test_settings_are_read_in_their_other_spellings() -> None:
    inputs = {"max_output_tokens": 64, "reasoning": {"effort": "low"}, "temperature": 0, "seed": 0}
    found = call(
        model="m", mlflow__spanInputs=inputs, gen_ai__system="openai", mlflow__llm__cost={"total_cost": 0.5}
    )
    assert found.configuration is not None
    assert (found.configuration.output_budget_tokens, found.configuration.reasoning_effort) == (64, "low")
    assert (found.configuration.temperature, found.configuration.provider_name) == (0, "openai")
    assert (found.seed, found.cost) == (0, 0.5)


def test_inputs_and_outputs_that_are_texts_are_prompt_and_answer_and_no_settings() -> None:
    found = call(
        model="m", mlflow__spanInputs="9 * 2?", mlflow__spanOutputs="18", mlflow__chat__tokenUsage=[7]
    )
    assert (found.asked.question, found.replies, found.usage) == ("9 * 2?", (Reply("18"),), Usage())


def test_cached_input_and_a_zero_are_counted() -> None:
    counts = {"output_tokens": 0, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 4}
    assert usage_of(counts, None) == Usage(output=0, cache_read=3, cache_write=4)
    assert usage_of({}, '{"usage": {"completion_tokens": 9}}') == Usage(output=9)


def test_times_of_mlflow_3_outrank_those_of_before() -> None:
    known = {"mlflow.spanType": '"LLM"'}
    found = call_of(Span("s", attributes=known, start_time_unix_nano="1767225600000000000", start_time=1))
    assert found is not None
    assert (found.started_at, found.ended_at) == (NOW, None)


def test_a_text_that_only_begins_like_json_or_nests_too_deep_is_a_text() -> None:
    assert [plain(text) for text in ("{not json", "[" * 100_000, "")] == ["{not json", "[" * 100_000, ""]
    assert (mapping("[1]"), mapping(None), mapping({"a": 1})) == ({}, {}, {"a": 1})
