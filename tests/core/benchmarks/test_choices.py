"""The right option of an item, however the item names it, as one text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.benchmarks import choices

COLOURS = ["red", "blue", "A"]


@pytest.mark.parametrize(
    ("item", "letter"),
    [
        ({"options": COLOURS, "answer": "B"}, "B"),
        ({"options": COLOURS, "answer": " Blue."}, "B"),
        ({"options": COLOURS, "answer": "A"}, "A"),
        ({"options": COLOURS, "answer_index": 2}, "C"),
        ({"options": COLOURS, "answer": 2}, "C"),
        ({"options": COLOURS, "answer": "B", "answer_index": 1}, "B"),
        ({"choices": COLOURS, "answer_index": 0}, "A"),
        ({"options": {"B": "x", "D": "y"}, "answer_index": 1}, "D"),
        ({"options": COLOURS, "answer": "b"}, "B"),
        ({"options": COLOURS, "answer": "(b)"}, "B"),
        ({"options": COLOURS, "answer": " [B] "}, "B"),
        ({"options": COLOURS, "answer": "b."}, "B"),
        ({"options": COLOURS, "answer": "a"}, "C"),
        ({"options": {"a": "x", "(b)": "y"}, "answer": "B"}, "B"),
        ({"options": {"a)": "x", "b)": "y"}, "answer_index": 1}, "B"),
        ({"options": [10, 20.5, True], "answer": 10}, "A"),
        ({"options": [10, 20.5, True], "answer": "20.5"}, "B"),
        ({"options": [10, 20.5, True], "answer": True}, "C"),
        ({"options": ["True", "False"], "answer": False}, "B"),
        ({"options": [10, 20], "answer": 1}, "B"),
        ({"options": [1, 0], "answer": "b"}, "B"),
    ],
)
def test_the_right_option_is_named_by_letter_text_or_place(item: dict[str, Any], letter: str) -> None:
    found = choices.right_option(item)
    assert found is not None
    assert found[0] == letter


@pytest.mark.parametrize(
    "item",
    [
        {"options": COLOURS},
        {"options": COLOURS, "answer": "green"},
        {"options": COLOURS, "answer": "B", "answer_index": 0},
        {"options": COLOURS, "answer": "green", "answer_index": 0},
        {"options": COLOURS, "answer": "B", "answer_index": 9},
        {"options": COLOURS, "answer_index": -1},
        {"options": COLOURS, "answer": True},
        {"options": ["1", "0"], "answer": 1},
        {"options": [1, 0], "answer": 1},
        {"options": COLOURS, "answer": "(d)"},
        {"options": COLOURS, "answer": "b or c"},
        {"options": {"a": "x", "A": "y"}, "answer": "A"},
        {"options": {"a": "x", "": "y"}, "answer": "A"},
        {"options": ["x", None], "answer": "A"},
        {"options": ["x", float("inf")], "answer": "A"},
        {"options": ["x", 10**400], "answer": "A"},
        {"options": COLOURS, "answer": 10**400},
        {"options": ["x", [1]], "answer": "A"},
        {"options": ["x", "X."], "answer": "x"},
        {"options": "red, blue", "answer": "A"},
        {"answer": "A"},
    ],
)
def test_an_item_that_names_no_option_or_two_has_no_right_one(item: dict[str, Any]) -> None:
    assert choices.right_option(item) is None


def test_options_of_a_log_are_told_only_where_they_say_more_than_a_letter() -> None:
    assert choices.of_log(["18"], index=0) is None
    assert choices.of_log([" A", " (B)"], index=0) is None
    assert choices.of_log(["a", "b."], index=0) is None
    assert choices.of_log([3, 4.5], index=1) == '{"answer": "B", "options": {"A": "3", "B": "4.5"}}'
    assert choices.of_log(["red", None], index=0) is None
    assert choices.of_log(["red"] * 11, index=0) is None
    assert choices.of_log(["red", ""], index=0) == '{"answer": "A", "options": {"A": "red", "B": ""}}'


@given(st.lists(st.text(min_size=2), min_size=2, max_size=10), st.integers(0, 9))
def test_what_is_told_is_read_back(options: list[str], place: int) -> None:
    gold = choices.of_log(options, index=place % len(options))
    if gold is not None:
        item = choices.item_of(gold)
        assert item is not None
        assert choices.right_option(item) == (choices.LETTERS[place % len(options)], dict(item["options"]))
        assert choices.text_of_right(gold) == options[place % len(options)]


@pytest.mark.parametrize("gold", ["18", "{broken", '{"House 1": {"Name": "Bob"}}', '["a", "b"]', "[" * 5000])
def test_a_gold_that_is_no_choice_stays_as_it_is(gold: str) -> None:
    assert choices.text_of_right(gold) == gold
