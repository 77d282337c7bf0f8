from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.benchmarks.cogniload import BENCHMARK
from effspark.errors import LogError

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data"

SENTENCES = {
    "What kind of music": ["{} last listened to {} music.", "{} most recently listened to {}."],
    "most recently eat": ["{} most recently ate {}.", "{} has eaten a {}.", "The last thing {} ate was {}."],
    "color pant": ["{} is wearing a {} pant.", "{} wears {} pants", "The color of {}'s pant is **{}**."],
    "of underwear": ["{} is wearing {} underwear.", "{}'s underwear is {}."],
    "color shirt": ["{} is wearing a {} shirt.", "The final color of {}'s shirt is {}."],
    "kind of movie": ["{} most recently watched a {} movie.", "{} watched a {} film."],
    "of socks": ["{} is wearing {} socks.", "{} is wearing {}-colored socks."],
    "color hat": ["{} is wearing a {} hat.", "{}'s hat is {}."],
    "Where is": ["{} is in the {}.", "{} is located at the {}.", "The final location of {} is the {}."],
    "kind of book": ["{} most recently read a {} book.", "{} read a {}."],
    "of gloves": ["{} is wearing {} gloves.", "{} has {} gloves on."],
    "hair color": ["{} has {} hair.", "The final hair color of {} is {}.", "{}'s hair is now {}."],
}
"""By a part of the question, ways to answer it: of a person, with a value."""


def told(text: str) -> str | None:
    return BENCHMARK.score(text, "blue").extracted


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("blue", "blue"),
        (" Sci-Fi ", "sci-fi"),
        ("**non-fiction**", "non-fiction"),
        ("living room", "living room"),
        ("Peter is wearing blue socks.", "blue"),
        ("", None),
        ("7", None),
        ("blue and red socks", None),
        ("not blue", None),
        ("one two three", None),
    ],
)
def test_gold_is_one_value(answer: str, gold: str | None) -> None:
    assert BENCHMARK.gold(answer) == gold
    assert gold is None or BENCHMARK.gold(gold) == gold


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"reasoning": "red socks", "answer": "blue"} Ann has red hair.', "blue"),
        ('```json\n{"reasoning": "a "quote"", "answer": "Ann is wearing blue socks."}\n```', "blue"),
        ('{"answer": null} Ann has red hair.', None),
        ('{"answer": "I can not tell from these"} Ann has red hair.', None),
        ("\\boxed{red} \\boxed{\\text{blue}} Ann has green hair.", "blue"),
        ("\\boxed{} Ann has green hair.", None),
        ("Answer: red\n**Final answer:**\n\nAnn is wearing blue socks.\nHer hair is red.", "blue"),
        ("The answer is blue.", "blue"),
        ("The answer follows. Ann has blue hair.", "blue"),
        ("Ann has red hair. So Ann's hair is blue.", "blue"),
        ("Ann has blue hair.\n\nI hope this helps! Let me know if this is correct.", "blue"),
        ("blue", "blue"),
        ("Blue.", "blue"),
        ("So Ann goes her way.", None),
        ("", None),
    ],
)
def test_the_value_stands_in_the_first_place_that_the_text_has(text: str, value: str | None) -> None:
    assert told(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Ann is wearing a blue hat, not a red hat.", "blue"),
        ("Ann is no longer wearing not red socks; she is wearing blue socks", "blue"),
        ("Ann is wearing blue gloves and a blue hat.", "blue"),
        ("Ann is wearing a blue hat and red socks.", None),
        ("Ann is wearing red or blue socks.", None),
        ("Ann is in the bar or Bob is in the pier.", None),
        ("Red, white, and blue socks", None),
    ],
)
def test_a_sentence_with_several_values_is_no_answer(text: str, value: str | None) -> None:
    assert told(text) == value


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("Ann is wearing grey socks.", "gray"),
        ("Ann listened to Reggae music.", "reaggea"),
        ("Ann is in the living room.", "livingroom"),
        ("Ann is at the golf course.", "golfcourse"),
        ("Ann watched a science fiction movie.", "sci-fi"),
        ("Ann read a sci fi book.", "sci-fi"),
        ("Ann read a nonfiction book.", "non-fiction"),
        ("Ann ate a potato.", "potatoes"),
        ("Ann ate tacos.", "taco"),
    ],
)
def test_values_are_compared_in_the_spelling_of_the_puzzles(text: str, gold: str) -> None:
    assert BENCHMARK.score(text, gold).correct


def test_other_values_are_wrong() -> None:
    assert BENCHMARK.score("Ann read a fiction book.", "non-fiction") == ("fiction", False)
    assert BENCHMARK.score("Ann listened to blues.", "blue") == ("blues", False)
    assert BENCHMARK.score("Ann has violet hair.", "blue") == ("violet", False)


@given(st.text(max_size=60))
def test_any_text_can_be_scored(text: str) -> None:
    scored = BENCHMARK.score(text, "blue")
    assert scored.correct is False or scored.extracted is not None


def test_long_texts_take_no_time() -> None:
    assert told("The answer is " * 5_000 + "\\boxed{" * 5_000) is None
    assert told("red, " * 5_000 + "red socks") == "red"
    assert told("Ann is " * 5_000) is None


def test_gold_without_a_value_is_an_error() -> None:
    with pytest.raises(LogError, match=r"no gold value \(cogniload\): found '7'"):
        BENCHMARK.score("blue", "7")


def test_every_puzzle_can_be_answered_in_its_own_words() -> None:
    path = SHARED / "cogniload" / "puzzles.jsonl.gz"
    if not path.is_file():
        pytest.skip("no shared data")
    puzzles = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    assert len(puzzles) == 280
    for puzzle in puzzles:
        question, person, gold = (
            puzzle["puzzle"].rsplit("\n", 1)[1],
            puzzle["person_of_interest"],
            puzzle["answer"],
        )
        assert BENCHMARK.gold(gold) == gold
        (forms,) = [forms for part, forms in SENTENCES.items() if part in question]
        for form in forms:
            for value in (gold, "mauve"):
                text = f"So Jan is wearing a beige hat.\n\n**{form.format(person, value)}**"
                assert BENCHMARK.score(text, gold) == (value, value == gold), text
