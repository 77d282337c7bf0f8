"""What do the calls of one attempt come to: which usage, answer, finish and time?

    innermost calls  ->  one LoggedRun: usage summed, answer and finish reason of the last call

The sum has a count only where every call has it; where calls count in different ways, or contradict themselves, T of
each is found before it is added. Several answers of one call are a run each, without a T: one usage covers them and
nothing says how to divide it. A failed call that was tried again counts only where it reports usage. Source: formats.md
sections 2.10 and 3; what a count means is `effspark.runs.tokens`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from effspark.errors import LogError, problem
from effspark.readers.configurations import NAME_MODEL, NO_MODEL
from effspark.readers.trace_calls import COUNTS, Call, tokens_of
from effspark.readers.trace_replies import Reply
from effspark.runs.record import Configuration, LoggedRun, Status, Visibility
from effspark.runs.tokens import Usage, hides_trace, normalise


def runs_of(
    calls: Sequence[Call], base: Mapping[str, Any], hidden: Sequence[str], *, model: str | None = None
) -> tuple[LoggedRun, ...]:
    """The run that calls are together, or the runs of the n answers of a single call.

    Parameters
    ----------
    calls
        Innermost calls of the evaluated model, at least one.
    base
        Fields of the run that are known without the calls.
    hidden
        Patterns of the models that keep their reasoning to themselves.
    model
        Model of calls of which none names one.

    Raises
    ------
    LogError
        No call names a model, or they name several.

    >>> call = Call(span_id="a", configuration=Configuration(request_model="m"), usage=Usage(output=7))
    >>> (run,) = runs_of([call, replace(call, span_id="b")], {"benchmark_id": "b", "instance_id": 1}, ())
    >>> run.usage.output, run.tags
    (14, {'calls': '2'})
    """
    answered = [call for call in calls if call.is_counted or not call.failed] or calls
    last, configuration = _last(answered), _configuration(calls, model)
    hides = hides_trace(configuration.request_model, hidden)
    tags = {} if len(answered) == len(calls) else {"failed_calls": str(len(calls) - len(answered))}
    whole = _whole(answered)
    flags = (*base.get("quality_flags", ()), *whole["quality_flags"])
    base = {**base, **whole, "quality_flags": flags, "tags": {**base.get("tags", {}), **tags}}
    if len(answered) > 1:
        return (_of_several(answered, last, configuration, base),)
    known = {**base, "configuration": configuration}
    if len(last.replies) > 1:
        return _of_choices(last, known, hides=hides)
    shown = last.replies[0] if last.replies else Reply()
    return (_run(known, last, shown, visibility=visibility_of(shown, last.usage, hides=hides), hides=hides),)


def _of_choices(call: Call, known: Mapping[str, Any], *, hides: bool) -> tuple[LoggedRun, ...]:
    """Runs of the n answers of one call; the first keeps the usage of all in its tags."""
    counted = {name: value for name in COUNTS[:4] if (value := getattr(call.usage, name)) is not None}
    told = {f"usage_{name}_tokens": str(value) for name, value in counted.items()}
    flags = (*known["quality_flags"], "usage_of_n_choices")
    apart = {**known, "usage": Usage(), "cost_usd": None, "quality_flags": flags}
    return tuple(
        _run(
            {**apart, "attempt": f"{known['attempt']}#{place}"},
            call,
            shown,
            visibility=visibility_of(shown, call.usage, hides=hides),
            tags={} if place else told,
        )
        for place, shown in enumerate(call.replies)
    )


def _of_several(
    calls: Sequence[Call], last: Call, configuration: Configuration, base: Mapping[str, Any]
) -> LoggedRun:
    """Run of several calls: its budget is one a call, and its text is a part of what was generated."""
    budget = configuration.output_budget_tokens
    tags = {"calls": str(len(calls))} | ({} if budget is None else {"call_budget_tokens": str(budget)})
    known = {**base, "configuration": replace(configuration, output_budget_tokens=None)}
    shown = last.replies[0] if last.replies else Reply()
    part = Visibility.SUMMARY if shown.answer or shown.reasoning else Visibility.NONE
    return _run(known, last, shown, visibility=part, tags=tags)


def _configuration(calls: Sequence[Call], model: str | None) -> Configuration:
    found = {call.configuration.request_model: call.configuration for call in calls if call.configuration}
    nameless = found.pop("", Configuration(request_model=""))
    if not found and model:
        return replace(nameless, request_model=model)
    if len(found) == 1:
        return next(iter(found.values()))
    text = problem(
        "several models" if found else "no model",
        where=f"span {calls[0].span_id}",
        found=", ".join(sorted(found)) or "calls that name none",
        allowed="calls of one model in a run",
        remedy="log the model of each call, and mark the spans of a grader as EVALUATOR"
        if found
        else f"log the model of each call, or {NAME_MODEL}",
    )
    raise LogError(text) if found else LogError(text, reason=NO_MODEL)


def _last(calls: Sequence[Call]) -> Call:
    """The call that gave the answer: the last to begin that did not fail, else the last."""
    answered = [call for call in calls if not call.failed] or calls
    timed = [call for call in answered if call.started_at is not None]
    return max(timed, key=lambda call: str(call.started_at)) if len(timed) == len(answered) else answered[-1]


def _whole(calls: Sequence[Call]) -> dict[str, Any]:
    """Usage, cost and time of all calls; a count that one of them lacks is unknown."""
    usage, flags = _added(calls)
    starts = [call.started_at for call in calls if call.started_at is not None]
    ends = [call.ended_at for call in calls if call.ended_at is not None]
    timed = len(starts) == len(ends) == len(calls)
    return {
        "usage": usage,
        "quality_flags": tuple(sorted({*flags, *(flag for call in calls for flag in call.quality_flags)})),
        "cost_usd": _sum([call.cost for call in calls]),
        "started_at": min(starts) if starts else None,
        "latency_seconds": (max(ends) - min(starts)).total_seconds() if timed else None,
        "latency_kind": "wall" if timed else None,
    }


def _added(calls: Sequence[Call]) -> tuple[Usage, tuple[str, ...]]:
    """Usage of all calls: counts added as reported, or T of each where that sum means another T or hides a flag."""
    usages = [call.usage for call in calls]
    if len(usages) == 1:
        return usages[0], ()
    alike = _alike(usages)
    reported = replace(alike[0], **{name: _sum([getattr(usage, name) for usage in alike]) for name in COUNTS})
    each = [tokens_of(call) for call in calls]
    output, flags = _sum([one.output for one in each]), {flag for one in each for flag in one.flags}
    if normalise(reported, text=None).output == output and not flags:
        return reported, ()
    total = None if output is None or reported.input is None else reported.input + output
    reasoning = _sum([one.reasoning for one in each])
    found = replace(reported, output=output, reasoning=reasoning, total=total, additive=False)
    return found, tuple(flags)


def _alike(usages: Sequence[Usage]) -> Sequence[Usage]:
    """Usages that can be summed: where reasoning stands beside the output of some only, it is added to theirs."""
    beside = [usage.additive and usage.reasoning is not None for usage in usages]
    if all(beside) or not any(beside):
        return usages
    return [
        replace(usage, output=_sum([usage.output, usage.reasoning]), additive=False) if added else usage
        for usage, added in zip(usages, beside, strict=True)
    ]


def _sum(counts: Sequence[Any]) -> Any:
    """Sum of counts that are all there; one alone as it is, whatever its type, for the check of types to judge."""
    if len(counts) == 1:
        return counts[0]
    numbers = [count for count in counts if isinstance(count, (int, float)) and not isinstance(count, bool)]
    return sum(numbers) if len(numbers) == len(counts) else None


def visibility_of(shown: Reply, usage: Usage, *, hides: bool) -> Visibility:
    """How much of what was generated an answer shows; `hides`: the model is known to keep its reasoning.

    >>> visibility_of(Reply("18"), Usage(reasoning=5), hides=False).value
    'hidden'
    """
    if shown.reasoning:
        return Visibility.SUMMARY if hides else Visibility.FULL
    if usage.reasoning or (usage.reasoning is None and hides):
        return Visibility.HIDDEN
    return Visibility.FULL if shown.answer else Visibility.NONE


def _run(
    known: Mapping[str, Any],
    call: Call,
    shown: Reply,
    *,
    visibility: Visibility,
    tags: Mapping[str, str] | None = None,
    hides: bool = True,
) -> LoggedRun:
    """A run with the answer of a call; its T may be estimated only where the whole text is known to be shown."""
    return LoggedRun(
        **{**known, "tags": {**known.get("tags", {}), **(tags or {})}},
        response_model=call.response_model,
        seed=call.seed,
        finish_reason=shown.finish_reason,
        status=Status.ERROR if call.failed else Status.OK,
        error_type=call.error_type if call.failed else None,
        error_message=call.error_message if call.failed else None,
        prompt=call.asked.prompt,
        question=call.asked.question,
        reasoning=shown.reasoning,
        answer=shown.answer,
        trace_visibility=visibility,
        estimable=visibility is Visibility.FULL and not hides,
    )
