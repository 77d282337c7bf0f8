"""What logged answers of OpenAI-compatible servers give, alone or with their requests."""

from __future__ import annotations

import gzip
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers import Entry, Mapped, Options, Rejected, detect, registry
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.openai_live import READER
from effspark.runs.record import LoggedRun, Status
from tests.core.readers import small_logs

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
REQUEST = {"model": "o4-mini", "messages": [{"role": "user", "content": "9 * 2?"}], "max_tokens": 64}
SGLANG = {"text": "18", "meta_info": {"id": "r1", "finish_reason": {"type": "stop"}, "completion_tokens": 2}}
FAILED = {
    "custom_id": "q1",
    "request": REQUEST,
    "response": None,
    "error": {"code": "late", "message": "Late."},
}


def chat(
    text: str = "18", *, name: str | None = "chatcmpl-1", model: str | None = "o4", **usage: Any
) -> dict[str, Any]:
    return {
        "id": name,
        "object": "chat.completion",
        "created": 1764445002,
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": text}}],
        "usage": {"prompt_tokens": 98, "completion_tokens": 2, "total_tokens": 100, **usage},
    }


def response(text: str = "18") -> dict[str, Any]:
    output = [{"type": "message", "content": [{"type": "output_text", "text": text}]}]
    return {"id": "resp_1", "object": "response", "status": "completed", "model": "gpt-5", "output": output}


def log_of(path: Path, start: int = 0, end: int | None = None) -> Log:
    return Log(str(path), path.stat().st_size, NOW, start, end)


def written(folder: Path, *rows: Any, name: str = "calls.jsonl") -> Path:
    path = folder / name
    texts = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("\n".join(texts) + "\n", "utf-8")
    return path


def listed(folder: Path, *rows: Any, indent: int | None = None) -> Path:
    path = folder / "calls.json"
    path.write_text(json.dumps(rows, indent=indent), "utf-8")
    return path


def read(path: Path, **options: Any) -> list[Entry]:
    return list(READER.read(log_of(path), Options(**options)))


def runs(path: Path, **options: Any) -> list[LoggedRun]:
    return [run for entry in read(path, **options) if isinstance(entry, Mapped) for run in entry.runs]


def staged(path: Path, kind: str) -> list[dict[str, Any]]:
    return small_logs.staged(READER, path, kind, benchmark="b")


@pytest.mark.parametrize(
    ("row", "confidence"),
    [
        (chat(), 0.8),
        (response(), 0.8),
        (SGLANG, 0.8),
        ({"model": "m", "choices": [{"message": {"content": "18"}}]}, 0.8),
        ({"id": 1, "request": REQUEST, "response": chat()}, 0.8),
        ({"response": [SGLANG, SGLANG]}, 0.8),
        ({"custom_id": "q1", "response": chat()}, 0.97),
        (FAILED, 0.97),
    ],
)
def test_answers_are_known_by_their_fields_in_lines_and_in_a_list(
    row: dict[str, Any], confidence: float, tmp_path: Path
) -> None:
    assert READER.detect(log_of(written(tmp_path, "{half a row", row))) == confidence
    for indent in (None, 2):
        log = log_of(listed(tmp_path, row, row, indent=indent))
        assert READER.detect(log) == confidence
        assert detect(log) is READER


@pytest.mark.parametrize(
    "row",
    [
        {"custom_id": "q1", "response": {"status_code": 200, "body": chat()}, "error": None},
        {"custom_id": "q1", "method": "POST", "url": "/v1/chat/completions", "body": REQUEST},
        {"custom_id": "q1", "result": {"type": "succeeded", "message": {}}},
        {"key": "q1", "response": {"candidates": []}},
        {"id": "v1", "object": "interaction", "steps": []},
        {"choices": [{"message": "18"}], "model": "m"},
        {"choices": [{"index": 0, "turns": ["18"]}], "model": "m"},
        {"meta_info": {"id": 3}, "text": "18"},
        {"request": {"model": "m"}, "error": "late"},
        {"object": "list", "data": []},
        "[]",
        "id,object,choices",
        "",
    ],
)
def test_rows_of_other_formats_are_not_claimed(row: Any, tmp_path: Path) -> None:
    assert READER.detect(log_of(written(tmp_path, row))) == 0


def test_a_first_record_longer_than_the_head_is_known_by_its_first_names(tmp_path: Path) -> None:
    for path in (written(tmp_path, chat("9" * HEAD_BYTES)), listed(tmp_path, response("9" * HEAD_BYTES))):
        assert READER.detect(log_of(path)) == 0.5
    assert READER.detect(log_of(written(tmp_path, {"text": "9" * HEAD_BYTES}))) == 0


