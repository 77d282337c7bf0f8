"""Rows of Every Eval Ever as runs."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark import readers
from effspark.readers import Entry, Mapped, NotSelected, Options, Rejected
from effspark.readers.every_eval_ever import READER
from effspark.readers.every_eval_ever_rows import verdict_of
from effspark.readers.every_eval_ever_shapes import Extracted, Judged, Row, Said
from effspark.readers.files import Log
from effspark.runs.record import LoggedRun, Status, Visibility
from effspark.runs.tokens import Usage
from tests.core.readers.small_logs import staged

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
COUNTS = {"input_tokens": 12, "output_tokens": 30, "total_tokens": 42}
SAMPLES = "every_eval_ever/f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40_samples.jsonl"
AGGREGATE = "every_eval_ever/f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40.json"


def extracted(text: str) -> list[dict[str, Any]]:
    return [{"turn_idx": 0, "source": "output.raw", "extracted_value": text, "is_terminal": True}]


def row(sample: Any = "q1", *, metric: str | None = "acc", **fields: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "e",
        "model_id": "org/m",
        "evaluation_name": "gsm8k",
        "evaluation_result_id": metric,
        "sample_id": sample,
        "input": {"raw": "9 * 2?", "reference": ["18"]},
        "output": {"raw": ["It is 18."]},
        "answer_attribution": extracted("18"),
        "evaluation": {"score": 1.0, "is_correct": True},
        "token_usage": COUNTS,
        **fields,
    }


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, NOW)


def written(folder: Path, *rows: Any) -> Path:
    path = folder / "samples.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    return path


def read(path: Path, **options: Any) -> list[Entry]:
    return list(READER.read(log_of(path), Options(**options)))


def runs(entries: list[Entry]) -> list[LoggedRun]:
    return [run for entry in entries if isinstance(entry, Mapped) for run in entry.runs]


def run_of(folder: Path, *, options: dict[str, Any] | None = None, **fields: Any) -> LoggedRun:
    (run,) = runs(read(written(folder, row(**fields)), **(options or {})))
    return run


def test_the_samples_alone_are_claimed_among_all_formats_and_their_schema_is_not(samples: Path) -> None:
    claimed = {
        path.relative_to(samples / "logs").as_posix()
        for path in (samples / "logs").rglob("*")
        if path.is_file() and READER.detect(log_of(path)) > 0
    }
    assert claimed == {SAMPLES, AGGREGATE}
    assert all(readers.detect(log_of(samples / "logs" / name)) is READER for name in claimed)


def test_the_sample_gives_its_run_and_its_aggregate_none(samples: Path) -> None:
    (run,) = runs(read(samples / "logs" / SAMPLES))
    assert run.usage == Usage(input=12, output=5, total=17)
    assert (run.instance_id, run.benchmark_id, run.gold) == ("demo_0001", "demo-source.demo_bench", "4")
    assert (run.question, run.prompt) == ("What is 2 + 2?", "Q: What is 2 + 2?\nA:")
    assert (run.answer, run.trace_visibility, run.tags) == (
        "The answer is 4.",
        Visibility.FULL,
        {"subject": "arithmetic"},
    )
    assert [(one.raw, one.value, one.extracted_answer) for one in run.verdicts] == [("1.0", 1.0, "4")]
    assert read(samples / "logs" / AGGREGATE) == [NotSelected(0, "aggregate results")]


def test_rows_of_one_sample_are_one_run_with_a_verdict_a_metric(tmp_path: Path) -> None:
    rows = [row(), row("q2"), row(metric="f1", evaluation={"score": 0.5, "is_correct": False})]
    found = runs(read(written(tmp_path, *rows)))
    assert [(run.instance_id, [(one.scorer, one.value) for one in run.verdicts]) for run in found] == [
        ("q1", [("acc", 1.0), ("f1", 0.5)]),
        ("q2", [("acc", 1.0)]),
    ]


def test_a_metric_that_sees_a_sample_again_sees_a_repeat(tmp_path: Path) -> None:
    rows = [row(), row(metric="f1"), row(), row(metric="f1"), row()]
    found = runs(read(written(tmp_path, *rows)))
    assert [(run.attempt, len(run.verdicts)) for run in found] == [("0", 2), ("1", 2), ("2", 1)]


def test_an_epoch_in_the_metadata_names_the_attempt_and_a_later_row_of_it_replaces_the_first(
    tmp_path: Path,
) -> None:
    rows = [row(metadata={"epoch": epoch, "stop_reason": "stop"}) for epoch in (1, "2", 1)]
    path = written(tmp_path, *rows)
    assert [run.attempt for run in runs(read(path))] == ["1", "2", "1"]
    keys = [one["run_key"] for one in staged(READER, path)]
    assert keys[0] == keys[2] != keys[1]


def test_filters_of_one_sample_are_scorers_of_one_run(tmp_path: Path) -> None:
    rows = [
        row(metric=None, evaluation_name=f"gsm8k/{name}", metadata={"filter": name})
        for name in ("strict-match", "flexible-extract")
    ]
    (run,) = runs(read(written(tmp_path, *rows)))
    assert run.benchmark_id == "gsm8k"
    assert [one.scorer for one in run.verdicts] == ["strict-match", "flexible-extract"]
    plain = run_of(tmp_path, metric=None, metadata={"filter": "none"})
    assert [one.scorer for one in plain.verdicts] == ["evaluation"]


def test_several_answers_are_runs_without_a_count_or_a_verdict_of_their_own(tmp_path: Path) -> None:
    (entry,) = read(written(tmp_path, row(output={"raw": ["18", None], "reasoning_trace": ["9 * 2"]})))
    assert isinstance(entry, Mapped)
    assert [(run.attempt, run.answer, run.reasoning, run.usage) for run in entry.runs] == [
        ("0#0", "18", "9 * 2", Usage()),
        ("0#1", None, None, Usage()),
    ]
    assert {one.value for run in entry.runs for one in run.verdicts} == {None}
    assert entry.runs[0].tags["usage_output_tokens"] == "30"


@pytest.mark.parametrize("name", ["messages", "interactions"])
def test_the_usage_of_a_conversation_is_that_of_its_last_call(name: str, tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "9 * 2?"}, {"role": "assistant", "content": "Wait."}]
    last = {"role": "assistant", "content": "18", "reasoning_trace": "9 * 2"}
    run = run_of(tmp_path, output=None, **{name: [*turns, last]})
    assert (run.answer, run.reasoning, run.usage) == ("18", "9 * 2", Usage())
    assert run.quality_flags == ("usage_of_last_call",)
    assert run.trace_visibility is Visibility.SUMMARY
    alone = run_of(tmp_path, output=None, **{name: turns})
    assert (alone.answer, alone.usage.output, alone.quality_flags) == ("Wait.", 30, ())


@pytest.mark.parametrize(
    ("output", "attribution", "visibility"),
    [
        ({"raw": ["It is 18."]}, extracted("18"), Visibility.FULL),
        ({"raw": "It is 18.", "reasoning_trace": "9 * 2"}, extracted("18"), Visibility.FULL),
        ({"raw": ["18"]}, extracted("18"), Visibility.SUMMARY),
        ({"raw": ["It is 18."]}, [], Visibility.SUMMARY),
        ({"raw": [""]}, [], Visibility.NONE),
        ({"raw": []}, [], Visibility.NONE),
    ],
)
def test_a_text_is_whole_only_where_what_was_extracted_differs_from_it(
    output: Any, attribution: Any, visibility: Visibility, tmp_path: Path
) -> None:
    run = run_of(tmp_path, output=output, answer_attribution=attribution, token_usage=None)
    assert (run.trace_visibility, run.estimable) == (visibility, visibility is Visibility.FULL)


def test_text_of_a_model_that_hides_its_reasoning_is_never_counted(tmp_path: Path) -> None:
    run = run_of(tmp_path, options={"hidden_trace_models": (r"/m$",)}, token_usage=None)
    assert (run.trace_visibility, run.estimable) == (Visibility.HIDDEN, False)


@pytest.mark.parametrize(
    ("performance", "seconds", "kind"),
    [
        ({"latency_ms": 900, "generation_time_ms": 1500}, 1.5, "working"),
        ({"latency_ms": 900}, 0.9, "wall"),
        ({"latency_ms": None}, None, None),
        (None, None, None),
    ],
)
def test_time_beside_generation_time_is_waiting(
    performance: Any, seconds: float | None, kind: str | None, tmp_path: Path
) -> None:
    run = run_of(tmp_path, performance=performance)
    assert (run.latency_seconds, run.latency_kind) == (seconds, kind)


def test_an_error_is_an_error_and_a_refusal_is_a_stop(tmp_path: Path) -> None:
    failed = run_of(tmp_path, error="timeout")
    assert (failed.status, failed.error_message, failed.finish_reason) == (Status.ERROR, "timeout", None)
    refused = run_of(tmp_path, error="refusal")
    assert (refused.status, refused.error_message, refused.finish_reason) == (Status.OK, None, "refusal")
    plain = run_of(tmp_path, error="", metadata={"stop_reason": ""})
    assert (plain.status, plain.error_message, plain.finish_reason) == (Status.OK, None, None)


@pytest.mark.parametrize(
    ("score", "is_correct", "value"),
    [
        (1, True, 1.0),
        (0.0, False, 0.0),
        (True, True, 1.0),
        (0.7, True, 0.7),
        (85, True, 1.0),
        (85, False, 0.0),
        (-3.5, True, 1.0),
        (1, False, None),
        (0, True, None),
        (None, True, 1.0),
        (None, None, None),
        (85, None, None),
    ],
)
def test_a_score_from_0_to_1_is_heard_and_any_other_by_what_is_said_of_it(
    score: Any, is_correct: bool | None, value: float | None
) -> None:
    found = verdict_of(Row(evaluation=Judged(score, is_correct)))
    assert found is not None
    assert found.value == value


def test_a_row_without_evaluation_has_no_verdict_and_the_terminal_extraction_is_the_answer() -> None:
    assert verdict_of(Row(output=Said("18"))) is None
    steps = [Extracted("9", False), Extracted("18", True), Extracted("x", False)]
    found = verdict_of(Row(evaluation=Judged(1, True), answer_attribution=steps))
    assert found is not None
    assert found.extracted_answer == "18"


def test_gold_is_a_text_or_several(tmp_path: Path) -> None:
    assert run_of(tmp_path, input={"raw": "9 * 2?", "reference": "18"}).gold == "18"
    assert run_of(tmp_path, input={"raw": "9 * 2?", "reference": ["18", "18.0"]}).gold == "18\x1f18.0"
    assert run_of(tmp_path, input={"raw": "9 * 2?", "reference": []}).gold is None


@pytest.mark.parametrize(
    ("bad", "reason"), [({"output": {"raw": 18}}, "wrong_type"), ({"error": ["x"]}, "wrong_type")]
)
def test_a_bad_row_is_refused_alone(bad: dict[str, Any], reason: str, tmp_path: Path) -> None:
    entries = read(written(tmp_path, row(**bad), row("q2")))
    assert len(runs(entries)) == 1
    (refused,) = [entry for entry in entries if isinstance(entry, Rejected)]
    assert (refused.reason, refused.offset) == (reason, 0)


def test_the_users_benchmark_stands_in_for_a_missing_name(tmp_path: Path) -> None:
    assert run_of(tmp_path, evaluation_name=None, options={"benchmark": "math"}).benchmark_id == "math"
    assert run_of(tmp_path, evaluation_name=None).benchmark_id == "unlabelled"
