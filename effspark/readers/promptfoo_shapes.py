"""Which fields of a promptfoo result are read, and of which type?

    one element of `results`, or one line of a .jsonl export  ->  ResultRow

Counts are taken as they are: they are checked once for all readers, where runs are built.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field


class Provider(Struct, frozen=True):
    """Who answered."""

    id: str | None = None
    label: str | None = None


class Prompt(Struct):
    """Prompt as sent (`raw`), and its template."""

    raw: str | None = None
    label: str | None = None
    display: str | None = None
    config: Any = None


class Details(Struct):
    """Parts of the completion."""

    reasoning: Any = None


class Counts(Struct):
    """Token usage of one response."""

    prompt: Any = None
    completion: Any = None
    total: Any = None
    cached: Any = None
    completion_details: Details | None = field(name="completionDetails", default=None)


class Response(Struct, rename="camel"):
    """What the provider gave."""

    output: Any = None
    error: Any = None
    finish_reason: str | None = None
    is_refusal: bool | None = None
    cached: bool | None = None
    cost: float | None = None
    token_usage: Counts | None = None
    raw: Any = None


class Test(Struct):
    """The test of a row."""

    metadata: dict[str, Any] | None = None
    assertions: list[Any] | None = field(name="assert", default=None)


class Grading(Struct, rename="camel"):
    """What the assertions say."""

    component_results: list[Any] | None = None


class ResultRow(Struct, rename="camel"):
    """One answer to one test."""

    id: str | None = None
    provider: Provider | str | None = None
    prompt: Prompt | None = None
    prompt_id: str | None = None
    test_idx: int | None = None
    vars: dict[str, Any] = {}
    response: Response | None = None
    error: Any = None
    success: bool | None = None
    failure_reason: int | None = None
    grading_result: Grading | None = None
    named_scores: dict[str, float | None] | None = None
    latency_ms: float | None = None
    cost: float | None = None
    test_case: Test | None = None
    metadata: dict[str, Any] | None = None
