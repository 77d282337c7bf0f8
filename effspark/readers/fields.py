"""What may a mapping say of a run? Every field it may set, the type declared for it, and where it goes.

    key of a mapping  ->  type, LoggedRun | Configuration | Usage, name there

The fields are those of the run record (formats.md section 5). `axes` (numbers), `tags` (texts) and `verdicts`
are maps beside them and are declared in mappings.py.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from effspark.readers.cells import Kind
from effspark.runs.record import Status, Visibility
from effspark.runs.tokens import TokenSource


class Part(str, Enum):
    """Value that a mapped field belongs to."""

    RUN = "LoggedRun"
    CONFIGURATION = "Configuration"
    USAGE = "Usage"


class Target(NamedTuple):
    """Where a mapped field goes, and the type declared for it."""

    kind: Kind | type[Enum]
    part: Part = Part.RUN
    name: str = ""


FIELDS: dict[str, Target] = {
    "benchmark": Target(Kind.TEXT, name="benchmark_id"),
    "model": Target(Kind.TEXT, Part.CONFIGURATION, "request_model"),
    "instance": Target(Kind.IDENTIFIER, name="instance_id"),
    "attempt": Target(Kind.TEXT),
    "eval_run": Target(Kind.TEXT, name="eval_run_id"),
    "provider_name": Target(Kind.TEXT, Part.CONFIGURATION),
    "provider_route": Target(Kind.TEXT, Part.CONFIGURATION),
    "model_revision": Target(Kind.TEXT, Part.CONFIGURATION),
    "reasoning_effort": Target(Kind.TEXT, Part.CONFIGURATION),
    "temperature": Target(Kind.NUMBER, Part.CONFIGURATION),
    "tokenizer_family": Target(Kind.TEXT, Part.CONFIGURATION),
    "output_budget_tokens": Target(Kind.COUNT, Part.CONFIGURATION),
    "context_budget_tokens": Target(Kind.COUNT),
    "input_tokens": Target(Kind.COUNT, Part.USAGE, "input"),
    "output_tokens": Target(Kind.COUNT, Part.USAGE, "output"),
    "reasoning_tokens": Target(Kind.COUNT, Part.USAGE, "reasoning"),
    "total_tokens": Target(Kind.COUNT, Part.USAGE, "total"),
    "cache_read_tokens": Target(Kind.COUNT, Part.USAGE, "cache_read"),
    "cache_write_tokens": Target(Kind.COUNT, Part.USAGE, "cache_write"),
    "token_ids": Target(Kind.COUNT, Part.USAGE),
    "token_source": Target(TokenSource, Part.USAGE, "source"),
    "additive": Target(Kind.BOOLEAN, Part.USAGE),
    "benchmark_version": Target(Kind.TEXT),
    "split": Target(Kind.TEXT),
    "response_model": Target(Kind.TEXT),
    "seed": Target(Kind.INTEGER),
    "finish_reason": Target(Kind.TEXT),
    "agent_limit": Target(Kind.TEXT),
    "status": Target(Status),
    "error_type": Target(Kind.TEXT),
    "error_message": Target(Kind.TEXT),
    "prompt": Target(Kind.TEXT),
    "reasoning": Target(Kind.TEXT),
    "answer": Target(Kind.TEXT),
    "trace_visibility": Target(Visibility),
    "question": Target(Kind.TEXT),
    "gold": Target(Kind.TEXT),
    "latency_seconds": Target(Kind.AMOUNT),
    "latency_kind": Target(Kind.TEXT),
    "cost_usd": Target(Kind.AMOUNT),
    "gpu_hours": Target(Kind.AMOUNT),
    "started_at": Target(Kind.TIMESTAMP),
    "log_version": Target(Kind.TIMESTAMP),
    "n_retries": Target(Kind.COUNT),
    "record_id": Target(Kind.TEXT),
    "format_version": Target(Kind.TEXT),
}
"""Every field that a mapping may set, by its key."""
REQUIRED = ("model", "instance")
"""Fields that every mapping must set; the benchmark may come from the command line."""
