"""What Gemini batch files give, line by line, in each dialect."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark.readers import Entry, Mapped, NotSelected, Options, Rejected, registry
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.gemini_batch import READER
from effspark.runs.record import LoggedRun, Status, Visibility
from tests.core.readers import small_logs

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
CONTENTS = {"contents": [{"role": "user", "parts": [{"text": "2 + 2?"}]}]}
REQUEST = json.dumps({"key": "q1", "request": CONTENTS})
FAILED = '{"key": "q2", "error": {"code": 8, "status": "RESOURCE_EXHAUSTED", "message": "later"}}'
INTERACTION = json.dumps(
    {"id": "v1", "object": "interaction", "model": "gemini-3", "status": "completed", "steps": []}
)


def response(text: str = "4", *, model: str | None = "gemini-2.0-flash", **usage: Any) -> dict[str, Any]:
    return {
        "candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}],
        "modelVersion": model,
        "usageMetadata": {"promptTokenCount": 98, "candidatesTokenCount": 6, **usage},
    }


def studio(key: Any = "q1", **fields: Any) -> str:
    return json.dumps({"key": key, "response": response(**fields)})


def vertex(**fields: Any) -> str:
    row = {"id": "q1", "request": CONTENTS, "status": "", "response": response()}
    return json.dumps({**row, "processed_time": "2026-02-01T10:00:05.25+00:00", **fields})


def log_of(path: Path, start: int = 0, end: int | None = None) -> Log:
    return Log(str(path), path.stat().st_size, NOW, start, end)


def written(folder: Path, *rows: str, name: str = "output.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def read(path: Path, **options: Any) -> list[Entry]:
    return list(READER.read(log_of(path), Options(**options)))


def runs(path: Path, **options: Any) -> list[LoggedRun]:
    return [run for entry in read(path, **options) if isinstance(entry, Mapped) for run in entry.runs]


def staged(path: Path, kind: str) -> list[dict[str, Any]]:
    return small_logs.staged(READER, path, kind, benchmark="b")


@pytest.mark.parametrize(
    "row",
    [
        studio(),
        FAILED,
        '{"key": "q1", "status": {"code": 8, "message": "RESOURCE_EXHAUSTED"}}',
        REQUEST,
        json.dumps({"request": CONTENTS}),
        vertex(),
        vertex(status='{"code": 3}', response={}),
        INTERACTION,
        json.dumps({"key": "q1", "response": json.loads(INTERACTION)}),
        '{"id": "v1", "outputs": [], "usage": {"total_output_tokens": 1}}',
    ],
)
def test_files_of_every_dialect_are_known_by_their_rows(row: str, tmp_path: Path) -> None:
    assert READER.detect(log_of(written(tmp_path, row))) == 0.95
    assert READER.detect(log_of(written(tmp_path, "{half a row", row))) == 0.95


@pytest.mark.parametrize(
    "row",
    [
        '{"custom_id": "q1", "response": {"status_code": 200, "body": {}}, "error": null}',
        '{"custom_id": "q1", "result": {"type": "succeeded", "message": {}}}',
        '{"key": "q1", "response": "18"}',
        '{"key": "q1", "error": "late"}',
        '{"key": "q1", "error": {"code": 8}, "score": 1}',
        '{"id": "r", "object": "response", "output": [], "usage": {"output_tokens": 1}}',
        '{"request": {"input": "2 + 2?"}, "response": {"output": []}}',
        '{"steps": [], "usage": {"output_tokens": 1}}',
        "[]",
        "key,response",
        "",
    ],
)
def test_rows_of_other_formats_are_not_claimed(row: str, tmp_path: Path) -> None:
    assert READER.detect(log_of(written(tmp_path, row))) == 0


def test_a_first_row_longer_than_the_head_is_known_by_its_names(tmp_path: Path) -> None:
    assert READER.detect(log_of(written(tmp_path, studio(text="9" * HEAD_BYTES)))) == 0.6
    assert READER.detect(log_of(written(tmp_path, '{"text": "' + "9" * HEAD_BYTES + '"}'))) == 0


def test_of_all_sample_logs_it_claims_its_own_and_no_other_reader_does(samples: Path) -> None:
    logs = [log_of(path) for path in sorted((samples / "logs").rglob("*")) if path.is_file()]
    claimed = [log for log in logs if READER.detect(log) > 0]
    assert [Path(log.uri).parent.name for log in claimed] == ["gemini_batch"]
    rivals = {name: reader.detect(claimed[0]) for name, reader in registry().items() if reader is not READER}
    assert set(rivals.values()) == {0}


def test_the_sample_output_becomes_the_runs_it_shows(samples: Path) -> None:
    found = runs(samples / "logs" / "gemini_batch" / "output.jsonl")
    assert [(run.instance_id, run.finish_reason) for run in found] == [
        ("gsm8k-0#0", "STOP"),
        ("gsm8k-1#0", "MAX_TOKENS"),
        ("gsm8k-2#0", "MAX_TOKENS"),
        ("gsm8k-3#0", None),
    ]
    assert [(run.usage.input, run.usage.output, run.usage.reasoning, run.usage.total) for run in found] == [
        (98, 6, 190, 294),
        (77, None, 4093, 4170),
        (77, 18, 478, 573),
        (None, None, None, None),
    ]
    assert [run.answer for run in found] == ["18", None, "The partial ans", None]
    assert {run.configuration.request_model for run in found} == {"gemini-2.5-flash"}
    assert (found[3].status, found[3].error_type, found[3].error_message) == (
        Status.ERROR,
        "8",
        "RESOURCE_EXHAUSTED",
    )


def test_the_sample_output_gives_t_of_answer_and_thoughts_together(samples: Path) -> None:
    rows = staged(samples / "logs" / "gemini_batch" / "output.jsonl", "runs")
    assert [row["output_tokens"] for row in rows] == [196, 4093, 496, None]
    assert [row["truncated"] for row in rows] == [False, True, True, None]


def test_a_batch_is_unlabelled_unless_named(tmp_path: Path) -> None:
    path = written(tmp_path, studio())
    for options, name in (({}, "unlabelled"), ({"benchmark": "gsm8k"}, "gsm8k")):
        (run,) = runs(path, **options)
        assert (run.benchmark_id, run.verdicts) == (name, ())


def test_requests_are_counted_and_not_selected(tmp_path: Path) -> None:
    assert read(written(tmp_path, REQUEST, REQUEST)) == [
        NotSelected(0, "batch request"),
        NotSelected(len(REQUEST) + 1, "batch request"),
    ]


def test_vertex_repeats_the_request_so_that_budget_and_prompt_are_known(tmp_path: Path) -> None:
    asked = {**CONTENTS, "generationConfig": {"maxOutputTokens": 64, "seed": 3}}
    (run,) = runs(written(tmp_path, vertex(request=asked)))
    assert (run.configuration.output_budget_tokens, run.seed, run.prompt) == (64, 3, "2 + 2?")
    assert run.configuration.provider_name == "gcp.vertex_ai"
    assert run.log_version == datetime(2026, 2, 1, 10, 0, 5, 250_000, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ('{"code": 3, "message": "too large"}', ("3", "too large")),
        (
            '{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "too large"}}',
            ("INVALID_ARGUMENT", "too large"),
        ),
        ("Internal error", (None, "Internal error")),
        ("{broken", (None, "{broken")),
    ],
)
@pytest.mark.parametrize("empty", [{}, "", None])
def test_a_status_is_json_or_words(empty: Any, status: str, error: tuple[Any, ...], tmp_path: Path) -> None:
    path = written(tmp_path, vertex(), vertex(id="q2", status=status, response=empty))
    _, run = runs(path)
    assert (run.error_type, run.error_message, run.status) == (*error, Status.ERROR)
    assert run.configuration.provider_name == "gcp.vertex_ai"


def test_a_failed_row_is_of_the_one_model_that_its_file_names(tmp_path: Path) -> None:
    _, run = runs(written(tmp_path, studio(), FAILED))
    assert (run.configuration.request_model, run.response_model) == ("gemini-2.0-flash", None)
    (run,) = runs(written(tmp_path, FAILED, INTERACTION))[:1]
    assert run.configuration.request_model == "gemini-3"


@pytest.mark.parametrize(("others", "count"), [([], 0), ([studio(), studio("q3", model="gemini-3")], 2)])
def test_a_failed_row_in_a_file_of_no_or_two_models_is_refused(
    others: list[str], count: int, tmp_path: Path
) -> None:
    entry = read(written(tmp_path, *others, FAILED))[-1]
    assert isinstance(entry, Rejected)
    assert entry.reason == "no_model"
    assert f"and {count} models in the answers of its file" in entry.detail


def test_every_range_of_a_file_finds_the_same_model(tmp_path: Path) -> None:
    path = written(tmp_path, FAILED, studio(), FAILED.replace("q2", "q3"))
    size = path.stat().st_size
    for cut in range(1, size, 7):
        entries = [
            entry
            for start, end in ((0, cut), (cut, size))
            for entry in READER.read(log_of(path, start, end), Options())
        ]
        found = [
            (entry.runs[0].attempt, entry.runs[0].configuration.request_model)
            for entry in entries
            if isinstance(entry, Mapped)
        ]
        assert found == [(key, "gemini-2.0-flash") for key in ("q2", "q1", "q3")]


def test_a_failure_never_outranks_an_answer_to_the_same_request(tmp_path: Path) -> None:
    ok, failed = staged(written(tmp_path, studio("q2"), FAILED), "runs")
    assert ok["run_key"] == failed["run_key"]
    assert failed["log_version"] < ok["log_version"]


def test_an_interaction_stands_alone_or_under_a_key(tmp_path: Path) -> None:
    wrapped = json.dumps({"key": "q9", "response": json.loads(INTERACTION)})
    assert [
        (run.instance_id, run.response_model) for run in runs(written(tmp_path, INTERACTION, wrapped))
    ] == [
        ("v1", "gemini-3"),
        ("q9", "gemini-3"),
    ]


def test_text_of_a_model_that_shows_all_of_it_is_whole(tmp_path: Path) -> None:
    path = written(tmp_path, studio())
    assert runs(path)[0].trace_visibility is Visibility.FULL
    assert runs(path, hidden_trace_models=("gemini",))[0].trace_visibility is Visibility.HIDDEN


@pytest.mark.parametrize("key", [None, True, 1.5, ["q1"], ""])
def test_a_key_that_names_nothing_is_refused(key: Any, tmp_path: Path) -> None:
    path = written(tmp_path, studio(key), studio("q2"))
    assert [row["reason"] for row in staged(path, "quarantine")] == ["invalid_record"]
    assert [row["instance_id"] for row in staged(path, "runs")] == ["q2"]


@pytest.mark.parametrize("value", ["12", -1, 1.5, True, 10**12, [12]])
@pytest.mark.parametrize("name", ["promptTokenCount", "toolUsePromptTokenCount", "candidatesTokenCount"])
def test_a_count_that_is_none_is_refused_not_read(name: str, value: Any, tmp_path: Path) -> None:
    path = written(tmp_path, studio(**{name: value}), studio("q2"))
    assert [row["reason"] for row in staged(path, "quarantine")] == ["invalid_record"]


@pytest.mark.parametrize(
    "spoilt",
    [
        studio()[:-40],
        studio().replace("98", "NaN"),
        "[" * 100_000,
        '"text"',
        "17",
        "{}",
        '{"key": "q1"}',
        vertex(status=3),
    ],
)
def test_a_spoilt_row_is_refused_alone(spoilt: str, tmp_path: Path) -> None:
    path = written(tmp_path, studio("q0"), spoilt, studio("q2"))
    assert [row["instance_id"] for row in staged(path, "runs")] == ["q0", "q2"]
    (refused,) = staged(path, "quarantine")
    assert refused["reason"] in ("invalid_json", "wrong_type", "invalid_record")
