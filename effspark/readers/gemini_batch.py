"""Gemini batches: answers and requests of AI Studio and Vertex AI, and Interactions.

    {key, response | error}                                 AI Studio
    {id, request, status, response, processed_time}         Vertex AI: the request is repeated
    {key, response: Interaction} | Interaction              Interactions          ->  a run, or the n of n candidates

The key names instance and attempt (labels may name the instance later); a batch holds no verdict. One batch is of one
model, but only answers name it: a row that failed is of the model that the answers of its file name, where they name
one. A status is empty, an object, or JSON in a text. Source: formats.md section 2.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from effspark.errors import LogError, problem
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers import gemini_requests as requests
from effspark.readers.configurations import NO_MODEL
from effspark.readers.files import Log
from effspark.readers.gemini_bodies import runs, time_of
from effspark.readers.gemini_shapes import Body, model_of
from effspark.readers.heads import cut_line, first_records
from effspark.readers.jsonl import decoded, records
from effspark.readers.lines import Line
from effspark.readers.openai_batch import UNLABELLED, UNTIMED
from effspark.runs.record import LoggedRun, Status

STUDIO, VERTEX = "gcp.gemini", "gcp.vertex_ai"
_CANCELLED = ("1", "CANCELLED")
_ANSWER = frozenset({"candidates", "usageMetadata", "promptFeedback", "modelVersion"})
_FAILURE = frozenset({"key", "metadata", "response", "error", "status"})
_CARRIES = {
    "verdict": Carries.ABSENT,
    "stop": Carries.YES,
    "tokens": Carries.DERIVABLE,
    "reasoning": Carries.YES,
    "repeat": Carries.DERIVABLE,
    "trace": Carries.DERIVABLE,
    "gold": Carries.ABSENT,
    "latency": Carries.ABSENT,
    "cost": Carries.ABSENT,
}


class _Fault(msgspec.Struct):
    code: int | str | None = None
    status: str | None = None
    message: str | None = None
    error: _Fault | None = None


class _Row(msgspec.Struct):
    """One line of any of the dialects."""

    key: Any = None
    id: Any = None
    metadata: Any = None
    request: dict[str, Any] | None = None
    response: Body | str | None = None
    error: _Fault | str | None = None
    status: _Fault | str | None = None
    processed_time: str | None = None
    object: Any = None
    steps: list[Any] | None = None
    outputs: list[Any] | None = None


class _Named(msgspec.Struct):
    """The part of a row that names a model."""

    response: Body | str | None = None
    model: str | None = None


class GeminiBatch:
    """Reader of Gemini batch files."""

    name = "gemini_batch"
    version = 1
    reads = Reads.LINES
    title = "Gemini batch output and input files (AI Studio, Vertex AI, Interactions)"
    trap = "T is candidates + thoughts; on cut answers one or both are absent: missing, never 0."
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the fields of the first lines; lower where the first is longer than the head."""
        start = cut_line(log)
        if start:
            wrapped = b'"request"' in start or b'"response"' in start
            return 0.6 if wrapped and b'"parts"' in start else 0.0
        return 0.95 if any(map(_is_known, first_records(log, dict))) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a line: runs, a request that is not selected, or a rejection."""
        models = _Models(log)
        for line, row in records(log, _Row):
            if not isinstance(row, Rejected) and (row.object == "interaction" or _has_steps(row)):
                body = decoded(line.text or "", Body, offset=line.offset)
                row = body if isinstance(body, Rejected) else _Row(key=row.key, id=row.id, response=body)
            yield row if isinstance(row, Rejected) else _entry(line, row, models, options)


READER: Reader = GeminiBatch()


class _Models:
    """Models that the answers of a whole file name; read when first asked for."""

    def __init__(self, log: Log) -> None:
        self._log = log

    @cached_property
    def all(self) -> list[str]:
        """Their names, sorted."""
        found = set()
        for _, row in records(self._log.whole, _Named):
            if not isinstance(row, Rejected):
                body = row.response if isinstance(row.response, Body) else Body(model=row.model)
                found.add(model_of(body))
        return sorted(model for model in found if model)


def _entry(line: Line, row: _Row, models: _Models, options: Options) -> Entry:
    text, request = line.text or "", row.request or {}
    body = row.response if isinstance(row.response, Body) else None
    fault = _fault(row)
    if body is None and fault is None and request and row.processed_time is None:
        return NotSelected(line.offset, "batch request")
    name = _id(row)
    if body is None and fault is None:
        return Rejected(line.offset, "invalid_record", _nothing(name), text)
    vertex = row.processed_time is not None or isinstance(row.status, str)
    known = {
        "benchmark_id": options.benchmark or UNLABELLED,
        "instance_id": name,
        "attempt": str(name),
        "record_id": str(name),
        "prompt": requests.prompt(request),
        "seed": requests.seed(request),
    }
    named = (body and model_of(body)) or request.get("model")
    asked = [named] if named else models.all if fault is not None else []
    if len(asked) != 1:
        return Rejected(line.offset, NO_MODEL, _no_model(name, len(asked)), text)
    known["configuration"] = requests.configuration(
        request, model=asked[0], provider_name=VERTEX if vertex else STUDIO
    )
    if fault is not None:
        return Mapped(line.offset, (_failed(fault, body, known),), text)
    try:
        known["log_version"] = time_of(row.processed_time)
        return Mapped(line.offset, runs(body or Body(), known, options.hidden_trace_models), text)
    except LogError as error:
        return Rejected(line.offset, "invalid_record", str(error), text)


def _id(row: _Row) -> Any:
    if row.key is None and row.id is None and isinstance(row.metadata, Mapping):
        return row.metadata.get("key")
    return row.id if row.key is None else row.key


def _fault(row: _Row) -> _Fault | None:
    """The error of a row; null where it has none. Code 0 is none."""
    for fault in (row.error, row.status):
        if isinstance(fault, str) and fault.strip():
            return _told(fault)
        if isinstance(fault, _Fault) and fault.code not in (0, None):
            return fault
        if isinstance(fault, _Fault) and (fault.status or fault.message):
            return fault
    return None


def _told(text: str) -> _Fault:
    """Error in a text: JSON of one, else the words of it."""
    try:
        fault = msgspec.json.decode(text, type=_Fault)
        return fault.error or fault
    except msgspec.DecodeError:  # words, no JSON
        return _Fault(message=text)


def _failed(fault: _Fault, body: Body | None, known: Mapping[str, Any]) -> LoggedRun:
    """Run of a request without an answer, in the configuration that its answer would have had."""
    named = fault.status if fault.status is not None else fault.code
    return LoggedRun(
        **known,
        response_model=model_of(body) if body else None,
        status=Status.CANCELLED if str(named) in _CANCELLED else Status.ERROR,
        error_type=None if named is None else str(named),
        error_message=fault.message,
        log_version=UNTIMED,
    )


def _nothing(name: Any) -> str:
    return problem(
        "no answer",
        where=f"key {name!r:.80}",
        found="neither response nor error",
        allowed="a row with one of them",
        remedy="download the output of the batch again",
    )


def _no_model(name: Any, count: int) -> str:
    return problem(
        "no model",
        where=f"key {name!r:.80}",
        found=f"a row that names none, and {count} models in the answers of its file",
        allowed="an answer that names its model (modelVersion), or a failed row in a file of one model",
        remedy="keep the answers of one batch in one file of their own, as downloaded",
    )


def _has_steps(row: _Row) -> bool:
    return row.response is None and (row.steps is not None or row.outputs is not None)


def _is_known(row: Mapping[str, Any]) -> bool:
    """Is a row an answer, a failure or a request of one of the dialects?"""
    response, request, status = row.get("response"), row.get("request"), row.get("status")
    if _is_interaction(row) or _is_interaction(response):
        return True
    if isinstance(response, Mapping):
        return bool(_ANSWER & response.keys()) or (requests.asks(request) and isinstance(status, str))
    if requests.asks(request):
        return isinstance(status, str) or not {"response", "error"} & row.keys()
    told = [fault for fault in (row.get("error"), status) if isinstance(fault, Mapping)]
    return (
        "key" in row and row.keys() <= _FAILURE and any({"code", "message"} & fault.keys() for fault in told)
    )


def _is_interaction(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    usage = value.get("usage")
    counted = isinstance(usage, Mapping) and "total_output_tokens" in usage
    return value.get("object") == "interaction" or (counted and bool({"steps", "outputs"} & value.keys()))
