"""What do the scorers of an Inspect log say of one sample?

    score C, P, I, N, boolean, number, text, mapping, list, NaN  ->  verdicts; edits  ->  source `edited`

Source: formats.md sections 2.1 and 4 (human corrections). Which scorer counts is conf; when a score is correct is
`effspark.runs.record`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from effspark.readers.inspect_document import as_list, as_mapping
from effspark.readers.inspect_sample import Sample
from effspark.runs import checks
from effspark.runs.record import CORRECT_FROM, LoggedVerdict, ScoreKind, VerdictSource

UNCHANGED = "UNCHANGED"
PLACEHOLDER = "88F74D2C"
"""Scorer name of logs from before scorers had names."""
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


class Graded(NamedTuple):
    """A score value: as text, as a number where its scale is known to be 0 to 1, and its kind."""

    raw: str | None
    value: float | None
    kind: ScoreKind


def graded(value: Any) -> Graded:
    """Read one score value.

    Numbers above 1 are points on an unknown scale: they are kept as text, and are neither right nor wrong.

    >>> [graded(value)[:2] for value in ("C", "yes", "0.5", True, float("nan"), 7)]
    [('C', 1.0), ('yes', 1.0), ('0.5', 0.5), ('true', 1.0), ('NaN', None), ('7', None)]
    """
    if value is None:
        return Graded(None, None, ScoreKind.BINARY)
    if isinstance(value, bool):
        return Graded(json.dumps(value), float(value), ScoreKind.BINARY)
    if isinstance(value, str) and value in _LETTERS:
        return Graded(value, _LETTERS[value], ScoreKind.LETTER)
    if isinstance(value, str) and value.strip().lower() in _WORDS:
        return Graded(value, _WORDS[value.strip().lower()], ScoreKind.BINARY)
    if isinstance(value, (int, float)) or (isinstance(value, str) and _NUMBER.fullmatch(value)):
        number = checks.finite(float(value) if isinstance(value, str) else value)
        known = number is not None and number <= 2 - CORRECT_FROM
        kind = ScoreKind.BINARY if number in (0.0, 1.0) else ScoreKind.FRACTIONAL
        return Graded(value if isinstance(value, str) else json.dumps(value), number if known else None, kind)
    if isinstance(value, str):
        return Graded(value, None, ScoreKind.LETTER)
    return Graded(json.dumps(value, ensure_ascii=False), None, ScoreKind.FRACTIONAL)


def verdicts(sample: Sample, scorers: Sequence[str]) -> tuple[list[LoggedVerdict], dict[str, str]]:
    """Verdicts of a sample, one a scorer (one a key for scores that are mappings), and what edits replaced, as tags.

    Parameters
    ----------
    scorers
        Scorers of the log, for samples that name none. A zeroed sample fails each of them.

    >>> edit = {"value": "C", "provenance": {"author": "ann", "timestamp": "2026-01-02T00:00:00Z"}}
    >>> sample = Sample(scores={"match": {"value": "C", "history": [{"value": "I"}, edit]}})
    >>> found, tags = verdicts(sample, [])
    >>> found[0].value, found[0].source.value, tags
    (1.0, 'edited', {'original_score.match': 'I'})
    """
    zeroed = bool(sample.zeroing or sample.zeroed)
    scores: dict[str, Any] = dict.fromkeys(scorers) if zeroed else {}
    scores |= sample.scores or {}
    if sample.score is not None:
        scores[PLACEHOLDER] = sample.score
    if PLACEHOLDER in scores and scorers:
        scores[scorers[0]] = scores.pop(PLACEHOLDER)
    tags: dict[str, str] = {}
    found: list[LoggedVerdict] = []
    for name, score in scores.items():
        score = score if isinstance(score, dict) else {"value": score}
        edited, original = _edits(score)
        found += _of_score(name, score, edited=edited, zeroed=zeroed)
        for key, value in _by_key(name, original).items() if edited else ():
            tags[f"original_score.{key}"] = graded(value).raw or ""
    return found, tags


def _of_score(name: str, score: Mapping[str, Any], *, edited: bool, zeroed: bool) -> Iterator[LoggedVerdict]:
    answer = score.get("answer")
    for key, value in _by_key(name, score.get("value")).items():
        read = graded(value)
        yield LoggedVerdict(
            scorer=key,
            raw=read.raw,
            value=0.0 if zeroed else read.value,
            kind=read.kind,
            extracted_answer=answer if answer is None or isinstance(answer, str) else json.dumps(answer),
            source=VerdictSource.EDITED if edited or zeroed else VerdictSource.LOG,
        )


def _edits(score: Mapping[str, Any]) -> tuple[bool, Any]:
    """Was the value edited, and what was it before? The first step, without provenance, is the original."""
    history = [as_mapping(step) for step in as_list(score.get("history"))]
    edited = any(step.get("provenance") and step.get("value", UNCHANGED) != UNCHANGED for step in history)
    original = next((step.get("value") for step in history if not step.get("provenance")), None)
    return edited, original


def _by_key(scorer: str, value: Any) -> dict[str, Any]:
    """A score by scorer name; a mapping is one score a key, named scorer.key."""
    if isinstance(value, dict) and value:
        return {f"{scorer}.{key}": part for key, part in value.items()}
    return {scorer: value}
