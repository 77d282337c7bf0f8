"""One sample as a run: what ended it, what was asked, when its log was last corrected."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers import Options
from effspark.readers.inspect_archive import Stored
from effspark.readers.inspect_header import task_of
from effspark.readers.inspect_run import TARGETS, run_of
from effspark.runs.record import LoggedRun, Status

HEADER = {
    "eval": {"model": "vllm/m", "task": "t", "task_id": "T", "created": "2026-01-01T00:00:00Z"},
    "stats": {"completed_at": "2026-01-02T00:00:00Z"},
}
SAID = {
    "choices": [{"stop_reason": "stop", "message": {"role": "assistant", "content": "18"}}],
    "usage": {"output_tokens": 2},
}


def run(sample: dict[str, Any], header: dict[str, Any] | None = None) -> LoggedRun:
    data = json.dumps({"id": 1, "epoch": 1, "input": "Q", "target": "18", "output": SAID} | sample).encode()
    return run_of(Stored(offset=0, data=data), task_of(header or HEADER, Options()))


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        ({}, ("stop", None)),
        ({"limit": {"type": "message", "limit": 50}}, ("stop", "message")),
        ({"limit": {"type": "operator", "limit": 1}}, ("stop", "operator")),
        ({"limit": {"type": "context", "limit": 1}}, ("model_length", None)),
        ({"output": {"choices": []}}, (None, None)),
        (
            {
                "output": {
                    "choices": [
                        {
                            "stop_reason": "max_tokens",
                            "message": {"content": [{"type": "text", "text": "No", "refusal": True}]},
                        }
                    ]
                }
            },
            ("max_tokens", None),
        ),
        (
            {
                "output": {
                    "choices": [
                        {
                            "stop_reason": "stop",
                            "message": {"content": [{"type": "text", "text": "No", "refusal": True}]},
                        }
                    ]
                }
            },
            ("refusal", None),
        ),
    ],
)
def test_limits_of_the_harness_stand_apart_from_the_last_call(
    sample: dict[str, Any], expected: tuple[str | None, str | None]
) -> None:
    found = run(sample)
    assert (found.finish_reason, found.agent_limit) == expected


@pytest.mark.parametrize(
    ("sample", "status", "error"),
    [
        ({}, Status.OK, None),
        ({"error": {"message": "RuntimeError('x')"}}, Status.ERROR, "RuntimeError"),
        ({"error": {"message": "httpx.ReadTimeout()"}}, Status.ERROR, "httpx.ReadTimeout"),
        ({"error": {"message": "it broke"}}, Status.ERROR, "error"),
        ({"error": "it broke"}, Status.ERROR, "error"),
        ({"error": {"message": "CancelledError()"}}, Status.CANCELLED, "CancelledError"),
        ({"error": {"message": "E()"}, "invalidation": {"author": "ann"}}, Status.INVALIDATED, "E"),
        ({"excluded": {"author": "ann"}}, Status.EXCLUDED, None),
        ({"error": {"message": "E()"}, "zeroed": {"author": "ann"}}, Status.OK, "E"),
    ],
)
def test_corrections_outrank_errors(sample: dict[str, Any], status: Status, error: str | None) -> None:
    found = run(sample)
    assert (found.status, found.error_type) == (status, error)


def test_an_invalidated_log_invalidates_only_the_samples_it_marks() -> None:
    assert run({}, HEADER | {"invalidated": True}).status is Status.OK


def test_numbers_are_axes_and_short_texts_are_tags() -> None:
    metadata = {
        "depth": 3,
        "rho": 0.5,
        "hard": True,
        "nan": float("nan"),
        "topic": "sums",
        "long": "x" * 201,
        "list": [1],
        "none": None,
    }
    found = run({"metadata": metadata})
    assert found.axes == {"depth": 3.0, "rho": 0.5}
    assert found.tags == {"topic": "sums"}


def test_several_targets_stay_apart() -> None:
    assert run({"target": ["a, b", "c"]}).gold == f"a, b{TARGETS}c"
    assert run({"target": ""}).gold is None
    assert run({"target": []}).gold is None


def test_the_question_is_the_last_message_of_the_user() -> None:
    asked = [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "Q1"},
        {"role": "assistant", "content": "A"},
        {"role": "user", "content": "Q2"},
    ]
    found = run({"input": asked})
    assert (found.question, found.prompt) == ("Q2", "S\n\nQ1\n\nA\n\nQ2")
    assert run({"input": [{"role": "system", "content": "S"}]}).question is None


def test_wall_time_comes_before_working_time() -> None:
    assert (
        run({"total_time": 2, "working_time": 1}).latency_seconds,
        run({"total_time": 2}).latency_kind,
    ) == (2.0, "wall")
    assert (run({"working_time": 1}).latency_seconds, run({"working_time": 1}).latency_kind) == (
        1.0,
        "working",
    )
    assert (run({}).latency_seconds, run({}).latency_kind) == (None, None)


@pytest.mark.parametrize(("epoch", "attempt"), [(1, "1"), (12, "12"), (None, None)])
def test_the_epoch_is_the_attempt(epoch: Any, attempt: str | None) -> None:
    assert run({"epoch": epoch}).attempt == attempt


@pytest.mark.parametrize("epoch", [1.5, 1.0, True, "1", [1]])
def test_a_mean_over_epochs_is_no_run(epoch: Any) -> None:
    with pytest.raises(LogError, match="epoch: found"):
        run({"epoch": epoch})


@pytest.mark.parametrize(
    ("sample", "day"),
    [
        ({}, 2),
        ({"invalidation": {"timestamp": "2026-01-05T00:00:00Z"}}, 5),
        ({"zeroing": {"timestamp": "2026-01-06T00:00:00Z"}}, 6),
        (
            {
                "scores": {
                    "m": {
                        "value": "C",
                        "history": [{"value": "I"}, {"provenance": {"timestamp": "2026-01-07T00:00:00Z"}}],
                    }
                }
            },
            7,
        ),
        (
            {
                "events": [
                    {"event": "score", "timestamp": "2026-01-08T00:00:00.9Z"},
                    {"event": "model", "timestamp": "2026-01-09T00:00:00Z"},
                ]
            },
            8,
        ),
        ({"invalidation": {"timestamp": "2026-01-01T00:00:00Z"}}, 2),
    ],
)
def test_the_latest_stamp_is_the_version(sample: dict[str, Any], day: int) -> None:
    assert run(sample).log_version == datetime(2026, 1, day, tzinfo=timezone.utc)


def test_an_attempt_made_anew_in_the_second_of_its_correction_is_the_later_one() -> None:
    """The completion of a log is stamped to the second, that of a sample to the microsecond."""
    header = {**HEADER, "stats": {"completed_at": "2026-01-02T00:00:05Z"}}
    by_hand = {"provenance": {"author": "bob", "timestamp": "2026-01-02T00:00:05.4Z"}}
    corrected = run({"completed_at": "2026-01-02T00:00:05.2Z", "invalidation": by_hand["provenance"]}, header)
    anew = run({"completed_at": "2026-01-02T00:00:05.9Z"}, header)
    assert corrected.log_version is not None
    assert anew.log_version is not None
    assert corrected.log_version < anew.log_version


def test_without_completion_the_sample_then_the_start_tell_the_version() -> None:
    crashed = {"eval": HEADER["eval"]}
    assert run({"completed_at": "2026-01-03T00:00:00Z"}, crashed).log_version == datetime(
        2026, 1, 3, tzinfo=timezone.utc
    )
    assert run({}, crashed).log_version == datetime(2026, 1, 1, tzinfo=timezone.utc)


def test_only_a_whole_text_without_usage_may_be_counted() -> None:
    silent = SAID | {"usage": None}
    assert run({"output": silent}).estimable
    assert not run({}).estimable
    hidden = HEADER | {"eval": HEADER["eval"] | {"model": "openai/o3"}}
    task = task_of(hidden, Options(hidden_trace_models=(r"(^|/)o3",)))
    data = json.dumps({"id": 1, "epoch": 1, "output": silent}).encode()
    assert not run_of(Stored(offset=0, data=data), task).estimable
    assert not run({"output": silent, "limit": {"type": "time"}}).estimable


def test_retries_of_a_sample_are_counted() -> None:
    assert run({"error_retries": [{"message": "a"}, {"message": "b"}]}).n_retries == 2
    assert run({"error_retries": None}).n_retries == 0
