"""From checked runs to rows of `runs`, `run_sources`, `configurations`, `verdicts`, `traces` and `instances`.

    checked runs, each with its place + Provenance (which log)  ->  Arrow columns of each table

Keys, tokens and stops are decided run by run, once for all formats; all else is carried over column by column.
Source: formats.md section 5, architecture.md section 5.4.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timezone

import pyarrow as pa

from effspark import tables
from effspark.runs import keys
from effspark.runs.columns import Columns, arrays, batch, gathered, taken
from effspark.runs.generation import Generation, of_generation
from effspark.runs.identity import Identity, identity_of
from effspark.runs.record import LABEL_SCORER, RESCORED, Configuration, LoggedRun, Status, is_correct
from effspark.runs.values import made_at_once

SCHEMA_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Which log, read by which reader, for which team."""

    source_format: str
    reader_version: int
    mapping_version: int
    source_uri: str
    source_sha256: str
    file_time: datetime
    team: str


@made_at_once
@dataclass(frozen=True, kw_only=True)
class Attempt:
    """A checked run, where its record begins, and its place among the answers of the record."""

    logged: LoggedRun
    offset: int = 0
    answer: int = 0


_CARRIED = {
    "source_format_version": "format_version",
    "source_record_id": "record_id",
    "input_tokens": "usage.input",
    "cache_read_tokens": "usage.cache_read",
    "cache_write_tokens": "usage.cache_write",
} | {
    name: name
    for name in (
        "response_model", "seed", "benchmark_id", "benchmark_version", "split", "instance_id", "error_type",
        "error_message", "context_budget_tokens", "trace_visibility", "latency_seconds", "latency_kind",
        "cost_usd", "gpu_hours", "started_at", "axes", "tags",
    )
}  # fmt: skip
"""Columns of `runs` that are values of the logged run, and where these lie in it."""
_IDENTITY, _GENERATION = ({one.name: one.name for one in fields(kind)} for kind in (Identity, Generation))
_CONFIGURATION = {name: name for name in tables.columns("configurations")}
_TEXTS = {name: name for name in ("prompt", "reasoning", "answer")}


def build(attempts: Sequence[Attempt], log: Provenance) -> dict[str, pa.RecordBatch]:
    """Rows of some runs of one log, by table.

    >>> from effspark.runs.tokens import Usage
    >>> run = LoggedRun(configuration=Configuration(request_model="m"), benchmark_id="b", instance_id="1")
    >>> log = Provenance(source_format="mapper", reader_version=1, mapping_version=1, source_uri="a.csv",
    ...     source_sha256="", file_time=datetime(2026, 1, 1, tzinfo=timezone.utc), team="t")
    >>> {table: rows.num_rows for table, rows in build([Attempt(logged=run)], log).items()}
    {'runs': 1, 'run_sources': 1, 'configurations': 1, 'verdicts': 0, 'traces': 0, 'instances': 0}
    """
    runs = [attempt.logged for attempt in attempts]
    met: dict[Configuration, int] = {}
    rows = [met.setdefault(run.configuration, len(met)) for run in runs]
    configurations = taken(arrays("configurations", gathered([*met], _CONFIGURATION), len(met)), rows)
    ids = [(one.family_id, one.config_id) for one in met]
    identities = gathered(
        [identity_of(run, log.source_format, *ids[row]) for run, row in zip(runs, rows, strict=True)],
        _IDENTITY,
    )
    place = arrays("runs", {**_place(attempts, log), "run_key": identities["run_key"]}, len(runs))
    columns = {
        **gathered(runs, _CARRIED),
        **gathered([of_generation(run) for run in runs], _GENERATION),
        **identities,
        **configurations,
        **_of_log(runs, log),
        **place,
    }
    traced = [row for row, run in enumerate(runs) if _has_trace(run)]
    shown = [row for row, run in enumerate(runs) if _has_instance(run)]
    judged = [row for row, run in enumerate(runs) for _ in run.verdicts]
    made = {
        "runs": (columns, len(runs)),
        "run_sources": (columns | {"generation_hash": _contents(runs, columns)}, len(runs)),
        "configurations": (configurations, len(runs)),
        "verdicts": (taken(place, judged) | _verdicts(runs), len(judged)),
        "traces": (taken(place, traced) | gathered([runs[row] for row in traced], _TEXTS), len(traced)),
        "instances": (taken(place, shown) | _instances([runs[row] for row in shown], log), len(shown)),
    }
    return {table: batch(table, *of_table) for table, of_table in made.items()}


