"""What one answer of SGLang tells of a run."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from effspark.readers.sglang_outputs import Output, run_of
from effspark.runs.record import LoggedRun, Visibility
from effspark.runs.tokens import TokenSource, Usage

KNOWN = {"benchmark_id": "b", "instance_id": "1", "attempt": "1"}


def run(
    text: str | None = "18", hidden: tuple[str, ...] = (), ids: list[int] | None = None, **meta: Any
) -> LoggedRun:
    output = msgspec.convert({"text": text, "output_ids": ids, "meta_info": meta}, Output)
    return run_of(output, model="Qwen/QwQ-32B", known=KNOWN, hidden=hidden)


def test_the_server_counts_every_generated_token() -> None:
    found = run(prompt_tokens=12, completion_tokens=8, reasoning_tokens=6, cached_tokens=4, ids=[1, 2])
    assert found.usage == Usage(
        input=12, output=8, reasoning=6, cache_read=4, token_ids=2, source=TokenSource.SERVER
    )
    assert run().usage == Usage(source=TokenSource.SERVER)


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ({"type": "length", "length": 4}, "length"),
        ({"type": "stop", "matched": 2}, "stop"),
        ("stop", "stop"),
        (None, None),
    ],
)
def test_the_reason_to_end_is_the_type_of_an_object(reason: Any, kind: str | None) -> None:
    assert run(finish_reason=reason).finish_reason == kind


def test_an_abort_keeps_its_message() -> None:
    found = run(finish_reason={"type": "abort", "message": "full", "status_code": 503})
    assert (found.finish_reason, found.error_type, found.error_message) == ("abort", "503", "full")


def test_latency_is_that_of_the_whole_request() -> None:
    assert (run(e2e_latency=0.75).latency_seconds, run(e2e_latency=0.75).latency_kind) == (0.75, "wall")
    assert (run().latency_seconds, run().latency_kind) == (None, None)


def test_the_text_is_whole_unless_the_model_hides_its_reasoning() -> None:
    assert (run().trace_visibility, run().estimable) == (Visibility.FULL, True)
    assert (run(text="").trace_visibility, run(text="").estimable) == (Visibility.NONE, False)
    hiding = run(hidden=("QwQ",))
    assert (hiding.trace_visibility, hiding.estimable) == (Visibility.HIDDEN, False)
