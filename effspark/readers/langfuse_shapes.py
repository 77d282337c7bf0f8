"""What does one Langfuse observation say of a call of a model, and one score of the trace?

    observation, score (camelCase of API and UI, snake_case of blob exports)  ->  Call, verdict

Usage lies in buckets that are meant to be disjoint, so that input is the sum of the input buckets and T the sum of
the output buckets. Some ways of ingest do not subtract: where the total is that of `input` and `output` alone, the
other buckets are parts of these two. Where a total was summed over buckets that overlap, nothing tells. Source:
formats.md sections 2.10, 3 and 7.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec

from effspark.errors import LogError
from effspark.readers.cells import Kind, text_of, typed
from effspark.readers.trace_calls import Call
from effspark.readers.trace_evaluation import named, verdict
from effspark.readers.trace_replies import Reply, asked, parsed, reasoning_tokens_in, replies
from effspark.runs.record import Configuration, LoggedVerdict
from effspark.runs.tokens import Usage, count

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_REASONING = ("output_reasoning_tokens", "output_reasoning", "reasoning_tokens", "reasoning")
_CACHE_READ = ("input_cached_tokens", "input_cache_read", "cache_read_input_tokens", "input_cached")
_CACHE_WRITE = ("input_cache_creation", "cache_creation_input_tokens", "input_cache_write")
_BUDGET = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens")
_EFFORT = ("reasoning_effort", "reasoningEffort")
_COUNTED = ("input", "output", "reasoning", "total")
_ENDLESS = frozenset({"inf", "infinity", "-1", "none", "null", ""})


class Observation(msgspec.Struct):
    """One observation: a call of a model where its type is GENERATION."""

    id: str
    trace_id: str
    type: str
    parent_observation_id: str | None = None
    start_time: Any = None
    end_time: Any = None
    updated_at: Any = None
    level: str | None = None
    status_message: str | None = None
    environment: str | None = None
    model: Any = None
    provided_model_name: Any = None
    model_parameters: Any = None
    input: Any = None
    output: Any = None
    usage_details: Any = None
    usage: Any = None
    cost_details: Any = None
    total_cost: Any = None
    metadata: Any = None
    experiment_id: Any = None
    experiment_item_id: Any = None
    experiment_item_expected_output: Any = None


class Score(msgspec.Struct):
    """One score of a trace or of an observation."""

    trace_id: str
    name: str
    value: Any = None
    string_value: str | None = None
    data_type: str | None = None
    observation_id: str | None = None
    timestamp: Any = None
    updated_at: Any = None


def snake(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with its names in snake_case, as blob exports have them.

    >>> snake({"traceId": "t", "usage_details": {}})
    {'trace_id': 't', 'usage_details': {}}
    """
    return {_HUMP.sub("_", name).lower(): value for name, value in row.items()}


def mapping(value: Any) -> Mapping[str, Any]:
    """An object that may be JSON in a string; nothing where it is no object.

    >>> mapping('{"a": 1}'), mapping(None)
    ({'a': 1}, {})
    """
    found = parsed(value)
    return found if isinstance(found, dict) else {}


def moment(value: Any, name: str) -> datetime | None:
    """Time of an export, UTC.

    Raises
    ------
    LogError
        The value is no time.

    >>> moment("2024-05-29 13:46:19.963000", "start_time").isoformat()
    '2024-05-29T13:46:19.963000+00:00'
    """
    found: datetime | None = typed(value, Kind.TIMESTAMP, where=name, cells=True)
    return found


def usage_of(buckets: Mapping[str, Any]) -> Usage:
    """Usage in buckets, disjoint or not.

    Raises
    ------
    LogError
        A bucket holds no count.

    >>> found = usage_of({"input": 98, "output": 19, "output_reasoning_tokens": 192, "total": 309})
    >>> found.output, found.reasoning, found.additive
    (19, 192, True)
    >>> found = usage_of({"input": 98, "output": 211, "output_reasoning_tokens": 192, "total": 309})
    >>> found.output, found.reasoning, found.additive
    (211, 192, False)
    """
    counts = {
        name: count(value, f"usage_details.{name}")
        for name, value in buckets.items()
        if any(part in name for part in _COUNTED)
    }
    total, reasoning = counts.get("total"), named(counts, _REASONING)
    into, out = counts.get("input"), counts.get("output")
    more_in = sum(value or 0 for name, value in counts.items() if name != "input" and "input" in name)
    spoken = [name for name in counts if name != "output" and "output" in name and name not in _REASONING]
    more_out = sum(counts[name] or 0 for name in spoken)
    whole_in, whole_out = _disjoint(total, (into or 0, more_in), (out or 0, more_out + (reasoning or 0)))
    return Usage(
        input=None if into is None and not more_in else (into or 0) + (more_in if whole_in else 0),
        output=None if out is None and not more_out else (out or 0) + (more_out if whole_out else 0),
        reasoning=reasoning,
        total=total,
        cache_read=named(counts, _CACHE_READ),
        cache_write=named(counts, _CACHE_WRITE),
        additive=reasoning is not None and whole_out,
    )


