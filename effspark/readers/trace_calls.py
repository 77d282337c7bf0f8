"""Which spans of a trace are calls of the evaluated model, each counted once?

    spans that may be calls  ->  those not below a grader  ->  innermost calls

An outer span repeats the usage of the calls inside it, so only innermost calls count; where it reports more than all of
them, a call is missing from the log, and they are flagged. Source: formats.md section 2.10. What calls come to together
is trace_runs.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from effspark.readers.trace_replies import Asked, Reply
from effspark.runs.generation import trace_of
from effspark.runs.record import Configuration
from effspark.runs.tokens import TokenConvention, Tokens, TokenSource, Usage, normalise

COUNTS = ("input", "output", "reasoning", "total", "cache_read", "cache_write")
MORE_OUTSIDE = "outer_span_counts_more"
"""Flag of calls inside a span that reports more than they do together."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One span that may be a call of a model; `cost` in USD. One that names no model asks for the empty name."""

    span_id: str
    parent_id: str | None = None
    configuration: Configuration | None = None
    response_model: str | None = None
    usage: Usage = field(default_factory=Usage)
    replies: tuple[Reply, ...] = ()
    asked: Asked = field(default_factory=Asked)
    seed: Any = None
    failed: bool = False
    error_type: str | None = None
    error_message: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    cost: Any = None
    quality_flags: tuple[str, ...] = ()

    @property
    def is_counted(self) -> bool:
        """Does the span report what was generated?"""
        return self.usage.output is not None or self.usage.reasoning is not None


def tokens_of(call: Call) -> Tokens:
    """T of one call by itself; unknown where what stands for a count is no number.

    >>> told = Call(span_id="a", usage=Usage(input=98, output=74, reasoning=256, total=428))
    >>> tokens_of(told).output, tokens_of(replace(told, usage=Usage(output="7"))).output
    (330, None)
    """
    counts = [getattr(call.usage, name) for name in COUNTS]
    if any(count is not None and not (type(count) in (int, float) and count >= 0) for count in counts):
        return Tokens(None, None, TokenSource.NONE, TokenConvention.UNKNOWN, ())
    shown = call.replies[0] if call.replies else Reply()
    text = trace_of(shown.reasoning, shown.answer)
    return normalise(call.usage, text=text, shown=(shown.reasoning, shown.answer))


def ancestors(span_id: str | None, parents: Mapping[str, str | None]) -> Iterator[str]:
    """Spans above a span, the nearest first; a circle of parents ends where it would repeat.

    >>> list(ancestors("c", {"c": "b", "b": "a", "a": None})), list(ancestors("a", {"a": "a"}))
    (['b', 'a'], [])
    """
    seen = {span_id}
    above = parents.get(span_id) if span_id else None
    while above is not None and above not in seen:
        yield above
        seen.add(above)
        above = parents.get(above)


def innermost(calls: Sequence[Call], parents: Mapping[str, str | None]) -> list[Call]:
    """Calls of one trace that no other call repeats, in the order given.

    A call that reports nothing is left out where another call above or below it reports for it.

    >>> told = [Call(span_id=name, usage=Usage(output=output)) for name, output in (("a", 7), ("b", 7), ("c", None))]
    >>> [call.span_id for call in innermost(told, {"b": "a", "c": "b", "a": None})]
    ['b']
    """
    outer = {above for call in calls if call.is_counted for above in ancestors(call.span_id, parents)}
    kept = {call.span_id for call in calls if call.is_counted and call.span_id not in outer}
    above_any = {above for call in calls for above in ancestors(call.span_id, parents)}
    return [
        call
        for call in calls
        if call.span_id in kept
        or (
            not call.is_counted
            and call.span_id not in above_any
            and not kept.intersection(ancestors(call.span_id, parents))
        )
    ]


def calls_of_model(
    calls: Sequence[Call], parents: Mapping[str, str | None], graders: Collection[str]
) -> list[Call]:
    """Innermost calls of one trace that are neither spans of a grader nor below one.

    >>> told = [Call(span_id="a", usage=Usage(output=7)), Call(span_id="b", usage=Usage(output=9))]
    >>> [call.span_id for call in calls_of_model(told, {"b": "judge"}, {"judge"})]
    ['a']
    """
    short = _short(calls, parents)
    ours = [
        replace(call, quality_flags=(*call.quality_flags, MORE_OUTSIDE)) if call.span_id in short else call
        for call in calls
        if not any(one in graders for one in (call.span_id, *ancestors(call.span_id, parents)))
    ]
    return innermost(ours, parents)


def _short(calls: Sequence[Call], parents: Mapping[str, str | None]) -> set[str]:
    """Spans below one that reports more than all innermost calls in it do together, those of graders too."""
    above = {call.span_id: set(ancestors(call.span_id, parents)) for call in calls if call.is_counted}
    outer = set().union(*above.values()) & above.keys()
    if not outer:
        return set()
    made = {call.span_id: tokens_of(call).output for call in calls if call.is_counted}
    short = set()
    for span in outer:
        below = [name for name, spans in above.items() if span in spans]
        parts = [made[name] for name in below if name not in outer]
        whole, known = made[span], [part for part in parts if part is not None]
        if whole is not None and len(known) == len(parts) and sum(known) < whole:
            short |= set(below)
    return short
