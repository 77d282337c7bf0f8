"""Turns: the first right prefix is never passed over, whatever a text is made of."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark.analyses.early_stop import shortest_prefix
from effspark.benchmarks import BENCHMARKS, Turns, benchmark_named, turns

SPACES = (" ", " ", " ", "\n", "", "  ", "\n\n", "\u00a0")
MARKS = (
    "####", "\\boxed{", "}", "{", '{"answer": "', '"', '"answer"', ":", ",", '"}', "answer", "The answer is",
    "is", "Answer:",
    "=", "**", "__", "$", "`", ".", "not", "or", "and", "/", ")", "(", "so", "he", "x", "be", "\\u0061", "answer is:",
)  # fmt: skip
OPTIONS = '{"answer": "B", "options": {"A": "red", "B": "red wine", "C": "C 3", "D": "gross"}}'
CASES = {
    ("gsm8k", "1234"): ("1,234", "1", "234", "1{,}234", "1234.0", "12", "2468/2", "1.234e3", "5", "000"),
    ("gsm8k", "18"): (
        "18", "17", "1/2", "17 2/2", "\\frac{36}", "{2}", "\\frac{36}{2}", "½", "٨", "1", "8", "-18",
        "9e1",
    ),
    ("gsm8k", "0.5"): ("0.5", ".5", "1/2", "½", "0", "5", "1", "\\frac{1}{2}", "1⁄2"),
    ("multiple_choice", "B"): (
        "A", "B", "b", "C", "good", "A/B", "B/A", "choice", "option", "I", "=", "B=", "(b)", "<answer>", "</answer>",
        "since", "because", "as", "due", "[b]", "b)",
    ),
    ("multiple_choice", OPTIONS): (
        "A", "B", "C", "red", "wine", "Red Wine", "gross", "3", "good", "red/A", "D", "b",
        "a",
    ),
    ("proofwriter", "True"): (
        "true", "False", "unknown", "yes", "no", "t", "T", "F", "cannot be determined", "neither",
        "nor",
    ),
    ("proofwriter", "Unknown"): (
        "true", "false", "unknown", "u", "no", "cannot", "determined", "proven", "information", "can't",
        "tell", "nor", "neither",
        "known", "don't", "possible to", "n't", "say",
    ),
    ("cogniload", "gray"): (
        "gray", "grey", "red", "socks", "hair", "color", "colored", "gr", "ay", "eats", "in", "wearing",
        "g-ray",
    ),
    ("cogniload", "livingroom"): (
        "living", "room", "living room", "livingroom", "bar", "in the", "in", "now", "sci",
        "fi",
    ),
    ("zebralogic", '{"House 1": {"Name": "Bob"}}'): (
        '"House 1": {"Name": "Bob"}', '"House 1": {"Name": "Eve"}', '{"House 1": {"Name": "Bob"}}', "{", "}",
        '{"solution":',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "gold"), CASES)
@given(data=st.data())
@settings(max_examples=200, deadline=None)
def test_trying_the_turns_alone_finds_the_prefix_that_trying_all_finds(
    name: str, gold: str, data: st.DataObject
) -> None:
    piece = st.sampled_from(CASES[name, gold]) | st.sampled_from(MARKS)
    text = "".join(
        word + space
        for word, space in data.draw(st.lists(st.tuples(piece, st.sampled_from(SPACES)), max_size=16))
    )
    rule = benchmark_named(name)
    assert isinstance(rule, Turns)

    def is_right(prefix: str) -> bool:
        return rule.score(prefix, gold).correct

    assert shortest_prefix(text, is_right, turns=rule.turns(text, gold)) == shortest_prefix(text, is_right)


def test_every_rule_knows_its_turns() -> None:
    assert {name for name in BENCHMARKS if isinstance(benchmark_named(name), Turns)} == set(BENCHMARKS)
    assert {name for name, _ in CASES} == set(BENCHMARKS)


def test_of_a_long_trace_few_prefixes_are_tried() -> None:
    rule, tried = benchmark_named("gsm8k"), []
    trace = "we add 5 and 6, which gives 11; " * 3000 + "so 18."

    def is_right(prefix: str) -> bool:
        tried.append(prefix)
        return rule.score(prefix, "18").correct

    assert shortest_prefix(trace, is_right, turns=rule.turns(trace, "18")) == len(trace)
    assert len(tried) == 1


@given(st.lists(st.sampled_from(["a", "*", "**", " ", "\\text", "bf", "b"]), max_size=12).map("".join))
def test_places_of_a_text_without_markup_are_those_of_the_same_characters(text: str) -> None:
    markup = re.compile(r"\*\*|\\text(?:bf)?")
    plain, place = turns.without(text, markup)
    assert plain == markup.sub("", text)
    assert "".join(text[place(at)] for at in range(len(plain))) == plain
    assert len({place(at) for at in range(len(plain))}) == len(plain)