def call_of(observation: Observation) -> Call:
    """Call that a generation is.

    Raises
    ------
    LogError
        A count or time is none.

    >>> row = Observation("o", "t", "GENERATION", model="m", usage_details={"output": 7}, output="18")
    >>> call_of(row).usage.output, call_of(row).replies[0].answer
    (7, '18')
    """
    attributes = mapping(mapping(observation.metadata).get("attributes"))
    parameters = mapping(observation.model_parameters)
    model = text_of(observation.model) or text_of(observation.provided_model_name)
    model = model or text_of(attributes.get("gen_ai.request.model"))
    failed = observation.level == "ERROR"
    configuration = Configuration(
        request_model=model or "",
        provider_name=named(attributes, ("gen_ai.provider.name", "gen_ai.system")),
        reasoning_effort=text_of(named(parameters, _EFFORT)),
        temperature=_number(parameters.get("temperature")),
        output_budget_tokens=_number(named(parameters, _BUDGET)),
    )
    return Call(
        span_id=observation.id,
        parent_id=observation.parent_observation_id,
        configuration=configuration,
        response_model=text_of(attributes.get("gen_ai.response.model")),
        usage=_usage(observation),
        replies=_replies(observation, attributes),
        asked=asked(observation.input),
        seed=_number(parameters.get("seed")),
        failed=failed,
        error_message=observation.status_message if failed else None,
        started_at=moment(observation.start_time, "start_time"),
        ended_at=moment(observation.end_time, "end_time"),
        cost=named({"a": observation.total_cost, "b": mapping(observation.cost_details).get("total")}, "ab"),
    )


def verdict_of(score: Score) -> LoggedVerdict:
    """Verdict of a score: a category by its word, all others by their value.

    >>> verdict_of(Score("t", "correct", 1, "True", "BOOLEAN")).value
    1.0
    """
    if score.data_type == "CATEGORICAL" or score.value is None:
        return verdict(score.name, score.string_value)
    return verdict(score.name, score.value)


def _disjoint(total: int | None, into: tuple[int, int], out: tuple[int, int]) -> tuple[bool, bool]:
    """Are the other buckets beside `input`, and beside `output`? By the total; where it does not tell, they are."""
    for whole_in, whole_out in ((True, True), (False, False), (True, False), (False, True)):
        if total == into[0] + whole_in * into[1] + out[0] + whole_out * out[1]:
            return whole_in, whole_out
    return True, True


def _usage(observation: Observation) -> Usage:
    buckets = mapping(observation.usage_details)
    if not buckets:
        older = mapping(observation.usage)
        if older.get("unit") in (None, "TOKENS"):
            buckets = {name: older[name] for name in ("input", "output", "total") if name in older}
    found = usage_of(buckets)
    if found.reasoning is None and (thought := reasoning_tokens_in(observation.output)) is not None:
        return replace(found, reasoning=thought)
    return found


def _replies(observation: Observation, attributes: Mapping[str, Any]) -> tuple[Reply, ...]:
    """Answers; a list of messages ends in the answer. Finish reasons that the output lacks stand in attributes."""
    found = replies(observation.output)
    if isinstance(parsed(observation.output), list):
        found = found[-1:]
    reasons = parsed(attributes.get("gen_ai.response.finish_reasons"))
    if isinstance(reasons, list) and len(reasons) == max(1, len(found)):
        found = tuple(
            reply if reply.finish_reason else reply._replace(finish_reason=text_of(reason))
            for reply, reason in zip(found or (Reply(),), reasons, strict=True)
        )
    return found


def _number(value: Any) -> Any:
    """A setting, which may be written as text; an endless one is none."""
    if not isinstance(value, str):
        return value
    if value.strip().lower() in _ENDLESS:
        return None
    try:
        return float(value)
    except ValueError as error:
        raise LogError(
            f"model_parameters: found {value!r:.80}; allowed: a number; mend the export"
        ) from error