def rows_of(run: LoggedRun) -> int:
    """Rows that a run becomes, of all tables: one each of `runs`, `run_sources`, `configurations`, and what it has."""
    return 3 + len(run.verdicts) + _has_trace(run) + _has_instance(run)


def _has_trace(run: LoggedRun) -> bool:
    """Does the log show any text of a run?"""
    return run.answer is not None or run.reasoning is not None or run.prompt is not None


def _has_instance(run: LoggedRun) -> bool:
    """Does the log say anything of the instance of a run but its id?"""
    return run.question is not None or run.gold is not None or bool(run.axes)


def _place(attempts: Sequence[Attempt], log: Provenance) -> Columns:
    """Where runs stand, and which of two records of a run wins."""
    file_time = log.file_time.astimezone(timezone.utc)
    return {
        "log_version": [attempt.logged.log_version or file_time for attempt in attempts],
        "reader_version": log.reader_version,
        "mapping_version": log.mapping_version,
        "source_sha256": log.source_sha256,
        "source_offset": [attempt.offset for attempt in attempts],
        "source_answer": [attempt.answer for attempt in attempts],
    }


def _of_log(runs: Sequence[LoggedRun], log: Provenance) -> Columns:
    """What the log says of all its runs, and what is told of each beside what it logged."""
    return {
        "schema_version": SCHEMA_VERSION,
        "source_format": log.source_format,
        "source_uri": log.source_uri,
        "team": log.team,
        "instance_hash": [None if run.question is None else keys.question_hash(run.question) for run in runs],
        "n_retries": [run.n_retries or 0 for run in runs],
        "eval_run_logged": [bool(run.eval_run_id) for run in runs],
        "finish_reason_raw": [
            run.finish_reason if run.agent_limit is None else run.agent_limit for run in runs
        ],
    }


def _contents(runs: Sequence[LoggedRun], columns: Columns) -> list[str]:
    """By what two logs of a run tell of one attempt: what was generated; of failures, which look alike, also when."""
    told = zip(runs, columns["content_hash"], columns["status"], strict=True)
    return [
        keys.digest("failure", content, run.log_version.astimezone(timezone.utc).isoformat())
        if status is Status.ERROR and run.log_version
        else content
        for run, content, status in told
    ]


def _verdicts(runs: Sequence[LoggedRun]) -> Columns:
    verdicts = [verdict for run in runs for verdict in run.verdicts]
    return {
        "scorer": [_scorer(verdict.scorer) for verdict in verdicts],
        "score_raw": [verdict.raw for verdict in verdicts],
        "score_kind": [verdict.kind for verdict in verdicts],
        "correct": [is_correct(verdict.value) for verdict in verdicts],
        "extracted_answer": [verdict.extracted_answer for verdict in verdicts],
        "source": [verdict.source for verdict in verdicts],
    }


def _scorer(name: str) -> str:
    """Name of a log's scorer, kept apart from the names that measure gives to verdicts of its own."""
    return f"log:{name}" if name == LABEL_SCORER or name.startswith(RESCORED) else name


def _instances(runs: Sequence[LoggedRun], log: Provenance) -> Columns:
    questions = [run.question for run in runs]
    return {
        "benchmark_id": [run.benchmark_id for run in runs],
        "instance_id": [run.instance_id for run in runs],
        "source": log.team,
        "holds": [
            keys.holds(run.axes, gold=run.gold, question=run.question, cluster=run.tags.get("cluster"))
            for run in runs
        ],
        "gold": [run.gold for run in runs],
        "solution": None,
        "question": questions,
        "question_hash": [
            None if question is None else keys.question_hash(question) for question in questions
        ],
        "axes": [run.axes for run in runs],
        "cluster": [run.tags.get("cluster") for run in runs],
        "instance_key": [f"{keys.instance_key(run.benchmark_id, run.instance_id):016x}" for run in runs],
    }


def content_hash(data: bytes) -> str:
    """Sha256 of a file's content, in hexadecimal.

    >>> content_hash(b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(data).hexdigest()
