"""Fields of rows of Every Eval Ever, and the names that are read out of them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from effspark.readers.every_eval_ever_shapes import Counts, Judged, Row


def decoded(**fields: Any) -> Row:
    return msgspec.json.decode(json.dumps(fields), type=Row)


@pytest.mark.parametrize("raw", ["18", ["18"], ["18", None], None])
def test_an_output_is_a_text_or_a_list_of_them(raw: Any) -> None:
    found = decoded(output={"raw": raw, "reasoning_trace": raw}).output
    assert found is not None
    assert (found.raw, found.reasoning_trace) == (raw, raw)


@pytest.mark.parametrize(
    "bad",
    [
        {"output": {"raw": [18]}},
        {"model_id": 7},
        {"messages": [{"content": ["18"]}]},
        {"evaluation": {"is_correct": "yes"}},
        {"performance": {"latency_ms": "900"}},
        {"metadata": []},
    ],
)
def test_a_field_of_another_type_is_a_fault(bad: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        decoded(**bad)


def test_counts_and_scores_are_taken_as_they_are_and_other_fields_passed_over() -> None:
    row = decoded(token_usage={"output_tokens": "many", "x": 1}, evaluation={"score": [1]}, unknown=1)
    assert (row.token_usage, row.evaluation) == (Counts(output_tokens="many"), Judged([1]))


@pytest.mark.parametrize(
    ("name", "metadata", "benchmark"),
    [
        ("gsm8k/strict-match", {"filter": "strict-match"}, "gsm8k"),
        ("gsm8k/strict-match", {"filter": "none"}, "gsm8k/strict-match"),
        ("gsm8k/none", {"filter": "none"}, "gsm8k/none"),
        ("gsm8k/strict-match", {}, "gsm8k/strict-match"),
        ("gsm8k-strict-match", {"filter": "strict-match"}, "gsm8k-strict-match"),
        ("gsm8k/", {"filter": ""}, "gsm8k/"),
        (None, {"filter": "strict-match"}, None),
    ],
)
def test_a_benchmark_loses_the_filter_that_was_appended_and_nothing_else(
    name: str | None, metadata: dict[str, Any], benchmark: str | None
) -> None:
    assert Row(evaluation_name=name, metadata=metadata).benchmark == benchmark


def test_a_scorer_is_named_by_its_result_else_by_its_filter() -> None:
    strict = {"filter": "strict"}
    assert Row(evaluation_result_id="acc", metadata=strict).scorer == "acc"
    assert Row(evaluation_result_id="", metadata=strict).scorer == "strict"
    assert Row(metadata={"filter": "none"}).scorer == Row().scorer == "evaluation"


@pytest.mark.parametrize(
    ("metadata", "epoch"),
    [
        ({"epoch": 0}, "0"),
        ({"epoch": 2.0}, "2"),
        ({"epoch": None, "attempt": "b"}, "b"),
        ({"eval.epoch": 3, "epoch": 1}, "3"),
        ({"epoch": ""}, None),
        (None, None),
    ],
)
def test_an_epoch_is_the_first_name_of_an_attempt_that_holds_one(
    metadata: dict[str, Any] | None, epoch: str | None
) -> None:
    assert Row(metadata=metadata).epoch == epoch
