"""OpenAI batch files: output, error and input files of chat completions and Responses.

    {custom_id, response: {status_code, body}, error}  ->  a run, or the n runs of n choices

The custom_id names instance and attempt (labels may name the instance later); a batch holds no verdict. A row
that failed names no model: it is taken from the request of the same custom_id in a batch input file of the
same folder. Answers name the snapshot that gave them and keep it as response model: where their request lies there,
model, budget, effort and temperature are those that it asks for. Servers and relays that write such files (vLLM
run-batch, Azure, Mistral) are read alike. Source: formats.md 2.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

import msgspec

from effspark.errors import LogError, problem
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.batch_requests import Asked, Requests, as_asked, of_failed
from effspark.readers.configurations import NO_MODEL
from effspark.readers.files import Log
from effspark.readers.heads import cut_line, first_records
from effspark.readers.jsonl import records
from effspark.readers.lines import Line
from effspark.readers.openai_bodies import fault_of, runs
from effspark.readers.openai_shapes import Body, Effort, Fault
from effspark.runs import checks
from effspark.runs.record import Configuration, LoggedRun, Status

UNLABELLED = "unlabelled"
"""Raw benchmark name where the user gives none."""
UNTIMED = datetime(1970, 1, 1, tzinfo=timezone.utc)
"""Version of a failed row: it bears no time of its own, and never outranks an answer to the same request."""
_CANCELLED = "batch_cancelled"
_ANSWER, _FAULT = frozenset({"status_code", "body"}), frozenset({"code", "message", "error"})
"""Names of which an answer, or an error in its place, has one."""
_NAMES = re.compile(rb'"(response|url)"\s*:\s*["{]')


class _Http(msgspec.Struct):
    status_code: int | None = None
    body: Body | str | None = None


class _Request(msgspec.Struct):
    model: str | None = None
    max_output_tokens: Any = None
    max_completion_tokens: Any = None
    max_tokens: Any = None
    temperature: Any = None
    reasoning: Effort | None = None
    reasoning_effort: Any = None


class _Row(msgspec.Struct):
    """One line of any of the three files; `url` and `body` are there in input files only."""

    custom_id: Any = None
    response: _Http | None = None
    error: Fault | str | None = None
    url: str | None = None
    body: _Request | None = None


class _Shape(msgspec.Struct):
    custom_id: msgspec.Raw
    response: dict[str, msgspec.Raw] | None = None
    error: dict[str, msgspec.Raw] | str | None = None
    url: msgspec.Raw = msgspec.Raw(b"null")
    body: msgspec.Raw = msgspec.Raw(b"null")


_CARRIES = {
    "verdict": Carries.ABSENT,
    "stop": Carries.YES,
    "tokens": Carries.YES,
    "reasoning": Carries.YES,
    "repeat": Carries.DERIVABLE,
    "trace": Carries.DERIVABLE,
    "gold": Carries.ABSENT,
    "latency": Carries.ABSENT,
    "cost": Carries.ABSENT,
}


class OpenAiBatch:
    """Reader of OpenAI batch files."""

    name = "openai_batch"
    version = 2
    reads = Reads.LINES
    companions = 1
    title = "OpenAI batch output, error and input files (chat completions, Responses), vLLM run-batch too"
    trap = (
        "One usage covers all n choices of a row, so that none of the n runs has a T; rows that failed "
        "stand in another file and name no model."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the fields of the first lines; lower where the first is longer than the head."""
        kinds = _kinds(log)
        return 0.0 if not kinds else 0.6 if None in kinds else 0.95

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a line: runs, a request that is not selected, or a rejection."""
        requests = Requests(log, _Row, _may_hold_requests, _asked)
        for line, row in records(log, _Row):
            yield row if isinstance(row, Rejected) else _entry(line, row, requests, options)


READER: Reader = OpenAiBatch()


def _may_hold_requests(log: Log) -> bool:
    return bool({"request", None} & _kinds(log))


def _asked(row: _Row) -> Asked | None:
    if row.url is None or row.body is None or not row.body.model:
        return None
    # what is wrong with it is told where the run is built
    whole = checks.checked(_configuration(row.body), [])
    repeats_all = row.url.endswith("/responses")
    return Asked(whole, whole if repeats_all else _configuration(_Request(model=row.body.model)))


def _configuration(request: _Request) -> Configuration:
    """Configuration that a request asks for."""
    budgets = (request.max_completion_tokens, request.max_output_tokens, request.max_tokens)
    effort = request.reasoning.effort if request.reasoning else None
    return Configuration(
        request_model=request.model or "",
        provider_name="openai",
        reasoning_effort=request.reasoning_effort if effort is None else effort,
        temperature=request.temperature,
        output_budget_tokens=next((budget for budget in budgets if budget is not None), None),
    )


def _entry(line: Line, row: _Row, requests: Requests[_Row, Asked], options: Options) -> Entry:
    if row.url is not None and row.body is not None:
        return NotSelected(line.offset, "batch request")
    text = line.text or ""
    http = row.response or _Http()
    body = http.body if isinstance(http.body, Body) else Body()
    base = {
        "benchmark_id": options.benchmark or UNLABELLED,
        "instance_id": row.custom_id,
        "attempt": str(row.custom_id),
        "record_id": str(row.custom_id),
    }
    failure = _is_failure(row, http, body)
    if not body.model and not failure:
        return Rejected(line.offset, NO_MODEL, _no_model(row.custom_id, "a row that names none"), text)
    asked = requests.of(row.custom_id)
    if not failure:
        try:
            made = runs(body, base, options.hidden_trace_models)
        except LogError as error:
            return Rejected(line.offset, "invalid_record", str(error), text)
        return Mapped(line.offset, tuple(as_asked(run, asked) for run in made), text)
    if body.model:
        own = _configuration(_Request(model=body.model))
        run = _failed(row, http, body, Asked(own, own), base)
        return Mapped(line.offset, (as_asked(run, asked),), text)
    known = of_failed(asked)
    if known is None:
        found = f"a failed row, which names none, and {len(asked)} different requests of it in the folder"
        return Rejected(line.offset, NO_MODEL, _no_model(row.custom_id, requests.told(found)), text)
    return Mapped(line.offset, (_failed(row, http, body, known, base),), text)


def _is_failure(row: _Row, http: _Http, body: Body) -> bool:
    """Is there an error instead of an answer?"""
    return row.error is not None or (http.status_code or 0) >= 400 or body.fault is not None


def _failed(row: _Row, http: _Http, body: Body, known: Asked, base: Mapping[str, Any]) -> LoggedRun:
    """Run of a request without an answer."""
    error_type, message = fault_of(row.error, http.status_code)
    if message is None and (body.fault or body.error) is not None:
        error_type, message = fault_of(body.fault or body.error, http.status_code)
    return LoggedRun(
        **base,
        configuration=known.configuration,
        identified_by=known.identified_by,
        response_model=body.model,
        status=Status.CANCELLED if error_type == _CANCELLED else Status.ERROR,
        error_type=error_type,
        log_version=UNTIMED,
        error_message=http.body if message is None and isinstance(http.body, str) else message,
        tags={} if http.status_code is None else {"http_status_code": str(http.status_code)},
    )


def _no_model(custom_id: Any, found: str) -> str:
    return problem(
        "no model",
        where=f"custom_id {custom_id!r:.80}",
        found=found,
        allowed="an answer that names its model, or a failed row with one request of its custom_id beside it",
        remedy="put the batch input file into the same folder and load both again",
    )


def _kinds(log: Log) -> set[str | None]:
    """What the first lines are: `request`, `answer`, or null for a line that is cut but has the right names."""
    start = cut_line(log)
    if start:
        return {None} if b'"custom_id"' in start and _NAMES.search(start) else set()
    return {kind for row in first_records(log, _Shape) for kind in _kind(row)}


def _kind(row: _Shape) -> Iterator[str]:
    if bytes(row.url)[:1] == b'"' and bytes(row.body)[:1] == b"{":
        yield "request"
    elif not _ANSWER.isdisjoint(row.response or ()) or (
        isinstance(row.error, dict) and not _FAULT.isdisjoint(row.error)
    ):
        yield "answer"
