from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.benchmarks.proofwriter import BENCHMARK, Truth
from effspark.errors import LogError


def said(text: str) -> str | None:
    return BENCHMARK.score(text, "True").extracted


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("True", "True"),
        ("true", "True"),
        ("FALSE", "False"),
        ("'False'.", "False"),
        ("**Unknown**", "Unknown"),
        ("uncertain", "Unknown"),
        ("Undetermined", "Unknown"),
        ("cannot be determined", "Unknown"),
        ("yes", "True"),
        ("No", "False"),
        ("U", "Unknown"),
        ("", None),
        ("maybe", None),
        ("1", None),
        ("A", None),
        ("true or false", None),
        ("not true", None),
        ("The statement is true", None),
    ],
)
def test_gold_is_one_truth_value(answer: str, gold: str | None) -> None:
    assert BENCHMARK.gold(answer) == gold
    assert gold is None or BENCHMARK.gold(gold) == gold


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"reasoning": "false", "answer": "True"} unknown', "True"),
        ('```json\n{"reasoning": "a "quote"", "answer": "Unknown"}\n``` true', "Unknown"),
        ('{"answer": false}', "False"),
        ('{"answer": null} true', None),
        ('{"answer": "I pass"} true', None),
        ("\\boxed{True} \\boxed{\\text{False}}. The answer is true", "False"),
        ("The answer is true. No: the answer is **unknown**. It is not false that", "Unknown"),
        ("The answer is not easy. False", "False"),
        ("Answer: The statement is True, since false is wrong", "True"),
        ("It is true that Bob is big. So it is false", "False"),
        ("Is it True, False, or Unknown? Unknown.", "Unknown"),
        ("Nothing follows.", None),
        ("The truth is out there, untrue, falsely", None),
        ("", None),
    ],
)
def test_the_value_stands_in_the_first_place_that_the_text_has(text: str, value: str | None) -> None:
    assert said(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "unknown",
        "Answer: Uncertain",
        "It is undetermined.",
        "This is indeterminate",
        "The statement is neither true nor false",
        "neither proven true nor proven false",
        "It cannot be determined.",
        "It cannot be proven true or false.",
        "We can't determine whether it is true or false.",
        "It could not be inferred",
        "it is not possible to tell if this is true or false",
        "it is impossible to say",
        "There is not enough information",
        "We do not have enough facts",
        "insufficient information",
        "This is not known",
        "Answer: No, it can't be proven",
    ],
)
def test_spellings_of_unknown(text: str) -> None:
    assert said(text) == "Unknown"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Answer: yes", "True"),
        ("The answer is: No.", "False"),
        ('{"answer": "yes, it is"}', "True"),
        ('{"answer": "t"}', "True"),
        ('{"answer": "F."}', "False"),
        ('{"answer": "u"}', "Unknown"),
        ("Answer: Nobody", None),
        ("yes", None),
    ],
)
def test_yes_no_and_letters_count_as_the_answer_alone(text: str, value: str | None) -> None:
    assert said(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "true or false",
        "The answer is true/false/unknown",
        '{"answer": "True, or Unknown"}',
        "It is not true.",
        "It isn't necessarily false",
        "It cannot be true",
        "\\boxed{true and false} true",
    ],
)
def test_joined_and_negated_values_are_no_answer(text: str) -> None:
    assert BENCHMARK.score(text, "True") == (None, False)


@given(st.text(max_size=60), st.sampled_from([*Truth]))
def test_any_text_can_be_scored(text: str, gold: Truth) -> None:
    scored = BENCHMARK.score(text, gold.value)
    assert scored.extracted in {None, "True", "False", "Unknown"}
    assert scored.correct is (scored.extracted == gold.value)


@given(
    st.sampled_from([*Truth]), st.sampled_from([*Truth]), st.sampled_from([str.lower, str.upper, str.title])
)
def test_a_value_is_read_however_it_is_said(value: Truth, gold: Truth, case: Callable[[str], str]) -> None:
    for form in ("The answer is {}.", "Answer: {}", '{{"answer": "{}"}}', "\\boxed{{{}}}", "so **{}**"):
        scored = BENCHMARK.score(form.format(case(value.value)), gold.value)
        assert scored == (value.value, value is gold)


def test_long_texts_take_no_time() -> None:
    assert said("The answer is " * 5_000 + "\\boxed{" * 5_000) is None
    assert said("cannot be proven to be " * 5_000) == "Unknown"
    assert said("true, " * 5_000 + "false") is None


def test_gold_without_a_truth_value_is_an_error() -> None:
    with pytest.raises(LogError, match=r"no gold truth value \(proofwriter\): found 'many'"):
        BENCHMARK.score("true", "many")
