"""What does the body of a chat completion, or of a Response, say of the runs in it?

    body  ->  LoggedRun of each choice (chat), or of the one Response

The object, else the fields that are there, decides which of the two a body is (openai_shapes.py). Usage is
handed on as reported (`effspark.runs.tokens` decides what T is). Source: formats.md section 2.5. Knows
nothing of batch files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from effspark.errors import LogError
from effspark.readers.openai_shapes import Body, Choice, Counts, Details, Fault, Part
from effspark.runs.record import Configuration, LoggedRun, Status, Visibility
from effspark.runs.tokens import Usage, hides_trace

LAST_SECOND = 2**32
"""Times from here on (year 2106) are no seconds since 1970."""


def runs(body: Body, base: Mapping[str, Any], hidden: Iterable[str]) -> tuple[LoggedRun, ...]:
    """Runs of a body that names its model.

    Parameters
    ----------
    body
        Chat completion or Response.
    base
        Fields of the run that are known without the body: benchmark, instance, attempt.
    hidden
        Patterns of the models that keep their reasoning to themselves.

    Raises
    ------
    LogError
        The body is neither, or has no choice.

    >>> from effspark.readers.openai_shapes import Message
    >>> base = {"benchmark_id": "b", "instance_id": "1", "attempt": "1"}
    >>> body = Body(model="m", choices=[Choice(Message(content="18"), finish_reason="stop")])
    >>> [(run.answer, run.finish_reason, run.trace_visibility.value) for run in runs(body, base, ())]
    [('18', 'stop', 'full')]
    """
    created = body.created if body.created is not None else body.created_at
    completed = body.completed_at if body.completed_at is not None else created
    started = time_of(created)
    ended = started if completed is created else time_of(completed)
    odd = (created is not None and started is None) or (completed is not None and ended is None)
    known = {
        **base,
        "configuration": Configuration(
            request_model=body.model or "",
            provider_name="openai",
            reasoning_effort=body.reasoning.effort if body.reasoning else None,
            temperature=body.temperature,
            output_budget_tokens=body.max_output_tokens,
        ),
        "response_model": body.model,
        "usage": _usage(body.usage),
        "started_at": started,
        "log_version": ended,
        "quality_flags": ("odd_time",) if odd else (),
    }
    hides = hides_trace(body.model or "", hidden)
    if body.object == "response" or (body.object != "chat.completion" and body.output is not None):
        return (_response(body, known, hides=hides),)
    if not body.choices:
        raise LogError(
            f"response.body: found object {body.object!r} without choices or output; "
            "allowed: a chat completion with choices, or a Response; leave other endpoints out"
        )
    one = [_choice(choice, known, hides=hides) for choice in body.choices]
    labels = [place if choice.index is None else choice.index for place, choice in enumerate(body.choices)]
    return tuple(one) if len(one) == 1 else runs_of_choices(one, labels)


def time_of(seconds: float | None) -> datetime | None:
    """Time of seconds since 1970, UTC; null where they cannot be seconds.

    >>> time_of(1764445002).isoformat(), time_of(1764445002000)
    ('2025-11-29T19:36:42+00:00', None)
    """
    if seconds is None or not 0 < seconds < LAST_SECOND:
        return None
    return datetime.fromtimestamp(seconds, tz=timezone.utc)


def fault_of(error: Fault | str | None, status_code: int | None) -> tuple[str | None, str | None]:
    """Type and message of an error, or of the one it envelops: its code, else its type, else the HTTP status.

    >>> fault_of(Fault(type="invalid_request_error", message="too large"), 400), fault_of(None, 503)
    (('invalid_request_error', 'too large'), ('503', None))
    """
    while isinstance(error, Fault) and error.message is None and error.error is not None:
        error = error.error
    if isinstance(error, str):
        error = Fault(message=error)
    error = error or Fault()
    named = next((value for value in (error.code, error.type, status_code) if value is not None), None)
    return (
        None if named is None else str(named),
        None if error.message is None else str(error.message),
    )


def _usage(counts: Counts | None) -> Usage:
    if counts is None:
        return Usage()
    into = counts.prompt_tokens_details or counts.input_tokens_details or Details()
    out = counts.completion_tokens_details or counts.output_tokens_details or Details()
    return Usage(
        input=counts.prompt_tokens if counts.prompt_tokens is not None else counts.input_tokens,
        output=counts.completion_tokens if counts.completion_tokens is not None else counts.output_tokens,
        reasoning=out.reasoning_tokens,
        total=counts.total_tokens,
        cache_read=into.cached_tokens,
        cache_write=into.cache_write_tokens,
    )


def _choice(choice: Choice, known: Mapping[str, Any], *, hides: bool) -> LoggedRun:
    message = choice.message
    shown = message.reasoning if isinstance(message.reasoning, str) else None
    refused = bool(message.refusal) and choice.finish_reason != "length"
    content = _text(message.content) if isinstance(message.content, list) else message.content
    return _with_text(
        known,
        finish_reason="refusal" if refused else choice.finish_reason,
        answer=content or message.refusal or content,
        reasoning=message.reasoning_content or shown,
        hides=hides,
    )


def runs_of_choices(runs: Sequence[LoggedRun], labels: Sequence[int]) -> tuple[LoggedRun, ...]:
    """Runs of n answers of one call, told apart by their labels, or by their places where labels repeat. One usage
    covers them all and nothing says how to divide it: no run gets a T, nor an estimate of it; the first keeps the
    whole usage in its tags.

    >>> named = dict(configuration=Configuration(request_model="m"), benchmark_id="b", instance_id=1)
    >>> run = LoggedRun(**named, attempt="q", usage=Usage(output=7))
    >>> first, second = runs_of_choices([run, run], [0, 1])
    >>> first.usage.output, first.tags, second.attempt
    (None, {'usage_output_tokens': '7', 'n_choices': '2'}, 'q#1')
    """
    usage = runs[0].usage
    apart = labels if len(set(labels)) == len(labels) else range(len(labels))
    whole = {
        f"usage_{name}_tokens": str(getattr(usage, name))
        for name in ("input", "output", "reasoning", "total")
        if getattr(usage, name) is not None
    }
    return tuple(
        replace(
            run,
            attempt=f"{run.attempt}#{label}",
            usage=Usage(),
            estimable=False,
            quality_flags=(*run.quality_flags, "usage_of_n_choices"),
            tags={**whole, "n_choices": str(len(runs))} if place == 0 else {},
        )
        for place, (label, run) in enumerate(zip(apart, runs, strict=True))
    )


def _response(body: Body, known: Mapping[str, Any], *, hides: bool) -> LoggedRun:
    items = body.output or []
    spoken = [part for item in items if item.type == "message" for part in item.content or []]
    thought = [item for item in items if item.type == "reasoning"]
    reasoning = "\n".join(filter(None, (_text(item.content or []) for item in thought)))
    summary = "\n".join(part.text for item in thought for part in item.summary or [] if part.text)
    finish = body.status
    if body.status == "incomplete":
        finish = (body.incomplete_details and body.incomplete_details.reason) or "incomplete"
    elif body.status == "completed" and any(part.refusal for part in spoken):
        finish = "refusal"
    error_type, error_message = (None, None) if body.error is None else fault_of(body.error, None)
    return _with_text(
        known,
        finish_reason=finish,
        status=Status.CANCELLED if body.status == "cancelled" else Status.OK,
        error_type=error_type,
        error_message=error_message,
        answer=_text(spoken),
        reasoning=reasoning or summary or None,
        summarised=bool(summary) and not reasoning,
        hides=hides or (bool(thought) and not reasoning),
    )


def _text(parts: list[Part]) -> str | None:
    return "".join(part.text or part.refusal or "" for part in parts) if parts else None


def _with_text(
    known: Mapping[str, Any],
    *,
    answer: str | None,
    reasoning: str | None,
    hides: bool,
    summarised: bool = False,
    **ended: Any,
) -> LoggedRun:
    """A run with what the log shows of its text. A reported 0 of reasoning tokens means that nothing is hidden."""
    counted = known["usage"].reasoning
    if summarised:
        visibility = Visibility.SUMMARY
    elif reasoning:
        visibility = Visibility.FULL
    elif counted or (counted is None and hides):
        visibility = Visibility.HIDDEN
    else:
        visibility = Visibility.FULL if answer else Visibility.NONE
    return LoggedRun(
        **known,
        **ended,
        answer=answer,
        reasoning=reasoning,
        trace_visibility=visibility,
        estimable=visibility is Visibility.FULL and not hides,
    )
