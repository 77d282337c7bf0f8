from __future__ import annotations

import json
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from effspark import readers
from effspark.errors import LogError
from effspark.readers import (
    Entry,
    HasCompanions,
    Mapped,
    NotSelected,
    Options,
    Rejected,
)
from effspark.readers.files import Log
from effspark.readers.lighteval import READER
from effspark.runs import generation
from effspark.runs.record import LoggedRun
from tests.core.readers.small_logs import staged

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
TIME = "2026-01-02T03-04-05.000001"
GOLDEN = Path(__file__).resolve().parents[2] / "golden/runs/lighteval_layouts"


def row(
    *, doc: dict[str, Any] | None = None, response: dict[str, Any] | None = None, **metrics: Any
) -> dict[str, Any]:
    return {
        "doc": {
            "query": "Q: How many?",
            "choices": ["18"],
            "gold_index": 0,
            "id": "0",
            "task_name": "gsm8k",
            "sampling_methods": ["GENERATIVE"],
            "generation_size": 100,
            **(doc or {}),
        },
        "metric": metrics or {"extractive_match": 1.0},
        "model_response": {
            "input": "Q: How many?",
            "input_tokens": [1, 2, 3],
            "text": ["18"],
            "output_tokens": [[7, 8]],
            "reasonings": [None],
            **(response or {}),
        },
    }


def said(**settings: Any) -> dict[str, Any]:
    general = {"lighteval_sha": "?", "model_name": "acme/m7", "model_config": {"seed": 1, **settings}}
    return {"config_general": general, "results": {}, "versions": {"gsm8k|0": 2}, "config_tasks": {}}


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, NOW)


