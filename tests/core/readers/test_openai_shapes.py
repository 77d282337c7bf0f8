from __future__ import annotations

import msgspec
import pytest

from effspark.readers.openai_shapes import Body


def test_both_shapes_are_one_type_and_other_fields_are_passed_over() -> None:
    chat = msgspec.json.decode(
        b'{"object": "chat.completion", "choices": [{"message": {"content": [{"type": "text", "text": "18"}]},'
        b' "logprobs": {"content": []}}], "service_tier": 7}',
        type=Body,
    )
    assert chat.choices is not None
    assert chat.choices[0].message.content[0].text == "18"  # type: ignore[index, union-attr]
    response = msgspec.json.decode(b'{"output": [{"type": "web_search_call", "action": {}}]}', type=Body)
    assert response.output is not None
    assert response.output[0].type == "web_search_call"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (b'{"model": 7}', "$.model"),
        (b'{"choices": {"0": {}}}', "$.choices"),
        (b'{"choices": [{"message": {"content": 18}}]}', "$.choices[0].message.content"),
        (b'{"choices": [{"finish_reason": "stop"}]}', "$.choices[0]"),
        (b'{"usage": "none"}', "$.usage"),
        (b'{"created": "today"}', "$.created"),
    ],
)
def test_a_field_of_another_type_is_named_by_its_path(body: bytes, path: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(body, type=Body)
    assert f"at `{path}`" in str(caught.value)


def test_counts_are_left_to_the_check_of_all_readers() -> None:
    body = msgspec.json.decode(b'{"usage": {"completion_tokens": "12"}}', type=Body)
    assert body.usage is not None
    assert body.usage.completion_tokens == "12"
