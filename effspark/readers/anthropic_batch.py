"""Anthropic batches: results and requests of the Message Batches API.

    {custom_id, result: {type, message | error}}  ->  one run

The custom_id names instance and attempt (labels may name the instance later); a batch holds no verdict. A result
that is no message names no model: it is taken from the request of the same custom_id in a file of requests of the
same folder. A message names the snapshot that gave it and no settings: where its request lies there, model, budget,
thinking and temperature are those that it asks for. What a message says is read in anthropic_messages.py. Source:
formats.md section 2.6.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from effspark.errors import LogError, problem
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.anthropic_messages import PROVIDER, Message, run_of
from effspark.readers.batch_requests import Asked, Requests, as_asked, of_failed
from effspark.readers.configurations import NO_MODEL
from effspark.readers.files import Log
from effspark.readers.heads import cut_line, first_records
from effspark.readers.jsonl import records
from effspark.readers.lines import Line
from effspark.readers.openai_batch import UNLABELLED, UNTIMED
from effspark.runs import checks
from effspark.runs.record import Configuration, LoggedRun, Status

_ENDS = ("succeeded", "errored", "canceled", "expired")
_NAMES = re.compile(rb'"(result|params)"\s*:\s*\{')
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


class _Fault(msgspec.Struct):
    """An error, or the envelope of one."""

    type: str | None = None
    message: str | None = None
    error: _Fault | None = None


class _Result(msgspec.Struct):
    type: str
    message: Message | None = None
    error: _Fault | None = None


class _Thinking(msgspec.Struct):
    type: str | None = None
    budget_tokens: Any = None


class _Output(msgspec.Struct):
    effort: Any = None


class _Params(msgspec.Struct):
    model: str | None = None
    max_tokens: Any = None
    temperature: Any = None
    thinking: _Thinking | None = None
    output_config: _Output | None = None


class _Row(msgspec.Struct):
    """One line of a file of results, or of requests (`params`)."""

    custom_id: Any = None
    result: _Result | None = None
    params: _Params | None = None


class _End(msgspec.Struct):
    type: str


class _Shape(msgspec.Struct):
    custom_id: msgspec.Raw
    result: _End | None = None
    params: msgspec.Raw = msgspec.Raw(b"null")


class AnthropicBatch:
    """Reader of files of the Message Batches API."""

    name = "anthropic_batch"
    version = 2
    reads = Reads.LINES
    companions = 1
    title = "Anthropic Message Batches: results (JSON lines), and requests beside them"
    trap = (
        "Thinking text may be a summary, so its length says nothing of T; input_tokens leaves out what came "
        "from or went to the cache."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the fields of the first lines; lower where the first is longer than the head."""
        kinds = _kinds(log)
        return 0.0 if not kinds else 0.6 if None in kinds else 0.95

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a line: a run, a request that is not selected, or a rejection."""
        requests = Requests(log, _Row, _may_hold_requests, _asked)
        for line, row in records(log, _Row):
            yield row if isinstance(row, Rejected) else _entry(line, row, requests, options)


READER: Reader = AnthropicBatch()


def _may_hold_requests(log: Log) -> bool:
    return bool({"request", None} & _kinds(log))


def _asked(row: _Row) -> Asked | None:
    params = row.params
    if params is None or not params.model:
        return None
    budget = params.thinking.budget_tokens if params.thinking else None
    effort = params.output_config.effort if params.output_config else None
    whole = Configuration(
        request_model=params.model,
        provider_name=PROVIDER,
        reasoning_effort=effort if effort is not None or budget is None else f"{budget} tokens",
        temperature=params.temperature,
        output_budget_tokens=params.max_tokens,
    )
    repeated = Configuration(request_model=params.model, provider_name=PROVIDER)
    return Asked(checks.checked(whole, []), repeated)  # what is wrong with it is told where the run is built


def _entry(line: Line, row: _Row, requests: Requests[_Row, Asked], options: Options) -> Entry:
    text = line.text or ""
    if row.result is None and row.params is not None:
        return NotSelected(line.offset, "batch request")
    if row.result is None or row.result.type not in _ENDS:
        found = "no result" if row.result is None else f"type {row.result.type!r:.80}"
        return Rejected(line.offset, "invalid_record", _odd(row.custom_id, found), text)
    base = {
        "benchmark_id": options.benchmark or UNLABELLED,
        "instance_id": row.custom_id,
        "attempt": str(row.custom_id),
        "record_id": str(row.custom_id),
    }
    if row.result.type != "succeeded":
        asked = requests.of(row.custom_id)
        known = of_failed(asked)
        if known is None:
            models = len({one.repeated.request_model for one in asked})
            found = f"a result without a message, and {models} models asked for it in the folder"
            return Rejected(line.offset, NO_MODEL, _no_model(row.custom_id, requests.told(found)), text)
        return Mapped(line.offset, (_failed(row.result, known, base),), text)
    message = row.result.message or Message()
    if not message.model:
        return Rejected(line.offset, NO_MODEL, _no_model(row.custom_id, "a message that names none"), text)
    try:
        run = run_of(message, base, options.hidden_trace_models)
        return Mapped(line.offset, (as_asked(run, requests.of(row.custom_id)),), text)
    except LogError as error:
        return Rejected(line.offset, "invalid_record", str(error), text)


def _failed(result: _Result, known: Asked, base: Mapping[str, Any]) -> LoggedRun:
    """Run of a request without an answer."""
    fault = result.error or _Fault()
    fault = fault.error or fault
    return LoggedRun(
        **base,
        configuration=known.configuration,
        identified_by=known.identified_by,
        status=Status.CANCELLED if result.type == "canceled" else Status.ERROR,
        error_type=fault.type or result.type,
        error_message=fault.message,
        log_version=UNTIMED,
    )


def _odd(custom_id: Any, found: str) -> str:
    return problem(
        "no result of a batch",
        where=f"custom_id {custom_id!r:.80}",
        found=found,
        allowed=f"a result of type {', '.join(_ENDS)}",
        remedy="download the results of the batch again",
    )


def _no_model(custom_id: Any, found: str) -> str:
    return problem(
        "no model",
        where=f"custom_id {custom_id!r:.80}",
        found=found,
        allowed="a message that names its model, or one model asked for under its custom_id beside it",
        remedy="put the file of requests into the same folder and load both again",
    )


def _kinds(log: Log) -> set[str | None]:
    """What the first lines are: `request`, `answer`, or null for a line that is cut but has the right names."""
    start = cut_line(log)
    if start:
        return {None} if b'"custom_id"' in start and _NAMES.search(start) else set()
    shapes = first_records(log, _Shape)
    answers: set[str | None] = {"answer" for row in shapes if row.result and row.result.type in _ENDS}
    return answers | {"request" for row in shapes if bytes(row.params)[:1] == b"{"}
