from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import zstandard

from effspark.readers import Entry, Mapped, NotSelected, Options, Rejected, lines
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.openai_batch import READER
from effspark.runs.record import Status
from tests.core.readers.small_logs import staged

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "logs"
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
INPUT = '{"custom_id": "q1", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "o4-mini"}}'
EXPIRED = '{"custom_id": "q1", "response": null, "error": {"code": "batch_expired", "message": "late"}}'


def answer(custom_id: Any = "q1", *, model: str | None = "o4-mini", **usage: Any) -> str:
    body = {
        "object": "chat.completion",
        "model": model,
        "created": 1764445002,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "18"}}],
        "usage": usage or None,
    }
    row = {"custom_id": custom_id, "response": {"status_code": 200, "body": body}, "error": None}
    return json.dumps(row)


def log_of(path: Path, start: int = 0, end: int | None = None) -> Log:
    return Log(str(path), path.stat().st_size, NOW, start, end)


def written(folder: Path, *rows: str, name: str = "output.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def read(path: Path, **options: Any) -> list[Entry]:
    return list(READER.read(log_of(path), Options(**options)))


def reasons(path: Path) -> list[str]:
    """What becomes of each record once its runs are built: the reason of refusal, or `run`."""
    refused = {row["source_offset"]: row["reason"] for row in rows_of(path, "quarantine")}
    ran = {row["source_offset"]: "run" for row in rows_of(path, "runs")}
    return [reason for _, reason in sorted({**refused, **ran}.items())]


def rows_of(path: Path, kind: str) -> list[dict[str, Any]]:
    return staged(READER, path, kind, benchmark="b")


def run_keys(path: Path) -> list[str]:
    return [row["run_key"] for row in rows_of(path, "runs")]


@pytest.mark.parametrize("row", [answer(), EXPIRED, INPUT])
def test_output_error_and_input_files_are_known_by_their_rows(row: str, tmp_path: Path) -> None:
    assert READER.detect(log_of(written(tmp_path, row))) == 0.95
    assert READER.detect(log_of(written(tmp_path, "{half a row", row))) == 0.95


@pytest.mark.parametrize(
    "row",
    [
        '{"custom_id": "q1", "result": {"type": "succeeded", "message": {}}}',
        '{"custom_id": "q1", "params": {"model": "claude"}}',
        '{"key": "q1", "response": {"candidates": []}}',
        '{"custom_id": "q1", "response": "18", "error": null}',
        "[]",
        "custom_id,response",
        "",
    ],
)
def test_rows_of_other_formats_are_not_claimed(row: str, tmp_path: Path) -> None:
    assert READER.detect(log_of(written(tmp_path, row))) == 0


def test_a_first_row_longer_than_the_head_is_known_by_its_names(tmp_path: Path) -> None:
    long = answer().replace("18", "9" * HEAD_BYTES)
    assert READER.detect(log_of(written(tmp_path, long))) == 0.6
    assert READER.detect(log_of(written(tmp_path, '{"text": "' + "9" * HEAD_BYTES + '"}'))) == 0


def test_the_sample_files_alone_are_claimed_among_all_formats() -> None:
    if not SHARED.is_dir():
        pytest.skip("no shared data")
    claimed = {
        path.relative_to(SHARED).as_posix()
        for path in SHARED.rglob("*.json*")
        if path.is_file() and READER.detect(log_of(path)) > 0
    }
    assert {name for name in claimed if name.startswith("openai_batch/")} == {
        "openai_batch/chat_output.jsonl",
        "openai_batch/error_file.jsonl",
        "openai_batch/responses_output.jsonl",
    }
    assert not [name for name in claimed if not name.startswith("openai_batch/")]


def test_a_batch_is_unlabelled_unless_named(tmp_path: Path) -> None:
    path = written(tmp_path, answer())
    for options, name in (({}, "unlabelled"), ({"benchmark": "gsm8k"}, "gsm8k")):
        (entry,) = read(path, **options)
        assert isinstance(entry, Mapped)
        assert entry.runs[0].benchmark_id == name
        assert entry.runs[0].verdicts == ()


def test_requests_are_counted_and_not_selected(tmp_path: Path) -> None:
    assert read(written(tmp_path, INPUT, INPUT)) == [
        NotSelected(0, "batch request"),
        NotSelected(len(INPUT) + 1, "batch request"),
    ]


def test_a_failed_row_takes_its_model_from_the_input_file_beside_it(tmp_path: Path) -> None:
    path = written(tmp_path, EXPIRED, name="error.jsonl")
    (alone,) = read(path)
    assert isinstance(alone, Rejected)
    assert alone.reason == "no_model"
    assert "put the batch input file into the same folder" in alone.detail
    (tmp_path / "input.jsonl.gz").write_bytes(gzip.compress(INPUT.encode()))
    (entry,) = read(path)
    assert isinstance(entry, Mapped)
    (run,) = entry.runs
    assert (run.configuration.request_model, run.response_model) == ("o4-mini", None)
    assert (run.status, run.error_type, run.error_message) == (Status.ERROR, "batch_expired", "late")
    assert run.usage.output is None


def test_a_custom_id_of_two_models_gives_none(tmp_path: Path) -> None:
    written(tmp_path, INPUT, INPUT, name="a.jsonl")
    path = written(tmp_path, EXPIRED, name="error.jsonl")
    assert isinstance(read(path)[0], Mapped)
    written(tmp_path, INPUT.replace("o4-mini", "gpt-4o"), name="b.jsonl")
    (entry,) = read(path)
    assert isinstance(entry, Rejected)
    assert "2 different requests of it" in entry.detail


@pytest.mark.parametrize("other", [True, "1", 2, [1]])
def test_which_of_two_files_of_requests_is_read_first_decides_nothing(other: Any, tmp_path: Path) -> None:
    def asked(temperature: Any) -> str:
        said = {"model": "o3", "temperature": temperature, "max_output_tokens": 64}
        return json.dumps({"custom_id": "q1", "url": "/v1/responses", "body": said})

    path = written(tmp_path, EXPIRED, name="error.jsonl")
    written(tmp_path, asked(1), name="a.jsonl")
    written(tmp_path, asked(1.0).replace("64", "64.0"), name="c.jsonl")
    assert reasons(path) == ["run"]
    for names in (("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl")):
        for name, temperature in zip(names, (1, other), strict=True):
            written(tmp_path, asked(temperature), name=name)
        assert reasons(path) == ["no_model"]


def request(url: str = "/v1/chat/completions", **said: Any) -> str:
    return json.dumps({"custom_id": "q1", "url": url, "body": {"model": "o4-mini", **said}})


SETTINGS = {"max_completion_tokens": 64, "temperature": 1, "reasoning_effort": "high"}


def test_answers_and_failures_of_a_batch_are_of_the_model_that_was_asked_for(tmp_path: Path) -> None:
    written(tmp_path, request(**SETTINGS), name="input.jsonl")
    rows = [answer(model="o4-mini-2025-04-16"), EXPIRED]
    ok, failed = rows_of(written(tmp_path, *rows), "runs")
    assert (ok["request_model"], ok["response_model"]) == ("o4-mini", "o4-mini-2025-04-16")
    names = (
        "config_id",
        "family_id",
        "eval_run_id",
        "output_budget_tokens",
        "temperature",
        "reasoning_effort",
    )
    assert [ok[name] for name in names[3:]] == [64, 1.0, "high"]
    assert [ok[name] for name in names] == [failed[name] for name in names]


def test_what_identifies_a_run_depends_on_no_second_file(tmp_path: Path) -> None:
    path = written(tmp_path, answer(model="o4-mini-2025-04-16"), answer("q2", model=None), "{")
    before = run_keys(path)
    written(tmp_path, request(**SETTINGS), name="input.jsonl")
    assert run_keys(path) == before
    assert [type(entry) for entry in read(path)] == [Mapped, Rejected, Rejected]


def test_a_success_of_a_later_batch_still_replaces_the_failure_of_the_same_request(tmp_path: Path) -> None:
    written(tmp_path, request(**SETTINGS), name="input.jsonl")
    (failed,) = run_keys(written(tmp_path, EXPIRED, name="error.jsonl"))
    assert run_keys(written(tmp_path, answer())) == [failed]


@pytest.mark.parametrize("asked", ["gpt-4o", "o4", "o4-mini-2025-01-01"])
def test_an_answer_of_another_model_than_its_custom_id_was_asked_of_keeps_its_own(
    asked: str, tmp_path: Path
) -> None:
    written(tmp_path, request(model=asked, max_tokens=64), name="input.jsonl")
    (run,) = rows_of(written(tmp_path, answer(model="o4-mini-2025-04-16")), "runs")
    assert (run["request_model"], run["output_budget_tokens"]) == ("o4-mini-2025-04-16", None)


def test_an_answer_whose_custom_id_was_asked_twice_keeps_its_own_settings(tmp_path: Path) -> None:
    written(tmp_path, request(max_tokens=64), request(max_tokens=65), name="input.jsonl")
    ok, failed = rows_of(written(tmp_path, answer(), EXPIRED), "runs")
    assert (ok["request_model"], ok["output_budget_tokens"]) == ("o4-mini", None)
    assert (failed["request_model"], failed["output_budget_tokens"]) == ("o4-mini", None)


def test_the_files_beside_a_log_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    whole = Log.lines

    def counted(log: Log) -> Iterator[lines.Line]:
        opened.append(log.uri)
        return whole(log)

    written(tmp_path, INPUT, name="input.jsonl")
    written(tmp_path, answer(), name="output.jsonl")
    path = written(tmp_path, EXPIRED, EXPIRED, EXPIRED, name="error.jsonl")
    monkeypatch.setattr(Log, "lines", counted)
    assert [type(entry) for entry in read(path)] == [Mapped] * 3
    assert opened == [str(path), str(tmp_path / "input.jsonl")]


def test_a_response_without_answer_or_error_is_no_run(tmp_path: Path) -> None:
    row = '{"custom_id": "q1", "response": {"status_code": 200, "body": null}, "error": null}'
    (entry,) = read(written(tmp_path, row))
    assert isinstance(entry, Rejected)
    assert entry.reason == "no_model"


def test_an_error_row_of_another_server_keeps_its_model(tmp_path: Path) -> None:
    row = (
        '{"custom_id": "q1", "response": {"status_code": 400, "body": {"model": "qwq", "error": "too long"}},'
        ' "error": null}'
    )
    (entry,) = read(written(tmp_path, row))
    assert isinstance(entry, Mapped)
    (run,) = entry.runs
    assert (run.configuration.request_model, run.error_type, run.error_message) == ("qwq", "400", "too long")


@pytest.mark.parametrize("custom_id", [None, True, 1.5, ["q1"], {"q": 1}, "", " "])
def test_a_custom_id_that_names_nothing_is_refused(custom_id: Any, tmp_path: Path) -> None:
    assert reasons(written(tmp_path, answer(custom_id), answer("q2"))) == ["invalid_record", "run"]


def test_a_whole_number_is_a_custom_id(tmp_path: Path) -> None:
    (entry,) = read(written(tmp_path, answer(7)))
    assert isinstance(entry, Mapped)
    assert (entry.runs[0].instance_id, entry.runs[0].attempt) == (7, "7")


@pytest.mark.parametrize("count", ["12", -1, 1.5, True, 10**12, 10**30, [12]])
def test_a_count_that_is_none_is_refused_not_read(count: Any, tmp_path: Path) -> None:
    assert reasons(written(tmp_path, answer(completion_tokens=count), answer("q2"))) == [
        "invalid_record",
        "run",
    ]


@pytest.mark.parametrize(
    "spoilt",
    [
        answer()[:-40],
        answer().replace("null", "NaN"),
        "[" * 100_000,
        '"text"',
        "17",
        answer().replace('"18"', "18"),
    ],
)
def test_a_spoilt_row_is_refused_alone(spoilt: str, tmp_path: Path) -> None:
    found = reasons(written(tmp_path, answer("q0"), spoilt, answer("q2")))
    assert (found[0], found[2]) == ("run", "run")
    assert found[1] in ("invalid_json", "wrong_type")


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.encode("utf-16"),
        lambda text: gzip.compress(text.encode()),
        lambda text: zstandard.compress(text.encode()),
        lambda text: text.rstrip("\n").encode(),
        lambda text: f"\n\n{text}\n \n".encode(),
    ],
    ids=["byte order mark", "CRLF", "UTF-16", "gzip", "zstd", "no last line end", "empty lines"],
)
def test_the_same_rows_are_the_same_runs_however_they_are_stored(encode: Any, tmp_path: Path) -> None:
    path = written(tmp_path, answer("q1"), answer("é"))
    plain = run_keys(path)
    path.write_bytes(encode(path.read_text("utf-8")))
    assert READER.detect(log_of(path)) == 0.95
    assert run_keys(path) == plain
    assert len(set(plain)) == 2


