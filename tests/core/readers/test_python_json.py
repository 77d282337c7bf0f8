from __future__ import annotations

import math

import msgspec

from effspark.readers import Rejected
from effspark.readers.python_json import python_decoded


class Point(msgspec.Struct):
    x: float | None = None
    name: str = ""


def test_bare_tokens_of_python_become_floats() -> None:
    point = python_decoded('{"x": NaN, "name": "NaN, here"}', Point, offset=0)
    assert isinstance(point, Point)
    assert math.isnan(point.x or 0)
    assert point.name == "NaN, here"
    assert python_decoded("[1, -Infinity]", list, offset=0) == [1, -math.inf]


def test_a_text_that_is_broken_otherwise_is_refused_as_before() -> None:
    for text in ('{"x": ', '{"x": NaN', '{"x": NaN, }', '{"name": "x: NaN }'):
        found = python_decoded(text, Point, offset=7)
        assert isinstance(found, Rejected)
        assert (found.offset, found.reason, found.raw) == (7, "invalid_json", text)


def test_a_wrong_type_beside_a_bare_token_is_told() -> None:
    found = python_decoded('{"x": NaN, "name": 3}', Point, offset=0)
    assert isinstance(found, Rejected)
    assert found.reason == "wrong_type"
    assert "$.name" in found.detail


def test_half_a_character_beside_a_bare_token_is_replaced() -> None:
    found = python_decoded(r'{"x": NaN, "name": "cut \ud83d", "\ud83d": 1}', Point, offset=0)
    assert isinstance(found, Point)
    assert found.name == "cut \ufffd"
