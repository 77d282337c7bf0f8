"""What does one message of Anthropic's API say of the run it answers?

    {model, content: [thinking | text | ...], stop_reason, usage}  ->  LoggedRun

Output tokens include thinking. Input tokens leave out what was read from or written to the cache, so both are
added. Claude shows its thinking whole up to version 3.7 and a summary of it from version 4 on. A message bears no
time and no settings. Source: formats.md section 2.6. Knows nothing of batch files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from effspark.runs.record import Configuration, LoggedRun, Visibility
from effspark.runs.tokens import Usage, count, hides_trace

PROVIDER = "anthropic"
_SUMMARISES = re.compile(r"claude-(?!3|2|instant)", re.IGNORECASE)


class Block(msgspec.Struct):
    """One piece of content."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None


class Details(msgspec.Struct):
    """Parts of the output count; older logs lack them."""

    thinking_tokens: Any = None


class Counts(msgspec.Struct):
    """Usage as the API words it."""

    input_tokens: Any = None
    output_tokens: Any = None
    cache_read_input_tokens: Any = None
    cache_creation_input_tokens: Any = None
    output_tokens_details: Details | None = None


class Message(msgspec.Struct):
    """One answer."""

    model: str | None = None
    content: list[Block] = []
    stop_reason: str | None = None
    usage: Counts | None = None


def run_of(message: Message, base: Mapping[str, Any], hidden: Iterable[str]) -> LoggedRun:
    """Run of a message that names its model.

    Parameters
    ----------
    message
        The answer.
    base
        Fields of the run that are known without it: benchmark, instance, attempt.
    hidden
        Patterns of the models that keep their reasoning to themselves.

    Raises
    ------
    LogError
        A count of input tokens is none.

    >>> base = {"benchmark_id": "b", "instance_id": "1", "attempt": "1"}
    >>> counts = Counts(input_tokens=41, output_tokens=165, cache_read_input_tokens=2048)
    >>> blocks = [Block(type="thinking", thinking="9 * 2"), Block(type="text", text="18")]
    >>> run = run_of(Message(model="claude-sonnet-4-5", content=blocks, usage=counts), base, ())
    >>> run.usage.input, run.reasoning, run.answer, run.trace_visibility.value
    (2089, '9 * 2', '18', 'summary')
    """
    model = message.model or ""
    usage = _usage(message.usage or Counts())
    texts = [block.text or "" for block in message.content if block.type == "text"]
    thought = "\n".join(block.thinking for block in message.content if block.thinking)
    answer = "".join(texts) if texts else None
    hides = hides_trace(model, hidden)
    visibility = _visibility(message.content, usage, model, hides=hides)
    return LoggedRun(
        **base,
        configuration=Configuration(request_model=model, provider_name=PROVIDER),
        response_model=model,
        usage=usage,
        finish_reason=message.stop_reason,
        reasoning=thought or None,
        answer=answer,
        trace_visibility=visibility,
        estimable=visibility is Visibility.FULL and not hides,
    )


def _visibility(blocks: list[Block], usage: Usage, model: str, *, hides: bool) -> Visibility:
    """How much of what was generated the blocks show. A thinking block may be empty, or hold a cipher only."""
    kinds = {block.type for block in blocks}
    if "redacted_thinking" in kinds:
        return Visibility.REDACTED
    if any(block.thinking for block in blocks):
        return Visibility.SUMMARY if hides or _SUMMARISES.search(model) else Visibility.FULL
    if "thinking" in kinds or usage.reasoning or (usage.reasoning is None and hides):
        return Visibility.HIDDEN
    return Visibility.FULL if any(block.text for block in blocks) else Visibility.NONE


def _usage(counts: Counts) -> Usage:
    """Usage with cached input counted as input. Cache counts that are absent add nothing, and stay null."""
    fresh = count(counts.input_tokens, "input_tokens")
    read = count(counts.cache_read_input_tokens, "cache_read_input_tokens")
    written = count(counts.cache_creation_input_tokens, "cache_creation_input_tokens")
    details = counts.output_tokens_details or Details()
    return Usage(
        input=None if fresh is None else fresh + (read or 0) + (written or 0),
        output=counts.output_tokens,
        reasoning=details.thinking_tokens,
        cache_read=read,
        cache_write=written,
    )