def test_it_claims_none_of_the_sample_logs(samples: Path) -> None:
    logs = [log_of(path) for path in sorted((samples / "logs").rglob("*")) if path.is_file()]
    assert len(logs) > 80
    assert [log.uri for log in logs if READER.detect(log) > 0] == []


def test_the_sample_batch_read_as_live_answers_gives_the_same_counts(samples: Path, tmp_path: Path) -> None:
    lines = (samples / "logs" / "openai_batch" / "chat_output.jsonl").read_text("utf-8").splitlines()
    path = written(tmp_path, *(json.loads(line)["response"]["body"] for line in lines))
    rivals = {
        name: reader.detect(log_of(path)) for name, reader in registry().items() if reader is not READER
    }
    assert READER.detect(log_of(path)) == 0.8
    assert set(rivals.values()) == {0}
    assert [
        (run.instance_id, run.finish_reason, run.usage.output, run.usage.reasoning) for run in runs(path)
    ] == [
        ("chatcmpl-2", "stop", 812, 704),
        ("chatcmpl-0", "stop", 211, 192),
        ("chatcmpl-1", "length", 4096, 4096),
        ("chatcmpl-3", "stop", 230, 192),
    ]


def test_a_body_alone_is_known_by_its_own_id(tmp_path: Path) -> None:
    (run,) = runs(written(tmp_path, chat()))
    assert (run.instance_id, run.attempt, run.record_id) == ("chatcmpl-1", "chatcmpl-1", "chatcmpl-1")
    assert (run.benchmark_id, run.verdicts) == ("unlabelled", ())
    assert runs(written(tmp_path, chat()), benchmark="gsm8k")[0].benchmark_id == "gsm8k"


def test_a_custom_id_names_instance_and_attempt(tmp_path: Path) -> None:
    (run,) = runs(written(tmp_path, {"custom_id": "q1", "id": 7, "response": chat()}))
    assert (run.instance_id, run.attempt, run.record_id) == ("q1", "q1", "q1")


def test_each_response_to_one_id_is_an_attempt(tmp_path: Path) -> None:
    rows = [{"id": 7, "response": chat(name=name)} for name in ("a", "b")]
    assert [(run.instance_id, run.attempt) for run in runs(written(tmp_path, *rows))] == [(7, "a"), (7, "b")]
    nameless = written(tmp_path, *({"id": 7, "response": chat(text, name=None)} for text in ("17", "18")))
    assert len({row["run_key"] for row in staged(nameless, "runs")}) == 2


def test_an_attempt_that_is_named_counts(tmp_path: Path) -> None:
    rows = [{"custom_id": "q1", "attempt": attempt, "response": chat()} for attempt in (0, "b")]
    assert [run.attempt for run in runs(written(tmp_path, *rows))] == ["0", "b"]
    (entry,) = read(written(tmp_path, {"custom_id": "q1", "attempt": 1.5, "response": chat()}))
    assert isinstance(entry, Rejected)
    assert entry.reason == "wrong_type"


def test_k_responses_of_one_record_are_k_runs(tmp_path: Path) -> None:
    found = runs(written(tmp_path, {"custom_id": "q1", "response": [chat("17"), chat("18")]}))
    assert [(run.attempt, run.answer, run.usage.output) for run in found] == [
        ("q1#0", "17", 2),
        ("q1#1", "18", 2),
    ]


def test_one_bad_response_of_k_refuses_the_record_with_its_whole_text(tmp_path: Path) -> None:
    row = {"custom_id": "q1", "response": [chat("17"), chat(18)]}  # type: ignore[arg-type]
    (entry,) = read(written(tmp_path, row))
    assert isinstance(entry, Rejected)
    assert (entry.reason, json.loads(entry.raw)) == ("wrong_type", row)


def test_a_request_tells_model_budget_and_prompt(tmp_path: Path) -> None:
    (run,) = runs(written(tmp_path, {"id": 1, "request": REQUEST, "response": chat(model="o4-2025")}))
    assert (run.configuration.request_model, run.response_model) == ("o4-mini", "o4-2025")
    assert (run.configuration.output_budget_tokens, run.prompt) == (64, "9 * 2?")


def test_a_model_beside_the_answer_names_it_where_nothing_else_does(tmp_path: Path) -> None:
    named = {"id": 1, "model": "m", "response": chat(model=None)}
    (run,) = runs(written(tmp_path, named))
    assert (run.configuration.request_model, run.response_model) == ("m", None)
    (entry,) = read(written(tmp_path, {**named, "model": None}))
    assert isinstance(entry, Rejected)
    assert entry.reason == "no_model"
    assert "add `model` to each record" in entry.detail


