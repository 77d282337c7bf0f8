"""Details of Hugging Face's lighteval: a Parquet file a task, with texts and token ids but no stop reason.

    details_<task>|<shots>_<time>.parquet (+ results_<time>.json)  ->  k runs a document

Columns differ from task to task, so each file is read by its own schema; both layouts are known
(lighteval_details.py). T is the number of generated ids, which only engines that run locally log; else it is
estimated from the text. Scores are of a document: with k texts they are the verdict of none of them and are kept
as tags. The model comes from the results file (lighteval_results.py). Source: formats.md section 2.3.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from effspark.errors import LogError, problem
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.configurations import NO_MODEL
from effspark.readers.files import Log
from effspark.readers.inspect_scores import graded
from effspark.readers.lighteval_details import CURRENT, OLDER, Detail, detail_of
from effspark.readers.lighteval_results import Evaluation, bare, evaluation_of, is_results
from effspark.readers.parquet_rows import MAGIC
from effspark.readers.rows import Record, columns, rows
from effspark.runs.record import LoggedRun, LoggedVerdict, Visibility
from effspark.runs.tokens import Usage, hides_trace

_RESULTS = ("config_general", "results", "config_tasks")
_CARRIES = {
    "verdict": Carries.DERIVABLE,
    "stop": Carries.DERIVABLE,
    "tokens": Carries.YES,
    "reasoning": Carries.ABSENT,
    "repeat": Carries.DERIVABLE,
    "trace": Carries.YES,
    "gold": Carries.YES,
    "latency": Carries.ABSENT,
    "cost": Carries.ABSENT,
}


class LightEval:
    """Reader of lighteval's details."""

    name = "lighteval"
    version = 1
    reads = Reads.FILE
    companions = 1
    title = "lighteval details_<task>_<time>.parquet, with results_<time>.json where lighteval puts it"
    trap = (
        "Scores are of a document: with k texts they are the mean of all and the verdict of none. The "
        "truncated columns speak of the prompt, not of the answer."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the columns of a Parquet file, or the start of a results file."""
        if not log.head.startswith(MAGIC):
            return 0.95 if is_results(log) else 0.0
        return 0.95 if _columns_hold(log, CURRENT, OLDER, _RESULTS) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a row: the runs of a document, a row that is not selected, or a rejection."""
        if is_results(log) or _columns_hold(log, _RESULTS):
            yield NotSelected(0, "results file")
            return
        evaluation = evaluation_of(log)
        for record in rows(log).records:
            yield record if isinstance(record, Rejected) else _entry(record, evaluation, log, options)


READER: Reader = LightEval()


def _columns_hold(log: Log, *layouts: tuple[str, ...]) -> bool:
    names = {name for header in columns(log) for name in header}
    return any(names.issuperset(layout) for layout in layouts)


def _entry(record: Record, evaluation: Evaluation | str, log: Log, options: Options) -> Entry:
    try:
        detail = detail_of(record.row, record.offset)
        if not detail.generates:
            return NotSelected(record.offset, "log-likelihood request")
        if isinstance(evaluation, str):
            return _refused(record, NO_MODEL, _no_model(log, evaluation))
        if not detail.texts:
            raise LogError(
                "text: found none; allowed: one text or more; run the model on this document again"
            )
        return Mapped(record.offset, _runs(detail, evaluation, options), record.row)
    except LogError as error:
        return _refused(record, "invalid_record", str(error))


def _runs(detail: Detail, evaluation: Evaluation, options: Options) -> tuple[LoggedRun, ...]:
    benchmark = bare(detail.task or evaluation.task) or options.benchmark or ""
    configuration = evaluation.configuration(detail.generation_size)
    verdicts = _verdicts(detail.metrics)
    alone = len(detail.texts) == 1
    together = {} if alone else {f"score.{verdict.scorer}": verdict.raw or "" for verdict in verdicts}
    known: dict[str, Any] = {
        "configuration": configuration,
        "benchmark_id": benchmark,
        "benchmark_version": evaluation.version,
        "instance_id": detail.instance_id,
        "eval_run_id": evaluation.eval_run_id(benchmark, configuration),
        "prompt": detail.prompt,
        "question": detail.question,
        "gold": detail.gold,
        "axes": detail.axes,
        "quality_flags": ("score_of_k_texts",) if together else (),
    }
    hidden = hides_trace(evaluation.model, options.hidden_trace_models)
    return tuple(
        LoggedRun(
            **known,
            **_generated(detail, place, hidden=hidden),
            attempt=str(place),
            verdicts=verdicts if alone else (),
            tags=together if place == 0 else {},
        )
        for place in range(len(detail.texts))
    )


def _generated(detail: Detail, place: int, *, hidden: bool) -> dict[str, Any]:
    """Text and tokens of one text. Reasoning that was cut out of a text still stands in it."""
    text, reasoning = detail.texts[place], detail.reasonings[place]
    apart = reasoning if reasoning and reasoning not in (text or "") else None
    shown = Visibility.FULL if text or apart else Visibility.NONE
    visibility = Visibility.HIDDEN if hidden else shown
    return {
        "answer": text,
        "reasoning": apart,
        "usage": Usage(input=detail.input_tokens, token_ids=detail.token_counts[place]),
        "trace_visibility": visibility,
        "estimable": visibility is Visibility.FULL,
    }


def _verdicts(metrics: Mapping[str, Any]) -> tuple[LoggedVerdict, ...]:
    scores = {name: graded(value) for name, value in metrics.items() if value is not None}
    return tuple(
        LoggedVerdict(scorer=name, raw=score.raw, value=score.value, kind=score.kind)
        for name, score in scores.items()
    )


def _no_model(log: Log, found: str) -> str:
    return problem(
        "no model",
        where=log.uri,
        found=found,
        allowed="the results file of the same time beside the details, above them, or under results/<model>/",
        remedy="put it there and load both again",
    )


def _refused(record: Record, reason: str, detail: str) -> Rejected:
    return Rejected(record.offset, reason, detail, json.dumps(record.row, default=str, ensure_ascii=False))
