"""What do the assessments of an MLflow trace say: how was the answer judged, and what was expected?

    feedback  ->  verdicts, the latest of each name;   expectation  ->  gold

An assessment that overrides another is an edited verdict, and what it replaced is kept as a tag; an invalid one
judges nothing. Source: formats.md sections 2.10 and 4 (human corrections).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Any

from msgspec import Struct

from effspark.readers.cells import Kind, text_of, typed
from effspark.readers.mlflow_spans import plain
from effspark.readers.trace_evaluation import named, verdict
from effspark.runs.record import LoggedVerdict, VerdictSource

_GOLD = ("expected_response", "expected_answer", "expected_output", "answer")


class Value(Struct):
    """What was judged or expected, as it is or as JSON in a string."""

    value: Any = None
    serialized_value: dict[str, Any] | None = None


class Assessment(Struct):
    """A judgement (feedback) or a ground truth (expectation)."""

    assessment_name: str
    assessment_id: str | None = None
    feedback: Value | None = None
    expectation: Value | None = None
    valid: bool | None = None
    overrides: str | None = None
    create_time: Any = None
    last_update_time: Any = None


def judged(assessments: list[Assessment]) -> dict[str, Any]:
    """Verdicts, gold, and the values that edits replaced, as fields of a run.

    Raises
    ------
    LogError
        A stamp is no time.

    >>> [one.value for one in judged([Assessment("correct", feedback=Value(value="yes"))])["verdicts"]]
    [1.0]
    """
    timed = sorted(assessments, key=lambda one: str(stamp(one)))
    verdicts: dict[str, LoggedVerdict] = {}
    tags: dict[str, str] = {}
    replaced = {one.overrides for one in timed if one.overrides}
    for one in timed:
        if one.feedback is None:
            continue
        read = verdict(one.assessment_name, one.feedback.value)
        if not _stands(one, replaced):
            tags[f"original_score.{one.assessment_name}"] = read.raw or ""
            continue
        source = VerdictSource.EDITED if one.overrides else VerdictSource.LOG
        verdicts[one.assessment_name] = replace(read, source=source)
    standing = [one for one in timed if _stands(one, replaced)]
    expected = {one.assessment_name: one.expectation for one in standing if one.expectation is not None}
    gold = named(expected, _GOLD) or (next(iter(expected.values())) if len(expected) == 1 else None)
    found: dict[str, Any] = {"verdicts": tuple(verdicts.values()), "tags": tags}
    if gold is not None:
        found["gold"] = text_of(
            plain((gold.serialized_value or {}).get("value")) if gold.value is None else gold.value
        )
    return found


def _stands(one: Assessment, replaced: Collection[str]) -> bool:
    return one.valid is not False and one.assessment_id not in replaced


def stamp(one: Assessment) -> datetime | None:
    """Time of the last change of an assessment.

    Raises
    ------
    LogError
        The stamp is no time.
    """
    value = one.last_update_time if one.last_update_time is not None else one.create_time
    found: datetime | None = typed(
        value, Kind.TIMESTAMP, where=f"assessment {one.assessment_name}", cells=True
    )
    return found
