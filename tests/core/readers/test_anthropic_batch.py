"""What files of Anthropic's Message Batches give, line by line."""

from __future__ import annotations

import gzip
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark.readers import Entry, Mapped, NotSelected, Options, Rejected, registry
from effspark.readers.anthropic_batch import READER
from effspark.readers.files import HEAD_BYTES, Log
from effspark.runs.record import Status, Visibility
from tests.core.readers import small_logs

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
REQUEST = '{"custom_id": "q1", "params": {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": []}}'
EXPIRED = '{"custom_id": "q1", "result": {"type": "expired"}}'


def answer(custom_id: Any = "q1", *, model: str | None = "claude-sonnet-4-5", **usage: Any) -> str:
    message = {
        "model": model,
        "content": [{"type": "text", "text": "18"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 41, "output_tokens": 165, **usage},
    }
    return json.dumps({"custom_id": custom_id, "result": {"type": "succeeded", "message": message}})


def log_of(path: Path, start: int = 0, end: int | None = None) -> Log:
    return Log(str(path), path.stat().st_size, NOW, start, end)


def written(folder: Path, *rows: str, name: str = "results.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def read(path: Path, **options: Any) -> list[Entry]:
    return list(READER.read(log_of(path), Options(**options)))


def staged(path: Path, kind: str) -> list[dict[str, Any]]:
    return small_logs.staged(READER, path, kind, benchmark="b")


@pytest.mark.parametrize("row", [answer(), EXPIRED, REQUEST])
def test_files_of_results_and_of_requests_are_known_by_their_rows(row: str, tmp_path: Path) -> None:
    assert READER.detect(log_of(written(tmp_path, row))) == 0.95
    assert READER.detect(log_of(written(tmp_path, "{half a row", row))) == 0.95


@pytest.mark.parametrize(
    "row",
    [
        '{"custom_id": "q1", "response": {"status_code": 200, "body": {}}, "error": null}',
        '{"custom_id": "q1", "method": "POST", "url": "/v1/responses", "body": {"model": "o1"}}',
        '{"custom_id": "q1", "result": {"type": "processing"}}',
        '{"custom_id": "q1", "result": "succeeded"}',
        '{"id": "q1", "result": {"type": "succeeded"}}',
        '{"key": "q1", "response": {"candidates": []}}',
        "[]",
        "custom_id,result",
        "",
    ],
)
def test_rows_of_other_formats_are_not_claimed(row: str, tmp_path: Path) -> None:
    assert READER.detect(log_of(written(tmp_path, row))) == 0


def test_a_first_row_longer_than_the_head_is_known_by_its_names(tmp_path: Path) -> None:
    assert READER.detect(log_of(written(tmp_path, answer().replace("18", "9" * HEAD_BYTES)))) == 0.6
    assert READER.detect(log_of(written(tmp_path, '{"text": "' + "9" * HEAD_BYTES + '"}'))) == 0


def test_of_all_sample_logs_it_claims_its_own_and_no_other_reader_does(samples: Path) -> None:
    logs = [log_of(path) for path in sorted((samples / "logs").rglob("*")) if path.is_file()]
    claimed = [log for log in logs if READER.detect(log) > 0]
    assert [Path(log.uri).parent.name for log in claimed] == ["anthropic_batch"]
    rivals = {name: reader.detect(claimed[0]) for name, reader in registry().items() if reader is not READER}
    assert set(rivals.values()) == {0}


def test_the_sample_results_become_the_runs_they_show(samples: Path) -> None:
    entries = read(samples / "logs" / "anthropic_batch" / "results.jsonl")
    runs = [run for entry in entries if isinstance(entry, Mapped) for run in entry.runs]
    assert [(run.instance_id, run.finish_reason) for run in runs] == [
        ("gsm8k-0__r0", "end_turn"),
        ("gsm8k-1__r0", "max_tokens"),
        ("long-1__r0", "model_context_window_exceeded"),
    ]
    assert [(run.usage.input, run.usage.output, run.usage.reasoning) for run in runs] == [
        (2089, 165, 140),
        (2087, 4096, 4095),
        (191_048, 11_000, 0),
    ]
    assert {run.configuration.request_model for run in runs} == {"claude-sonnet-4-5-20250929"}
    assert [run.answer for run in runs] == ["18", None, "The answer would"]
    assert [run.trace_visibility for run in runs] == [Visibility.SUMMARY, Visibility.SUMMARY, Visibility.FULL]
    assert [entry.reason for entry in entries if isinstance(entry, Rejected)] == ["no_model"] * 3


def test_a_batch_is_unlabelled_unless_named(tmp_path: Path) -> None:
    path = written(tmp_path, answer())
    for options, name in (({}, "unlabelled"), ({"benchmark": "gsm8k"}, "gsm8k")):
        (entry,) = read(path, **options)
        assert isinstance(entry, Mapped)
        assert entry.runs[0].benchmark_id == name
        assert entry.runs[0].verdicts == ()


def test_requests_are_counted_and_not_selected(tmp_path: Path) -> None:
    assert read(written(tmp_path, REQUEST, REQUEST)) == [
        NotSelected(0, "batch request"),
        NotSelected(len(REQUEST) + 1, "batch request"),
    ]


def test_a_result_without_message_takes_its_model_from_the_requests_beside_it(tmp_path: Path) -> None:
    path = written(tmp_path, EXPIRED)
    (alone,) = read(path)
    assert isinstance(alone, Rejected)
    assert alone.reason == "no_model"
    assert "put the file of requests into the same folder" in alone.detail
    (tmp_path / "requests.jsonl.gz").write_bytes(gzip.compress(REQUEST.encode()))
    (entry,) = read(path)
    assert isinstance(entry, Mapped)
    (run,) = entry.runs
    assert (run.configuration.request_model, run.response_model) == ("claude-sonnet-4-5", None)
    assert (run.status, run.error_type, run.usage.output) == (Status.ERROR, "expired", None)


def test_a_custom_id_of_two_models_gives_none(tmp_path: Path) -> None:
    written(tmp_path, REQUEST, REQUEST, name="a.jsonl")
    path = written(tmp_path, EXPIRED)
    assert isinstance(read(path)[0], Mapped)
    written(tmp_path, REQUEST.replace("sonnet", "opus"), name="b.jsonl")
    (entry,) = read(path)
    assert isinstance(entry, Rejected)
    assert "2 models asked for it" in entry.detail


def test_a_failure_never_outranks_an_answer_to_the_same_request(tmp_path: Path) -> None:
    written(tmp_path, REQUEST, name="requests.jsonl")
    path = written(tmp_path, answer(), EXPIRED)
    ok, failed = staged(path, "runs")
    assert ok["run_key"] == failed["run_key"]
    assert (ok["status"], failed["status"]) == ("ok", "error")
    assert failed["log_version"] < ok["log_version"]


def test_messages_and_failures_of_a_batch_are_of_the_model_that_was_asked_for(tmp_path: Path) -> None:
    params = {"model": "claude-sonnet-4-5", "max_tokens": 4096, "thinking": {"budget_tokens": 2048}}
    path = written(tmp_path, answer(), EXPIRED.replace('"q1"', '"q2"'))
    bare = [row["run_key"] for row in staged(path, "runs")]
    requests = [json.dumps({"custom_id": name, "params": params}) for name in ("q1", "q2")]
    written(tmp_path, *requests, name="requests.jsonl")
    ok, failed = staged(path, "runs")
    assert [ok["run_key"]] == bare, "what identifies a run depends on no second file"
    assert (ok["request_model"], ok["output_budget_tokens"]) == ("claude-sonnet-4-5", 4096)
    assert (ok["config_id"], ok["reasoning_effort"]) == (failed["config_id"], "2048 tokens")


def test_cached_input_is_counted_once_as_input(tmp_path: Path) -> None:
    path = written(tmp_path, answer(cache_read_input_tokens=2048, cache_creation_input_tokens=None))
    (row,) = staged(path, "runs")
    assert (row["input_tokens"], row["cache_read_tokens"], row["cache_write_tokens"]) == (2089, 2048, None)
    assert row["total_tokens"] == 2089 + 165


@pytest.mark.parametrize("value", ["12", -1, 1.5, True, 10**12, [12]])
@pytest.mark.parametrize("name", ["input_tokens", "output_tokens", "cache_read_input_tokens"])
def test_a_count_that_is_none_is_refused_not_read(name: str, value: Any, tmp_path: Path) -> None:
    path = written(tmp_path, answer(**{name: value}), answer("q2"))
    assert [row["reason"] for row in staged(path, "quarantine")] == ["invalid_record"]
    assert [row["instance_id"] for row in staged(path, "runs")] == ["q2"]


@pytest.mark.parametrize(
    "spoilt", [answer()[:-40], answer().replace("165", "NaN"), "[" * 100_000, '"text"', "17", "{}"]
)
def test_a_spoilt_row_is_refused_alone(spoilt: str, tmp_path: Path) -> None:
    path = written(tmp_path, answer("q0"), spoilt, answer("q2"))
    assert [row["instance_id"] for row in staged(path, "runs")] == ["q0", "q2"]
    (refused,) = staged(path, "quarantine")
    assert refused["reason"] in ("invalid_json", "wrong_type", "invalid_record")


def test_ranges_of_a_file_give_each_row_once(tmp_path: Path) -> None:
    path = written(tmp_path, answer("q1"), answer("q2"), answer("q3"))
    size = path.stat().st_size
    for cut in range(1, size, 7):
        entries = [
            entry
            for start, end in ((0, cut), (cut, size))
            for entry in READER.read(log_of(path, start, end), Options())
        ]
        assert [entry.runs[0].attempt for entry in entries if isinstance(entry, Mapped)] == ["q1", "q2", "q3"]
