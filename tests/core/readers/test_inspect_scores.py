"""Scores of Inspect as verdicts: letters, numbers, mappings, edits, zeroed samples."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.readers.inspect_sample import Sample
from effspark.readers.inspect_scores import graded, verdicts
from effspark.runs.record import ScoreKind, VerdictSource, is_correct

ANN = {"author": "ann", "timestamp": "2026-01-02T00:00:00Z"}


@pytest.mark.parametrize(
    ("value", "raw", "correct", "kind"),
    [
        ("C", "C", True, ScoreKind.LETTER),
        ("P", "P", False, ScoreKind.LETTER),
        ("I", "I", False, ScoreKind.LETTER),
        ("N", "N", False, ScoreKind.LETTER),
        ("c", "c", None, ScoreKind.LETTER),
        (True, "true", True, ScoreKind.BINARY),
        (False, "false", False, ScoreKind.BINARY),
        ("Yes", "Yes", True, ScoreKind.BINARY),
        (" no ", " no ", False, ScoreKind.BINARY),
        (1, "1", True, ScoreKind.BINARY),
        (1.0, "1.0", True, ScoreKind.BINARY),
        (0, "0", False, ScoreKind.BINARY),
        (0.65, "0.65", False, ScoreKind.FRACTIONAL),
        (1 - 1e-10, "0.9999999999", True, ScoreKind.FRACTIONAL),
        (1 + 1e-10, "1.0000000001", True, ScoreKind.FRACTIONAL),
        ("1e0", "1e0", True, ScoreKind.BINARY),
        ("0.5", "0.5", False, ScoreKind.FRACTIONAL),
        (-1, "-1", False, ScoreKind.FRACTIONAL),
        (7, "7", None, ScoreKind.FRACTIONAL),
        (float("nan"), "NaN", None, ScoreKind.FRACTIONAL),
        (float("inf"), "Infinity", None, ScoreKind.FRACTIONAL),
        ("NaN", "NaN", None, ScoreKind.LETTER),
        ([1, 0], "[1, 0]", None, ScoreKind.FRACTIONAL),
        (None, None, None, ScoreKind.BINARY),
    ],
)
def test_a_score_is_read_as_its_scorer_meant_it(
    value: Any, raw: str | None, correct: bool | None, kind: ScoreKind
) -> None:
    found = graded(value)
    assert (found.raw, is_correct(found.value), found.kind) == (raw, correct, kind)


def test_a_mapping_is_a_verdict_a_key() -> None:
    score = {"value": {"format": True, "answer": "P", "note": None}, "answer": "42"}
    found, _ = verdicts(Sample(scores={"rubric": score}), [])
    assert [(verdict.scorer, verdict.value) for verdict in found] == [
        ("rubric.format", 1.0),
        ("rubric.answer", 0.5),
        ("rubric.note", None),
    ]
    assert {verdict.extracted_answer for verdict in found} == {"42"}


def test_an_edit_counts_and_the_original_is_kept() -> None:
    history = [{"value": {"a": "I", "b": "C"}}, {"value": {"a": "C", "b": "C"}, "provenance": ANN}]
    found, tags = verdicts(Sample(scores={"m": {"value": {"a": "C", "b": "C"}, "history": history}}), [])
    assert {verdict.source for verdict in found} == {VerdictSource.EDITED}
    assert tags == {"original_score.m.a": "I", "original_score.m.b": "C"}


def test_an_edit_of_the_explanation_alone_changes_no_score() -> None:
    history = [{"value": "I"}, {"value": "UNCHANGED", "explanation": "longer", "provenance": ANN}]
    found, tags = verdicts(Sample(scores={"m": {"value": "I", "history": history}}), [])
    assert (found[0].source, tags) == (VerdictSource.LOG, {})


def test_a_zeroed_sample_fails_every_scorer_of_its_log() -> None:
    found, _ = verdicts(Sample(scores={"m": {"value": "C"}}, zeroed=ANN), ["m", "n"])
    assert [(verdict.scorer, verdict.raw, verdict.value) for verdict in found] == [
        ("m", "C", 0.0),
        ("n", None, 0.0),
    ]
    assert {verdict.source for verdict in found} == {VerdictSource.EDITED}


@pytest.mark.parametrize(
    "sample", [Sample(score={"value": "C"}), Sample(scores={"88F74D2C": {"value": "C"}})]
)
def test_a_score_without_a_name_takes_that_of_the_log(sample: Sample) -> None:
    found, _ = verdicts(sample, ["match", "other"])
    assert [(verdict.scorer, verdict.value) for verdict in found] == [("match", 1.0)]


def test_an_unscored_sample_has_no_verdict() -> None:
    assert verdicts(Sample(), ["match"]) == ([], {})


def test_a_score_beyond_the_range_of_a_float_is_kept_as_text() -> None:
    found = graded(10**400)
    assert (found.raw, found.value) == (str(10**400), None)
