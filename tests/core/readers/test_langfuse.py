"""Langfuse exports of every shape as runs."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark import readers
from effspark.readers import Entry, Mapped, NotSelected, Options, Rejected
from effspark.readers.files import Log
from effspark.readers.langfuse import READER
from effspark.runs.record import LoggedRun

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
SCORE = {"traceId": "t", "observationId": None, "name": "correct", "value": 1, "dataType": "NUMERIC"}


def generation(name: str = "o", *, trace: str = "t", **fields: Any) -> dict[str, Any]:
    known = {"id": name, "traceId": trace, "type": "GENERATION", "parentObservationId": None}
    return {**known, "model": "m", "usageDetails": {"output": 7}, "output": "18", **fields}


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, NOW)


def written(folder: Path, *rows: Any) -> Path:
    path = folder / "export.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def read(path: Path, **options: Any) -> list[Entry]:
    return list(READER.read(log_of(path), Options(**options)))


def runs(entries: list[Entry]) -> list[LoggedRun]:
    return [run for entry in entries if isinstance(entry, Mapped) for run in entry.runs]


def reasons(entries: list[Entry]) -> list[str]:
    return [entry.reason for entry in entries if isinstance(entry, NotSelected)]


def test_the_sample_traces_alone_are_claimed_among_all_formats(samples: Path) -> None:
    claimed = {
        path.relative_to(samples / "logs").as_posix()
        for path in (samples / "logs").rglob("*")
        if path.is_file() and READER.detect(log_of(path)) > 0
    }
    assert claimed == {
        "langfuse_otel/csharp-agent-with-gemini-2026-03-09.trace.json",
        "langfuse_otel/google-adk-2025-08-28.trace.json",
    }
    assert all(readers.detect(log_of(samples / "logs" / name)) is READER for name in claimed)


def test_the_sample_of_three_calls_is_one_run_with_their_sum(samples: Path) -> None:
    entries = read(samples / "logs/langfuse_otel/csharp-agent-with-gemini-2026-03-09.trace.json")
    (run,) = runs(entries)
    assert (run.usage.input, run.usage.output, run.usage.total) == (8047, 414, 8461)
    assert (run.configuration.request_model, run.configuration.temperature) == ("gemini-2.5-flash", 0)
    assert (run.configuration.provider_name, run.seed, run.finish_reason) == ("gcp.vertex_ai", 42, "stop")
    assert run.cost_usd == pytest.approx(0.0034491)
    assert run.tags == {"calls": "3"}
    assert [(entry.reason, entry.count) for entry in entries if isinstance(entry, NotSelected)] == [
        ("observation that is no call of the model", 5)
    ]


def test_the_sample_with_scores_has_their_verdicts(samples: Path) -> None:
    (run,) = runs(read(samples / "logs/langfuse_otel/google-adk-2025-08-28.trace.json"))
    assert (run.usage.input, run.usage.output, run.answer) == (67, 9, "Hello Langfuse 👋!\n")
    assert {one.scorer: (one.raw, one.value) for one in run.verdicts} == {
        "toxicity": ("0", 0.0),
        "hallucination": ("0", 0.0),
    }


def test_every_shape_of_export_gives_the_same_run(tmp_path: Path) -> None:
    trace = {"id": "t", "scores": [SCORE], "metadata": {"instance_id": "q1"}}
    shapes: list[Any] = [
        {"trace": trace, "observations": [generation()]},
        {**trace, "observations": [generation()]},
        {"data": [{**trace, "observations": [generation()]}], "meta": {"page": 1}},
    ]
    found = []
    for shape in shapes:
        for text in (json.dumps(shape), json.dumps(shape, indent=1), json.dumps([shape])):
            path = tmp_path / "export.json"
            path.write_text(text)
            found += runs(read(path))
    assert {(run.instance_id, run.attempt, run.usage.output, len(run.verdicts)) for run in found} == {
        ("q1", "t", 7, 1)
    }
    assert len(found) == 9


def test_rows_of_a_blob_export_meet_by_their_trace(tmp_path: Path) -> None:
    judge = generation("j", parentObservationId="e", model="judge")
    evaluator = generation("e", type="EVALUATOR")
    rows = [generation("a"), judge, generation("b", trace="u"), evaluator, generation("c")]
    found = runs(read(written(tmp_path, *rows)))
    assert [(run.attempt, run.usage.output, run.tags) for run in found] == [
        ("t", 14, {"calls": "2"}),
        ("u", 7, {}),
    ]


def test_an_item_of_an_experiment_names_instance_run_and_gold(tmp_path: Path) -> None:
    row = generation(experimentId="run-1", experimentItemId="q1", experimentItemExpectedOutput="18")
    (run,) = runs(read(written(tmp_path, row), benchmark="gsm8k"))
    assert (run.benchmark_id, run.instance_id, run.eval_run_id, run.gold) == ("gsm8k", "q1", "run-1", "18")


def test_rows_of_scores_or_traces_alone_are_not_selected(tmp_path: Path) -> None:
    path = written(tmp_path, SCORE)
    assert READER.detect(log_of(path)) == 0.6
    assert read(path) == [NotSelected(0, "score of a trace that is not in this file")]
    path = written(tmp_path, {"id": "t", "bookmarked": False, "userId": None, "sessionId": None})
    assert READER.detect(log_of(path)) == 0.6
    assert read(path) == [NotSelected(0, "row of a trace without its observations")]


def test_a_score_that_stands_before_its_trace_is_its_verdict(tmp_path: Path) -> None:
    before, after = ([SCORE, generation()], [generation(), SCORE])
    (first,), (second,) = (runs(read(written(tmp_path, *rows))) for rows in (before, after))
    assert [(one.scorer, one.value) for one in first.verdicts] == [("correct", 1.0)]
    assert first.verdicts == second.verdicts
    entries = read(written(tmp_path, SCORE, SCORE, generation(trace="u")))
    assert [len(run.verdicts) for run in runs(entries)] == [0]
    lost = NotSelected(0, "score of a trace that is not in this file", 2)
    assert lost in entries


def test_a_trace_without_observations_is_counted_and_no_run(tmp_path: Path) -> None:
    empty = {
        "trace": {"id": "t", "name": "chat", "scores": [{"name": "correct", "value": 1}]},
        "observations": [],
    }
    assert read(written(tmp_path, empty)) == [NotSelected(17, "trace without observations")]


def test_traces_of_langfuses_own_evaluators_are_not_selected(tmp_path: Path) -> None:
    entries = read(written(tmp_path, generation(environment="langfuse-llm-as-a-judge")))
    assert (runs(entries), reasons(entries)) == ([], ["trace of an evaluator of Langfuse itself"])


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"id": 7}, "wrong_type"),
        ({"usageDetails": {"output": -1}}, "invalid_record"),
        ({"startTime": "soon"}, "invalid_record"),
        ({"model": None}, "no_model"),
    ],
)
def test_a_bad_observation_is_refused_with_its_trace_alone(
    fields: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    entries = read(written(tmp_path, generation("a"), generation("b", trace="u", **fields)))
    assert len(runs(entries)) == 1
    assert [entry.reason for entry in entries if isinstance(entry, Rejected)] == [reason]


def test_a_trace_without_an_id_is_refused(tmp_path: Path) -> None:
    (entry,) = read(written(tmp_path, {"trace": {"id": None}, "observations": [generation()]}))
    assert isinstance(entry, Rejected)
    assert "trace.id): found None" in entry.detail


def test_offsets_are_bytes_of_the_file_and_differ(tmp_path: Path) -> None:
    path = written(tmp_path, generation("é", output="é"), generation("b", trace="u"))
    offsets = [entry.offset for entry in read(path)]
    assert [path.read_bytes()[offset:][:3] for offset in offsets] == [b'"t"', b'"u"']


@pytest.mark.parametrize("depth", [*range(900, 1000, 4)])
def test_brackets_in_each_other_are_refused_and_end_no_reading(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "export.jsonl"
    page = '{"meta": {}, "data": [' + "[" * depth + "]" * depth + "]}\n"
    path.write_text(page + json.dumps(generation()) + "\n", "utf-8")
    entries = read(path)
    assert [run.instance_id for run in runs(entries)] == ["t"]
    assert len(entries) == 2
