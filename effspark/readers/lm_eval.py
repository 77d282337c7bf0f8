"""Samples of EleutherAI's lm-evaluation-harness: a line a document and filter, with k texts and no token count.

    samples_<task>_<time>.jsonl  ->  k runs a document, with a verdict of every metric and filter

A document is logged once for each filter, with the same texts: the lines of one filter (the declared one, else the
first of the task) are its runs; metrics of other filters are verdicts `metric,filter` of the same runs. A filter
that keeps the first text scores run 0 alone; a score of k texts together is the verdict of none of them, and is
kept as a tag. Model, task and settings come from the results file beside (lm_eval_results.py). Requests that
generate nothing are no runs. There is no stop reason, and T is estimated from the text. Source: formats.md
section 2.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from effspark.errors import LogError, SettingsError, problem
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.configurations import NO_MODEL
from effspark.readers.files import Log
from effspark.readers.heads import cut_line, first_records
from effspark.readers.jsonl import refused
from effspark.readers.lm_eval_results import Evaluation, evaluation_of, is_results
from effspark.readers.lm_eval_samples import filter_of, generates, runs, verdicts
from effspark.readers.python_json import python_decoded
from effspark.runs.record import LoggedVerdict
from effspark.runs.tokens import hides_trace

_CARRIES = {
    "verdict": Carries.YES,
    "stop": Carries.ABSENT,
    "tokens": Carries.DERIVABLE,
    "reasoning": Carries.ABSENT,
    "repeat": Carries.DERIVABLE,
    "trace": Carries.YES,
    "gold": Carries.YES,
    "latency": Carries.ABSENT,
    "cost": Carries.ABSENT,
}
_OWN = ("arguments", "resps")
_Record = dict[str, Any]
_Verdicts = dict[str, dict[str | None, list[LoggedVerdict]]]


class _Shape(msgspec.Struct):
    doc_id: msgspec.Raw
    doc: msgspec.Raw
    resps: msgspec.Raw
    filtered_resps: msgspec.Raw


class LmEval:
    """Reader of the samples of lm-evaluation-harness."""

    name = "lm_eval"
    version = 2
    reads = Reads.FILE
    companions = 1
    title = "lm-evaluation-harness samples_<task>_<time>.jsonl with results_<time>.json beside"
    trap = (
        "A document has a line for each filter, which are not repeats; of k texts the default filter scores "
        "the first alone. Thinking cut away before logging makes T too small."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the fields of the first lines; lower where the first is longer than the head."""
        if first_records(log, _Shape) or is_results(log):
            return 0.95
        start = cut_line(log)
        return 0.6 if start.startswith(b'{"doc_id"') and b'"doc"' in start else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a line: the runs of a document, a line that is not selected, or a rejection.

        Raises
        ------
        SettingsError
            The filter declared for the task is not in the file.
        """
        if is_results(log):
            yield NotSelected(0, "results file")
            return
        evaluation = evaluation_of(log)
        if isinstance(evaluation, str):
            yield from _unnamed(log, evaluation)
            return
        filters, judged = _judged(log, evaluation)
        chosen = _chosen(log, evaluation, filters, options)
        hidden = hides_trace(evaluation.model, options.hidden_trace_models)
        for offset, text, record in _records(log):
            if isinstance(record, Rejected):
                yield record
            elif not generates(record, evaluation.output_type):
                yield NotSelected(offset, "log-likelihood request")
            elif filter_of(record) != chosen:
                yield NotSelected(offset, _other(filter_of(record), chosen))
            else:
                yield _entry(offset, text, record, evaluation, judged, hidden=hidden)


READER: Reader = LmEval()


def _records(log: Log) -> Iterator[tuple[int, str, _Record | Rejected]]:
    for line in log.lines():
        if line.text is None:
            yield line.offset, "", refused(line)
        else:
            yield line.offset, line.text, python_decoded(line.text, _Record, offset=line.offset)


def _unnamed(log: Log, found: str) -> Iterator[Entry]:
    """Entries of samples of unknown model and task: refused, but for those that generate nothing."""
    detail = problem(
        "no model and task",
        where=log.uri,
        found=found,
        allowed="one results file of the same time and task beside the samples",
        remedy="put it into the same folder and load both again",
    )
    for offset, text, record in _records(log):
        if isinstance(record, Rejected):
            yield record
        elif not any(name in record for name in _OWN):
            yield Rejected(offset, "invalid_record", _no_sample(offset, record), text)
        elif not generates(record, None):
            yield NotSelected(offset, "log-likelihood request")
        else:
            yield Rejected(offset, NO_MODEL, detail, text)


def _no_sample(offset: int, record: _Record) -> str:
    return problem(
        "no sample of lm-evaluation-harness",
        where=f"byte {offset}",
        found=f"the fields {', '.join(record)}"[:120] if record else "no field",
        allowed=f"a record with {' or '.join(_OWN)}",
        remedy="choose another --format",
    )


def _judged(log: Log, evaluation: Evaluation) -> tuple[list[str | None], _Verdicts]:
    """Filters of a file in their order, and verdicts of its lines by document and filter."""
    filters: dict[str | None, None] = {}
    found: _Verdicts = {}
    for _, _, record in _records(log):
        if not isinstance(record, Rejected):
            name = filter_of(record)
            filters[name] = None
            found.setdefault(str(record.get("doc_id")), {})[name] = verdicts(record, evaluation)
    return list(filters), found


def _chosen(log: Log, evaluation: Evaluation, filters: list[str | None], options: Options) -> str | None:
    """Filter whose lines are the runs: the declared one, else the first of the task that the file has."""
    declared = options.filters.get(evaluation.task)
    if declared is None:
        return next((one for one in (*evaluation.filters, *filters) if one in filters), None)
    if declared in filters:
        return declared
    text = problem(
        f"the filter declared for {evaluation.task} is not in the log",
        where=log.uri,
        found=declared,
        allowed=", ".join(map(str, filters)) or "none, for the log is empty",
        remedy="declare one of them",
    )
    raise SettingsError(text)


def _other(name: str | None, chosen: str | None) -> str:
    return (
        f"filter {name or 'none'}, where {chosen or 'none'} is chosen; conf readers.filters chooses another"
    )


def _entry(
    offset: int, text: str, record: _Record, evaluation: Evaluation, judged: _Verdicts, *, hidden: bool
) -> Entry:
    document = record.get("doc_id")
    said = judged.get(str(document))
    try:
        if said is None:  # its verdicts are read a call deeper, where so many brackets are too many
            raise LogError(
                "found hundreds of brackets in each other; allowed: what can be read; mend the log"
            )
        found = runs(record, evaluation, said, instance_id=document, hidden=hidden)
    except LogError as error:
        return Rejected(offset, "invalid_record", str(error), text)
    return Mapped(offset, found, text)
