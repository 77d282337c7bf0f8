"""Which calls of a sample of openai/evals are the model's, and what do they add up to?

    sampling events, name of the model, is there a grader?  ->  usage, prompt, answer, visibility of a run

One call is the run. Several calls of the model alone add up (an agent, a chain); those of another name, its grader's or
a tool's, are left out where the names tell them apart, else nobody knows T. Knows nothing of files or verdicts. Source:
formats.md section 2.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from effspark.readers.cells import text_of
from effspark.runs.record import Visibility
from effspark.runs.tokens import Usage, hides_trace


class _Details(msgspec.Struct):
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


class _Counts(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    completion_tokens_details: _Details | None = None
    prompt_tokens_details: _Details | None = None


class Call(msgspec.Struct):
    """Data of one sampling event."""

    prompt: Any = None
    sampled: str | list[str | None] | None = None
    model: str | None = None
    usage: _Counts | None = None

    @property
    def texts(self) -> list[str | None]:
        """What the call generated: one text, or one for each of n choices."""
        return self.sampled if isinstance(self.sampled, list) else [self.sampled]


def of_calls(calls: Sequence[Call], *, asked: str, graded: bool, hidden: Iterable[str]) -> dict[str, Any]:
    """Fields of a run that its calls give.

    Parameters
    ----------
    calls
        Sampling events of one sample, in order.
    asked
        Name of the model under evaluation.
    graded
        The grader's calls may be among them.
    hidden
        Patterns of models that keep their reasoning to themselves.

    >>> usage = _Counts(prompt_tokens=60, completion_tokens=5, total_tokens=65)
    >>> run = of_calls([Call("q", ["18"], "m-2024", usage)], asked="m", graded=False, hidden=())
    >>> run["answer"], run["usage"].output, run["trace_visibility"].value
    ('18', 5, 'full')
    >>> of_calls([Call("q", "18", "m"), Call("right?", "Y", "m")], asked="m", graded=True, hidden=())["quality_flags"]
    ('grader_not_told_apart',)
    """
    own = _own(calls, asked, graded=graded) if len(calls) > 1 else list(calls)
    if not own:
        return {"quality_flags": ("grader_not_told_apart",)} if calls else {}
    last, models = own[-1], {call.model for call in own if call.model is not None}
    several = len(last.texts) > 1
    answer = None if several else last.texts[-1] if last.texts else None
    usage = Usage() if several else _total(own)
    hides = hides_trace(last.model or asked, hidden)
    visibility = _visibility(answer, usage, whole=len(own) == 1, hides=hides)
    flags = [("several_calls", len(own) > 1), ("usage_of_n_choices", several)]
    return {
        "usage": usage,
        "response_model": models.pop() if len(models) == 1 else None,
        "prompt": text_of(own[0].prompt),
        "answer": answer,
        "trace_visibility": visibility,
        "estimable": visibility is Visibility.FULL and not hides,
        "quality_flags": tuple(name for name, holds in flags if holds),
    }


def _own(calls: Sequence[Call], asked: str, *, graded: bool) -> list[Call]:
    """Calls of the model itself; none where the names do not tell. What no name asks for is a solver of one model."""
    named = [call for call in calls if _is_of(call, asked)]
    if graded:
        return named if asked and len(named) < len(calls) else []
    if not named:
        return list(calls) if len({call.model for call in calls if call.model is not None}) < 2 else []
    return [call for call in calls if call.model is None or _is_of(call, asked)]


def _is_of(call: Call, asked: str) -> bool:
    return call.model == asked or (call.model or "").startswith(f"{asked}-")


def _visibility(answer: str | None, usage: Usage, *, whole: bool, hides: bool) -> Visibility:
    if usage.reasoning or (usage.reasoning is None and hides):
        return Visibility.HIDDEN
    if not answer:
        return Visibility.NONE
    return Visibility.FULL if whole else Visibility.REDACTED


def _total(calls: Sequence[Call]) -> Usage:
    """Sum of the calls, count by count; null where one of them lacks it."""
    counts = [call.usage or _Counts() for call in calls]
    out = [count.completion_tokens_details or _Details() for count in counts]
    into = [count.prompt_tokens_details or _Details() for count in counts]
    return Usage(
        input=_sum(count.prompt_tokens for count in counts),
        output=_sum(count.completion_tokens for count in counts),
        reasoning=_sum(detail.reasoning_tokens for detail in out),
        total=_sum(count.total_tokens for count in counts),
        cache_read=_sum(detail.cached_tokens for detail in into),
    )


def _sum(values: Iterable[int | None]) -> int | None:
    found = list(values)
    known = [value for value in found if value is not None]
    return sum(known) if known and len(known) == len(found) else None
