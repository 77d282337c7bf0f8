"""What fields of Gemini's answers are read, and of which type?

    GenerateContentResponse, Interaction  ->  one type, `Body`

A field of another type makes the record a rejected one, with the path of the field; fields that are not named here
are passed over. Counts are taken as they are: they are checked where runs are built.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Part(msgspec.Struct):
    """One piece of content."""

    type: str | None = None
    text: str | None = None
    thought: bool | None = None


class Content(msgspec.Struct):
    """What a candidate says."""

    parts: list[Part] | None = None


class Candidate(msgspec.Struct, rename="camel"):
    """One of the n answers of a response."""

    content: Content | None = None
    finish_reason: str | None = None
    index: int | None = None


class Metadata(msgspec.Struct, rename="camel"):
    """Usage of a response."""

    prompt_token_count: Any = None
    tool_use_prompt_token_count: Any = None
    cached_content_token_count: Any = None
    candidates_token_count: Any = None
    thoughts_token_count: Any = None
    total_token_count: Any = None


class Feedback(msgspec.Struct, rename="camel"):
    """Why a prompt got no answer."""

    block_reason: str | None = None


class Step(msgspec.Struct):
    """One step of an Interaction, or one output of the older layout."""

    type: str | None = None
    text: str | None = None
    content: list[Part] | None = None
    summary: list[Part] | None = None


class Totals(msgspec.Struct):
    """Usage of an Interaction."""

    total_input_tokens: Any = None
    total_tool_use_tokens: Any = None
    total_cached_tokens: Any = None
    total_output_tokens: Any = None
    total_thought_tokens: Any = None
    total_tokens: Any = None


class Body(msgspec.Struct, rename="camel"):
    """A response or an Interaction."""

    candidates: list[Candidate] | None = None
    usage_metadata: Metadata | None = None
    prompt_feedback: Feedback | None = None
    model_version: str | None = None
    create_time: str | None = None
    object: Any = None
    id: Any = None
    model: str | None = None
    status: str | None = None
    steps: list[Step] | None = None
    outputs: list[Step] | None = None
    usage: Totals | None = None
    created: str | None = None
    updated: str | None = None


def model_of(body: Body) -> str | None:
    """Model that a body says it is of.

    >>> model_of(Body(model_version="gemini-2.5-flash")), model_of(Body())
    ('gemini-2.5-flash', None)
    """
    return body.model_version or body.model


def is_interaction(body: Body) -> bool:
    """Is a body an Interaction? The object says so, else the fields that are there.

    >>> is_interaction(Body(object="interaction")), is_interaction(Body(outputs=[])), is_interaction(Body())
    (True, True, False)
    """
    return body.object == "interaction" or body.steps is not None or body.outputs is not None
