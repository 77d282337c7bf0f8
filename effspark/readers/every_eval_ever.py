"""Every Eval Ever: instance-level rows of its shared schema, as runs.

    rows of one sample, a row a metric  ->  one run with a verdict a metric

The schema has a row for each (sample, metric); rows of one sample that differ in the metric are one run, rows that
do not are repeats. Aggregate files, which lie beside the rows, are no runs; they are not looked at, so that what
identifies a run does not depend on a second file. Source: formats.md section 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from effspark.errors import LogError
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.every_eval_ever_rows import runs_of, verdict_of
from effspark.readers.every_eval_ever_shapes import Row
from effspark.readers.files import Log
from effspark.readers.jsonl import decoded
from effspark.readers.trace_documents import documents
from effspark.readers.trace_evaluation import UNLABELLED
from effspark.runs.record import LoggedVerdict

_NAME = re.compile(rb'"(\w+)"\s*:')
_SAMPLE = {b"schema_version", b"evaluation_id", b"model_id", b"sample_id", b"evaluation_name"}
_AGGREGATE = {b"schema_version", b"evaluation_id", b"retrieved_timestamp", b"model_info", b"source_metadata"}
_Key = tuple[tuple[str | None, ...], int]
_SCHEMA = b'"$schema"'
_CARRIES = {
    "verdict": Carries.YES,
    "stop": Carries.DERIVABLE,
    "tokens": Carries.YES,
    "reasoning": Carries.YES,
    "repeat": Carries.DERIVABLE,
    "trace": Carries.DERIVABLE,
    "gold": Carries.YES,
    "latency": Carries.YES,
    "cost": Carries.ABSENT,
}


class EveryEvalEver:
    """Reader of Every Eval Ever."""

    name = "every_eval_ever"
    version = 1
    reads = Reads.FILE
    title = "Every Eval Ever (instance-level JSONL, aggregate JSON)"
    trap = (
        "Stop reason, cost and repeat are lost on the way into the schema, and epochs of Inspect are "
        "collapsed: where the log of the tool itself is there, read that."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the names at the start; the schema itself is no log."""
        if not log.head.lstrip().startswith(b"{") or _SCHEMA in log.head:
            return 0.0
        names = set(_NAME.findall(log.head))
        return 0.95 if any(wanted <= names for wanted in (_SAMPLE, _AGGREGATE)) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """Entries of rows that cannot be read, then the run of each attempt at each sample.

        Raises
        ------
        LogError
            The rest of the file cannot be read.
        """
        attempts: dict[_Key, _Attempt] = {}
        for document in documents(log):
            if isinstance(document, Rejected):
                yield document
                continue
            offset, text = document
            row = decoded(text, Row, offset=offset)
            if isinstance(row, Rejected):
                yield row
            elif row.evaluation_results is not None:
                yield NotSelected(offset, "aggregate results")
            else:
                _sort(offset, text, row, attempts)
        for attempt in attempts.values():
            yield _entry(attempt, options)


READER: Reader = EveryEvalEver()


@dataclass
class _Attempt:
    """One attempt at one sample: its first row, and what each metric says."""

    offset: int
    text: str
    row: Row
    name: str
    verdicts: dict[str, LoggedVerdict | None] = field(default_factory=dict)


def _sort(offset: int, text: str, row: Row, attempts: dict[_Key, _Attempt]) -> None:
    """Add a row to the first attempt that its metric has not seen. Rows of one epoch that a metric has seen twice
    are two logs of one attempt.
    """
    said = (row.evaluation_id, row.model_id, row.benchmark, row.epoch)
    sample = (*said, repr(row.sample_id))
    place = 0
    while (sample, place) in attempts and row.scorer in attempts[sample, place].verdicts:
        place += 1
    name = str(place) if row.epoch is None else row.epoch
    attempt = attempts.setdefault((sample, place), _Attempt(offset, text, row, name))
    attempt.verdicts[row.scorer] = verdict_of(row)


def _entry(attempt: _Attempt, options: Options) -> Entry:
    row = attempt.row
    base = {
        "benchmark_id": row.benchmark or options.benchmark or UNLABELLED,
        "instance_id": row.sample_id,
        "eval_run_id": row.evaluation_id,
        "record_id": row.evaluation_result_id,
    }
    verdicts = [one for one in attempt.verdicts.values() if one is not None]
    try:
        runs = runs_of(row, attempt.name, verdicts, base, options.hidden_trace_models)
    except LogError as error:
        return Rejected(attempt.offset, "invalid_record", str(error), attempt.text)
    return Mapped(attempt.offset, runs, attempt.text)
