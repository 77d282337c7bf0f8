"""What single observations and scores of Langfuse say."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers.langfuse_shapes import Observation, Score, call_of, moment, snake, usage_of, verdict_of
from effspark.runs.record import Configuration
from effspark.runs.tokens import TokenConvention, Usage, normalise


def generation(**fields: Any) -> Observation:
    return Observation("o", "t", "GENERATION", model="m", **fields)


@pytest.mark.parametrize(
    ("buckets", "output", "reasoning", "convention"),
    [
        ({"input": 98, "output": 19, "output_reasoning_tokens": 192, "total": 309}, 211, 192, "additive"),
        ({"input": 98, "output": 19, "output_reasoning_tokens": 192}, 211, 192, "additive"),
        ({"input": 98, "output": 211, "output_reasoning_tokens": 192, "total": 309}, 211, 192, "inclusive"),
        ({"input": 98, "output": 211, "total": 309}, 211, None, "inclusive"),
        ({"input": 98, "output": 0, "output_reasoning": 512, "total": 610}, 512, 512, "additive"),
        ({"output_reasoning_tokens": 64}, 64, 64, "additive"),
        ({"input": 98, "output": 10, "output_audio_tokens": 9, "total": 117}, 19, None, "inclusive"),
        ({"input": 98, "output": 19, "output_audio_tokens": 9, "total": 117}, 19, None, "inclusive"),
        ({}, None, None, "unknown"),
        ({"input": 98, "output": None}, None, None, "unknown"),
    ],
)
def test_output_is_the_sum_of_disjoint_buckets_and_of_no_others(
    buckets: dict[str, Any], output: int | None, reasoning: int | None, convention: str
) -> None:
    found = normalise(usage_of(buckets), text=None)
    assert (found.output, found.reasoning) == (output, reasoning)
    assert found.convention is TokenConvention(convention)


@pytest.mark.parametrize(
    ("buckets", "input_"),
    [
        ({"input": 66, "input_cached_tokens": 32, "output": 5, "total": 103}, 98),
        ({"input": 98, "input_cached_tokens": 32, "output": 5, "total": 103}, 98),
        ({"input": 66, "input_cached_tokens": 32, "output": 211, "output_reasoning": 192, "total": 309}, 98),
        ({"input": 98, "input_cached_tokens": 32, "output": 19, "output_reasoning": 192, "total": 309}, 98),
        ({"input": 10, "cache_read_input_tokens": 32, "cache_creation_input_tokens": 4, "output": 5}, 46),
        ({"output": 5}, None),
    ],
)
def test_input_holds_the_cached_input_once(buckets: dict[str, Any], input_: int | None) -> None:
    assert usage_of(buckets).input == input_


def test_cached_input_is_kept_beside_it() -> None:
    found = usage_of({"input": 10, "cache_read_input_tokens": 32, "cache_creation_input_tokens": 4})
    assert (found.cache_read, found.cache_write) == (32, 4)


def test_a_bucket_that_is_no_count_is_a_fault_and_other_units_are_passed_over() -> None:
    with pytest.raises(LogError, match=r"usage_details\.output: found 'many'"):
        usage_of({"output": "many"})
    assert usage_of({"output": 5, "seconds_of_audio": 1.5}).output == 5


def test_older_usage_counts_only_in_tokens() -> None:
    assert call_of(generation(usage={"input": 5, "output": 7, "total": 12, "unit": "TOKENS"})).usage == Usage(
        input=5, output=7, total=12
    )
    assert call_of(generation(usage={"output": 7, "unit": "CHARACTERS"})).usage == Usage()
    both = generation(usage={"output": 7}, usage_details={"output": 9})
    assert call_of(both).usage.output == 9


def test_reasoning_that_only_the_output_counts_is_read_there() -> None:
    output = {"candidates": [], "usage_metadata": {"thoughts_token_count": 1104}}
    buckets = {"input": 6, "output": 951, "total": 2061}
    found = normalise(call_of(generation(usage_details=buckets, output=output)).usage, text="x")
    assert (found.output, found.reasoning, found.convention) == (2055, 1104, TokenConvention.ADDITIVE)


@pytest.mark.parametrize(
    ("parameters", "temperature", "budget"),
    [
        ({"temperature": 0, "max_tokens": 512}, 0, 512),
        ('{"temperature": "0.5", "maxOutputTokens": "512"}', 0.5, 512.0),
        ({"temperature": None, "max_tokens": "inf"}, None, None),
        (None, None, None),
    ],
)
def test_settings_may_be_written_as_text(parameters: Any, temperature: Any, budget: Any) -> None:
    found = call_of(generation(model_parameters=parameters)).configuration
    assert found is not None
    assert (found.temperature, found.output_budget_tokens) == (temperature, budget)


def test_a_setting_that_is_no_number_and_a_time_that_is_none_are_faults() -> None:
    with pytest.raises(LogError, match="model_parameters: found 'hot'"):
        call_of(generation(model_parameters={"temperature": "hot"}))
    with pytest.raises(LogError, match="start_time"):
        moment("yesterday", "start_time")


def test_a_finish_reason_stands_in_the_output_else_in_the_attributes() -> None:
    attributes = {"attributes": {"gen_ai.response.finish_reasons": '["length"]'}}
    said = {"role": "assistant", "content": "18", "finish_reason": "stop"}
    assert call_of(generation(output=said, metadata=attributes)).replies[0].finish_reason == "stop"
    assert call_of(generation(output="18", metadata=attributes)).replies[0].finish_reason == "length"
    assert call_of(generation(output=None, metadata=attributes)).replies[0].finish_reason == "length"
    assert call_of(generation(output="18")).replies[0].finish_reason is None


def test_a_list_of_messages_ends_in_the_answer() -> None:
    messages = [{"role": "assistant", "content": "Let me see."}, {"role": "assistant", "content": "18"}]
    assert [reply.answer for reply in call_of(generation(output=messages)).replies] == ["18"]


def test_the_model_may_stand_in_the_attributes_or_nowhere() -> None:
    plain = Observation("o", "t", "GENERATION", metadata='{"attributes": {"gen_ai.request.model": "m"}}')
    found = call_of(plain).configuration
    assert found is not None
    assert found.request_model == "m"
    assert call_of(Observation("o", "t", "GENERATION")).configuration == Configuration(request_model="")


@pytest.mark.parametrize(
    ("score", "raw", "correct"),
    [
        (Score("t", "s", 1, "True", "BOOLEAN"), "1", 1.0),
        (Score("t", "s", 0.5, None, "NUMERIC"), "0.5", 0.5),
        (Score("t", "s", 0, "correct", "CATEGORICAL"), "correct", 1.0),
        (Score("t", "s", None, "good", "CATEGORICAL"), "good", None),
    ],
)
def test_a_score_is_a_verdict_by_its_kind(score: Score, raw: str, correct: float | None) -> None:
    assert (verdict_of(score).raw, verdict_of(score).value) == (raw, correct)


def test_names_of_the_api_become_those_of_blob_exports() -> None:
    assert list(snake({"parentObservationId": 1, "experimentItemId": 1, "trace_id": 1})) == [
        "parent_observation_id",
        "experiment_item_id",
        "trace_id",
    ]
