"""Verdicts and gold in the assessments of MLflow."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers.mlflow_assessments import Assessment, Value, judged, stamp
from effspark.runs.record import VerdictSource


def feedback(name: str, value: Any, **fields: Any) -> Assessment:
    return Assessment(name, feedback=Value(value=value), **fields)


def expectation(name: str, value: Any = None, **fields: Any) -> Assessment:
    return Assessment(name, expectation=Value(value=value), **fields)


def values(*assessments: Assessment) -> dict[str, tuple[float | None, VerdictSource]]:
    return {one.scorer: (one.value, one.source) for one in judged(list(assessments))["verdicts"]}


def test_no_assessments_say_nothing() -> None:
    assert judged([]) == {"verdicts": (), "tags": {}}


def test_a_verdict_that_an_edit_replaced_is_silent_though_nothing_calls_it_invalid() -> None:
    original = feedback("correct", False, assessment_id="a")
    edit = feedback("correct", True, assessment_id="b", overrides="a")
    assert values(edit, original) == {"correct": (1.0, VerdictSource.EDITED)}
    assert judged([edit, original])["tags"] == {"original_score.correct": "false"}


def test_an_edit_under_another_name_silences_what_it_replaced() -> None:
    original = feedback("correct", True, assessment_id="a")
    edit = feedback("checked", False, assessment_id="b", overrides="a")
    assert values(original, edit) == {"checked": (0.0, VerdictSource.EDITED)}


def test_an_invalid_verdict_that_nothing_replaced_leaves_none() -> None:
    gone = feedback("correct", None, valid=False)
    assert judged([gone]) == {"verdicts": (), "tags": {"original_score.correct": ""}}
    assert values(feedback("correct", 1, valid=True)) == {"correct": (1.0, VerdictSource.LOG)}


def test_verdicts_without_ids_do_not_replace_each_other() -> None:
    assert list(values(feedback("a", 1), feedback("b", 1, overrides="x"))) == ["a", "b"]


def test_the_last_change_counts_and_not_the_first_writing() -> None:
    late = feedback("correct", 1, create_time="2026-01-01T00:00:00Z", last_update_time="2026-01-03T00:00:00Z")
    early = feedback("correct", 0, create_time="2026-01-02T00:00:00Z")
    assert values(late, early)["correct"][0] == 1.0


def test_an_invalid_or_replaced_expectation_is_no_gold() -> None:
    gone = expectation("answer", "17", assessment_id="a")
    right = expectation("answer", "18", overrides="a")
    assert judged([right, gone])["gold"] == "18"
    assert "gold" not in judged([expectation("answer", "17", valid=False)])


@pytest.mark.parametrize(
    ("expected", "gold"),
    [
        ([expectation("answer", "9"), expectation("expected_response", "18")], "18"),
        ([expectation("answer", 0), expectation("tone", "kind")], "0"),
        ([expectation("answer", ["a", "b"])], '["a", "b"]'),
        ([Assessment("answer", expectation=Value(serialized_value={"value": '"18"'}))], "18"),
        ([Assessment("answer", expectation=Value(7, {"value": '"18"'}))], "7"),
        ([Assessment("answer", expectation=Value())], None),
    ],
)
def test_gold_is_the_first_known_name_as_text(expected: list[Assessment], gold: str | None) -> None:
    assert judged(expected)["gold"] == gold


def test_a_stamp_is_utc_and_may_be_missing() -> None:
    assert stamp(Assessment("a", create_time="2026-01-01T02:00:00+02:00")) == datetime(
        2026, 1, 1, tzinfo=timezone.utc
    )
    assert stamp(Assessment("a", create_time="")) is None
    with pytest.raises(LogError, match=r"assessment a\): found 7"):
        stamp(Assessment("a", last_update_time=7))
