from __future__ import annotations

import pytest

from effspark.benchmarks.answers import field_in, object_in


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "18"}',
        '```json\n{"answer": "18"}\n```',
        '```\n{"answer": "18"}```</s>',
        'Here it is:\n\n{"answer": "18"}\nI hope this helps.',
        '{"reasoning": "two\nlines\tand a tab", "answer": "18"}',
    ],
)
def test_the_object_is_found_in_fences_and_prose(text: str) -> None:
    found = object_in(text)
    assert found is not None
    assert found["answer"] == "18"


@pytest.mark.parametrize(
    "text", ["", "18", "}{", "{", '{"answer": "18"', '["answer"]', "{18}", '{"a": 1} {"b": 2}']
)
def test_a_text_without_one_object_holds_none(text: str) -> None:
    assert object_in(text) is None


def test_brackets_without_end_are_no_object_and_no_crash() -> None:
    assert object_in('{"a":' * 100_000 + "}") is None


def test_numbers_stay_as_written_however_long() -> None:
    digits = "9" * 5000
    assert object_in(f'{{"a": {digits}, "b": 1e5, "c": 0.10}}') == {"a": digits, "b": "1e5", "c": "0.10"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"answer": "18"', "18"),
        ('{"reasoning": "a "quote"", "answer": "18"}', "18"),
        ('{"reasoning": "\\frac", "answer": 18}', "18"),
        ('{"reasoning": \\x, "answer": "17"} or {"answer": "say \\"18\\""}', 'say \\"18\\"'),
        ('{\\x "answer": "', None),
        ('{\\x "answer": "18', None),
        ('{\\x "answer": 18', None),
        ('{\\x "answer" : [18]', None),
        ("no field", None),
    ],
)
def test_a_broken_object_gives_the_last_complete_field(text: str, value: str | None) -> None:
    assert field_in(text, "answer") == value


@pytest.mark.parametrize(
    ("value", "text"), [("true", "true"), ("null", "null"), ('{"a": [1]}', '{"a": ["1"]}'), ('"é"', "é")]
)
def test_a_field_that_is_no_text_is_given_as_json(value: str, text: str) -> None:
    assert field_in(f'{{"answer": {value}}}', "answer") == text


def test_the_name_is_taken_literally() -> None:
    assert field_in('{\\x "a.b": "1", "axb": "2"}', "a.b") == "1"