def test_lines_that_cannot_be_read_are_refused_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 1000)
    path = tmp_path / "output.jsonl"
    rows = [
        answer("q1").encode(),
        b'{"custom_id": "\xff"}',
        answer("x" * 1000).encode(),
        answer("q2").encode(),
    ]
    path.write_bytes(b"\n".join(rows))
    assert reasons(path) == ["run", "invalid_utf8", "line_too_long", "run"]


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


def test_the_same_request_of_a_later_batch_is_the_same_run(tmp_path: Path) -> None:
    first = written(tmp_path, answer("q1"), name="a.jsonl")
    later = written(tmp_path, answer("q1").replace("1764445002", "1764449999"), name="b.jsonl")
    assert run_keys(first) == run_keys(later)


def test_a_temperature_beyond_the_range_of_a_float_costs_one_record(tmp_path: Path) -> None:
    row = json.loads(answer())
    row["response"]["body"]["temperature"] = 10**400
    assert reasons(written(tmp_path, json.dumps(row), answer("q2"))) == ["invalid_record", "run"]


def test_an_answer_cut_inside_a_character_is_a_run_like_others(tmp_path: Path) -> None:
    row = json.loads(answer("cut \ud83d"))
    row["response"]["body"]["choices"][0]["message"]["content"] = "cut \ud83d"
    path = written(tmp_path, json.dumps(row))
    assert READER.detect(log_of(path)) == 0.95
    assert reasons(path) == ["run"]
    (entry,) = read(path)
    assert isinstance(entry, Mapped)
    assert entry.runs[0].answer == "cut \ufffd"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"object": "error", "message": "too long", "type": "BadRequestError", "code": None}, None),
        ({"error": {"message": "too long", "type": "BadRequestError"}}, None),
        ({"error": {"message": "too long", "type": "BadRequestError"}}, {}),
        (None, {"error": {"message": "too long", "type": "BadRequestError"}}),
    ],
)
@pytest.mark.parametrize("status", [200, 400])
def test_an_error_keeps_type_and_message_wherever_a_server_nests_it(
    body: Any, error: Any, status: int, tmp_path: Path
) -> None:
    written(tmp_path, INPUT, name="input.jsonl")
    row = {"custom_id": "q1", "response": {"status_code": status, "body": body}, "error": error}
    (entry,) = read(written(tmp_path, json.dumps(row)))
    assert isinstance(entry, Mapped)
    (run,) = entry.runs
    assert (run.status, run.error_type, run.error_message) == (Status.ERROR, "BadRequestError", "too long")


@pytest.mark.parametrize("row", [{"response": {}}, {"response": {"text": "18"}}, {"error": {"reason": "x"}}])
def test_an_id_and_an_object_alone_are_no_batch(row: dict[str, Any], tmp_path: Path) -> None:
    assert READER.detect(log_of(written(tmp_path, json.dumps({"custom_id": "q1", **row})))) == 0.0
