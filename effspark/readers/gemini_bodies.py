"""What does one answer of Gemini say of the runs in it? A GenerateContentResponse, or an Interaction.

    {candidates, usageMetadata, modelVersion}  ->  LoggedRun of each candidate
    {model, status, steps | outputs, usage}    ->  LoggedRun of the one Interaction

In both, thoughts are counted beside the answer, never in it (`additive`), either count may be absent where a run was
cut, and cached input is part of the input. Text marked as thought is a summary. Source: formats.md section 2.6. Knows
nothing of batch files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from effspark.errors import LogError
from effspark.readers.cells import Kind, typed
from effspark.readers.gemini_shapes import (
    Body,
    Candidate,
    Content,
    Metadata,
    Part,
    Step,
    Totals,
    is_interaction,
    model_of,
)
from effspark.readers.openai_bodies import runs_of_choices
from effspark.runs import tokens
from effspark.runs.record import LoggedRun, Status, Visibility
from effspark.runs.tokens import Usage, hides_trace

AGENT_LIMIT = "budget_exceeded"
"""Status of an Interaction that the token budget of its agent ended."""
_BLOCKED = "refusal"


def runs(body: Body, known: Mapping[str, Any], hidden: Iterable[str]) -> tuple[LoggedRun, ...]:
    """Runs of a body that names its model.

    Parameters
    ----------
    body
        Response or Interaction.
    known
        Fields of the run that are known without the body: benchmark, instance, attempt, configuration.
    hidden
        Patterns of the models that keep their reasoning to themselves.

    Raises
    ------
    LogError
        The body is neither, or a count of input tokens or a time is none.

    >>> from effspark.runs.record import Configuration
    >>> known = {"benchmark_id": "b", "instance_id": "1", "configuration": Configuration(request_model="m")}
    >>> said = Candidate(Content([Part(text="18")]), "STOP")
    >>> counts = Metadata(prompt_token_count=98, candidates_token_count=6, thoughts_token_count=190)
    >>> (run,) = runs(Body(candidates=[said], usage_metadata=counts, model_version="m"), known, ())
    >>> run.answer, run.usage.output, run.usage.reasoning, run.usage.additive, run.trace_visibility.value
    ('18', 6, 190, True, 'hidden')
    """
    known = {**known, "response_model": model_of(body)}
    hides = hides_trace(model_of(body) or "", hidden)
    if is_interaction(body):
        return (_interaction(body, known, hides=hides),)
    known = {**known, "usage": _usage(body.usage_metadata), "started_at": time_of(body.create_time)}
    if body.candidates:
        one = [_candidate(candidate, known, hides=hides) for candidate in body.candidates]
        labels = [candidate.index or 0 for candidate in body.candidates]  # zeros are left out
        return tuple(one) if len(one) == 1 else runs_of_choices(one, labels)
    if body.prompt_feedback is not None and body.prompt_feedback.block_reason:
        blocked = {"finish_reason": _BLOCKED, "tags": {"block_reason": body.prompt_feedback.block_reason}}
        return (LoggedRun(**{**known, **blocked}),)
    if body.usage_metadata is None:
        raise LogError(
            "response: found neither candidates, promptFeedback nor usageMetadata; "
            "allowed: a GenerateContentResponse, or an Interaction; leave other endpoints out"
        )
    return (_with_text(known, answer=None, summary=None, hides=hides),)


def time_of(text: str | None) -> Any:
    """Time of an ISO 8601 text, null where there is none.

    Raises
    ------
    LogError
        The text is no time.

    >>> time_of("2025-11-29T19:36:42.5Z").isoformat()
    '2025-11-29T19:36:42.500000+00:00'
    """
    return typed(text, Kind.TIMESTAMP, where="time of an answer", cells=False)


def _usage(counts: Metadata | None) -> Usage:
    counts = counts or Metadata()
    return Usage(
        input=_sum(counts.prompt_token_count, counts.tool_use_prompt_token_count),
        output=counts.candidates_token_count,
        reasoning=counts.thoughts_token_count,
        total=counts.total_token_count,
        cache_read=counts.cached_content_token_count,
        additive=True,
    )


def _totals(counts: Totals | None) -> Usage:
    counts = counts or Totals()
    return Usage(
        input=_sum(counts.total_input_tokens, counts.total_tool_use_tokens),
        output=counts.total_output_tokens,
        reasoning=counts.total_thought_tokens,
        total=counts.total_tokens,
        cache_read=counts.total_cached_tokens,
        additive=True,
    )


def _sum(prompt: Any, tools: Any) -> int | None:
    """Input with what tools gave the model to read; null where the prompt was not counted."""
    known, more = tokens.count(prompt, "input_tokens"), tokens.count(tools, "tool_use_tokens")
    return None if known is None else known + (more or 0)


def _candidate(candidate: Candidate, known: Mapping[str, Any], *, hides: bool) -> LoggedRun:
    parts = (candidate.content or Content()).parts or []
    thoughts = [part.text for part in parts if part.thought and part.text]
    said = [part.text for part in parts if not part.thought and part.text is not None]
    return _with_text(
        {**known, "finish_reason": candidate.finish_reason},
        answer="".join(said) if said else None,
        summary="\n".join(thoughts) or None,
        hides=hides,
    )


def _interaction(body: Body, known: Mapping[str, Any], *, hides: bool) -> LoggedRun:
    steps = body.steps if body.steps is not None else body.outputs or []
    thought = [
        part.text for step in steps if step.type == "thought" for part in step.summary or [] if part.text
    ]
    said: list[Part | Step] = [
        part for step in steps for part in ((step.content or []) if step.type == "model_output" else [step])
    ]
    texts = [part.text for part in said if part.type == "text" and part.text is not None]
    ended = {
        "usage": _totals(body.usage),
        "finish_reason": body.status,
        "agent_limit": AGENT_LIMIT if body.status == AGENT_LIMIT else None,
        "status": Status.CANCELLED if body.status == "cancelled" else Status.OK,
        "started_at": time_of(body.created),
        "log_version": known.get("log_version") or time_of(body.updated) or time_of(body.created),
    }
    return _with_text(
        {**known, **ended},
        answer="".join(texts) if texts else None,
        summary="\n".join(thought) or None,
        hides=hides or any(step.type == "thought" for step in steps),
    )


def _with_text(
    fields: Mapping[str, Any], *, answer: str | None, summary: str | None, hides: bool
) -> LoggedRun:
    """A run with what the log shows of its text. A reported 0 of thoughts means that nothing is hidden."""
    counted = fields["usage"].reasoning
    if summary:
        visibility = Visibility.SUMMARY
    elif counted or (counted is None and hides):
        visibility = Visibility.HIDDEN
    else:
        visibility = Visibility.FULL if answer else Visibility.NONE
    return LoggedRun(
        **fields,
        answer=answer,
        reasoning=summary,
        trace_visibility=visibility,
        estimable=visibility is Visibility.FULL and not hides,
    )
