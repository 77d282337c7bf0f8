"""What fields of Every Eval Ever's instance-level rows are read, and of which type?

    row of schema 0.0.1 to 0.3  ->  one type, `Row`

Texts that became lists of texts are taken as either; fields that are not named here are passed over. Counts are
taken as they are: they are checked once for all readers.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from effspark.readers.cells import text_of
from effspark.readers.trace_evaluation import ATTEMPT, named

_FILTER, _NO_FILTER = "filter", "none"


class Asked(Struct):
    """Input of a sample."""

    raw: Any = None
    formatted: str | None = None
    reference: Any = None


class Said(Struct):
    """Output of a single turn: a text each (before 0.2), or lists of them."""

    raw: str | list[str | None] | None = None
    reasoning_trace: str | list[str | None] | None = None


class Message(Struct):
    """One message of a conversation."""

    role: str = ""
    content: str | None = None
    reasoning_trace: str | None = None


class Extracted(Struct):
    """What was taken for the answer."""

    extracted_value: str | None = None
    is_terminal: bool | None = None


class Judged(Struct):
    """How the answer was scored."""

    score: Any = None
    is_correct: bool | None = None


class Counts(Struct):
    """Token usage."""

    input_tokens: Any = None
    output_tokens: Any = None
    total_tokens: Any = None
    reasoning_tokens: Any = None
    input_tokens_cache_read: Any = None
    input_tokens_cache_write: Any = None


class Performance(Struct):
    """Times, in milliseconds."""

    latency_ms: float | None = None
    generation_time_ms: float | None = None


class Row(Struct):
    """One sample as one metric saw it, or an aggregate (`evaluation_results`)."""

    schema_version: str | None = None
    evaluation_id: str | None = None
    model_id: str | None = None
    evaluation_name: str | None = None
    evaluation_result_id: str | None = None
    sample_id: Any = None
    input: Asked | None = None
    output: Said | None = None
    messages: list[Message] | None = None
    interactions: list[Message] | None = None
    answer_attribution: list[Extracted] | None = None
    evaluation: Judged | None = None
    token_usage: Counts | None = None
    performance: Performance | None = None
    error: str | None = None
    metadata: dict[str, Any] | None = None
    evaluation_results: list[Any] | None = None

    @property
    def filter(self) -> str | None:
        """Filter of lm-evaluation-harness that the answer went through."""
        found = text_of((self.metadata or {}).get(_FILTER))
        return None if found == _NO_FILTER else found

    @property
    def benchmark(self) -> str | None:
        """Name of the evaluation, without the filter that the converter of lm-evaluation-harness appends."""
        name = self.evaluation_name
        return name.removesuffix(f"/{self.filter}") if name is not None and self.filter else name

    @property
    def scorer(self) -> str:
        """Name of the score: its aggregate result, else its filter."""
        return self.evaluation_result_id or self.filter or "evaluation"

    @property
    def epoch(self) -> str | None:
        """Attempt that the metadata name."""
        return text_of(named(self.metadata or {}, ATTEMPT)) or None
