"""Members of one JSON object, each at its place in the file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.errors import LogError
from effspark.readers.members import Member, listed, members

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(texts, values, max_size=4), st.sampled_from([None, 1]), st.booleans())
def test_each_member_stands_where_its_offset_says(
    value: dict[str, object], indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    found = members(text, "a.json")
    assert {name: json.loads(member.text) for name, member in found.items()} == value
    for member in found.values():
        assert text.encode()[member.offset :].startswith(member.text.encode())


@given(st.lists(values, max_size=4))
def test_each_element_of_a_list_stands_where_its_offset_says(value: list[object]) -> None:
    text = json.dumps({"é": "é", "results": value}, ensure_ascii=False)
    elements = list(listed(members(text, "a.json")["results"], "a.json"))
    assert [json.loads(element.text) for element in elements] == value
    assert all(text.encode()[each.offset :].startswith(each.text.encode()) for each in elements)


def test_offsets_go_on_from_where_the_object_begins() -> None:
    text = '{"a": {"b": 1}}'
    outer = members(text, "a.json")["a"]
    assert members(outer.text, "a.json", offset=outer.offset) == {"b": Member(12, "1")}


def test_a_bare_nan_is_no_fault_of_the_document() -> None:
    assert members('{"score": NaN}', "a.json") == {"score": Member(10, "NaN")}


def test_of_a_name_met_twice_the_last_counts() -> None:
    assert members('{"a": 1, "a": 2}', "a.json")["a"].text == "2"


@pytest.mark.parametrize(
    "text",
    ["", "[1]", "{", '{"a"', '{"a"}', '{"a": 1', '{"a": 1 "b": 2}', "{1: 2}", '{"a": "cut', '{"a": {"b": 1'],
)
def test_what_is_no_whole_object_is_refused(text: str) -> None:
    with pytest.raises(LogError, match=r"a\.json, byte"):
        members(text, "a.json")


def test_an_object_that_breaks_names_the_place_and_the_start_of_the_broken_member() -> None:
    with pytest.raises(LogError, match=r"a\.json, byte 110\)") as fault:
        members('{"é": 1, "b": [1, "cut', "a.json", offset=100)
    assert (fault.value.offset, fault.value.raw) == (110, '"b": [1, "cut')
