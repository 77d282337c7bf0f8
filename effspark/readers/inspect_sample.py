"""What does one Inspect sample hold, and what does it show of the generated text?

    reasoning = reasoning blocks of the generated messages; answer = completion of the last output

Source: formats.md section 2.1. A redacted block holds a cipher, no text; Anthropic since Claude 4 and Google return
summaries of what was thought; where several calls were made, their last output is not the whole trace. Only fields
named here are materialised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from effspark.readers.inspect_usage import Event
from effspark.runs.record import Visibility

_SUMMARISES = re.compile(r"claude-(?!3|2|instant)|gemini", re.IGNORECASE)
_REFERENCES = ("attachment://", "tc://")


class Message(msgspec.Struct):
    """One message of a conversation."""

    role: Any = None
    content: Any = None
    source: Any = None
    reasoning: Any = None
    tool_calls: Any = None


class Choice(msgspec.Struct):
    """One answer of a call."""

    message: Message | None = None
    stop_reason: Any = None


class Output(msgspec.Struct):
    """The last call."""

    model: Any = None
    choices: list[Choice] | None = None
    completion: Any = None
    usage: dict[str, Any] | None = None
    error: Any = None


class Transcript(msgspec.Struct):
    """Events and texts as logs before 0.3.42 hold them."""

    events: list[Event] = []
    content: dict[str, str] = {}


class Sample(msgspec.Struct):
    """One sample: one attempt (epoch) at one instance."""

    id: Any = None
    epoch: Any = None
    input: str | list[Message] | None = None
    target: Any = None
    messages: list[Message] | None = None
    message_refs: list[tuple[int, int]] | None = None
    output: Output | None = None
    scores: dict[str, Any] | None = None
    score: Any = None
    metadata: dict[str, Any] | None = None
    model_usage: dict[str, Any] | None = None
    events: list[Event] | None = None
    attachments: dict[str, str] | None = None
    transcript: Transcript | None = None
    started_at: Any = None
    completed_at: Any = None
    total_time: Any = None
    working_time: Any = None
    uuid: Any = None
    limit: Any = None
    error: Any = None
    error_retries: list[Any] | None = None
    invalidation: Any = None
    exclusion: Any = None
    excluded: Any = None
    zeroing: Any = None
    zeroed: Any = None


class Trace(NamedTuple):
    """Generated text, how much of it is shown, and whether the model says that it refuses."""

    reasoning: str | None
    answer: str | None
    visibility: Visibility
    refused: bool


def text_of(content: Any, attachments: Mapping[str, str]) -> str:
    """Text of a message's content: plain, or the text blocks, one a line; references are looked up.

    >>> text_of([{"type": "image"}, {"type": "text", "text": "attachment://7"}], {"7": "seen"})
    'seen'
    """
    if isinstance(content, str):
        reference = content.startswith(_REFERENCES)
        return attachments.get(content.partition("://")[2], content) if reference else content
    blocks = content if isinstance(content, list) else []
    return "\n".join(text_of(block.get("text"), attachments) for block in _blocks(blocks, "text"))


def generated(sample: Sample) -> list[Message]:
    """Messages that the model wrote: those of the conversation that were no input, else that of the last output.

    >>> shots = [Message(role="assistant", source="input"), Message(role="assistant", source="generate")]
    >>> len(generated(Sample(messages=shots)))
    1
    """
    told = [message for message in sample.messages or () if message.role == "assistant"]
    told = [message for message in told if message.source != "input"]
    choices = (sample.output.choices if sample.output else None) or []
    return told or [choice.message for choice in choices[:1] if choice.message]


def trace(
    sample: Sample,
    attachments: Mapping[str, str],
    *,
    model: str,
    hides: bool,
    reasoning_tokens: int | None,
    one_call: bool,
) -> Trace:
    """Trace of a sample.

    Parameters
    ----------
    model, hides
        Evaluated model as logged; it is known to keep its reasoning to itself.
    reasoning_tokens, one_call
        Reported reasoning tokens; the last output is all that was generated.

    >>> block = {"type": "reasoning", "reasoning": "gAAAA", "redacted": True}
    >>> said = Message(role="assistant", content=[block, {"type": "text", "text": "18"}])
    >>> trace(Sample(messages=[said], output=Output(choices=[Choice(said)])), {}, model="openai/o3", hides=True,
    ...       reasoning_tokens=64, one_call=True)
    Trace(reasoning=None, answer='18', visibility=<Visibility.REDACTED: 'redacted'>, refused=False)
    """
    output = sample.output or Output()
    last = output.choices[0].message if output.choices else None
    told = generated(sample)
    shown = [part for message in told for part in _reasoning(message, attachments)]
    reasoning = "\n".join(text for text, _ in shown if text) or None
    answer = text_of(output.completion or (last.content if last else None), attachments) or None
    kinds = {kind for _, kind in shown}
    if (reasoning and (hides or _SUMMARISES.search(model))) or len(told) > 1 or not one_call:
        kinds.add(Visibility.SUMMARY)
    if any(message.tool_calls for message in told):
        kinds.add(Visibility.SUMMARY)
    unseen = bool(reasoning_tokens) or (hides and reasoning_tokens is None and answer is not None)
    refused = any(block.get("refusal") is True for block in _blocks(last.content if last else None, "text"))
    return Trace(reasoning, answer, _visibility(kinds, reasoning, answer, unseen), refused)


def _visibility(
    kinds: set[Visibility], reasoning: str | None, answer: str | None, unseen: bool
) -> Visibility:
    """The least that holds for any part; `unseen`: there was reasoning, so its absence is a gap."""
    if Visibility.REDACTED in kinds:
        return Visibility.REDACTED
    if reasoning is None and unseen:
        return Visibility.HIDDEN
    if reasoning is None and answer is None:
        return Visibility.NONE
    return Visibility.SUMMARY if Visibility.SUMMARY in kinds else Visibility.FULL


def _reasoning(message: Message, attachments: Mapping[str, str]) -> Iterator[tuple[str, Visibility]]:
    if isinstance(message.reasoning, str) and message.reasoning:
        yield text_of(message.reasoning, attachments), Visibility.FULL
    for block in _blocks(message.content, "reasoning"):
        text, summary = (text_of(block.get(name), attachments) for name in ("reasoning", "summary"))
        if block.get("redacted"):
            yield summary, Visibility.SUMMARY if summary else Visibility.REDACTED
        elif text or summary:
            yield text or summary, Visibility.FULL if text else Visibility.SUMMARY


def _blocks(content: Any, kind: str) -> list[Mapping[str, Any]]:
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == kind]
