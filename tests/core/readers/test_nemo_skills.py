"""NeMo-Skills: what a line says, and what only its place says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from effspark import readers
from effspark.readers import NotSelected, Rejected
from effspark.readers.files import HEAD_BYTES
from effspark.readers.nemo_skills import READER
from effspark.runs.record import LoggedRun
from tests.core.readers.small_logs import claimed, document, entries, lines, log_of, runs, staged

HIDDEN = (r"(^|/)o[134](-|$)",)


def row(**said: Any) -> dict[str, Any]:
    return {
        "num_generated_tokens": 40,
        "finish_reason": "stop",
        "generation_time": 2.0,
        "generation": "so 42",
        "id": "aime24-0",
        "problem": "How many?",
        "expected_answer": "42",
        "predicted_answer": "42",
        "symbolic_correct": True,
        **said,
    }


def written(
    folder: Path, *rows: dict[str, Any], name: str = "output-rs0.jsonl", model: str = "qwen3-8b"
) -> Path:
    return lines(folder / model / "eval-results" / "aime24" / name, *rows)


def made(folder: Path, *, options: dict[str, Any] | None = None, **said: Any) -> LoggedRun:
    (run,) = runs(READER, written(folder, row(**said)), **(options or {}))
    return run


def test_no_sample_of_another_format_is_claimed(samples: Path) -> None:
    assert claimed(READER, samples) == []


@pytest.mark.parametrize(
    ("said", "confidence"),
    [
        ({"generation": "so 42", "num_generated_tokens": 40}, 0.95),
        ({"generation": "so 42", "generation_time": 2.0}, 0.95),
        ({"generation": "so 42", "predicted_answer": None, "expected_answer": "42"}, 0.8),
        ({"num_generated_tokens": 40, "generation": "x" * HEAD_BYTES}, 0.6),
        ({"generation": "so 42", "expected_answer": "42"}, 0),
        ({"num_generated_tokens": 40, "predicted_answer": "42", "expected_answer": "42"}, 0),
    ],
)
def test_output_files_are_known_by_the_names_of_their_lines(
    said: dict[str, Any], confidence: float, tmp_path: Path
) -> None:
    log = log_of(written(tmp_path, said))
    assert READER.detect(log) == confidence
    assert (readers.detect(log) is READER) if confidence else True


def test_the_metrics_beside_are_not_selected(tmp_path: Path) -> None:
    path = document(
        tmp_path / "metrics.json", {"aime24": {"pass@1": {"num_entries": 30, "avg_tokens": 9000}}}
    )
    assert READER.detect(log_of(path)) == 0.6
    assert entries(READER, path) == [NotSelected(0, "summary of the metrics")]


@pytest.mark.parametrize(
    ("name", "attempt", "seed"),
    [
        ("output-rs0.jsonl", "rs0", 0),
        ("output-rs12_chunk_3.jsonl", "rs12", 12),
        ("output-rs1.jsonl-async", "rs1", 1),
        ("output-rs1.jsonl.gz", "rs1", 1),
        ("output-greedy.jsonl", "greedy", None),
        ("output.jsonl", "output", None),
        ("mine.jsonl", None, None),
    ],
)
def test_the_repeat_is_the_seed_in_the_name(
    name: str, attempt: str | None, seed: int | None, tmp_path: Path
) -> None:
    (run,) = runs(READER, written(tmp_path, row(), name=name))
    assert (run.attempt, run.seed) == (attempt, seed)


def test_model_and_benchmark_stand_in_the_folders_and_the_model_is_flagged(tmp_path: Path) -> None:
    run = made(tmp_path)
    assert (run.configuration.request_model, run.benchmark_id) == ("qwen3-8b", "aime24")
    assert run.quality_flags == ("model_from_path",)
    said = made(tmp_path, options={"model": "Qwen/Qwen3-8B", "benchmark": "other"})
    assert (said.configuration.request_model, said.benchmark_id, said.quality_flags) == (
        "Qwen/Qwen3-8B",
        "aime24",
        (),
    )


def test_outside_such_folders_the_user_must_name_both(tmp_path: Path) -> None:
    path = lines(tmp_path / "output-rs0.jsonl", row())
    (refused,) = staged(READER, path, "quarantine")
    assert "model: found nothing" in refused["detail"]
    assert "benchmark: found nothing" in refused["detail"]
    (run,) = staged(READER, path, model="m", benchmark="b")
    assert (run["request_model"], run["benchmark_id"]) == ("m", "b")


def test_seeds_and_instances_do_not_replace_each_other_and_an_unfinished_file_is_the_same(
    tmp_path: Path,
) -> None:
    first, second = staged(READER, written(tmp_path, row(), row(id="aime24-1")))
    (other,) = staged(READER, written(tmp_path, row(), name="output-rs1.jsonl"))
    (unfinished,) = staged(READER, written(tmp_path, row(_async_position=0), name="output-rs0.jsonl-async"))
    assert len({first["run_key"], second["run_key"], other["run_key"]}) == 3
    assert unfinished["run_key"] == first["run_key"]


@pytest.mark.parametrize(
    ("said", "instance"),
    [
        ({"id": 0}, 0),
        ({"id": None, "task_id": "HumanEval/0"}, "HumanEval/0"),
        ({"id": None}, "ba352e24c64c7137"),
        ({"id": None, "problem": None, "question": " How  many?"}, "ba352e24c64c7137"),
        ({"id": None, "problem": None}, None),
    ],
)
def test_without_an_id_an_instance_is_the_hash_of_its_question(
    said: dict[str, Any], instance: Any, tmp_path: Path
) -> None:
    assert made(tmp_path, **said).instance_id == instance


def test_the_whole_generation_is_the_answer_where_the_tool_cut_the_reasoning_off(tmp_path: Path) -> None:
    run = made(tmp_path, generation="42", _full_generation="<think>hm</think>42")
    assert (run.answer, run.reasoning, run.trace_visibility.value) == ("<think>hm</think>42", None, "full")


@pytest.mark.parametrize(
    ("said", "options", "visibility", "estimable"),
    [
        ({}, {}, "full", True),
        ({"reasoning_content": "hm", "num_reasoning_tokens": 30}, {}, "full", True),
        ({"num_reasoning_tokens": 30}, {}, "hidden", False),
        ({"num_reasoning_tokens": 30, "generation": "<think>hm"}, {}, "full", True),
        ({}, {"model": "o3", "hidden_trace_models": HIDDEN}, "hidden", False),
        ({"generation": ""}, {}, "none", False),
    ],
)
def test_visibility_follows_the_text_the_counts_and_the_model(
    said: dict[str, Any], options: dict[str, Any], visibility: str, estimable: bool, tmp_path: Path
) -> None:
    run = made(tmp_path, options=options, **said)
    assert (run.trace_visibility.value, run.estimable) == (visibility, estimable)


def test_what_did_not_fit_the_context_is_cut_and_its_0_is_no_count(tmp_path: Path) -> None:
    path = written(tmp_path, row(generation="", num_generated_tokens=0, error="context_window_exceeded"))
    (run,) = staged(READER, path)
    assert (run["status"], run["stop_class"], run["truncated"]) == ("ok", "context", True)
    assert (run["output_tokens"], run["censored"]) == (None, True)


def test_an_error_without_an_answer_judges_nothing(tmp_path: Path) -> None:
    failed = made(tmp_path, generation="", error="timeout", symbolic_correct=False)
    assert (failed.status.value, failed.error_type, failed.verdicts) == ("error", "timeout", ())


@pytest.mark.parametrize(
    ("judgement", "raw", "value"),
    [
        ("Judgement: Yes", "Yes", 1.0),
        ("Not the same.\n**Judgement**: **No**", "No", 0.0),
        ("Judgement: No, wait. Judgement: yes", "yes", 1.0),
        ("yes.", "yes", 1.0),
        ("No idea", "No idea", None),
        ("A", "A", None),
        ("", "", None),
    ],
)
def test_a_judge_is_understood_where_it_says_yes_or_no(
    judgement: str, raw: str, value: float | None, tmp_path: Path
) -> None:
    verdict = made(tmp_path, judgement=judgement).verdicts[-1]
    assert (verdict.scorer, verdict.raw, verdict.value) == ("judgement", raw, value)


def test_numbers_of_the_data_set_are_axes_and_its_labels_tags(tmp_path: Path) -> None:
    said: dict[str, Any] = {
        "level": 5,
        "subject": "algebra",
        "num_code_executions": 2,
        "_async_position": 3,
        "passed": True,
    }
    run = made(tmp_path, **said, expected_answer=42)
    assert (run.axes, run.tags) == ({"level": 5.0}, {"subject": "algebra"})


def test_a_bare_nan_and_a_bad_line_spoil_no_other_line(tmp_path: Path) -> None:
    path = written(tmp_path, row(logprobs=[float("nan")]), row(num_generated_tokens=5, generation=5), row())
    path.write_bytes(path.read_bytes() + b'{"generation": "cut')
    first, bad, whole, cut = entries(READER, path)
    assert isinstance(bad, Rejected)
    assert isinstance(cut, Rejected)
    assert (bad.reason, cut.reason) == ("wrong_type", "invalid_json")
    assert len(runs(READER, path)) == 2
    assert [
        bool(path.read_bytes()[entry.offset :].startswith(b"{")) for entry in (first, bad, whole, cut)
    ] == [True] * 4
