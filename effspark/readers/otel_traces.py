"""Which spans and evaluation events does a file hold of each trace, and where do they stand?

    export requests  ->  spans and events by trace, each with its byte offset | rejections

A trace may stand in several requests, and a request may hold pieces of many. Source: formats.md section 2.10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from effspark.errors import LogError
from effspark.readers import Entry, NotSelected, Rejected
from effspark.readers.jsonl import decoded, whole_characters
from effspark.readers.otlp import Batch, Event, Export, Scope, Span, plain, time_of

EVALUATION = "gen_ai.evaluation.result"
"""Name of the event that carries a verdict."""


class Seen(NamedTuple):
    """A span where it stands, with its attributes and those of its resource."""

    offset: int
    span: Span
    own: Mapping[str, Any]
    resource: Mapping[str, Any]
    version: str | None
    raw: str


class Judged(NamedTuple):
    """An evaluation event."""

    offset: int
    span_id: str | None
    known: Mapping[str, Any]
    at: datetime | None


@dataclass
class Trace:
    """What a file holds of one trace."""

    seen: dict[str, Seen] = field(default_factory=dict)
    judged: list[Judged] = field(default_factory=list)


class _Part(NamedTuple):
    offset: int
    raw: bytes
    batch: Batch
    scope: Scope
    is_span: bool


def collect(offset: int, text: str, traces: dict[str, Trace]) -> Iterator[Entry]:
    """Sort spans and events of one document into their traces; what cannot be read, or is of no use, is yielded.

    Parameters
    ----------
    offset, text
        Place in the file and content of an export request.
    traces
        Traces met so far, which grow.

    >>> traces = {}
    >>> span = '{"traceId": "t", "spanId": "s"}'
    >>> list(collect(80, '{"resourceSpans": [{"scopeSpans": [{"spans": [%s]}]}]}' % span, traces))
    []
    >>> traces["t"].seen["s"].offset
    126
    """
    export = decoded(text, Export, offset=offset)
    if isinstance(export, Rejected):
        yield export
        return
    for part in _parts(offset, whole_characters(text).encode(), export):
        raw = part.raw.decode()
        found = (
            decoded(raw, Span, offset=part.offset)
            if part.is_span
            else decoded(raw, Event, offset=part.offset)
        )
        if isinstance(found, Rejected):
            yield found
            continue
        try:
            yield from _sort(part, found, raw, traces)
        except LogError as error:
            yield Rejected(part.offset, "invalid_record", str(error), raw)


def _parts(offset: int, data: bytes, export: Export) -> Iterator[_Part]:
    """Spans and log records of a document, each with its place in the file, in whatever order their lists stand."""
    after = 0
    ends: dict[bytes, int] = {}
    for batch in (*export.resource_spans, *export.resource_logs):
        for scope in (*batch.scope_spans, *batch.instrumentation_library_spans, *batch.scope_logs):
            for raw in (*scope.spans, *scope.log_records):
                piece = bytes(raw)
                place = data.find(piece, ends.get(piece, after))
                place = data.find(piece) if place < 0 else place
                after = ends[piece] = place + len(piece)
                yield _Part(offset + place, piece, batch, scope, bool(scope.spans))


def _sort(part: _Part, found: Span | Event, raw: str, traces: dict[str, Trace]) -> Iterator[Entry]:
    own = plain(found.attributes)
    if isinstance(found, Event):
        named_event = found.event_name or found.name or own.get("event.name")
        if named_event != EVALUATION or not found.trace_id:
            yield NotSelected(part.offset, "log record that is no evaluation")
            return
        judged = Judged(part.offset, found.span_id, own, time_of(found.time_unix_nano))
        traces.setdefault(found.trace_id, Trace()).judged.append(judged)
        return
    resource = plain(part.batch.resource.attributes) if part.batch.resource else {}
    events = [(event, plain(event.attributes)) for event in found.events]
    version = part.scope.schema_url.rpartition("/")[2] if part.scope.schema_url else None
    trace = traces.setdefault(found.trace_id, Trace())
    if found.span_id in trace.seen:
        yield NotSelected(part.offset, "span exported again")
        return
    trace.seen[found.span_id] = Seen(part.offset, found, own, resource, version, raw)
    for event, known in events:
        if event.name == EVALUATION:
            at = time_of(event.time_unix_nano)
            trace.judged.append(Judged(part.offset, found.span_id, known, at))
