from __future__ import annotations

from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers.lighteval_details import Detail, detail_of


def older(**columns: Any) -> Detail:
    row = {
        "example": "Q",
        "full_prompt": "Solve. Q",
        "predictions": ["18"],
        "input_tokens": [[1, 2, 3]],
        "cont_tokens": [[7, 8]],
        "padded": [0],
        "gold": ["18"],
        "choices": [],
        "gold_index": [],
        "metrics": {"em": 1.0},
        "specifics": None,
        **columns,
    }
    return detail_of(row, 5)


def current(doc: dict[str, Any] | None = None, response: dict[str, Any] | None = None) -> Detail:
    return detail_of({"doc": doc or {}, "model_response": response or {}, "metric": None}, 0)


def test_the_place_of_an_older_row_stands_in_for_its_id() -> None:
    found = older()
    assert (found.instance_id, found.prompt, found.task, found.question) == (5, "Solve. Q", None, None)
    assert (found.texts, found.token_counts, found.input_tokens) == (["18"], [2], 3)


@pytest.mark.parametrize(
    ("tokens", "counts"),
    [
        ([[1, 2], [3]], [2, 1]),
        ([[[1, 2], [3]]], [2, 1]),
        ([[1, 2]], [None, None]),
        ([], [None, None]),
        ([[], [3]], [None, 1]),
        (None, [None, None]),
    ],
)
def test_token_ids_belong_to_texts_only_where_there_is_a_list_for_each(tokens: Any, counts: Any) -> None:
    assert older(predictions=["a", "b"], cont_tokens=tokens).token_counts == counts


def test_padding_is_no_part_of_the_prompt() -> None:
    assert older(padded=[2]).input_tokens == 1
    assert older(padded=[-1]).input_tokens == 3
    assert older(padded=[3]).input_tokens is None
    assert older(input_tokens=[]).input_tokens is None
    assert current(response={"input_tokens": [0, 0, 1], "padded_tokens_count": 2}).input_tokens == 1


def test_gold_is_the_marked_choice_else_the_golds() -> None:
    assert older().gold == "18"
    assert older(gold=["3", "three"]).gold == '["3", "three"]'
    assert older(gold=[], choices=["b"], gold_index=[0]).gold == "b"
    assert older(gold=[], choices=["a"], gold_index=[3]).gold is None
    assert current({"choices": ["a", "b"], "gold_index": [0, 1]}).gold == '["a", "b"]'
    assert current({"choices": ["a"], "gold_index": None}).gold is None


def test_gold_of_a_choice_names_the_letter_and_the_options_unless_they_are_bare_letters() -> None:
    told = '{"answer": "B", "options": {"A": "red", "B": "blue"}}'
    assert current({"choices": ["red", "blue"], "gold_index": 1}).gold == told
    assert older(gold=["blue"], choices=["red", "blue"], gold_index=[1]).gold == told
    assert current({"choices": [" A", " B"], "gold_index": 1}).gold == " B"


def test_numbers_of_the_document_are_axes() -> None:
    assert older(specifics={"depth": 3, "hard": True, "topic": "x"}).axes == {"depth": 3.0}


@pytest.mark.parametrize(
    ("predictions", "generates", "texts"),
    [
        (["a", None], True, ["a", None]),
        ([["a", "b"]], True, ["a", "b"]),
        ([[-1.5, True]], False, [[-1.5, True]]),
        ([-1.5, -2.5], False, [-1.5, -2.5]),
    ],
)
def test_older_rows_of_numbers_generate_nothing(predictions: Any, generates: bool, texts: Any) -> None:
    found = older(predictions=predictions)
    assert (found.generates, found.texts) == (generates, texts)


def test_current_rows_say_how_they_were_sampled() -> None:
    assert current({"sampling_methods": ["LOGPROBS"]}, {"text": [""]}).generates is False
    assert current({"sampling_methods": ["LOGPROBS", "GENERATIVE"]}).generates is True
    assert current({}, {"text": ["a"]}).generates is True


def test_columns_cast_to_python_text_are_read_and_no_others() -> None:
    found = older(predictions="['18']", cont_tokens="[[[1, 2, 3]]]", metrics="{'em': 0.0}", full_prompt="[1]")
    assert (found.texts, found.token_counts, found.metrics, found.prompt) == (["18"], [3], {"em": 0.0}, "[1]")
    for broken in ("[tensor([1])]", "['18'", "__import__('os')"):
        with pytest.raises(LogError, match=r"a column of another type \(row 5\)"):
            older(predictions=broken)
