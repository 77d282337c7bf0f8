"""What fields of OpenAI's bodies are read, and of which type?

    chat completion, Response, error  ->  one type, `Body`

Servers of open models and relays write the same shapes. A field of another type makes the record a rejected
one, with the path of the field; fields that are not named here are passed over.
Counts and settings are taken as they are: they are checked once for all readers, where runs are built.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Details(Struct):
    """Parts of a token count."""

    reasoning_tokens: Any = None
    cached_tokens: Any = None
    cache_write_tokens: Any = None


class Counts(Struct):
    """Usage in the words of chat completions (prompt, completion) and of Responses (input, output)."""

    prompt_tokens: Any = None
    completion_tokens: Any = None
    input_tokens: Any = None
    output_tokens: Any = None
    total_tokens: Any = None
    prompt_tokens_details: Details | None = None
    completion_tokens_details: Details | None = None
    input_tokens_details: Details | None = None
    output_tokens_details: Details | None = None


class Part(Struct):
    """One piece of content."""

    type: str | None = None
    text: str | None = None
    refusal: str | None = None


class Message(Struct):
    """Message of a chat choice; servers of open models add the reasoning, under either name."""

    content: str | list[Part] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: Any = None


class Choice(Struct):
    """One of the n answers of a chat completion."""

    message: Message
    index: int | None = None
    finish_reason: str | None = None


class OutputItem(Struct):
    """One output item of a Response: a message, its reasoning, a call."""

    type: str | None = None
    content: list[Part] | None = None
    summary: list[Part] | None = None


class Incomplete(Struct):
    """Why a Response is not complete."""

    reason: str | None = None


class Effort(Struct):
    """Reasoning that was asked for."""

    effort: str | None = None


class Fault(Struct):
    """An error as the API words it, or the envelope of one."""

    code: Any = None
    type: Any = None
    message: Any = None
    error: Fault | str | None = None


class Body(Struct):
    """A chat completion, a Response, or the error instead of one: in `error`, or as vLLM writes it the body itself."""

    object: Any = None
    model: str | None = None
    choices: list[Choice] | None = None
    output: list[OutputItem] | None = None
    usage: Counts | None = None
    created: float | None = None
    created_at: float | None = None
    completed_at: float | None = None
    status: str | None = None
    incomplete_details: Incomplete | None = None
    error: Fault | str | None = None
    code: Any = None
    type: Any = None
    message: Any = None
    max_output_tokens: Any = None
    temperature: Any = None
    reasoning: Effort | None = None

    @property
    def fault(self) -> Fault | str | None:
        """The error instead of an answer. A Response that failed is an answer: it names model and usage."""
        if self.object == "response":
            return None
        if self.error is None and self.object == "error":
            return Fault(code=self.code, type=self.type, message=self.message)
        return self.error
