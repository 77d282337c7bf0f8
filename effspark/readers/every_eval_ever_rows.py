"""What does one instance-level row of Every Eval Ever say of a run?

    row (schema 0.0.1 to 0.3)  ->  the runs of its answers, and the verdict of its scorer

What the shipped converters write is not always what the schema says, and is read for what it is. The token usage
of a conversation is that of its last call, so it gives no T. `latency_ms` beside `generation_time_ms` is time spent
waiting. The text of an answer is often what a filter or scorer extracted, so a text is the whole answer only
where what was extracted is named and differs from it. Stop reason and epoch stand in the metadata of logs from
Inspect. Source: formats.md section 2.10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from effspark.readers.cells import text_of
from effspark.readers.every_eval_ever_shapes import Asked, Counts, Message, Performance, Row
from effspark.readers.inspect_run import TARGETS
from effspark.readers.trace_evaluation import ATTEMPT, verdict
from effspark.readers.trace_replies import Reply
from effspark.readers.trace_runs import visibility_of
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict, ScoreKind, Status, Visibility
from effspark.runs.tokens import Usage, hides_trace

_STOP, _REFUSAL = "stop_reason", "refusal"
_NO_TAGS = frozenset({_STOP, *ATTEMPT})
_COUNTS = ("input", "output", "reasoning", "total")


def verdict_of(row: Row) -> LoggedVerdict | None:
    """Verdict of a row: a score from 0 to 1 as it is, any other by what the row says of it.

    The score of several answers is theirs together and judges none of them.

    >>> from effspark.readers.every_eval_ever_shapes import Judged
    >>> verdict_of(Row(evaluation=Judged(85, True))).value, verdict_of(Row(evaluation=Judged(0.5, True))).value
    (1.0, 0.5)
    """
    judged = row.evaluation
    if judged is None:
        return None
    label = None if judged.is_correct is None else "correct" if judged.is_correct else "incorrect"
    found = verdict(row.scorer, judged.score, label)
    on_scale = found.value is not None and found.value >= 0
    if not on_scale and isinstance(judged.score, (int, float)) and judged.score not in (0, 1):
        found = replace(found, value=None if label is None else float(bool(judged.is_correct)))
    if len(_replies(row)) > 1:
        found = replace(found, value=None, kind=ScoreKind.FRACTIONAL)
    terminal = [one.extracted_value for one in row.answer_attribution or [] if one.is_terminal is not False]
    return replace(found, extracted_answer=terminal[-1] if terminal else None)


def runs_of(
    row: Row, attempt: str, verdicts: Sequence[LoggedVerdict], base: Mapping[str, Any], hidden: Sequence[str]
) -> tuple[LoggedRun, ...]:
    """Run of a row, or the runs of its k answers, which have no T: one usage covers them all.

    Parameters
    ----------
    row, attempt
        The row, and the name of the attempt.
    verdicts
        What all scorers say of it.
    base
        Fields of the run that are known without the row.
    hidden
        Patterns of the models that keep their reasoning to themselves.

    >>> from effspark.readers.every_eval_ever_shapes import Said
    >>> row = Row(model_id="m", output=Said(["18", "17"]), token_usage=Counts(output_tokens=30))
    >>> [(run.attempt, run.usage.output) for run in runs_of(row, "0", (), {"benchmark_id": "b", "instance_id": 1}, ())]
    [('0#0', None), ('0#1', None)]
    """
    answers, flag = _replies(row), _shared(row)
    usage = _usage(row.token_usage)
    known = {
        **base,
        **_told(row),
        "verdicts": tuple(verdicts),
        "usage": usage if flag is None else Usage(),
        "quality_flags": () if flag is None else (flag,),
        "tags": _tags(row, None if flag is None else usage),
    }
    hides = hides_trace(row.model_id or "", hidden)
    return tuple(
        _run(
            {**known, "attempt": attempt if len(answers) < 2 else f"{attempt}#{place}"},
            shown,
            _visibility(row, shown, usage, hides=hides),
            estimable=not hides and flag is None,
        )
        for place, shown in enumerate(answers or (Reply(),))
    )


def _run(known: Mapping[str, Any], shown: Reply, visibility: Visibility, *, estimable: bool) -> LoggedRun:
    return LoggedRun(
        **known,
        answer=shown.answer,
        reasoning=shown.reasoning,
        trace_visibility=visibility,
        estimable=estimable and visibility is Visibility.FULL,
    )


def _told(row: Row) -> dict[str, Any]:
    """What a row says of its run beside usage and texts. A refusal is logged as an error and is none."""
    asked, times = row.input or Asked(), row.performance or Performance()
    golds = asked.reference if isinstance(asked.reference, list) else [asked.reference]
    gold = TARGETS.join(text for one in golds if (text := text_of(one)) is not None)
    refused = (row.error or "").strip().lower() == _REFUSAL
    spent, kind = (
        (times.generation_time_ms, "working")
        if times.generation_time_ms is not None
        else (times.latency_ms, "wall")
    )
    return {
        "configuration": Configuration(request_model=row.model_id or ""),
        "finish_reason": _REFUSAL if refused else text_of((row.metadata or {}).get(_STOP)) or None,
        "status": Status.ERROR if row.error and not refused else Status.OK,
        "error_message": None if refused else row.error or None,
        "prompt": asked.formatted or text_of(asked.raw),
        "question": asked.raw if isinstance(asked.raw, str) else None,
        "gold": gold or None,
        "latency_seconds": None if spent is None else spent / 1000,
        "latency_kind": None if spent is None else kind,
        "format_version": row.schema_version,
    }


def _usage(counts: Counts | None) -> Usage:
    counts = counts or Counts()
    return Usage(
        input=counts.input_tokens,
        output=counts.output_tokens,
        reasoning=counts.reasoning_tokens,
        total=counts.total_tokens,
        cache_read=counts.input_tokens_cache_read,
        cache_write=counts.input_tokens_cache_write,
    )


def _turns(row: Row) -> list[Message]:
    """What the model said in a conversation."""
    return [one for one in row.messages or row.interactions or [] if one.role.lower() == "assistant"]


def _replies(row: Row) -> tuple[Reply, ...]:
    """Answers of a single turn, else the last of a conversation."""
    if row.output is None:
        return tuple(Reply(one.content, one.reasoning_trace) for one in _turns(row)[-1:])
    texts = row.output.raw if isinstance(row.output.raw, list) else [row.output.raw]
    traces = row.output.reasoning_trace
    traces = traces if isinstance(traces, list) else [traces]
    return tuple(
        Reply(text, traces[place] if place < len(traces) else None) for place, text in enumerate(texts)
    )


def _visibility(row: Row, shown: Reply, usage: Usage, *, hides: bool) -> Visibility:
    found = visibility_of(shown, usage, hides=hides)
    extracted = {one.extracted_value for one in row.answer_attribution or [] if one.extracted_value}
    whole = bool(extracted) and shown.answer not in extracted and len(_turns(row)) < 2
    return Visibility.SUMMARY if found is Visibility.FULL and not whole else found


def _shared(row: Row) -> str | None:
    """Flag of a usage that is not that of one answer: of all k, or of the last call of a conversation."""
    if len(_replies(row)) > 1:
        return "usage_of_n_choices"
    return "usage_of_last_call" if len(_turns(row)) > 1 else None


def _tags(row: Row, usage: Usage | None) -> dict[str, str]:
    """Labels in the metadata, and a usage that is not the run's own."""
    told = {name: text_of(value) for name, value in (row.metadata or {}).items() if name not in _NO_TAGS}
    counted = {f"usage_{name}_tokens": getattr(usage, name, None) for name in _COUNTS}
    found = told | {name: None if value is None else str(value) for name, value in counted.items()}
    return {name: text for name, text in found.items() if text}
