"""What does a trace say of the evaluation it was part of: which instance, which attempt, how was it judged?

    attributes, tags, metadata  ->  benchmark, instance, attempt, eval run
    score name, value, label    ->  verdict

No convention has settled the names under which traces carry what tables are keyed by, so the ones in use are all
read, in order. Source: formats.md sections 2.10 and 6.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from effspark.readers.cells import text_of
from effspark.readers.inspect_scores import graded
from effspark.runs.record import LoggedVerdict, ScoreKind

UNLABELLED = "unlabelled"
"""Raw benchmark name where neither log nor user gives one."""
INSTANCE = (
    "eval.instance.id",
    "eval.case.id",
    "eval.sample.id",
    "langfuse.experiment.item.id",
    "instance_id",
    "sample_id",
)
BENCHMARK = ("eval.benchmark", "eval.benchmark.id", "eval.dataset.name", "benchmark")
BENCHMARK_VERSION, SPLIT = ("eval.benchmark.version", "benchmark_version"), ("eval.dataset.split", "split")
ATTEMPT = ("eval.epoch", "eval.task.trial", "epoch", "attempt")
EVAL_RUN = ("eval.run.id", "langfuse.experiment.id")
GOLD = ("langfuse.experiment.item.expected_output", "eval.case.expected")
NAMES = (*INSTANCE, *BENCHMARK, *BENCHMARK_VERSION, *SPLIT, *ATTEMPT, *EVAL_RUN, *GOLD)
"""All names that are looked for."""
_WORDS = {
    **dict.fromkeys(("pass", "passed", "correct", "true", "yes"), 1.0),
    **dict.fromkeys(("fail", "failed", "incorrect", "false", "no"), 0.0),
}


def named(known: Mapping[str, Any], names: Sequence[str]) -> Any:
    """First value that is there under one of the names.

    >>> named({"eval.case.id": 7, "sample_id": "x"}, INSTANCE), named({}, INSTANCE)
    (7, None)
    """
    return next((known[name] for name in names if known.get(name) is not None), None)


def identity(known: Mapping[str, Any], *, benchmark: str | None, trace_id: str) -> dict[str, Any]:
    """Fields that identify a run. Where the trace names no instance or attempt, its own id stands in for them
    (labels may name the instance later).

    >>> identity({"eval.case.id": "q1", "eval.epoch": 2}, benchmark="gsm8k", trace_id="t")["attempt"]
    '2'
    """
    instance, attempt, run = (named(known, names) for names in (INSTANCE, ATTEMPT, EVAL_RUN))
    return {
        "benchmark_id": text_of(named(known, BENCHMARK)) or benchmark or UNLABELLED,
        "benchmark_version": text_of(named(known, BENCHMARK_VERSION)),
        "split": text_of(named(known, SPLIT)),
        "instance_id": trace_id if instance is None else instance,
        "attempt": trace_id if attempt is None else text_of(attempt),
        "eval_run_id": text_of(run),
        "gold": text_of(named(known, GOLD)),
        "record_id": trace_id,
    }


def verdict(scorer: str, value: Any, label: str | None = None) -> LoggedVerdict:
    """A verdict from a score: a number or boolean, else a word that says right or wrong, else neither.

    A number that says right beside a label that says wrong, or the other way, is neither.

    >>> [verdict("s", value).value for value in (1, False, 0.5, "yes", "fluent", None)]
    [1.0, 0.0, 0.5, 1.0, None, None]
    >>> verdict("s", 0, "pass").value is None, verdict("s", None, "fail").value
    (True, 0.0)
    """
    by_label = None if label is None else _WORDS.get(label.strip().lower())
    if value is None or isinstance(value, str):
        text = label if value is None else value
        found = None if text is None else _WORDS.get(text.strip().lower())
        kind = ScoreKind.BINARY if text is None or found is not None else ScoreKind.LETTER
        return LoggedVerdict(scorer=scorer, raw=text, value=found, kind=kind)
    if not isinstance(value, (bool, int, float)):
        raw = json.dumps(value, ensure_ascii=False, default=str)
        return LoggedVerdict(scorer=scorer, raw=raw, value=None, kind=ScoreKind.FRACTIONAL)
    read = graded(value)
    contradicts = by_label is not None and read.value in (0.0, 1.0) and read.value != by_label
    return LoggedVerdict(
        scorer=scorer,
        raw=f"{read.raw} ({label})" if contradicts else read.raw,
        value=None if contradicts else read.value,
        kind=read.kind,
    )
