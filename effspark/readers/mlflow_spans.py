"""What does one MLflow span say of a call of a model?

    span with JSON-encoded attributes, of either layout  ->  Call

Token counts stand in `mlflow.chat.tokenUsage` (input, output, total); reasoning tokens only in the output itself,
in the words of its API. Settings are those of the inputs, or of LangChain's invocation parameters. Source:
formats.md section 2.10.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from effspark.readers.cells import text_of
from effspark.readers.otlp import time_of
from effspark.readers.trace_calls import Call
from effspark.readers.trace_evaluation import named
from effspark.readers.trace_replies import asked, model_in, reasoning_tokens_in, replies
from effspark.runs.record import Configuration
from effspark.runs.tokens import Usage

_CALLS = frozenset({"CHAT_MODEL", "LLM"})
_NO_CALLS = frozenset({"AGENT", "CHAIN", "EMBEDDING", "EVALUATOR", "RERANKER", "RETRIEVER", "TOOL"})
_USAGE, _OUTPUTS, _INPUTS = "mlflow.chat.tokenUsage", "mlflow.spanOutputs", "mlflow.spanInputs"
_MODEL = ("mlflow.llm.model", "gen_ai.request.model")
_PROVIDER = ("mlflow.llm.provider", "gen_ai.provider.name", "gen_ai.system")
_BUDGET = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_FAILED = frozenset({"ERROR", "STATUS_CODE_ERROR"})


class Ended(Struct):
    """How a span ended."""

    code: str | None = None
    message: str | None = None


class Context(Struct):
    """Identity of a span in traces before MLflow 3."""

    span_id: str | None = None


class Span(Struct):
    """One span, with the fields of MLflow 3 and those of before."""

    span_id: str | None = None
    parent_span_id: str | None = None
    start_time_unix_nano: Any = None
    end_time_unix_nano: Any = None
    status: Ended | None = None
    attributes: dict[str, Any] | None = None
    context: Context | None = None
    parent_id: str | None = None
    start_time: Any = None
    end_time: Any = None
    status_code: str | None = None
    status_message: str | None = None

    @property
    def name_of(self) -> str:
        """Id of the span; empty where it has none."""
        return self.span_id or (self.context and self.context.span_id) or ""

    @property
    def parent(self) -> str | None:
        """Id of the span above."""
        return self.parent_span_id or self.parent_id

    @property
    def failure(self) -> Ended | None:
        """How it failed, if it did."""
        ended = self.status or Ended(self.status_code, self.status_message)
        return ended if ended.code in _FAILED else None

    @property
    def known(self) -> dict[str, Any]:
        """Attributes as plain values."""
        return {name: plain(value) for name, value in (self.attributes or {}).items()}

    @property
    def is_grader(self) -> bool:
        """Is it a judge at work?"""
        return bool(plain((self.attributes or {}).get("mlflow.spanType")) == "EVALUATOR")


def plain(value: Any) -> Any:
    """An attribute, which MLflow encodes as JSON once and OpenTelemetry not at all.

    >>> plain('"CHAT_MODEL"'), plain('{"a": 1}'), plain("gpt-4o"), plain(7)
    ('CHAT_MODEL', {'a': 1}, 'gpt-4o', 7)
    """
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, strict=False)
    except (ValueError, RecursionError):  # a text as it is
        return value


def mapping(value: Any) -> Mapping[str, Any]:
    """An object that may be JSON in a string; nothing where it is no object.

    >>> mapping('{"output_tokens": 7}'), mapping("18")
    ({'output_tokens': 7}, {})
    """
    found = plain(value)
    return found if isinstance(found, dict) else {}


def usage_of(counted: Mapping[str, Any], output: Any) -> Usage:
    """Usage of a span or trace: the counts that MLflow took, else those of the output itself.

    >>> usage_of({}, {"usage": {"prompt_tokens": 50, "completion_tokens": 90}}).output
    90
    """
    counts = counted or mapping(mapping(output).get("usage"))
    return Usage(
        input=named(counts, ("input_tokens", "prompt_tokens")),
        output=named(counts, ("output_tokens", "completion_tokens")),
        reasoning=reasoning_tokens_in(output),
        total=counts.get("total_tokens"),
        cache_read=counts.get("cache_read_input_tokens"),
        cache_write=counts.get("cache_creation_input_tokens"),
    )


def call_of(span: Span, *, model: str | None = None) -> Call | None:
    """Call of a model that a span is, or null where it is none.

    Parameters
    ----------
    span
        The span.
    model
        Model that the trace names, for spans that name none.

    >>> attributes = {"mlflow.spanType": '"LLM"', "mlflow.chat.tokenUsage": '{"output_tokens": 7}'}
    >>> call_of(Span("s", attributes=attributes)).usage.output
    7
    >>> call_of(Span("s", attributes={"mlflow.spanType": '"TOOL"'})) is None
    True
    """
    known = span.known
    kind = text_of(known.get("mlflow.spanType"))
    if kind not in _CALLS and (kind in _NO_CALLS or named(known, (_USAGE, *_MODEL)) is None):
        return None
    inputs, outputs = known.get(_INPUTS), known.get(_OUTPUTS)
    settings = {**mapping(known.get("invocation_params")), **mapping(inputs)}
    failure = span.failure
    return Call(
        span_id=span.name_of,
        parent_id=span.parent,
        configuration=_configuration(known, settings, outputs, model),
        response_model=text_of(known.get("gen_ai.response.model")) or model_in(outputs),
        usage=usage_of(mapping(known.get(_USAGE)), outputs),
        replies=replies(outputs),
        asked=asked(inputs),
        seed=settings.get("seed"),
        failed=failure is not None,
        error_message=(failure.message or None) if failure is not None else None,
        started_at=time_of(span.start_time_unix_nano or span.start_time),
        ended_at=time_of(span.end_time_unix_nano or span.end_time),
        cost=mapping(known.get("mlflow.llm.cost")).get("total_cost"),
    )


def _configuration(
    known: Mapping[str, Any], settings: Mapping[str, Any], outputs: Any, model: str | None
) -> Configuration:
    return Configuration(
        request_model=text_of(named(known, _MODEL)) or model_in(dict(settings), outputs) or model or "",
        provider_name=text_of(named(known, _PROVIDER)),
        reasoning_effort=text_of(
            settings.get("reasoning_effort") or mapping(settings.get("reasoning")).get("effort")
        ),
        temperature=settings.get("temperature"),
        output_budget_tokens=named(settings, _BUDGET),
    )
