"""What do all samples of an Inspect log share? Its header (eval, plan, stats), read once.

    eval.model, plan.config over eval.model_generate_config  ->  configuration; eval.task_id  ->  eval run

Source: formats.md section 2.1. Header totals are not read: retries roll usage forward, so they are no sums of samples.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from effspark.errors import LogError
from effspark.readers import Options
from effspark.readers.configurations import host_of
from effspark.readers.inspect_document import (
    as_integer,
    as_list,
    as_mapping,
    as_number,
    as_text,
    as_time,
    is_empty,
    known_time,
)
from effspark.readers.inspect_usage import Version
from effspark.runs.record import Configuration
from effspark.runs.tokens import hides_trace


@dataclass(frozen=True, kw_only=True)
class Task:
    """What all samples of a log share."""

    configuration: Configuration
    benchmark_id: str
    benchmark_version: str | None
    eval_run_id: str | None
    seed: int | None
    version: Version
    format_version: str | None
    scorers: tuple[str, ...]
    dataset: str | None
    started_at: datetime | None
    completed_at: datetime | None
    updates: tuple[datetime, ...]
    hides: bool
    flags: tuple[str, ...]


def task_of(header: Mapping[str, Any], options: Options) -> Task:
    """Header of a log, read once. A time in it that is none is unknown, and the runs are flagged `odd_time`.

    Raises
    ------
    LogError
        The document holds no `eval`.

    >>> spec = {"model": "openai/o3", "task": "gsm8k", "task_id": "T", "packages": {"inspect_ai": "0.3.95.dev1"}}
    >>> task = task_of({"eval": spec, "plan": {"config": {"max_tokens": 512}}}, Options())
    >>> task.benchmark_id, task.eval_run_id, task.version, task.configuration.output_budget_tokens
    ('gsm8k', 'T', (0, 3, 95), 512)
    """
    spec, stats = header.get("eval"), as_mapping(header.get("stats"))
    if not isinstance(spec, dict):
        raise LogError(
            f"eval: found {spec!r:.80}; allowed: the header of an Inspect log; write the log again"
        )
    asked = _given(spec.get("model_generate_config")) | _given(as_mapping(header.get("plan")).get("config"))
    packages, results = as_mapping(spec.get("packages")), as_mapping(header.get("results"))
    scored = as_list(results.get("scores")) or as_list(spec.get("scorers")) or [results.get("scorer")]
    scorers = [as_mapping(item).get("name") for item in scored]
    model, format_version = as_text(spec.get("model")) or "", as_text(packages.get("inspect_ai"))
    names = ("started_at", "completed_at")
    stamps = [*(stats.get(name) for name in names), spec.get("created")]
    updates = [_stamp(update) for update in as_list(header.get("log_updates"))]
    started, completed, created = map(known_time, stamps)
    odd = any(known_time(stamp) is None and not is_empty(stamp) for stamp in (*stamps, *updates))
    return Task(
        configuration=_configuration(model, spec, asked),
        benchmark_id=as_text(spec.get("task")) or options.benchmark or "",
        benchmark_version=as_text(spec.get("task_version")),
        eval_run_id=as_text(spec.get("task_id")) or as_text(spec.get("run_id")),
        seed=as_integer(asked.get("seed")),
        version=tuple(int(part) for part in re.findall(r"\d{1,9}", format_version or "")[:3]),
        format_version=format_version,
        scorers=tuple(dict.fromkeys(name for name in scorers if isinstance(name, str))),
        dataset=as_text(as_mapping(spec.get("dataset")).get("name")),
        started_at=started or created,
        completed_at=completed,
        updates=tuple(update for update in map(known_time, updates) if update),
        hides=hides_trace(model, options.hidden_trace_models),
        flags=("odd_time",) if odd else (),
    )


def _configuration(model: str, spec: Mapping[str, Any], asked: Mapping[str, Any]) -> Configuration:
    """Generation configuration; a budget of reasoning tokens stands for an effort that is not named."""
    effort, thinking = as_text(asked.get("reasoning_effort")), asked.get("reasoning_tokens")
    arguments = as_mapping(spec.get("model_args"))
    return Configuration(
        request_model=model,
        provider_name=model.partition("/")[0] if "/" in model else None,
        provider_route=host_of(as_text(spec.get("model_base_url"))),
        model_revision=as_text(arguments.get("revision")) or as_text(arguments.get("model_path")),
        reasoning_effort=effort or (None if thinking is None else f"{thinking} tokens"),
        temperature=as_number(asked.get("temperature")),
        output_budget_tokens=asked.get("max_tokens"),
    )


def provenance_time(correction: Any) -> datetime | None:
    """When a correction of a sample (score edit, invalidation) was made.

    >>> provenance_time({"provenance": {"author": "ann", "timestamp": "2026-01-02T00:00:00Z"}}).isoformat()
    '2026-01-02T00:00:00+00:00'
    """
    return as_time(_stamp(correction))


def _stamp(correction: Any) -> Any:
    return as_mapping(as_mapping(correction).get("provenance")).get("timestamp")


def _given(value: Any) -> dict[str, Any]:
    return {name: part for name, part in as_mapping(value).items() if part is not None}
