"""What does one answer of SGLang's native interface say of the run?

    {text, output_ids, meta_info: {finish_reason: {type, ...}, completion_tokens, ...}}  ->  LoggedRun

The server counts every generated token, those of thinking included, and shows all of the text with its think tags.
The reason to end is an object, and the model is not named. Source: formats.md section 2.6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from effspark.runs.record import Configuration, LoggedRun, Visibility
from effspark.runs.tokens import TokenSource, Usage, hides_trace

ROUTE = "sglang"


class Finish(msgspec.Struct):
    """Why generation ended."""

    type: str | None = None
    message: str | None = None
    status_code: Any = None


class MetaInfo(msgspec.Struct):
    """What the server says of an answer."""

    id: Any = None
    finish_reason: Finish | str | None = None
    prompt_tokens: Any = None
    completion_tokens: Any = None
    reasoning_tokens: Any = None
    cached_tokens: Any = None
    e2e_latency: Any = None


class Output(msgspec.Struct):
    """One answer."""

    meta_info: MetaInfo
    text: str | None = None
    output_ids: list[int] | None = None


def run_of(output: Output, *, model: str, known: Mapping[str, Any], hidden: Iterable[str]) -> LoggedRun:
    """Run of one answer of `model`.

    Parameters
    ----------
    output
        The answer.
    model
        Name of the model, which the answer does not say.
    known
        Fields of the run that are known without the answer: benchmark, instance, attempt.
    hidden
        Patterns of the models that keep their reasoning to themselves.

    >>> meta = MetaInfo(finish_reason=Finish(type="length"), completion_tokens=64, e2e_latency=1.5)
    >>> known = {"benchmark_id": "b", "instance_id": "1"}
    >>> run = run_of(Output(meta, text="<think>9"), model="Qwen/QwQ-32B", known=known, hidden=())
    >>> run.finish_reason, run.usage.output, run.usage.source.value, run.latency_seconds
    ('length', 64, 'server', 1.5)
    """
    meta = output.meta_info
    finish = Finish(type=meta.finish_reason) if isinstance(meta.finish_reason, str) else meta.finish_reason
    finish = finish or Finish()
    hides = hides_trace(model, hidden)
    whole = Visibility.FULL if output.text else Visibility.NONE
    return LoggedRun(
        **known,
        configuration=Configuration(request_model=model, provider_route=ROUTE),
        usage=Usage(
            input=meta.prompt_tokens,
            output=meta.completion_tokens,
            reasoning=meta.reasoning_tokens,
            cache_read=meta.cached_tokens,
            token_ids=None if output.output_ids is None else len(output.output_ids),
            source=TokenSource.SERVER,
        ),
        finish_reason=finish.type,
        error_type=None if finish.status_code is None else str(finish.status_code),
        error_message=finish.message,
        answer=output.text,
        trace_visibility=Visibility.HIDDEN if hides else whole,
        estimable=bool(output.text) and not hides,
        latency_seconds=meta.e2e_latency,
        latency_kind=None if meta.e2e_latency is None else "wall",
    )
