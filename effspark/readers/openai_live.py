"""Logged answers of OpenAI's API and of servers that speak it: one a line, or in one JSON list.

    body | {custom_id | id, request, response: body | [k bodies], error}  ->  a run, the n of n choices, or k runs

A body is a chat completion, a Response, or an answer of SGLang's native interface. The custom_id names instance and
attempt, as in a batch; an `id` beside the response names the instance only, so that each response to it is an attempt;
`attempt` names the attempt. A body alone is known by its own id. Labels may name the instance later; there is no
verdict. The request, where it is logged, tells model, budget, settings and prompt. Source: formats.md section 2.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from effspark.errors import LogError, problem
from effspark.readers import Carries, Entry, Mapped, Options, Reader, Reads, Rejected
from effspark.readers.configurations import NO_MODEL
from effspark.readers.files import Log
from effspark.readers.heads import cut_line, first_element, first_records, is_list
from effspark.readers.jsonl import decoded, elements, records
from effspark.readers.openai_batch import UNLABELLED, UNTIMED
from effspark.readers.openai_bodies import fault_of, runs
from effspark.readers.openai_requests import Asked, asked, with_request
from effspark.readers.openai_shapes import Body, Fault
from effspark.readers.sglang_outputs import Output, run_of
from effspark.runs.record import Configuration, LoggedRun, Status

_OBJECTS = ("chat.completion", "response")
_CUT = re.compile(
    rb'\s*\[?\s*\{\s*("id"\s*:\s*"[^"]{1,200}"\s*,\s*"object"\s*:\s*"(chat\.completion|response)"'
    rb'|"text"\s*:.*"meta_info"\s*:\s*\{)',
    re.DOTALL,
)
_CARRIES = {
    "verdict": Carries.ABSENT,
    "stop": Carries.YES,
    "tokens": Carries.YES,
    "reasoning": Carries.YES,
    "repeat": Carries.DERIVABLE,
    "trace": Carries.DERIVABLE,
    "gold": Carries.ABSENT,
    "latency": Carries.DERIVABLE,  # SGLang alone logs it
    "cost": Carries.ABSENT,
}


class _Row(msgspec.Struct):
    """One record: a wrapper around the response, or the response itself."""

    custom_id: Any = None
    id: Any = None
    attempt: int | str | None = None
    model: str | None = None
    request: dict[str, Any] | None = None
    response: msgspec.Raw = msgspec.Raw(b"null")
    error: Fault | str | None = None
    object: Any = None
    meta_info: msgspec.Raw = msgspec.Raw(b"null")


class _Seen(msgspec.Struct):
    """What tells one response from another. `provider` is who served it, where a relay says so."""

    id: Any = None
    provider: str | None = None
    meta_info: dict[str, Any] | None = None


class OpenAiLive:
    """Reader of logged answers."""

    name = "openai_live"
    version = 1
    reads = Reads.LINES
    title = "OpenAI-compatible answers as logged (chat completions, Responses, SGLang): JSON lines or a list"
    trap = "Some servers say stop of an answer that was cut; stop at T = budget is flagged, no fact."
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the fields of the first records; lower where the first is longer than the head.

        A body under a custom_id is certainly no batch row, whose body stands one level deeper.
        """
        rows = first_element(log, dict) if is_list(log) else first_records(log, dict)
        known = [row for row in rows if _is_known(row)]
        if known:
            return 0.97 if any("custom_id" in row for row in known) else 0.8
        cut = b"" if rows else cut_line(log)
        return 0.5 if _CUT.match(cut) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a record: runs, or a rejection."""
        for offset, text, row in _rows(log):
            yield row if isinstance(row, Rejected) else _entry(offset, text, row, options)


READER: Reader = OpenAiLive()


def _rows(log: Log) -> Iterator[tuple[int, str, _Row | Rejected]]:
    """Records of a log. A list is not divided: all of it belongs to the range that starts at 0."""
    if not is_list(log):
        for line, row in records(log, _Row):
            yield line.offset, line.text or "", row
    elif not log.start:
        for offset, text in elements(log.text(), log.uri):
            yield offset, text, decoded(text, _Row, offset=offset)


def _entry(offset: int, text: str, row: _Row, options: Options) -> Entry:
    said, raw = asked(row.request or {}), bytes(row.response)
    alone = raw == b"null"
    try:
        if alone and row.error is not None and row.object is None:
            base = _named(row, _Seen(), options, wrapped=True)
            found = [_failed(row.error, row.model, base, said)]
        else:
            found = []
            bodies = [text] if alone else _bodies(raw)
            for place, body in enumerate(bodies):
                made = _answers(body, row, said, options, place=place if len(bodies) > 1 else None)
                if isinstance(made, Rejected):
                    return replace(made, offset=offset, raw=text)
                found += made
        if not found:
            raise LogError(_nothing(offset, raw))
    except LogError as error:
        return Rejected(offset, "invalid_record", str(error), text)
    if not all(run.configuration.request_model for run in found):
        return Rejected(offset, NO_MODEL, _no_model(offset), text)
    return Mapped(offset, tuple(found), text)


def _bodies(raw: bytes) -> list[str]:
    """Texts of the bodies under `response`: one, or a list of k."""
    if raw[:1] == b"[":
        return [text for _, text in elements(raw.decode(), "response")]
    return [raw.decode()] if raw[:1] == b"{" else []


def _answers(
    text: str, row: _Row, said: Asked, options: Options, *, place: int | None
) -> list[LoggedRun] | Rejected:
    """Runs of one body; `place` is its place among several of one record."""
    seen = decoded(text, _Seen, offset=0)
    if isinstance(seen, Rejected):
        return seen
    base = _named(row, seen, options, wrapped=bytes(row.response) != b"null")
    if place is not None:
        base["attempt"] = f"{base['attempt'] if row.attempt is not None else base['record_id']}#{place}"
    hidden = options.hidden_trace_models
    if seen.meta_info is not None:
        output = decoded(text, Output, offset=0)
        if isinstance(output, Rejected):
            return output
        model = said.name or row.model or ""
        return [with_request(run_of(output, model=model, known=base, hidden=hidden), said)]
    body = decoded(text, Body, offset=0)
    if isinstance(body, Rejected):
        return body
    named, body.model = body.model, body.model or said.name or row.model
    if body.fault is not None:
        return [_failed(body.fault, body.model, base, said)]
    served = {} if seen.provider is None else {"served_by": seen.provider}
    return [
        with_request(replace(run, response_model=named, tags={**run.tags, **served}), said)
        for run in runs(body, base, hidden)
    ]


def _named(row: _Row, seen: _Seen, options: Options, *, wrapped: bool) -> dict[str, Any]:
    """Benchmark, instance and attempt of a record with a response."""
    response_id = (seen.meta_info or {}).get("id") if seen.id is None else seen.id
    instance = next(
        (name for name in (row.custom_id, row.id if wrapped else None, response_id) if name is not None), None
    )
    attempt = next((name for name in (row.attempt, row.custom_id, response_id) if name is not None), None)
    return {
        "benchmark_id": options.benchmark or UNLABELLED,
        "instance_id": instance,
        "attempt": None if attempt is None else str(attempt),
        "record_id": str(instance),
    }


def _failed(error: Fault | str | None, model: str | None, base: Mapping[str, Any], said: Asked) -> LoggedRun:
    """Run of a request without an answer."""
    error_type, message = fault_of(error, None)
    run = LoggedRun(
        **base,
        configuration=Configuration(request_model=model or "", provider_name="openai"),
        status=Status.ERROR,
        error_type=error_type,
        error_message=message,
        log_version=UNTIMED,
    )
    return with_request(run, said)


def _nothing(offset: int, raw: bytes) -> str:
    return problem(
        "no answer",
        where=f"byte {offset}",
        found=f"response {raw[:40].decode('utf-8', 'ignore')}",
        allowed="a body, a list of bodies, or an error",
        remedy="log what the server answered, or describe the file with --mapping",
    )


def _no_model(offset: int) -> str:
    return problem(
        "no model",
        where=f"byte {offset}",
        found="neither answer nor request names one",
        allowed="a model in the answer, in the request, or beside them",
        remedy="add `model` to each record, or describe the file with --mapping",
    )


def _is_known(row: Mapping[str, Any]) -> bool:
    """Is a record a body, or does it hold one, or a request and the error it met?"""
    response, request = row.get("response"), row.get("request")
    first = response[0] if isinstance(response, list) and response else response
    if _is_body(row) or _is_body(first):
        return True
    asks = (
        isinstance(request, Mapping) and "model" in request and bool({"messages", "input"} & request.keys())
    )
    return asks and first is None and isinstance(row.get("error"), (Mapping, str))


def _is_body(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    if value.get("object") in _OBJECTS:
        return isinstance(value.get("choices", value.get("output")), list)
    meta, choices = value.get("meta_info"), value.get("choices")
    if isinstance(meta, Mapping):
        return {"finish_reason", "completion_tokens"} <= meta.keys()
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, Mapping) and isinstance(first.get("message"), Mapping) and "model" in value
