from __future__ import annotations

import gzip
import json
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark import settings
from effspark.errors import LogError
from effspark.readers import Entry, Mapped, NotSelected, Options, Rejected
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.zeroeval import READER
from effspark.runs.record import LoggedRun
from tests.core.readers.small_logs import staged

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data"
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
CONFIGS = {"engine": "vllm", "repetition_penalty": 1, "temperature": 0.0, "top_p": 1.0, "max_tokens": 4096}


def record(**fields: Any) -> dict[str, Any]:
    return {
        "session_id": "s-0",
        "chat_history": ["How many?"],
        "model_input": "n/a",
        "output": ['{"answer": "18"}'],
        "generator": "Qwen/Qwen2-7B-Instruct",
        "configs": CONFIGS,
        "dataset": "gsm",
        "id": "gsm8k-0",
        "question": "How many?",
        "answer": "# 18",
        **fields,
    }


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, NOW)


def written(folder: Path, *records: dict[str, Any], name: str = "model.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(list(records), ensure_ascii=False), "utf-8")
    return path


def read(path: Path, **options: Any) -> list[Entry]:
    return list(READER.read(log_of(path), Options(**options)))


def run_of(folder: Path, *, options: dict[str, Any] | None = None, **fields: Any) -> LoggedRun:
    (entry,) = read(written(folder, record(**fields)), **(options or {}))
    assert isinstance(entry, Mapped)
    return entry.runs[0]


def run_keys(path: Path) -> list[str]:
    return [row["run_key"] for row in staged(READER, path, benchmark="gsm8k")]


def test_results_are_known_and_summaries_are_not(tmp_path: Path) -> None:
    assert READER.detect(log_of(written(tmp_path, record()))) == 0.95
    assert READER.detect(log_of(written(tmp_path, {"Model": "o3-mini", "Puzzle Acc": "91.70"}))) == 0
    assert READER.detect(log_of(written(tmp_path))) == 0
    long = record(chat_history=["x" * HEAD_BYTES])
    assert READER.detect(log_of(written(tmp_path, long))) == 0.7


def test_summary_rows_of_a_named_file_are_not_selected(tmp_path: Path) -> None:
    path = written(tmp_path, {"Model": "o3-mini", "Puzzle Acc": "91.70"})
    assert read(path) == [NotSelected(1, "summary row")]


def test_each_text_is_a_run_named_by_its_place(tmp_path: Path) -> None:
    (entry,) = read(written(tmp_path, record(output=["18", "17", None])))
    assert isinstance(entry, Mapped)
    assert [(run.attempt, run.answer, run.estimable) for run in entry.runs] == [
        ("0", "18", True),
        ("1", "17", True),
        ("2", None, False),
    ]


def test_the_whole_text_is_the_answer_as_generated(tmp_path: Path) -> None:
    text = '```json\n{"reasoning": "9 * 2", "answer": "18"}\n```</s>'
    run = run_of(tmp_path, output=[text])
    assert (run.reasoning, run.answer, run.trace_visibility.value) == (None, text, "full")


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ('Here: ```json\n{"answer": "a\nb"}\n```', ()),
        ('{"answer": "18"', ("unparsable_answer",)),
        ("18", ("unparsable_answer",)),
        ("", ()),
    ],
)
def test_an_answer_that_holds_no_json_object_is_flagged(
    text: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    assert run_of(tmp_path, output=[text]).quality_flags == flags


def test_text_of_a_model_that_hides_its_reasoning_is_never_counted(tmp_path: Path) -> None:
    hidden = {"hidden_trace_models": settings.load().hidden_trace_models}
    run = run_of(tmp_path, options=hidden, generator="openai/o1-mini-2024-09-12")
    assert (run.trace_visibility.value, run.estimable) == ("hidden", False)
    assert run_of(tmp_path, options=hidden, generator="openai/gpt-4o-mini").estimable


def test_gold_and_question_are_kept_as_logged(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    assert (run.question, run.gold, run.axes) == ("How many?", "# 18", {})
    puzzle = run_of(tmp_path, question=None, answer=None, puzzle="5 houses", solution={"a": [1]}, size="5*6")
    assert (puzzle.question, puzzle.gold) == ("5 houses", '{"a": [1]}')
    assert puzzle.axes == {"houses": 5.0, "features": 6.0}


def test_the_prompt_is_what_was_sent_else_the_chat(tmp_path: Path) -> None:
    assert run_of(tmp_path).prompt == "How many?"
    assert run_of(tmp_path, model_input="<user>How many?").prompt == "<user>How many?"
    assert run_of(tmp_path, chat_history=[]).prompt is None


def test_benchmark_and_instance_have_a_second_name(tmp_path: Path) -> None:
    assert run_of(tmp_path).benchmark_id == "gsm"
    assert run_of(tmp_path, dataset=None, options={"benchmark": "gsm8k"}).benchmark_id == "gsm8k"
    assert (run_of(tmp_path).instance_id, run_of(tmp_path, id=None).instance_id) == ("gsm8k-0", "s-0")


def test_runs_of_two_engines_or_two_prompts_do_not_replace_each_other(tmp_path: Path) -> None:
    variants = [
        {},
        {"configs": {**CONFIGS, "engine": "hf"}},
        {"configs": {**CONFIGS, "cot": "True"}},
        {"configs": {**CONFIGS, "cot": "False"}},
    ]
    found = [run_keys(written(tmp_path, record(**variant)))[0] for variant in variants]
    assert len(set(found)) == 4


def test_a_budget_makes_another_eval_run_and_the_spelling_of_numbers_does_not(tmp_path: Path) -> None:
    first = run_keys(written(tmp_path, record()))
    configs = {**CONFIGS, "repetition_penalty": 1.0, "temperature": 0}
    assert run_keys(written(tmp_path, record(configs=configs))) == first
    assert run_keys(written(tmp_path, record(configs={**configs, "max_tokens": 2048}))) != first


@pytest.mark.parametrize("instance", [True, 1.5, ["q"], ""])
def test_a_bad_record_is_refused_alone(instance: Any, tmp_path: Path) -> None:
    path = written(tmp_path, record(), record(id=instance), record(id=2))
    assert len(run_keys(path)) == 2


@pytest.mark.parametrize("name", ["engine", "temperature", "max_tokens"])
def test_a_setting_of_another_type_is_refused_alone(name: str, tmp_path: Path) -> None:
    good, bad = read(written(tmp_path, record(), record(configs={**CONFIGS, name: [1]})))
    assert isinstance(good, Mapped)
    assert isinstance(bad, Rejected)
    assert bad.reason == "invalid_record"
    assert "found [1]" in bad.detail


def test_a_wrong_type_is_refused_with_its_text(tmp_path: Path) -> None:
    first, second = read(written(tmp_path, record(output=[18]), record()))
    assert isinstance(first, Rejected)
    assert isinstance(second, Mapped)
    assert (first.reason, json.loads(first.raw)["output"]) == ("wrong_type", [18])
    assert "$.output[0]" in first.detail


def test_a_file_cut_while_it_was_written_gives_the_records_before_the_cut(tmp_path: Path) -> None:
    path = written(tmp_path, record(), record(id="gsm8k-1"))
    path.write_bytes(path.read_bytes()[:-30])
    seen = []
    with pytest.raises(LogError, match="rest of the file cannot be read"):
        seen.extend(READER.read(log_of(path), Options()))
    assert [type(entry) for entry in seen] == [Mapped]


def test_offsets_are_bytes_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, record(question="é"), record())
    offsets = [entry.offset for entry in read(path)]
    assert all(path.read_bytes()[offset:].startswith(b'{"session_id"') for offset in offsets)
    assert len(set(offsets)) == 2


def test_a_compressed_file_gives_the_same_runs(tmp_path: Path) -> None:
    path = written(tmp_path, record())
    plain = run_keys(path)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert run_keys(path) == plain


def test_the_raw_logs_of_14_models_are_read_whole() -> None:
    folder = SHARED / "zeroeval_gsm8k"
    if not folder.is_dir():
        pytest.skip("no shared data")
    files = sorted(folder.glob("*.json.gz"))
    flags: Counter[str] = Counter()
    for path in files:
        entries = read(path)
        assert [type(entry) for entry in entries] == [Mapped] * 1319, path.name
        flags.update(flag for entry in entries for run in entry.runs for flag in run.quality_flags)  # type: ignore[union-attr]
    assert len(files) == 14
    assert flags == {"unparsable_answer": 383}
