"""What requests to Gemini ask for, in either spelling."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.readers.gemini_requests import asks, configuration, prompt, seed


def asked(**settings: Any) -> tuple[Any, ...]:
    request = {"generationConfig" if "maxOutputTokens" in settings else "generation_config": settings}
    made = configuration(request, model="m", provider_name="p")
    assert (made.request_model, made.provider_name) == ("m", "p")
    return made.output_budget_tokens, made.temperature, made.reasoning_effort


def test_settings_are_read_in_either_spelling() -> None:
    assert asked(maxOutputTokens=9, temperature=0, thinkingConfig={"thinkingLevel": "LOW"}) == (9, 0, "LOW")
    assert asked(max_output_tokens=9, temperature=0, thinking_level="low") == (9, 0, "low")


def test_a_thinking_budget_is_the_effort_where_there_is_no_level() -> None:
    assert asked(maxOutputTokens=9, thinkingConfig={"thinkingBudget": 0})[2] == "0 tokens"
    assert asked(thinking_config={"thinking_budget": 512})[2] == "512 tokens"
    assert asked(thinking_config={"thinking_budget": 512, "thinking_level": "high"})[2] == "high"
    assert asked()[2] is None


@pytest.mark.parametrize("request_", [{}, {"generationConfig": None}, {"generationConfig": {}}])
def test_what_is_not_asked_for_is_null(request_: dict[str, Any]) -> None:
    made = configuration(request_, model="m", provider_name="p")
    assert (made.output_budget_tokens, made.temperature, made.reasoning_effort) == (None, None, None)
    assert seed(request_) is None
    assert prompt(request_) is None


def test_a_prompt_is_the_texts_of_instruction_and_contents_in_order() -> None:
    turns = [{"role": "user", "parts": [{"text": "a"}, {"inlineData": {"data": "x"}}, {"text": "b"}]}]
    assert prompt({"contents": turns, "system_instruction": {"parts": [{"text": "s"}]}}) == "s\na\nb"
    assert prompt({"input": [{"type": "text", "text": "a"}, {"role": "user", "content": "b"}]}) == "a\nb"


@pytest.mark.parametrize("value", [None, "contents", [], {"input": "a"}, {"messages": []}])
def test_other_requests_are_none_of_gemini(value: Any) -> None:
    assert not asks(value)
