"""What run is one Inspect sample? An attempt (epoch) of the evaluated model at an instance, as logged.

    header + sample (+ its chunks)  ->  LoggedRun

Source: formats.md sections 2.1, 4 and 5. `log_version` is the latest stamp of completion, edit, invalidation,
rescoring or update, so that a corrected log wins; a limit of type `context` is the model's window, any other the
agent's. Truncation, stop class and T are decided in `effspark.runs`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from effspark.errors import LogError
from effspark.readers.inspect_archive import Stored
from effspark.readers.inspect_document import as_list, as_mapping, as_number, as_text, as_time, decoded
from effspark.readers.inspect_header import Task, provenance_time
from effspark.readers.inspect_sample import Message, Output, Sample, Trace, generated, text_of, trace
from effspark.readers.inspect_scores import verdicts
from effspark.readers.inspect_usage import Counted, Event, calls, counted
from effspark.runs.record import LoggedRun, Status, Visibility

LONGEST_TAG = 200
"""A metadata text above this many characters is content, not a label."""
TARGETS = "\x1f"
"""Between the alternative targets of one sample in `gold`; no answer holds this character."""
_CUT = frozenset({"max_tokens", "model_length", "length"})
_WINDOW = "model_length"
_ERROR_TYPE = re.compile(r"[A-Za-z_][\w.]*(?=\()")


def run_of(stored: Stored, task: Task) -> LoggedRun:
    """One sample as a run.

    Raises
    ------
    LogError
        It is not the JSON of a sample, or a count, time or epoch of it is none.
    """
    sample, attachments = _whole(stored)
    events = _events(stored, sample, task)
    model = task.configuration.request_model
    made, output = calls(events, model), sample.output or Output()
    finish = as_text(output.choices[0].stop_reason) if output.choices else None
    several = len(generated(sample)) > 1 or _agent_limit(sample) is not None
    reported = sample.model_usage, output.usage
    used = counted(reported, made, model=model, version=task.version, cut=finish in _CUT, several=several)
    thought, one_call = used.usage.reasoning, used.one_call
    shown = trace(
        sample, attachments, model=model, hides=task.hides, reasoning_tokens=thought, one_call=one_call
    )
    replayed = made.answering > 0 and made.answering == made.cached
    flags = {"replayed": replayed, "several_choices": len(output.choices or ()) > 1}
    return LoggedRun(
        configuration=task.configuration,
        benchmark_id=task.benchmark_id,
        benchmark_version=task.benchmark_version,
        instance_id=sample.id,
        eval_run_id=task.eval_run_id,
        format_version=task.format_version,
        seed=task.seed,
        quality_flags=(*task.flags, *used.flags, *(name for name, holds in flags.items() if holds)),
        log_version=_log_version(sample, task, events),
        **_outcome(sample, task, "refusal" if shown.refused and finish == "stop" else finish),
        **_generation(sample, used, shown, task, replayed=replayed),
        **_question(sample, attachments),
    )


def _whole(stored: Stored) -> tuple[Sample, Mapping[str, str]]:
    """A sample with what its log stores apart, and its attachments by reference."""
    sample = decoded(stored.data, Sample)
    if not stored.parts:
        old = sample.transcript.content if sample.transcript else {}
        return sample, sample.attachments or old
    pool = [message for chunk in stored.chunks("messages", list[Message]) for message in chunk]
    places = [(0, len(pool))] if sample.message_refs is None else sample.message_refs
    sample.messages = sample.messages or [message for start, end in places for message in pool[start:end]]
    for metadata in stored.chunks("metadata", dict[str, Any]):
        sample.metadata = metadata
    texts = [text for chunk in stored.chunks("attachments", list[str]) for text in chunk]
    return sample, {str(place): text for place, text in enumerate(texts)}


def _events(stored: Stored, sample: Sample, task: Task) -> Sequence[Event]:
    """Events of a sample; chunks of them are read only where the model was called more than once."""
    if sample.events or sample.transcript:
        return sample.events or (sample.transcript.events if sample.transcript else [])
    own = (sample.model_usage or {}).get(task.configuration.request_model)
    if own is None or (sample.output and sample.output.usage == own):
        return []
    return [event for chunk in stored.chunks("events", list[Event]) for event in chunk]


def _outcome(sample: Sample, task: Task, finish: str | None) -> dict[str, Any]:
    """How the attempt ended, and what its scorers and human corrections say."""
    found, tags = verdicts(sample, task.scorers)
    error = sample.error if isinstance(sample.error, dict) else {"message": sample.error}
    message = as_text(error.get("message"))
    named = _ERROR_TYPE.match(message or "")
    excluded, zeroed = sample.exclusion or sample.excluded, sample.zeroing or sample.zeroed
    status = Status.OK
    if sample.invalidation or excluded:
        status = Status.INVALIDATED if sample.invalidation else Status.EXCLUDED
    elif sample.error and not zeroed:
        cancelled = named is not None and named[0].endswith("CancelledError")
        status = Status.CANCELLED if cancelled else Status.ERROR
    corrected = as_mapping(sample.invalidation or excluded or zeroed)
    for name in ("author", "reason"):
        if said := as_text(corrected.get(name)):
            tags[f"correction_{name}"] = said
    labels = {name: value for name, value in (sample.metadata or {}).items() if isinstance(value, str)}
    labels = {name: value for name, value in labels.items() if len(value) <= LONGEST_TAG}
    return {
        "finish_reason": _WINDOW if _limit(sample) == "context" else finish,
        "agent_limit": _agent_limit(sample),
        "status": status,
        "error_type": named[0] if named else "error" if message else None,
        "error_message": message or (as_text(sample.output.error) if sample.output else None),
        "n_retries": len(sample.error_retries or ()),
        "verdicts": tuple(found),
        "tags": labels | tags | ({"dataset": task.dataset} if task.dataset else {}),
    }


def _generation(sample: Sample, used: Counted, shown: Trace, task: Task, *, replayed: bool) -> dict[str, Any]:
    """What was generated, in what time and at what cost."""
    wall, working = as_number(sample.total_time), as_number(sample.working_time)
    kind = None if wall is None and working is None else "working" if wall is None else "wall"
    return {
        "response_model": as_text(sample.output.model) if sample.output else None,
        "record_id": as_text(sample.uuid),
        "attempt": _attempt(sample.epoch),
        "usage": used.usage,
        "reasoning": shown.reasoning,
        "answer": shown.answer,
        "trace_visibility": shown.visibility,
        "estimable": shown.visibility is Visibility.FULL and not task.hides and not used.usage.output,
        "latency_seconds": working if wall is None else wall,
        "latency_kind": "cached" if replayed and kind else kind,
        "cost_usd": used.cost,
        "started_at": as_time(sample.started_at) or task.started_at,
    }


def _question(sample: Sample, attachments: Mapping[str, str]) -> dict[str, Any]:
    """What was asked, what is right, and how hard it is."""
    asked = sample.input if isinstance(sample.input, list) else [Message(role="user", content=sample.input)]
    texts = [(message.role, text_of(message.content, attachments)) for message in asked]
    users = [text for role, text in texts if role == "user"]
    target = sample.target if isinstance(sample.target, list) else [sample.target]
    return {
        "prompt": "\n\n".join(text for _, text in texts) or None,
        "question": users[-1] or None if users else None,
        "gold": TARGETS.join(text_of(text, attachments) for text in target if isinstance(text, str)) or None,
        "axes": {
            name: known
            for name, value in (sample.metadata or {}).items()
            if (known := as_number(value)) is not None
        },
    }


def _log_version(sample: Sample, task: Task, events: Sequence[Event]) -> datetime | None:
    """Latest stamp that bears on the sample; to the second for scores, as the completion time is."""
    corrections = [sample.invalidation, sample.exclusion, sample.excluded, sample.zeroing, sample.zeroed]
    stamps = [provenance_time({"provenance": correction}) for correction in corrections if correction]
    for score in (sample.scores or {}).values():
        stamps += [provenance_time(step) for step in as_list(as_mapping(score).get("history"))]
    scored = [as_time(event.timestamp) for event in events if event.event == "score"]
    stamps += [stamp.replace(microsecond=0) for stamp in scored if stamp]
    own = as_time(sample.completed_at)
    completed = task.completed_at or own or task.started_at
    return max((stamp for stamp in (completed, own, *task.updates, *stamps) if stamp), default=None)


def _limit(sample: Sample) -> str | None:
    return as_text(as_mapping(sample.limit).get("type"))


def _agent_limit(sample: Sample) -> str | None:
    limit = _limit(sample)
    return None if limit == "context" else limit


def _attempt(epoch: Any) -> str | None:
    if epoch is None or (isinstance(epoch, int) and not isinstance(epoch, bool)):
        return None if epoch is None else str(epoch)
    raise LogError(f"epoch: found {epoch!r:.80}; allowed: a whole number; a mean over epochs is not a run")
