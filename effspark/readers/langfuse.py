"""Langfuse exports: which of their observations are runs?

    trace with observations and scores | rows of observations  ->  generations of a trace  ->  one run

Read are the trace of the UI and of the API, pages of the API, and lists or lines of observations (UI export, blob
storage). Generations of one trace are one run; those of evaluators are not the model's. Scores count where they
stand in the same file; rows of scores or traces alone are no runs. A trace stands in for an instance unless it
is an item of an experiment or its metadata names one. Source: formats.md section 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from effspark.errors import LogError
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.files import Log
from effspark.readers.jsonl import decoded
from effspark.readers.langfuse_shapes import Observation, Score, call_of, mapping, moment, verdict_of
from effspark.readers.langfuse_traces import Place, Trace, collect
from effspark.readers.trace_calls import Call, ancestors, calls_of_model
from effspark.readers.trace_documents import documents
from effspark.readers.trace_evaluation import identity
from effspark.readers.trace_runs import runs_of
from effspark.runs.record import LoggedVerdict

_NAME = re.compile(rb'"(\w+)"\s*:')
_OBSERVATION = ({b"parentObservationId", b"traceId"}, {b"parent_observation_id", b"trace_id"})
_SCORE = (
    {b"traceId", b"observationId", b"dataType", b"value"},
    {b"trace_id", b"observation_id", b"data_type", b"value"},
)
_TRACE = ({b"bookmarked", b"sessionId", b"userId"}, {b"bookmarked", b"session_id", b"user_id"})
_OWN_EVALUATORS = "langfuse-llm-as-a-judge"
_CARRIES = {
    "verdict": Carries.YES,
    "stop": Carries.DERIVABLE,
    "tokens": Carries.YES,
    "reasoning": Carries.YES,
    "repeat": Carries.DERIVABLE,
    "trace": Carries.DERIVABLE,
    "gold": Carries.DERIVABLE,
    "latency": Carries.YES,
    "cost": Carries.YES,
}


class Langfuse:
    """Reader of Langfuse exports."""

    name = "langfuse"
    version = 2
    reads = Reads.FILE
    title = "Langfuse exports (traces, observations; JSON and JSONL)"
    trap = (
        "Usage comes in buckets that exclude each other: T is output + reasoning, but traces that came by "
        "OpenTelemetry may count reasoning in both."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the names at the start; lower for rows of scores or of traces, which are no runs."""
        if not log.head.lstrip().startswith((b"{", b"[")):
            return 0.0
        names = set(_NAME.findall(log.head))
        if any(wanted <= names for wanted in _OBSERVATION):
            return 0.95
        return 0.6 if any(wanted <= names for wanted in (*_SCORE, *_TRACE)) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """Entries of rows that cannot be read or are no observations, then a run or a rejection of each trace.

        Raises
        ------
        LogError
            The rest of the file cannot be read.
        """
        traces: dict[str, Trace] = {}
        for document in documents(log):
            if isinstance(document, Rejected):
                yield document
                continue
            offset, text = document
            found = decoded(text, dict[str, Any], offset=offset)
            if isinstance(found, Rejected):
                yield found
                continue
            try:
                yield from collect(Place(offset, text), found, traces)
            except LogError as error:
                yield Rejected(offset, error.reason, str(error), text)
        for trace_id, trace in traces.items():
            yield from _entries(trace_id, trace, options)


READER: Reader = Langfuse()


def _entries(trace_id: str, trace: Trace, options: Options) -> Iterator[Entry]:
    """The run of one trace, and how many of its observations are no calls of the model."""
    if not trace.observations and not trace.about:
        yield NotSelected(trace.offset, "score of a trace that is not in this file", len(trace.scores))
        return
    if not trace.observations:
        yield NotSelected(trace.offset, "trace without observations")
        return
    if any(one.environment == _OWN_EVALUATORS for one in trace.observations.values()):
        yield NotSelected(trace.offset, "trace of an evaluator of Langfuse itself")
        return
    parents = {one.id: one.parent_observation_id for one in trace.observations.values()}
    graders = {one.id for one in trace.observations.values() if one.type == "EVALUATOR"}
    generations = [one for one in trace.observations.values() if one.type == "GENERATION"]
    try:
        calls = calls_of_model([call_of(one) for one in generations], parents, graders)
        if calls:
            yield Mapped(
                trace.offset,
                runs_of(
                    calls,
                    _base(trace_id, trace, calls, parents, options),
                    options.hidden_trace_models,
                    model=options.model,
                ),
                trace.text,
            )
    except LogError as error:
        yield Rejected(trace.offset, error.reason, str(error), trace.text)
        return
    if rest := len(trace.observations) - len(calls):
        yield NotSelected(trace.offset, "observation that is no call of the model", rest)


def _base(
    trace_id: str,
    trace: Trace,
    calls: list[Call],
    parents: Mapping[str, str | None],
    options: Options,
) -> dict[str, Any]:
    """Fields of the run that its calls do not tell."""
    lines = [[*reversed(list(ancestors(call.span_id, parents))), call.span_id] for call in calls]
    ours = [trace.observations[name] for line in lines for name in line if name in trace.observations]
    names = {one.id for one in ours}
    scores = [one for one in trace.scores if one.observation_id is None or one.observation_id in names]
    told = _metadata(trace.about.get("metadata"))
    for one in ours:
        told |= _experiment(one)
    stamps = [trace.about.get("updated_at"), *(one.updated_at or one.timestamp for one in scores)]
    stamps += [value for one in ours for value in (one.end_time, one.updated_at)]
    return {
        **identity(told, benchmark=options.benchmark, trace_id=trace_id),
        "verdicts": _verdicts(scores),
        "log_version": max(filter(None, (moment(stamp, "updated_at") for stamp in stamps)), default=None),
    }


def _metadata(value: Any) -> dict[str, Any]:
    """Names in metadata, and in the attributes that ingest of OpenTelemetry keeps there."""
    found = mapping(value)
    return {**mapping(found.get("resourceAttributes")), **mapping(found.get("attributes")), **found}


def _experiment(observation: Observation) -> dict[str, Any]:
    told = {
        "langfuse.experiment.id": observation.experiment_id,
        "langfuse.experiment.item.id": observation.experiment_item_id,
        "langfuse.experiment.item.expected_output": observation.experiment_item_expected_output,
    }
    return _metadata(observation.metadata) | {
        name: value for name, value in told.items() if value is not None
    }


def _verdicts(scores: list[Score]) -> tuple[LoggedVerdict, ...]:
    """A verdict for each scorer; the latest where one judged twice."""
    timed = sorted(scores, key=lambda score: str(moment(score.updated_at or score.timestamp, "timestamp")))
    return tuple({score.name: verdict_of(score) for score in timed}.values())