def written(
    folder: Path,
    *rows: dict[str, Any],
    results: dict[str, Any] | None = None,
    task: str = "gsm8k|0",
    beside: Path | None = None,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    place = beside or folder
    place.mkdir(parents=True, exist_ok=True)
    (place / f"results_{TIME}.json").write_text(json.dumps(results or said(), indent=2))
    path = folder / f"details_{task}_{TIME}.parquet"
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def read(path: Path, **options: Any) -> list[Entry]:
    return list(READER.read(log_of(path), Options(**options)))


def runs_of(entry: Entry) -> tuple[LoggedRun, ...]:
    assert isinstance(entry, Mapped)
    return entry.runs


def run_of(folder: Path, one: dict[str, Any] | None = None, **results: Any) -> LoggedRun:
    (entry,) = read(written(folder, one or row(), results=said(**results)))
    return runs_of(entry)[0]


def run_keys(path: Path) -> list[str]:
    return [one["run_key"] for one in staged(READER, path)]


def test_details_and_results_are_known_by_content(tmp_path: Path) -> None:
    path = written(tmp_path, row())
    assert READER.detect(log_of(path)) == 0.95
    assert READER.detect(log_of(tmp_path / f"results_{TIME}.json")) == 0.95
    assert read(tmp_path / f"results_{TIME}.json") == [NotSelected(0, "results file")]
    pq.write_table(pa.table({"doc": [1], "metric": [2]}), path)
    assert READER.detect(log_of(path)) == 0
    pq.write_table(pa.table({"config_general": ["x"], "results": ["x"], "config_tasks": ["x"]}), path)
    assert (READER.detect(log_of(path)), read(path)) == (0.95, [NotSelected(0, "results file")])
    assert isinstance(READER, HasCompanions)


def test_no_other_format_is_taken_and_no_other_reader_is_as_sure(samples: Path) -> None:
    for path in sorted((samples / "logs").rglob("*")):
        if not path.is_file():
            continue
        log = log_of(path)
        own = READER.detect(log)
        assert (own > 0) == ("lighteval" in path.parts), path
        if own:
            assert readers.detect(log).name == "lighteval"


def test_each_text_is_a_run_with_its_own_tokens(tmp_path: Path) -> None:
    texts = {"text": ["18", "17"], "output_tokens": [[1, 2, 3], [4]], "reasonings": [None, None]}
    (entry,) = read(written(tmp_path, row(response=texts)))
    assert [(run.attempt, run.answer, run.usage.token_ids) for run in runs_of(entry)] == [
        ("0", "18", 3),
        ("1", "17", 1),
    ]


def test_a_score_of_k_texts_is_the_verdict_of_none(tmp_path: Path) -> None:
    texts = {"text": ["18", "17"], "output_tokens": [[1], [2]], "reasonings": [None, None]}
    (entry,) = read(written(tmp_path, row(response=texts, **{"pass@1:2": 0.5})))
    assert [(run.verdicts, run.quality_flags) for run in runs_of(entry)] == [((), ("score_of_k_texts",))] * 2
    assert [run.tags for run in runs_of(entry)] == [{"score.pass@1:2": "0.5"}, {}]
    run = run_of(tmp_path, row(**{"pass@1:1": 1.0, "absent": None}))
    assert [(verdict.scorer, verdict.value) for verdict in run.verdicts] == [("pass@1:1", 1.0)]
    assert (run.quality_flags, run.tags) == ((), {})


def test_ids_that_were_not_logged_are_no_count(tmp_path: Path) -> None:
    for ids in ([], [[]], [None], [[1], [2]]):
        run = run_of(tmp_path, row(response={"output_tokens": ids, "text": ["The answer is 18."]}))
        assert run.usage.token_ids is None, ids
        assert generation.of_generation(run).token_source == "tokenizer"
    both = row(response={"output_tokens": [], "input_tokens": [], "text": [""]})
    run = run_of(tmp_path, both)
    assert (run.usage.input, generation.of_generation(run).output_tokens) == (None, None)


def test_a_text_as_long_as_the_budget_is_cut_and_a_cut_prompt_is_not(tmp_path: Path) -> None:
    full = row(response={"output_tokens": [list(range(100))], "truncated_tokens_count": 0})
    assert generation.of_generation(run_of(tmp_path, full)).truncated is True
    prompt = row(response={"truncated_tokens_count": 4096})
    assert generation.of_generation(run_of(tmp_path, prompt)).truncated is False


def test_the_budget_is_that_of_the_run_else_of_the_document(tmp_path: Path) -> None:
    assert run_of(tmp_path).configuration.output_budget_tokens == 100
    set_for_run = {"max_new_tokens": 32768, "temperature": 0.6}
    run = run_of(tmp_path, generation_parameters=set_for_run)
    assert (run.configuration.output_budget_tokens, run.configuration.temperature) == (32768, 0.6)


def test_reasoning_cut_out_of_the_text_stands_in_it_once(tmp_path: Path) -> None:
    inside = row(response={"text": ["<think>9*2</think> 18"], "reasonings": ["9*2"]})
    run = run_of(tmp_path, inside)
    assert (run.reasoning, run.answer) == (None, "<think>9*2</think> 18")
    apart = row(response={"text": ["18"], "reasonings": ["9*2 is"]})
    run = run_of(tmp_path, apart)
    assert (run.reasoning, run.answer, run.trace_visibility.value) == ("9*2 is", "18", "full")


def test_text_of_a_model_that_hides_its_reasoning_is_never_counted(tmp_path: Path) -> None:
    path = written(tmp_path, row(response={"output_tokens": []}))
    (entry,) = read(path, hidden_trace_models=("m7$",))
    run = runs_of(entry)[0]
    assert (run.trace_visibility.value, run.estimable) == ("hidden", False)


def test_results_are_found_beside_above_and_in_lightevals_own_tree(tmp_path: Path) -> None:
    folders = [
        (tmp_path / "a", tmp_path / "a"),
        (tmp_path / "b" / TIME, tmp_path / "b"),
        (tmp_path / "c/details/acme/m7" / TIME, tmp_path / "c/results/acme/m7"),
    ]
    keys = [run_keys(written(folder, row(), beside=beside)) for folder, beside in folders]
    assert keys[0] == keys[1] == keys[2]
    assert len(keys[0]) == 1


def test_details_without_results_are_refused_with_their_row(tmp_path: Path) -> None:
    path = written(tmp_path, row(), row(doc={"sampling_methods": ["LOGPROBS"]}))
    (tmp_path / f"results_{TIME}.json").rename(tmp_path / "results_2026-09-09T09-09-09.000001.json")
    first, second = read(path)
    assert isinstance(first, Rejected)
    assert (first.reason, json.loads(first.raw)["doc"]["id"]) == ("no_model", "0")
    assert "found 0 results files that can be its own" in first.detail
    assert second == NotSelected(1, "log-likelihood request")


def test_the_task_is_named_by_the_document_and_shots_keep_eval_runs_apart(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    assert (run.benchmark_id, run.benchmark_version) == ("gsm8k", "2")
    found = [run_keys(written(tmp_path, row(), task=task))[0] for task in ("gsm8k|0", "gsm8k|5")]
    assert len(set(found)) == 2
    (entry,) = read(written(tmp_path, row(doc={"task_name": None}), task="leaderboard|mmlu:anatomy|5"))
    assert runs_of(entry)[0].benchmark_id == "leaderboard|mmlu:anatomy"


def test_settings_and_budget_keep_eval_runs_apart(tmp_path: Path) -> None:
    variants: list[dict[str, Any]] = [
        {},
        {"system_prompt": "Think."},
        {"generation_parameters": {"seed": 2}},
        {"generation_parameters": {"max_new_tokens": 8}},
        {"cache_dir": "elsewhere", "dtype": None},
    ]
    found = [run_keys(written(tmp_path, row(), results=said(**one)))[0] for one in variants]
    assert len(set(found[:4])) == 4
    assert found[4] == found[0]


@pytest.mark.parametrize(
    "bad",
    [
        row(doc={"id": None}),
        row(response={"text": [], "output_tokens": []}),
        row(response={"text": None}),
    ],
)
def test_a_bad_row_is_refused_alone(bad: dict[str, Any], tmp_path: Path) -> None:
    assert len(run_keys(written(tmp_path, bad, row(doc={"id": "1"})))) == 1


def test_a_column_of_another_type_is_told(tmp_path: Path) -> None:
    (entry,) = read(written(tmp_path, row(response={"text": [18]})))
    assert isinstance(entry, Rejected)
    assert entry.reason == "invalid_record"
    assert "a column of another type (row 0): found Expected `str | null`, got `int`" in entry.detail


def test_settings_of_another_type_are_told(tmp_path: Path) -> None:
    (entry,) = read(written(tmp_path, row(), results=said(generation_parameters={"temperature": [0.6]})))
    assert isinstance(entry, Rejected)
    assert "temperature: found [0.6]" in entry.detail


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, row())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(LogError, match="the file is damaged"):
        read(path)


def test_the_golden_parquet_files_hold_the_rows_written_beside_them() -> None:
    written_rows = sorted((GOLDEN / "rows").rglob("*.json"))
    assert len(written_rows) == 4
    for path in written_rows:
        table = GOLDEN / "logs" / path.relative_to(GOLDEN / "rows").with_suffix(".parquet")
        assert pq.read_table(table).to_pylist() == json.loads(path.read_text("utf-8")), path.name


def test_the_generated_details_give_two_runs_a_document(samples: Path) -> None:
    (path,) = (samples / "logs/lighteval").glob("*.parquet")
    entries = read(path)
    assert Counter(type(entry) for entry in entries) == {Mapped: 2}
    runs = [run for entry in entries for run in runs_of(entry)]
    assert [(run.instance_id, run.usage.token_ids, run.usage.input) for run in runs] == [
        ("0", 40, 20),
        ("0", 64, 20),
        ("1", 12, 20),
        ("1", 14, 20),
    ]
    assert [generation.of_generation(run).truncated for run in runs] == [False, True, False, False]
    assert {run.configuration.request_model for run in runs} == {"acme/reasoner-7b"}
    assert runs[0].tags == {"score.extractive_match": "1.0", "score.math_pass@1:2_samples": "0.5"}
    assert [(run.gold, run.axes) for run in runs[1:3]] == [
        ("18", {"difficulty": 0}),
        ("3", {"difficulty": 1}),
    ]
