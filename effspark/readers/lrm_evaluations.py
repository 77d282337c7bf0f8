"""LRMTokenEconomy evaluations: what scores did the judge give the runs of output_queries_*.json?

    {prompt: {model: [{total_score, original_response, statistics: {tokens_completions}}]}}  ->  labels

One entry is one label, for the run of the same prompt, model, T and text: the two files hold the runs of a prompt in
different orders, so that a place says nothing. A score below 1 is no success. The runs themselves are read by the
mapping `lrm_token_economy_raw`. Source: https://github.com/cpldcpu/LRMTokenEconomy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from effspark.errors import problem
from effspark.readers import FIELDS, Carries, Entry, Fact, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.cells import text_digest, text_of
from effspark.readers.files import Log
from effspark.readers.jsonl import decoded
from effspark.readers.labels import target_of
from effspark.runs.record import is_correct

BENCHMARK = "lrm_token_economy"
_NAMES = (b'"criteria_results"', b'"total_score"', b'"original_response"')
_PROMPTS = (b'"prompts"', b'"prompt_id"', b'"criteria"', b'"weight"')


class _Statistics(msgspec.Struct):
    tokens_completions: int | float | None = None


class _Evaluation(msgspec.Struct):
    total_score: float | None
    original_response: str
    statistics: _Statistics = msgspec.field(default_factory=_Statistics)


class LrmEvaluations:
    """Reader of the detailed_evaluations files of LRMTokenEconomy."""

    name = "lrm_evaluations"
    version = 1
    reads = Reads.FILE
    title = "LRMTokenEconomy detailed_evaluations_*.json (verdicts of output_queries_*.json)"
    trap = (
        "Runs of a prompt stand in another order than in output_queries_*.json: a score belongs to the "
        "text, not to the place."
    )
    carries: Mapping[str, Carries] = {**dict.fromkeys(FIELDS, Carries.ABSENT), "verdict": Carries.YES}

    def detect(self, log: Log) -> float:
        """Confidence by the names of the first evaluation, or of the data set that lies beside the files."""
        known = log.head.lstrip().startswith(b"{") and any(_has(log, names) for names in (_NAMES, _PROMPTS))
        return 0.95 if known else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:  # noqa: ARG002
        """One entry an evaluation: a label, one that says the same again, or a rejection.

        Raises
        ------
        LogError
            The file cannot be read.
        """
        text = log.text()
        if not _has(log, _NAMES) and _has(log, _PROMPTS):
            yield NotSelected(0, "companion")
            return
        whole = decoded(text, dict[str, dict[str, list[Any]]], offset=0)
        if isinstance(whole, Rejected):
            yield whole
            return
        seen: dict[str, bool] = {}
        places = (
            (prompt, model, found)
            for prompt, models in whole.items()
            for model, evaluations in models.items()
            for found in evaluations
        )
        for place, (prompt, model, found) in enumerate(places):
            yield _entry(place, prompt, model, found, seen)


READER: Reader = LrmEvaluations()


def run_id(prompt: str, model: str, tokens: float | None, answer: str) -> str:
    """Name of a run that both files can give: prompt, model, T and text (`record_id` of the mapping).

    >>> run_id("sum", "acme-1", 120.0, "18"), run_id("sum", "acme-1", None, "18")
    ('sum/acme-1/120/4ec9599fc203d176', 'sum/acme-1/?/4ec9599fc203d176')
    """
    return f"{prompt}/{model}/{text_of(tokens) or '?'}/{text_digest(answer)}"


def _has(log: Log, names: tuple[bytes, ...]) -> bool:
    return all(name in log.head for name in names)


def _entry(place: int, prompt: str, model: str, found: Any, seen: dict[str, bool]) -> Entry:
    text = json.dumps(found, ensure_ascii=False)
    evaluation = decoded(text, _Evaluation, offset=place)
    if isinstance(evaluation, Rejected):
        return evaluation
    correct = is_correct(evaluation.total_score)
    if correct is None:
        return NotSelected(place, "not scored")
    custom_id = run_id(prompt, model, evaluation.statistics.tokens_completions, evaluation.original_response)
    first = seen.get(custom_id)
    if first is not None and first is not correct:
        return Rejected(place, "invalid_record", _two_verdicts(custom_id), text)
    if first is not None:
        return NotSelected(place, "label given twice")
    seen[custom_id] = correct
    row = {
        "target": target_of(custom_id=custom_id, benchmark=BENCHMARK, instance=prompt),
        "custom_id": custom_id,
        "benchmark_id": BENCHMARK,
        "instance_id": prompt,
        "gold": None,
        "correct": correct,
    }
    return Fact(place, "labels", row, text)


def _two_verdicts(custom_id: str) -> str:
    return problem(
        "two verdicts of one text",
        where=custom_id,
        found="a run that succeeds and one that fails",
        allowed="runs of one prompt, model, T and text with one verdict",
        remedy="score the runs again",
    )
