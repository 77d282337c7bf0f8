"""MLflow traces as JSON: which of their spans are runs, and what do their assessments say?

    {info, data: {spans}}  ->  innermost calls of the model  ->  one run; feedback is a verdict, expectation the gold

Read are the traces of MLflow 3 and of before, one, a list or one a line. The token usage of a trace is the sum of
its spans and is used only where no span is a call, or where the one call reports none. A trace that ended in an
error is a failed run, though its calls went well. An assessment that replaces another is an edited one. Traces
of scorers and traces in progress are no runs. A trace stands in for an instance unless a tag, its metadata or
its client's request id names one. Source: formats.md section 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from msgspec import Struct

from effspark.errors import LogError, problem
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.cells import Kind, text_of, typed
from effspark.readers.files import Log
from effspark.readers.jsonl import decoded
from effspark.readers.mlflow_assessments import Assessment, judged, stamp
from effspark.readers.mlflow_spans import Span, call_of, mapping, plain, usage_of
from effspark.readers.openai_bodies import time_of as seconds_of
from effspark.readers.trace_calls import Call, ancestors, calls_of_model
from effspark.readers.trace_documents import documents
from effspark.readers.trace_evaluation import INSTANCE, NAMES, identity, named
from effspark.readers.trace_replies import asked, model_in, replies
from effspark.readers.trace_runs import runs_of
from effspark.runs import checks
from effspark.runs.record import Configuration, LoggedRun, Status

_NAME = re.compile(rb'"(\w+)"\s*:')
_LAYOUTS = ({b"info", b"trace_metadata"}, {b"info", b"request_metadata"}, {b"spans", b"attributes"})
_MODEL = ("model", "model_name")
_UNFINISHED, _SCORER = "IN_PROGRESS", "mlflow.trace.sourceScorer"
_CARRIES = {
    "verdict": Carries.YES,
    "stop": Carries.DERIVABLE,
    "tokens": Carries.YES,
    "reasoning": Carries.DERIVABLE,
    "repeat": Carries.DERIVABLE,
    "trace": Carries.DERIVABLE,
    "gold": Carries.YES,
    "latency": Carries.YES,
    "cost": Carries.YES,
}


class _Info(Struct):
    """What is said of a trace as a whole, with the fields of MLflow 3 and those of before."""

    trace_id: str | None = None
    request_id: str | None = None
    client_request_id: str | None = None
    state: str | None = None
    status: str | None = None
    request_time: Any = None
    timestamp_ms: float | None = None
    trace_metadata: Any = None
    request_metadata: Any = None
    tags: Any = None
    assessments: list[Assessment] = []


class _Data(Struct):
    spans: list[Span] = []


class _Trace(Struct):
    """A trace, or the stored data of one (`spans` alone)."""

    info: _Info | None = None
    data: _Data | None = None
    spans: list[Span] = []


class Mlflow:
    """Reader of MLflow traces."""

    name = "mlflow"
    version = 2
    reads = Reads.FILE
    title = "MLflow traces (JSON, JSONL)"
    trap = (
        "The usage of a trace is the sum over its spans, parents and children alike, so that nested calls "
        "count twice."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the names at the start."""
        if not log.head.lstrip().startswith((b"{", b"[")) or b'"mlflow.' not in log.head:
            return 0.0
        names = set(_NAME.findall(log.head))
        return 0.95 if any(wanted <= names for wanted in _LAYOUTS) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a trace: a run, a trace that is none, or a rejection.

        Raises
        ------
        LogError
            The rest of the file cannot be read.
        """
        for document in documents(log):
            if isinstance(document, Rejected):
                yield document
                continue
            offset, text = document
            trace = decoded(text, _Trace, offset=offset)
            if isinstance(trace, Rejected):
                yield trace
                continue
            try:
                yield _entry(offset, text, trace, options)
            except LogError as error:
                yield Rejected(offset, error.reason, str(error), text)


READER: Reader = Mlflow()


def _entry(offset: int, text: str, trace: _Trace, options: Options) -> Entry:
    info, spans = trace.info or _Info(), trace.data.spans if trace.data else trace.spans
    tags = _pairs(info.tags)
    metadata = _pairs(info.request_metadata) | _pairs(info.trace_metadata)
    if tags.get(_SCORER) is not None or metadata.get(_SCORER) is not None:
        return NotSelected(offset, "trace of a scorer")
    if _UNFINISHED in (info.state, info.status):
        return NotSelected(offset, "trace in progress")
    logged_as = (span.known.get("mlflow.traceRequestId") for span in spans)
    trace_id = info.trace_id or info.request_id or next(filter(None, logged_as), None)
    if not isinstance(trace_id, str):
        raise LogError(_no_id(trace_id))
    parents = {span.name_of: span.parent for span in spans}
    graders = {span.name_of for span in spans if span.is_grader}
    model = text_of(named({**metadata, **tags}, _MODEL))
    found = [call for span in spans if (call := call_of(span, model=model)) is not None]
    calls = calls_of_model(found, parents, graders)
    if found and not calls:
        return NotSelected(offset, "trace of a grader")
    whole = _whole(trace_id, info, metadata, model)
    calls = calls or [whole]
    if len(calls) == 1 and not any(call.is_counted for call in found):
        calls = [replace(calls[0], usage=whole.usage)]
    known = {**_said(spans, calls, parents), **metadata, **tags}
    if named(known, INSTANCE) is None and info.client_request_id:
        known[INSTANCE[0]] = info.client_request_id
    base = {
        **identity(known, benchmark=options.benchmark, trace_id=trace_id),
        **judged(info.assessments),
        "format_version": text_of(metadata.get("mlflow.trace_schema.version")),
        "log_version": _latest(info, calls),
    }
    base["eval_run_id"] = base["eval_run_id"] or text_of(metadata.get("mlflow.sourceRun"))
    runs = runs_of(calls, base, options.hidden_trace_models, model=options.model)
    return Mapped(offset, _ended(runs, spans) if whole.failed else runs, text)


def _ended(runs: tuple[LoggedRun, ...], spans: list[Span]) -> tuple[LoggedRun, ...]:
    """Runs of a trace that ended in an error, with what the first span that failed says of it."""
    said = next((span.failure.message for span in spans if span.failure and span.failure.message), None)
    return tuple(
        replace(run, status=Status.ERROR, error_message=run.error_message or said or None) for run in runs
    )


def _said(spans: list[Span], calls: list[Call], parents: Mapping[str, str | None]) -> dict[str, Any]:
    """What calls, and the spans above them, say of the evaluation; the nearest wins."""
    known = {span.name_of: span.known for span in spans}
    lines = [[*reversed(list(ancestors(call.span_id, parents))), call.span_id] for call in calls]
    told: dict[str, Any] = {}
    for name in (name for line in lines for name in line):
        told |= {key: value for key, value in known.get(name, {}).items() if key in NAMES}
    return told


def _whole(trace_id: str, info: _Info, metadata: Mapping[str, Any], model: str | None) -> Call:
    """The trace as one call, where no span of it is one."""
    inputs, outputs = (plain(metadata.get(f"mlflow.trace{name}")) for name in ("Inputs", "Outputs"))
    model = model_in(inputs, outputs) or model
    started = _moment(info)
    return Call(
        span_id=trace_id,
        configuration=Configuration(request_model=model) if model else None,
        response_model=model_in(outputs),
        usage=usage_of(mapping(metadata.get("mlflow.trace.tokenUsage")), outputs),
        replies=replies(outputs),
        asked=asked(inputs),
        failed="ERROR" in (info.state, info.status),
        started_at=started,
    )


def _pairs(value: Any) -> dict[str, Any]:
    """Tags or metadata: an object, or a list of keys and values."""
    if isinstance(value, list):
        return {str(pair.get("key")): pair.get("value") for pair in value if isinstance(pair, dict)}
    return dict(value) if isinstance(value, dict) else {}


def _moment(info: _Info) -> datetime | None:
    """When the trace began: an ISO time, or milliseconds since 1970."""
    value = info.request_time if info.request_time is not None else info.timestamp_ms
    if isinstance(value, (int, float)):
        milliseconds = checks.finite(value)
        return None if milliseconds is None else seconds_of(milliseconds / 1000)
    found: datetime | None = typed(value, Kind.TIMESTAMP, where="request_time", cells=True)
    return found


def _latest(info: _Info, calls: list[Call]) -> datetime | None:
    times = [_moment(info), *(call.ended_at for call in calls), *(stamp(one) for one in info.assessments)]
    return max((time for time in times if time is not None), default=None)


def _no_id(found: Any) -> str:
    return problem(
        "a trace without its id",
        where="info.trace_id",
        found=f"{found!r:.80}",
        allowed="a text",
        remedy="export the trace again",
    )
