"""From a logged run to rows of `runs`, `run_sources`, `configurations`, `verdicts`, `traces` and `instances`.

    LoggedRun (raw facts of one attempt) + Provenance (which log)  ->  Built (rows)

Applies checks, keys, tokens and stops, once for all formats. Source: formats.md section 5, architecture.md section 5.4.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import NamedTuple

from effspark.errors import LogError
from effspark.runs import checks, keys
from effspark.runs.generation import generation_hash, of_generation, trace_hash
from effspark.runs.record import (
    LABEL_SCORER,
    RESCORED,
    Configuration,
    LoggedRun,
    LoggedVerdict,
    Row,
    is_correct,
)

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


class Built(NamedTuple):
    """Rows of one run. `instance` and `trace` are null where the log shows neither."""

    run: Row
    run_source: Row
    configuration: Row
    verdicts: list[Row]
    trace: Row | None
    instance: Row | None


def build(logged: LoggedRun, provenance: Provenance, *, offset: int, answer: int = 0) -> Built:
    """Rows of one attempt, checked.

    Raises
    ------
    LogError
        Every problem of the record, in one text.
    """
    logged = _checked(logged)
    identity = _identity(logged, provenance)
    place: Row = {
        "log_version": (logged.log_version or provenance.file_time).astimezone(timezone.utc),
        "reader_version": provenance.reader_version,
        "mapping_version": provenance.mapping_version,
        "source_sha256": provenance.source_sha256,
        "source_offset": offset,
        "source_answer": answer,
    }
    run: Row = {
        "schema_version": SCHEMA_VERSION,
        "source_format": provenance.source_format,
        "source_format_version": logged.format_version,
        "source_uri": provenance.source_uri,
        "source_record_id": logged.record_id,
        "instance_id": logged.instance_id,
        "instance_hash": None if logged.question is None else keys.question_hash(logged.question),
        "n_retries": logged.n_retries or 0,
        **identity,
        **place,
        "eval_run_logged": bool(logged.eval_run_id),
        "generation_hash": trace_hash(logged),
        **_of_configuration(logged),
        **of_generation(logged),
    }
    run_key: str = identity["run_key"]
    return Built(
        run=run,
        run_source=_source_row(run_key, logged, provenance, place),
        configuration=_configuration_row(logged.configuration),
        verdicts=[_verdict_row(run_key, verdict, place) for verdict in logged.verdicts],
        trace=_trace_row(run_key, logged, place),
        instance=_instance_row(logged, logged.instance_id, run["instance_hash"], provenance, place),
    )


def _identity(logged: LoggedRun, provenance: Provenance) -> Row:
    """run_key, eval_run_id and attempt; the latter two as logged, else hashes that depend on no place or time.

    Where a log names no eval run, one budget is one: whether budgets make models is decided when runs are named. The
    id of a result, where there is one, stands for eval run, settings and attempt.
    """
    family, whole = logged.configuration.family_id, logged.configuration.config_id
    hashed = keys.digest("eval_run", provenance.source_format, logged.benchmark_id, whole)
    eval_run = logged.eval_run_id or hashed
    attempt = logged.attempt if logged.attempt is not None else generation_hash(logged)
    named, label = (eval_run, family), attempt
    if logged.result_id is not None:
        named, label = ("result", logged.configuration.request_model), logged.result_id
    parts = (provenance.source_format, *named, logged.benchmark_id, logged.instance_id, label)
    return {"run_key": keys.digest("run", *parts), "eval_run_id": eval_run, "attempt": attempt}


def _source_row(run_key: str, logged: LoggedRun, provenance: Provenance, place: Row) -> Row:
    return {
        "run_key": run_key,
        "team": provenance.team,
        "source_sha256": provenance.source_sha256,
        "source_uri": provenance.source_uri,
        "generation_hash": generation_hash(logged),
        "n_retries": logged.n_retries or 0,
        "log_version": place["log_version"],
        "reader_version": provenance.reader_version,
        "mapping_version": provenance.mapping_version,
    }


def _checked(logged: LoggedRun) -> LoggedRun:
    """The record with every value in its declared type, if it has model, benchmark and instance; else all problems."""
    problems: list[str] = []
    if not logged.configuration.request_model:
        problems.append("model: found nothing; allowed: a name; log it, map it, or --set readers.model=NAME")
    if not logged.benchmark_id:
        problems.append("benchmark: found nothing; allowed: a name; pass --benchmark NAME")
    instance = ""
    try:
        instance = checks.text(keys.instance_id(logged.instance_id), "instance id")
    except LogError as error:
        problems.append(str(error))
    parts = {
        "instance_id": instance,
        "configuration": checks.checked(logged.configuration, problems),
        "usage": checks.checked(logged.usage, problems),
        "verdicts": tuple(checks.checked(verdict, problems) for verdict in logged.verdicts),
    }
    whole = checks.with_values(checks.checked(logged, problems), parts)
    if problems:
        raise LogError("; ".join(problems))
    return whole


def _of_configuration(logged: LoggedRun) -> Row:
    configuration = logged.configuration
    return {
        "config_id": configuration.config_id,
        "family_id": configuration.family_id,
        "provider_name": configuration.provider_name,
        "provider_route": configuration.provider_route,
        "request_model": configuration.request_model,
        "response_model": logged.response_model,
        "model_revision": configuration.model_revision,
        "reasoning_effort": configuration.reasoning_effort,
        "temperature": configuration.temperature,
        "seed": logged.seed,
        "benchmark_id": logged.benchmark_id,
        "benchmark_version": logged.benchmark_version,
        "split": logged.split,
    }


def _configuration_row(configuration: Configuration) -> Row:
    return {
        "config_id": configuration.config_id,
        "family_id": configuration.family_id,
        "request_model": configuration.request_model,
        "provider_name": configuration.provider_name,
        "provider_route": configuration.provider_route,
        "model_revision": configuration.model_revision,
        "reasoning_effort": configuration.reasoning_effort,
        "temperature": configuration.temperature,
        "tokenizer_family": configuration.tokenizer_family,
        "output_budget_tokens": configuration.output_budget_tokens,
    }


def _verdict_row(run_key: str, verdict: LoggedVerdict, place: Row) -> Row:
    return {
        "run_key": run_key,
        "scorer": _scorer(verdict.scorer),
        "score_raw": verdict.raw,
        "score_kind": verdict.kind.value,
        "correct": is_correct(verdict.value),
        "extracted_answer": verdict.extracted_answer,
        "source": verdict.source.value,
        **place,
    }


def _scorer(name: str) -> str:
    """Name of a log's scorer, kept apart from the names that measure gives to verdicts of its own."""
    return f"log:{name}" if name == LABEL_SCORER or name.startswith(RESCORED) else name


def _trace_row(run_key: str, logged: LoggedRun, place: Row) -> Row | None:
    if logged.prompt is None and logged.reasoning is None and logged.answer is None:
        return None
    return {
        "run_key": run_key,
        "prompt": logged.prompt,
        "reasoning": logged.reasoning,
        "answer": logged.answer,
        **place,
    }


def _instance_row(
    logged: LoggedRun, instance: str, hash_: str | None, provenance: Provenance, place: Row
) -> Row | None:
    if logged.question is None and logged.gold is None and not logged.axes:
        return None
    return {
        "benchmark_id": logged.benchmark_id,
        "instance_id": instance,
        "source": provenance.team,
        "gold": logged.gold,
        "question": logged.question,
        "question_hash": hash_,
        "axes": dict(logged.axes),
        "cluster": logged.tags.get("cluster"),
        "instance_key": f"{keys.instance_key(logged.benchmark_id, instance):016x}",
        **place,
    }


def content_hash(data: bytes) -> str:
    """Sha256 of a file's content, in hexadecimal.

    >>> content_hash(b"")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(data).hexdigest()
