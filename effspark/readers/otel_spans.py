"""What does one OpenTelemetry span say of a call of a model?

    OTLP JSON span  ->  attributes as plain values  ->  Call, evaluation events

Both generations of names are read (`gen_ai.provider.name` and `gen_ai.system`, `output_tokens` and
`completion_tokens`), four spellings of reasoning tokens, and the texts of spans, of span events and of flattened
attributes. By the convention output tokens include reasoning; what they do include is decided where all formats
meet. Source: formats.md section 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from effspark.readers.cells import text_of
from effspark.readers.otlp import Span, plain, time_of
from effspark.readers.trace_calls import Call
from effspark.readers.trace_evaluation import named
from effspark.readers.trace_replies import Asked, Reply, asked, parsed, replies
from effspark.runs.record import Configuration
from effspark.runs.tokens import Usage

REASONING = (
    "gen_ai.usage.reasoning.output_tokens",
    "gen_ai.usage.output_tokens.reasoning",
    "gen_ai.usage.reasoning_tokens",
    "ai.usage.reasoningTokens",
    "ai.usage.outputTokenDetails.reasoningTokens",
)
"""Reasoning tokens in the words of the convention, Sentry, OpenLLMetry and Vercel (two)."""
_INPUT = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "ai.usage.inputTokens")
_OUTPUT = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "ai.usage.outputTokens")
_TOTAL = ("gen_ai.usage.total_tokens", "llm.usage.total_tokens", "ai.usage.totalTokens")
_CACHE_READ = (
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.input_tokens.cached",
    "ai.usage.cachedInputTokens",
)
_CACHE_WRITE = (
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "gen_ai.usage.input_tokens.cache_write",
)
_REQUEST_MODEL, _RESPONSE_MODEL = "gen_ai.request.model", "gen_ai.response.model"
_ANSWERS = ("gen_ai.output.messages", "gen_ai.completion", "ai.response.text")
_PROMPTS = ("gen_ai.input.messages", "gen_ai.prompt", "ai.prompt.messages")
_FINISH = ("gen_ai.response.finish_reasons", "gen_ai.response.finish_reason", "ai.response.finishReason")
_NO_CALLS = frozenset(
    {"embeddings", "execute_tool", "create_agent", "retrieval", "invoke_workflow", "rerank", "plan"}
)
_FAILED = (2, "2", "STATUS_CODE_ERROR")
_FLAT = re.compile(r"gen_ai\.(completion|prompt)\.(\d{1,9})\.(content|role|finish_reason|reasoning)")


def call_of(span: Span, known: Mapping[str, Any]) -> Call | None:
    """Call of a model that a span with these attributes (`known`) is, or null where it is none.

    >>> call_of(Span("t", "s"), {"gen_ai.request.model": "m", "gen_ai.usage.output_tokens": 7}).usage.output
    7
    """
    model = text_of(known.get(_REQUEST_MODEL) or known.get(_RESPONSE_MODEL))
    if model is None or text_of(known.get("gen_ai.operation.name")) in _NO_CALLS:
        return None
    failed = span.status is not None and span.status.code in _FAILED
    error = text_of(known.get("error.type")) or next(_exceptions(span), None)
    return Call(
        span_id=span.span_id,
        parent_id=span.parent_span_id or None,
        configuration=Configuration(
            request_model=model,
            provider_name=named(known, ("gen_ai.provider.name", "gen_ai.system")),
            reasoning_effort=named(
                known, ("gen_ai.request.reasoning_effort", "gen_ai.request.reasoning.level")
            ),
            temperature=known.get("gen_ai.request.temperature"),
            output_budget_tokens=known.get("gen_ai.request.max_tokens"),
        ),
        response_model=known.get(_RESPONSE_MODEL),
        usage=_usage(known),
        replies=_replies(span, known),
        asked=_asked(span, known),
        seed=known.get("gen_ai.request.seed"),
        failed=failed,
        error_type=error if failed else None,
        error_message=(span.status.message or None) if failed and span.status else None,
        started_at=time_of(span.start_time_unix_nano),
        ended_at=time_of(span.end_time_unix_nano),
    )


def _usage(known: Mapping[str, Any]) -> Usage:
    return Usage(
        input=named(known, _INPUT),
        output=named(known, _OUTPUT),
        reasoning=named(known, REASONING),
        total=named(known, _TOTAL),
        cache_read=named(known, _CACHE_READ),
        cache_write=named(known, _CACHE_WRITE),
    )


def _replies(span: Span, known: Mapping[str, Any]) -> tuple[Reply, ...]:
    """Answers in the attributes, else in events, else flattened; the span's own finish reasons stand first."""
    reasons = parsed(named(known, _FINISH))
    listed = reasons if isinstance(reasons, list) else [] if reasons is None else [reasons]
    shown = list(
        replies(named(known, _ANSWERS)) or replies(_said(span, "gen_ai.content.completion", "completion"))
    )
    shown = shown or list(replies(_choices(span) or _flat(known, "completion") or None))
    if len(shown) == 1 and isinstance(known.get("ai.response.reasoning"), str):
        shown[0] = shown[0]._replace(reasoning=known["ai.response.reasoning"])
    shown += [Reply()] * (len(listed) - len(shown))
    return tuple(
        reply._replace(finish_reason=str(listed[place])) if place < len(listed) and listed[place] else reply
        for place, reply in enumerate(shown)
    )


def _asked(span: Span, known: Mapping[str, Any]) -> Asked:
    sent = named(known, _PROMPTS) or _said(span, "gen_ai.content.prompt", "prompt")
    return asked(sent or _flat(known, "prompt") or None)


def _said(span: Span, event: str, name: str) -> Any:
    """Text in a span event of the names before 1.28."""
    found = (plain(one.attributes).get(f"gen_ai.{name}") for one in span.events if one.name == event)
    return next((text for text in found if text is not None), None)


def _choices(span: Span) -> list[dict[str, Any]]:
    """Choices in span events of the names of 1.28 to 1.36."""
    told = [plain(event.attributes) for event in span.events if event.name == "gen_ai.choice"]
    return [{"role": "assistant", **choice, **_message(choice.get("message"))} for choice in told]


def _message(value: Any) -> dict[str, Any]:
    """Message of a choice: an object, or (Strands) the content alone, as text or as parts."""
    found = parsed(value)
    if found is None:
        return {}
    return {"message": found if isinstance(found, dict) else {"content": found}}


def _flat(known: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    """Messages that are flattened to one attribute a field."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in known.items():
        match = _FLAT.fullmatch(key)
        if match is not None and match[1] == kind:
            found.setdefault(int(match[2]), {"role": "assistant"})[match[3]] = value
    return [found[place] for place in sorted(found)]


def _exceptions(span: Span) -> Iterator[str]:
    for event in span.events:
        kind = plain(event.attributes).get("exception.type") if event.name == "exception" else None
        if kind is not None:
            yield str(kind)
