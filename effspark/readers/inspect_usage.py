"""Which tokens did the evaluated model generate in one Inspect sample? Counts as the version of the tool means them.

    model_usage[model] - calls of the scorers on the same model, else calls of the transcript, else last call  ->  Usage

| version | input_tokens | output_tokens | total_tokens |
|---|---|---|---|
| before 0.3.184 (Google 0.3.208) | with cached tokens; without them for Anthropic | | |
| from then on | without cached tokens | | |
| before 0.3.245, Google; all, Grok | | without reasoning | |
| 0.3.75 to 0.3.87, Anthropic | | | reasoning counted twice |

Source: formats.md sections 2.1 and 3. Usage of other models (graders) is never added. What T becomes of it is
decided in `effspark.runs.tokens`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from effspark.readers.inspect_document import as_number
from effspark.runs import tokens
from effspark.runs.tokens import Usage

Version = tuple[int, ...]
FIELDS = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "reasoning_tokens",
    "input_tokens_cache_read",
    "input_tokens_cache_write",
)
_CACHED_LEFT_OUT: Version = (0, 3, 184)
_CACHED_LEFT_OUT_BY_GOOGLE: Version = (0, 3, 208)
_GOOGLE_WITH_THOUGHTS: Version = (0, 3, 245)
_ANTHROPIC_TOTALS_DOUBLE: tuple[Version, Version] = ((0, 3, 75), (0, 3, 88))
_SCORING = frozenset({"scorer", "scorers"})
_Counts = Mapping[str, int | None]
_UNREPORTED: _Counts = dict.fromkeys(FIELDS)


class EventOutput(msgspec.Struct):
    """What a model event says of its call."""

    usage: dict[str, Any] | None = None


class Event(msgspec.Struct):
    """One event of a transcript, as far as calls are counted and scoring is dated."""

    event: str | None = None
    model: str | None = None
    cache: Any = None
    timestamp: Any = None
    id: str | int | None = None
    span_id: str | int | None = None
    parent_id: str | int | None = None
    type: str | None = None
    action: str | None = None
    output: EventOutput | str | int | float | bool | list[Any] | None = None


class Calls(NamedTuple):
    """Calls of the evaluated model in a transcript: those that answer (some cached), and those that judge."""

    answering: int
    cached: int
    answers: _Counts
    judgements: _Counts


class Counted(NamedTuple):
    """Usage of a sample, what it cost in USD, and whether its last output is all that was generated."""

    usage: Usage
    cost: float | None
    one_call: bool
    flags: tuple[str, ...]


def calls(events: Sequence[Event], model: str) -> Calls:
    """Tell the calls that answer from those that judge (inside a scorer's span or step).

    >>> judge = [Event(event="step", type="scorer", action="begin"),
    ...          Event(event="model", model="m", output=EventOutput({"output_tokens": 9}))]
    >>> found = calls([Event(event="model", model="m", output=EventOutput({"output_tokens": 2})), *judge], "m")
    >>> found.answering, found.answers["output_tokens"], found.judgements["output_tokens"]
    (1, 2, 9)
    """
    spans: set[str | int | None] = set()
    steps = 0
    answers: list[Event] = []
    judgements: list[Event] = []
    for event in events:
        if event.event == "span_begin" and (event.type in _SCORING or event.parent_id in spans):
            spans.add(event.id)
        elif event.event == "step" and event.type in _SCORING:
            steps += 1 if event.action == "begin" else -1
        elif event.event == "model" and event.model == model:
            judging = steps > 0 or (event.span_id is not None and event.span_id in spans)
            (judgements if judging else answers).append(event)
    cached = sum(event.cache == "read" for event in answers)
    return Calls(len(answers), cached, _sum(answers), _sum(judgements))


def counted(
    reported: tuple[Mapping[str, Any] | None, Mapping[str, Any] | None],
    made: Calls,
    *,
    model: str,
    version: Version,
    cut: bool = False,
    several: bool = False,
) -> Counted:
    """Usage of the evaluated model in one sample.

    Parameters
    ----------
    reported, made
        Usage by model over all calls, and usage of the last call alone; calls of the transcript.
    cut, several
        The last call met a token limit, so that 0 output tokens are a missing count; there were other calls, so
        that usage of the last one is not that of the sample.

    >>> both = {"a/m": {"input_tokens": 5, "output_tokens": 7, "total_tokens": 12}, "b/judge": {"output_tokens": 99}}
    >>> counted((both, None), calls([], "a/m"), model="a/m", version=(0, 3, 200)).usage.output
    7
    """
    own, last = (reported[0] or {}).get(model), reported[1]
    one_call = made.answering < 2 and not several
    if isinstance(own, Mapping):
        counts = _without(_counts(own), made.judgements)
        one_call = one_call and _counts(last)["output_tokens"] in (None, counts["output_tokens"])
    elif any(made.answers.values()) or one_call:
        counts = made.answers if any(made.answers.values()) else _counts(last)
    else:
        return Counted(Usage(), None, one_call, ("usage_of_last_call",) if last else ())
    used = own if isinstance(own, Mapping) else last or {}
    cost = None if any(made.judgements.values()) else as_number(used.get("total_cost"))
    usage = normalised(counts, provider=model.partition("/")[0], version=version)
    if not any(counts.values()):
        return Counted(Usage(), cost, one_call, ("zero_usage",) if used else ())
    if not cut or usage.output or usage.reasoning:
        return Counted(usage, cost, one_call, ())
    if (usage.total or 0) > (usage.input or 0):
        return Counted(replace(usage, reasoning=None), cost, one_call, ())
    return Counted(replace(usage, output=None, reasoning=None), cost, one_call, ("zero_usage",))


def normalised(counts: _Counts, *, provider: str, version: Version) -> Usage:
    """Counts with cached tokens in the input and in the total, as OpenTelemetry and `effspark.runs.tokens` have it.

    Where a version leaves it open whether the input holds the cached tokens, the total tells.

    >>> anthropic = dict.fromkeys(FIELDS) | {"input_tokens": 3, "input_tokens_cache_read": 90, "output_tokens": 7}
    >>> found = normalised(anthropic | {"total_tokens": 100}, provider="anthropic", version=(0, 3, 100))
    >>> found.input, found.total
    (93, 100)
    """
    given, output, total, reasoning, read, write = (counts[name] for name in FIELDS)
    if given is None:
        return Usage(output=output, reasoning=reasoning, cache_read=read, cache_write=write)
    cached, made, thought = (read or 0) + (write or 0), output or 0, reasoning or 0

    def fits(whole: int) -> bool:
        return total is not None and min(abs(whole + made - total), abs(whole + made + thought - total)) <= 1

    since = _CACHED_LEFT_OUT_BY_GOOGLE if provider == "google" else _CACHED_LEFT_OUT
    left_out = provider == "anthropic" or version >= since or (fits(given + cached) and not fits(given))
    whole = given + cached if left_out else given
    if total is not None and left_out and fits(given) and not fits(whole):
        total += cached
    first, behind = _ANTHROPIC_TOTALS_DOUBLE
    if provider == "anthropic" and first <= version < behind and total is not None and fits(whole):
        total = whole + made
    beside = provider == "grok" or (provider == "google" and version < _GOOGLE_WITH_THOUGHTS)
    return Usage(
        input=whole,
        output=output,
        reasoning=reasoning,
        total=total or None,
        cache_read=read,
        cache_write=write,
        additive=beside and thought > 0 and not fits(whole),
    )


def _counts(usage: Mapping[str, Any] | None) -> dict[str, int | None]:
    return {name: tokens.count((usage or {}).get(name), name) for name in FIELDS}


def _sum(events: Sequence[Event]) -> _Counts:
    """Counts added over the calls that report them; null where none does."""
    used = [_counts(event.output.usage) for event in events if isinstance(event.output, EventOutput)]
    if not used:
        return _UNREPORTED
    known = {name: [counts[name] or 0 for counts in used if counts[name] is not None] for name in FIELDS}
    return {name: sum(values) if values else None for name, values in known.items()}


def _without(counts: _Counts, judgements: _Counts) -> _Counts:
    """Counts less those of judgements, unless these were never in them."""
    if judgements is _UNREPORTED:
        return counts
    rest = {
        name: value if value is None else value - (judgements[name] or 0) for name, value in counts.items()
    }
    return counts if any(value is not None and value < 0 for value in rest.values()) else rest
