"""The run record: what a reader found in a log of one attempt, in the log's own words.

Readers only say what stands in the log; tokens, stops, keys and checks are applied once for all formats (build.py).
Source: formats.md section 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from functools import lru_cache
from typing import Any

from effspark.runs import keys
from effspark.runs.tokens import Usage
from effspark.runs.values import made_at_once

SCHEMA_VERSION = 1
CORRECT_FROM = 1 - 1e-9
"""A graded score counts as correct from here (definitions.md section 1)."""

LABEL_SCORER, RESCORED = "label", "rescored:"
"""Scorer of verdicts from a labels file, and prefix of the scorers that are a benchmark's own rule."""

Row = dict[str, Any]


class Status(str, Enum):
    """What became of an attempt, apart from its answer."""

    OK = "ok"
    ERROR = "error"
    CANCELLED = "cancelled"
    INVALIDATED = "invalidated"
    EXCLUDED = "excluded"


class Visibility(str, Enum):
    """How much of the generated text the log shows."""

    FULL = "full"
    SUMMARY = "summary"
    REDACTED = "redacted"
    HIDDEN = "hidden"
    NONE = "none"


class VerdictSource(str, Enum):
    """Where a verdict comes from."""

    LOG = "log"
    LABEL = "label"
    RESCORED = "rescored"
    EDITED = "edited"


class ScoreKind(str, Enum):
    """Scale of a raw score."""

    BINARY = "binary"
    FRACTIONAL = "fractional"
    LETTER = "letter"


@made_at_once
@dataclass(frozen=True, kw_only=True)
class Configuration:
    """How the model was asked: what makes two runs runs of the same model.

    `output_budget_tokens` is the budget of the run itself; a seed is no part of the model and lies in the run.
    """

    request_model: str
    provider_name: str | None = None
    provider_route: str | None = None
    model_revision: str | None = None
    reasoning_effort: str | None = None
    temperature: float | None = None
    tokenizer_family: str | None = None
    output_budget_tokens: int | None = None

    @property
    def family_id(self) -> str:
        """Hash of everything but the budget: what identifies the configuration inside an eval run."""
        return _family_id(
            self.request_model,
            self.provider_name,
            self.provider_route,
            self.model_revision,
            self.reasoning_effort,
            self.temperature,
            self.tokenizer_family,
        )

    @property
    def config_id(self) -> str:
        """Hash of the whole generation configuration.

        >>> a, b = (Configuration(request_model="m", output_budget_tokens=n) for n in (1, 2))
        >>> a.config_id == b.config_id, a.family_id == b.family_id
        (False, True)
        """
        return _config_id(self)


@lru_cache(maxsize=4096)
def _family_id(*parts: str | float | None) -> str:
    return keys.digest("family", *parts)


@lru_cache(maxsize=4096)
def _config_id(configuration: Configuration) -> str:
    return keys.digest("config", configuration.family_id, configuration.output_budget_tokens)


@made_at_once
@dataclass(frozen=True, kw_only=True)
class LoggedVerdict:
    """One scorer's opinion. `value` is a number or null; booleans, letters and texts are read by the reader."""

    scorer: str
    raw: str | None
    value: float | None
    kind: ScoreKind = ScoreKind.BINARY
    extracted_answer: str | None = None
    source: VerdictSource = VerdictSource.LOG


@made_at_once
@dataclass(frozen=True, kw_only=True)
class LoggedRun:
    """What one log says of one attempt, in the log's own words. Only the first three fields must be known.

    Times are timezone-aware; `reasoning` and `answer` are generated text as logged; `estimable` allows an estimate
    of T from the text (`trace_visibility` full and no hidden reasoning). `result_id` is the tool's own id of what was
    generated, where one of two exports of it lacks what else names a run. `identified_by` is the configuration that
    the answer itself tells, where a file beside the log tells the whole: the key of a run depends on no second file.
    """

    configuration: Configuration
    benchmark_id: str
    instance_id: Any
    eval_run_id: str | None = None
    attempt: str | None = None
    benchmark_version: str | None = None
    split: str | None = None
    response_model: str | None = None
    seed: int | None = None
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None
    agent_limit: str | None = None
    status: Status = Status.OK
    error_type: str | None = None
    error_message: str | None = None
    context_budget_tokens: int | None = None
    prompt: str | None = None
    reasoning: str | None = None
    answer: str | None = None
    trace_visibility: Visibility = Visibility.NONE
    estimable: bool = False
    question: str | None = None
    gold: str | None = None
    verdicts: tuple[LoggedVerdict, ...] = ()
    latency_seconds: float | None = None
    latency_kind: str | None = None
    cost_usd: float | None = None
    gpu_hours: float | None = None
    started_at: datetime | None = None
    log_version: datetime | None = None
    n_retries: int | None = None
    axes: Mapping[str, float] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    quality_flags: tuple[str, ...] = ()
    record_id: str | None = None
    result_id: str | None = None
    identified_by: Configuration | None = None
    format_version: str | None = None


def is_correct(value: float | None) -> bool | None:
    """Is a score a success? Null scores stay null.

    >>> is_correct(1.0), is_correct(1 - 1e-10), is_correct(0.5), is_correct(None), is_correct(float("nan"))
    (True, True, False, None, None)
    """
    return None if value is None or value != value else value >= CORRECT_FROM
