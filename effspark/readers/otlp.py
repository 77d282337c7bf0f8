"""What stands in OTLP JSON, the form in which OpenTelemetry exports spans and events?

    export request  ->  batches of a resource  ->  scopes  ->  spans, log records  ->  attributes as plain values

Fields that no reader uses are passed over. Spans and log records are typed one by one, so that a bad one does not
spoil its neighbours. What attributes mean is told elsewhere. Source: formats.md section 2.10.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from msgspec import Raw, Struct

from effspark.errors import LogError, problem

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_LAST_NANOS = 2**32 * 10**9
_MOST_DIGITS = 19


class KeyValue(Struct):
    """One attribute."""

    key: str
    value: dict[str, Any] | None = None


class Event(Struct, rename="camel"):
    """One event of a span, or one log record of it."""

    name: str | None = None
    event_name: str | None = None
    time_unix_nano: Any = None
    attributes: list[KeyValue] = []
    trace_id: str | None = None
    span_id: str | None = None


class Ended(Struct):
    """How a span ended."""

    code: Any = None
    message: str | None = None


class Span(Struct, rename="camel"):
    """One span."""

    trace_id: str
    span_id: str
    parent_span_id: str | None = None
    start_time_unix_nano: Any = None
    end_time_unix_nano: Any = None
    attributes: list[KeyValue] = []
    events: list[Event] = []
    status: Ended | None = None


class Scope(Struct, rename="camel"):
    """Spans or log records of one instrumentation."""

    spans: list[Raw] = []
    log_records: list[Raw] = []
    schema_url: str | None = None


class Resource(Struct):
    """What produced the telemetry."""

    attributes: list[KeyValue] = []


class Batch(Struct, rename="camel"):
    """Spans or log records of one resource, under the names of today and of before 2022."""

    resource: Resource | None = None
    scope_spans: list[Scope] = []
    instrumentation_library_spans: list[Scope] = []
    scope_logs: list[Scope] = []


class Export(Struct, rename="camel"):
    """One export request: what exporters and collectors write as a line, or as a file."""

    resource_spans: list[Batch] = []
    resource_logs: list[Batch] = []


def plain(pairs: list[KeyValue]) -> dict[str, Any]:
    """Attributes as plain values; 64-bit integers, which OTLP JSON writes as text, as numbers.

    Raises
    ------
    LogError
        An integer is none.

    >>> plain([KeyValue("a", {"intValue": "7"}), KeyValue("b", {"arrayValue": {"values": [{"stringValue": "x"}]}})])
    {'a': 7, 'b': ['x']}
    """
    return {pair.key: _value(pair.value, pair.key) for pair in pairs}


def time_of(nanoseconds: Any) -> datetime | None:
    """Time of nanoseconds since 1970 (a number or its text), UTC, to the microsecond; null where it is none.

    >>> time_of("1795985158236985271").isoformat(), time_of("0"), time_of(None)
    ('2026-11-29T20:45:58.236985+00:00', None, None)
    """
    text = str(nanoseconds)
    if not text.isdecimal() or len(text) > _MOST_DIGITS or not 0 < int(text) < _LAST_NANOS:
        return None
    return _EPOCH + timedelta(microseconds=int(text) // 1000)


def _value(value: Any, key: str) -> Any:
    if not isinstance(value, Mapping | None):
        raise LogError(_misfit(key, value, "an object that names its type"))
    for kind, inner in (value or {}).items():
        if kind == "intValue":
            digits = str(inner).removeprefix("-")
            if isinstance(inner, bool) or not digits.isdecimal() or len(digits) > _MOST_DIGITS:
                raise LogError(_misfit(key, inner, "a whole number of 64 bits"))
            return int(str(inner))
        if kind == "arrayValue":
            return [_value(item, key) for item in _values(inner, key)]
        if kind == "kvlistValue":
            return {str(pair.get("key")): _value(pair.get("value"), key) for pair in _values(inner, key)}
        return inner
    return None


def _values(inner: Any, key: str) -> list[dict[str, Any]]:
    values = inner.get("values") or [] if isinstance(inner, dict) else None
    if isinstance(values, list) and all(isinstance(item, dict) for item in values):
        return values
    raise LogError(_misfit(key, inner, "an object with a list of values"))


def _misfit(key: str, found: Any, allowed: str) -> str:
    return problem(
        "an attribute that cannot be read",
        where=key,
        found=f"{found!r:.80}",
        allowed=allowed,
        remedy="mend the exporter and export again",
    )
