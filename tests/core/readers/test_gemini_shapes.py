"""Which fields of Gemini's answers are read, in both dialects."""

from __future__ import annotations

import msgspec
import pytest

from effspark.readers.gemini_shapes import Body, is_interaction, model_of


def body(text: str) -> Body:
    return msgspec.json.decode(text, type=Body)


def test_a_response_is_read_by_its_camel_case_names() -> None:
    found = body(
        '{"candidates": [{"finishReason": "STOP", "index": 2}], "modelVersion": "m", "createTime": "t",'
        ' "usageMetadata": {"promptTokenCount": 1, "thoughtsTokenCount": 2}, "promptFeedback": {"blockReason": "x"}}'
    )
    assert found.candidates is not None
    assert (found.candidates[0].finish_reason, found.candidates[0].index) == ("STOP", 2)
    assert found.usage_metadata is not None
    assert (found.usage_metadata.prompt_token_count, found.usage_metadata.thoughts_token_count) == (1, 2)
    assert found.prompt_feedback is not None
    assert (found.model_version, found.create_time, found.prompt_feedback.block_reason) == ("m", "t", "x")


def test_an_interaction_is_told_by_its_object_or_its_steps() -> None:
    for text in ('{"object": "interaction"}', '{"steps": []}', '{"outputs": []}'):
        assert is_interaction(body(text))
    assert not is_interaction(body('{"candidates": []}'))


def test_either_kind_names_its_model() -> None:
    assert model_of(body('{"modelVersion": "gemini-2.5-flash"}')) == "gemini-2.5-flash"
    assert model_of(body('{"model": "gemini-3-flash-preview"}')) == "gemini-3-flash-preview"
    assert model_of(body("{}")) is None


@pytest.mark.parametrize("text", ['{"candidates": {}}', '{"status": 3}', '{"steps": [{"content": "18"}]}'])
def test_a_field_of_another_type_is_a_fault(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        body(text)