def test_a_call_that_failed_is_an_error_in_the_configuration_that_was_asked_for(tmp_path: Path) -> None:
    inside = {"custom_id": "q1", "request": REQUEST, "response": {"error": FAILED["error"]}}
    for row in (FAILED, inside):
        (run,) = runs(written(tmp_path, row))
        assert (run.status, run.error_type, run.error_message) == (Status.ERROR, "late", "Late.")
        assert (run.configuration.request_model, run.configuration.output_budget_tokens) == ("o4-mini", 64)
        assert run.usage.output is None


def test_a_failure_never_outranks_an_answer_to_the_same_request(tmp_path: Path) -> None:
    path = written(tmp_path, {"custom_id": "q1", "request": REQUEST, "response": chat()}, FAILED)
    ok, failed = staged(path, "runs")
    assert ok["run_key"] == failed["run_key"]
    assert failed["log_version"] < ok["log_version"]


@pytest.mark.parametrize(
    "row", [{"custom_id": "q1"}, {"id": 1, "response": "18"}, {"id": 1, "response": []}, {}]
)
def test_a_record_without_answer_is_refused(row: dict[str, Any], tmp_path: Path) -> None:
    (entry,) = read(written(tmp_path, row))
    assert isinstance(entry, Rejected)
    assert entry.reason == "invalid_record"


@pytest.mark.parametrize("value", ["12", -1, 1.5, True, 10**12, [12]])
def test_a_count_that_is_none_is_refused_not_read(value: Any, tmp_path: Path) -> None:
    path = written(tmp_path, chat(completion_tokens=value), chat(name="chatcmpl-2"))
    assert [row["reason"] for row in staged(path, "quarantine")] == ["invalid_record"]
    assert [row["instance_id"] for row in staged(path, "runs")] == ["chatcmpl-2"]


@pytest.mark.parametrize(
    "spoilt", [json.dumps(chat())[:-40], "[" * 100_000, '"text"', "17", '{"id": 1, "request": 3}']
)
def test_a_spoilt_row_is_refused_alone(spoilt: str, tmp_path: Path) -> None:
    path = written(tmp_path, chat(name="a"), spoilt, chat(name="b"))
    assert [row["instance_id"] for row in staged(path, "runs")] == ["a", "b"]
    (refused,) = staged(path, "quarantine")
    assert refused["reason"] in ("invalid_json", "wrong_type")


def test_lines_and_list_compressed_or_not_give_the_same_runs(tmp_path: Path) -> None:
    rows = [chat(name="a"), {"custom_id": "é", "response": response()}]
    plain, whole = written(tmp_path, *rows), listed(tmp_path, *rows, indent=1)
    keys = [row["run_key"] for row in staged(plain, "runs")]
    assert len(set(keys)) == 2
    assert [row["run_key"] for row in staged(whole, "runs")] == keys
    whole.write_bytes(gzip.compress(whole.read_bytes()))
    assert [row["run_key"] for row in staged(whole, "runs")] == keys


def test_a_list_that_is_cut_gives_its_whole_records_and_tells(tmp_path: Path) -> None:
    path = listed(tmp_path, chat(name="a"), chat(name="b"))
    path.write_bytes(path.read_bytes()[:-30])
    entries = READER.read(log_of(path), Options())
    assert isinstance(next(entries), Mapped)
    with pytest.raises(LogError, match="the rest of the file cannot be read"):
        next(entries)


@pytest.mark.parametrize("write", [written, listed])
def test_ranges_of_a_file_give_each_record_once(write: Any, tmp_path: Path) -> None:
    path = write(tmp_path, *(chat(name=name) for name in "abc"))
    size = path.stat().st_size
    for cut in range(1, size, 11):
        entries = [
            entry
            for start, end in ((0, cut), (cut, size))
            for entry in READER.read(log_of(path, start, end), Options())
        ]
        assert [entry.runs[0].attempt for entry in entries if isinstance(entry, Mapped)] == ["a", "b", "c"]


@pytest.mark.parametrize("model", [True, 7, ["o4"], {"name": "o4"}])
@pytest.mark.parametrize("response", [chat(model=None), SGLANG])
def test_a_model_asked_for_that_is_no_text_refuses_its_record(
    model: Any, response: Any, tmp_path: Path
) -> None:
    row = {"custom_id": "q1", "request": {**REQUEST, "model": model}, "response": response}
    path = written(tmp_path, row, {**row, "custom_id": "q2", "request": REQUEST})
    (refused,) = staged(path, "quarantine")
    assert (refused["reason"], refused["source_offset"]) == ("invalid_record", 0)
    assert "request_model: found" in refused["detail"]
    assert [run["instance_id"] for run in staged(path, "runs")] == ["q2"]
