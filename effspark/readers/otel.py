"""OpenTelemetry traces in OTLP JSON, by the GenAI conventions: which of their spans are runs?

    spans of a trace  ->  innermost calls of a model, by instance and epoch  ->  a run each, verdicts from events

Files are export requests, one a line or one a file; a trace may stand in several of them, so a file is read
whole. Outer spans (agents, SDK wrappers) repeat the usage of the calls inside them and are left out, as are the
calls of graders. Instance, epoch and eval run are looked for on the call, then on the spans above it, then on the
resource; a trace that names no instance stands in for it. Source: formats.md section 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from effspark.errors import LogError
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.files import Log
from effspark.readers.otel_spans import call_of
from effspark.readers.otel_traces import EVALUATION, Judged, Seen, Trace, collect
from effspark.readers.trace_calls import Call, ancestors, calls_of_model
from effspark.readers.trace_documents import documents
from effspark.readers.trace_evaluation import ATTEMPT, INSTANCE, NAMES, identity, named, verdict
from effspark.readers.trace_runs import runs_of
from effspark.runs.record import LoggedVerdict

_START = re.compile(rb'\s*\[?\s*\{\s*"resource(Spans|Logs)"\s*:\s*\[')
_OURS = (b'"gen_ai.', b'"ai.usage.')
_KIND = "openinference.span.kind"
_Key = tuple[str, str]
_CARRIES = {
    "verdict": Carries.YES,
    "stop": Carries.YES,
    "tokens": Carries.YES,
    "reasoning": Carries.YES,
    "repeat": Carries.DERIVABLE,
    "trace": Carries.DERIVABLE,
    "gold": Carries.ABSENT,
    "latency": Carries.YES,
    "cost": Carries.ABSENT,
}


class Otel:
    """Reader of OTLP JSON."""

    name = "otel"
    version = 2
    reads = Reads.FILE
    title = "OpenTelemetry GenAI spans (OTLP JSON)"
    trap = (
        "Outer spans repeat the usage of the calls inside them, so a sum over all spans doubles T; "
        "reasoning tokens go by four names and may be no part of the output tokens."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the names at the start; lower where no GenAI attribute stands there."""
        if _START.match(log.head) is None:
            return 0.0
        return 0.95 if any(name in log.head for name in _OURS) else 0.6

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """Entries of spans that cannot be read, then of each trace: runs, spans that are none, rejections.

        Raises
        ------
        LogError
            The rest of the file cannot be read.
        """
        traces: dict[str, Trace] = {}
        for document in documents(log):
            if isinstance(document, Rejected):
                yield document
            else:
                yield from collect(*document, traces)
        for trace_id, trace in traces.items():
            yield from _entries(trace_id, trace, options)


READER: Reader = Otel()


def _entries(trace_id: str, trace: Trace, options: Options) -> Iterator[Entry]:
    """Runs of one trace, and what of it is none."""
    parents = {span_id: seen.span.parent_span_id or None for span_id, seen in trace.seen.items()}
    groups = _groups(trace, parents)
    judged, unplaced = _placed(trace.judged, groups, parents)
    for key, calls in groups.items():
        seen = trace.seen[calls[0].span_id]
        try:
            base = {
                **identity(_told(seen, trace, parents), benchmark=options.benchmark, trace_id=trace_id),
                "verdicts": _verdicts(judged[key]),
                "log_version": _latest(
                    [*(call.ended_at for call in calls), *(one.at for one in judged[key])]
                ),
                "format_version": seen.version,
            }
            yield Mapped(seen.offset, runs_of(calls, base, options.hidden_trace_models), seen.raw)
        except LogError as error:
            yield Rejected(seen.offset, "invalid_record", str(error), seen.raw)
    used = {call.span_id for calls in groups.values() for call in calls}
    for span_id, seen in trace.seen.items():
        if span_id not in used:
            yield NotSelected(seen.offset, "span that is no call of the model")
    for one in unplaced:
        yield NotSelected(one.offset, "evaluation that names none, or several, of the runs")


def _groups(trace: Trace, parents: Mapping[str, str | None]) -> dict[_Key, list[Call]]:
    """Calls of the evaluated model that are one run, by instance and epoch."""
    calls = (call_of(seen.span, seen.own) for seen in trace.seen.values())
    graders = {key for key, seen in trace.seen.items() if seen.own.get(_KIND) == "EVALUATOR"}
    groups: dict[_Key, list[Call]] = {}
    for call in calls_of_model([call for call in calls if call is not None], parents, graders):
        told = _told(trace.seen[call.span_id], trace, parents)
        groups.setdefault((repr(named(told, INSTANCE)), repr(named(told, ATTEMPT))), []).append(call)
    return groups


def _told(seen: Seen, trace: Trace, parents: Mapping[str, str | None]) -> dict[str, Any]:
    """What a span, the spans above it and its resource say of the evaluation; the nearest wins."""
    above = [trace.seen[one].own for one in ancestors(seen.span.span_id, parents) if one in trace.seen]
    told: dict[str, Any] = {}
    for known in (seen.resource, *reversed(above), seen.own):
        told.update({name: known[name] for name in NAMES if known.get(name) is not None})
    return told


def _placed(
    judged: list[Judged], groups: Mapping[_Key, list[Call]], parents: Mapping[str, str | None]
) -> tuple[dict[_Key, list[Judged]], list[Judged]]:
    """Evaluations of each run, and those of no run: one of a span is of the one run that has calls there or below."""
    below: dict[str | None, set[_Key]] = {}
    for key, calls in groups.items():
        for call in calls:
            for span_id in (call.span_id, *ancestors(call.span_id, parents)):
                below.setdefault(span_id, set()).add(key)
    placed: dict[_Key, list[Judged]] = {key: [] for key in groups}
    unplaced = []
    for one in judged:
        keys = below.get(one.span_id) or set(groups)
        if len(keys) == 1:
            placed[next(iter(keys))].append(one)
        else:
            unplaced.append(one)
    return placed, unplaced


def _verdicts(judged: list[Judged]) -> tuple[LoggedVerdict, ...]:
    """A verdict for each scorer; the latest where one judged twice."""
    found = {}
    for one in sorted(judged, key=lambda one: str(one.at)):
        scorer = str(one.known.get("gen_ai.evaluation.name") or EVALUATION)
        label = one.known.get("gen_ai.evaluation.score.label")
        score = one.known.get("gen_ai.evaluation.score.value")
        found[scorer] = verdict(scorer, score, None if label is None else str(label))
    return tuple(found.values())


def _latest(times: list[datetime | None]) -> datetime | None:
    return max((time for time in times if time is not None), default=None)
