"""What was generated: tokens, stop, truncation and the facts beside them, as columns of `runs`.

Calls the rules of tokens.py and stops.py on one logged run. Source: formats.md sections 3 to 5.
"""

from __future__ import annotations

from effspark.runs import keys, stops, tokens
from effspark.runs.record import LoggedRun, Row, Status
from effspark.runs.stops import StopClass, Truncation
from effspark.runs.tokens import TokenConvention, Tokens


def of_generation(logged: LoggedRun) -> Row:
    """Columns of `runs` from `status` to `tags`.

    >>> from effspark.runs.record import Configuration
    >>> from effspark.runs.tokens import Usage
    >>> made = LoggedRun(configuration=Configuration(request_model="m", output_budget_tokens=512), benchmark_id="b",
    ...     instance_id=1, usage=Usage(output=512), finish_reason="length")
    >>> row = of_generation(made)
    >>> row["stop_class"], row["truncated"], row["output_tokens"]
    ('length', True, 512)
    """
    text = generated(logged)
    counted = tokens.normalise(
        logged.usage,
        text=text,
        estimate_text=text if logged.estimable and text else None,
        shown=(logged.reasoning, logged.answer),
    )
    stop = stops.stop_class(logged.finish_reason, agent_limit=logged.agent_limit)
    failed = logged.status in (Status.ERROR, Status.CANCELLED)
    if failed and stop is StopClass.UNKNOWN:
        stop = StopClass.ERROR
    cut = _cut(logged, stop, counted, text)
    status = Status.ERROR if stop is StopClass.ERROR and logged.status is Status.OK else logged.status
    return {
        "status": status.value,
        "error_type": logged.error_type,
        "error_message": logged.error_message,
        "finish_reason_raw": logged.finish_reason if logged.agent_limit is None else logged.agent_limit,
        "stop_class": stop.value,
        "truncated": cut.truncated,
        "truncation_source": cut.source.value,
        **_token_columns(logged, counted, cut),
        "quality_flags": sorted(
            {*logged.quality_flags, *counted.flags, *cut.flags, *_flags(logged, counted)}
        ),
        "trace_visibility": logged.trace_visibility.value,
        "latency_seconds": logged.latency_seconds,
        "latency_kind": logged.latency_kind,
        "cost_usd": logged.cost_usd,
        "gpu_hours": logged.gpu_hours,
        "started_at": logged.started_at,
        "axes": dict(logged.axes),
        "tags": dict(logged.tags),
    }


def _cut(logged: LoggedRun, stop: StopClass, counted: Tokens, text: str | None) -> Truncation:
    return stops.truncation(
        stop,
        tokens=counted.output,
        budget=logged.configuration.output_budget_tokens,
        counted=counted.source in tokens.COUNTED,
        least_tokens=logged.usage.output if counted.convention is TokenConvention.CONFLICT else None,
        ends_open=stop is StopClass.UNKNOWN and text is not None and stops.ends_open(text),
    )


def _token_columns(logged: LoggedRun, counted: Tokens, cut: Truncation) -> Row:
    budget, usage = logged.configuration.output_budget_tokens, logged.usage
    censored = bool(cut.truncated) and counted.output is None
    known = usage.input is not None and counted.output is not None
    return {
        "output_budget_tokens": budget,
        "context_budget_tokens": logged.context_budget_tokens,
        "input_tokens": usage.input,
        "cache_read_tokens": usage.cache_read,
        "cache_write_tokens": usage.cache_write,
        "output_tokens": counted.output,
        "reasoning_tokens": counted.reasoning,
        "visible_tokens": _difference(counted.output, counted.reasoning),
        "total_tokens": (usage.input or 0) + (counted.output or 0) if known else None,
        "censored": censored,
        "t_lower_bound": budget if censored else None,
        "token_source": counted.source.value,
        "token_convention": counted.convention.value,
    }


def _flags(logged: LoggedRun, counted: Tokens) -> tuple[str, ...]:
    budget = logged.configuration.output_budget_tokens
    over = counted.output is not None and budget is not None and counted.output > budget + 1
    return ("t_over_budget",) if over and counted.source in tokens.COUNTED else ()


def _difference(whole: int | None, part: int | None) -> int | None:
    return None if whole is None or part is None or part > whole else whole - part


def generated(logged: LoggedRun) -> str | None:
    """Trace of definitions.md section 1: reasoning, newline, answer; either part alone where there is one."""
    parts = [part for part in (logged.reasoning, logged.answer) if part]
    return "\n".join(parts) if parts else None


def generation_hash(logged: LoggedRun) -> str:
    """What was generated (text, T); never verdicts, scores, times or place."""
    usage = logged.usage
    return keys.digest(
        "generation", logged.reasoning, logged.answer, usage.output, usage.reasoning, usage.token_ids
    )


def trace_hash(logged: LoggedRun) -> str:
    """The text that was generated; the counts only where the log shows no text."""
    if not logged.reasoning and not logged.answer:
        return generation_hash(logged)
    return keys.digest("trace", logged.reasoning, logged.answer)
