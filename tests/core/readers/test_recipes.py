"""The shipped mappings on what real tools wrote: which files they know, and the numbers that stand there."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark import laptop, settings
from effspark.readers import (
    Options,
    detect,
    livebench_judgments,
    lrm_evaluations,
    mapper,
    mappings,
    plan,
    staged_rows,
    staging,
)
from effspark.readers.expressions import Expression
from effspark.readers.files import Log
from effspark.readers.mapped_runs import source_of

JANUARY = datetime(2026, 1, 1, tzinfo=timezone.utc)
OWN = ("lrm_token_economy", "mmlu_pro", "token_efficiency_benchmark")
"""Folders of samples that recipes read."""
KNOWN_BY_PATH = ("each.", "from_path.")
Rows = dict[str, list[dict[str, Any]]]


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, JANUARY)


def staged(*paths: Path, **said: Any) -> Rows:
    """Staged rows of files, read as a load reads them."""
    options = Options(hidden_trace_models=settings.load().hidden_trace_models, **said)
    rows: Rows = {kind: [] for kind in staged_rows.KINDS}
    for item in plan.items([log_of(path) for path in paths], options, team="a"):
        batches = list(staging.stage(item))
        for kind in staged_rows.KINDS:
            rows[kind] += staged_rows.of_kind(iter(batches), kind).to_pylist()
    return rows


def total(rows: Rows, name: str) -> int:
    return sum(count[name] for count in rows["counts"])


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    return file


@pytest.mark.parametrize(
    "recipe",
    [recipe for recipe in mapper.recipes() if recipe["name"] != "lrm_token_economy"],
    ids=lambda recipe: recipe["name"],
)
def test_a_recipe_demands_no_column_that_it_does_not_know_its_files_by(recipe: dict[str, Any]) -> None:
    """Else a file that is known by its columns could stop the load of the folder it lies in."""
    mapping = mappings.checked_mapping(recipe, recipe["name"])
    assert mapping.detect is not None
    sources = [source_of(spec, cells=False) for spec in mapping.specs() if not spec.optional]
    demanded = {column for source in sources for column in source.columns}
    demanded |= Expression(mapping.where or "True").columns
    assert {name for name in demanded if not name.startswith(KNOWN_BY_PATH)} <= set(mapping.detect.columns)


def test_recipes_know_no_sample_of_another_format(samples: Path) -> None:
    others = [
        path
        for path in sorted((samples / "logs").rglob("*"))
        if path.is_file() and path.relative_to(samples / "logs").parts[0] not in OWN
    ]
    assert len(others) > 80
    assert [path for path in others if mapper.READER.detect(log_of(path)) > 0] == []


def test_no_reader_is_as_sure_of_the_files_of_a_recipe(samples: Path) -> None:
    found = Counter(
        (folder, detect(log_of(path)).name)
        for folder in OWN
        for path in sorted((samples / "logs" / folder).iterdir())
    )
    assert found == {
        ("lrm_token_economy", "mapper"): 8, ("lrm_token_economy", "lrm_evaluations"): 8,
        ("mmlu_pro", "mapper"): 3, ("token_efficiency_benchmark", "mapper"): 6,
    }  # fmt: skip


@pytest.fixture(scope="module")
def teb(samples: Path) -> Rows:
    return staged(*sorted((samples / "logs" / "token_efficiency_benchmark").iterdir()))


def test_token_efficiency_rows_are_runs_without_the_dummy_and_the_files_beside_them(teb: Rows) -> None:
    assert [total(teb, name) for name in ("records", "mapped", "not_selected", "quarantined")] == [
        68,
        60,
        8,
        0,
    ]
    assert "echo_model" not in {run["request_model"] for run in teb["runs"]}
    assert Counter(verdict["correct"] for verdict in teb["verdicts"]) == {True: 38, False: 22}


def test_token_efficiency_rows_say_why_a_run_ended_and_cost_no_money(teb: Rows) -> None:
    assert Counter(run["stop_class"] for run in teb["runs"]) == {"stop": 50, "refusal": 9, "length": 1}
    (cut,) = [run for run in teb["runs"] if run["truncated"]]
    assert (cut["request_model"], cut["output_tokens"], cut["reasoning_tokens"]) == (
        "moonshot:kimi-k2.6", 16384, 16383,
    )  # fmt: skip
    assert {run["cost_usd"] for run in teb["runs"]} == {None}
    assert {run["reasoning_effort"] for run in teb["runs"]} == {None, "low", "medium"}


def test_token_efficiency_reasoning_that_is_counted_and_not_shown_is_hidden(teb: Rows) -> None:
    hidden = {run["request_model"] for run in teb["runs"] if run["trace_visibility"] == "hidden"}
    assert "openai:gpt-5.5" in hidden
    assert "anthropic:claude-sonnet-5" in hidden
    assert not {"moonshot:kimi-k2.6", "openai:gpt-4.1-nano"} & hidden


def test_mmlu_pro_names_its_model_in_the_file_name_alone(samples: Path, tmp_path: Path) -> None:
    for path in (samples / "logs" / "mmlu_pro").iterdir():
        shutil.copy(path, tmp_path / f"model_outputs_{path.name.removesuffix('.first5.json')}_5shots.json")
    rows = staged(*sorted(tmp_path.iterdir()))
    assert total(rows, "quarantined") == 0
    correct = Counter()
    for run, verdict in zip(rows["runs"], rows["verdicts"], strict=True):
        assert run["run_key"] == verdict["run_key"]
        correct[run["request_model"]] += verdict["correct"]
    assert correct == {"DeepSeek-Coder-V2": 4, "Meta-Llama-3_1-8B-Instruct": 2, "gemini-1.5-pro-002": 5}
    assert {run["token_source"] for run in rows["runs"]} == {"tokenizer"}


def test_an_answer_of_mmlu_pro_is_judged_by_the_text_of_its_option(write: Callable[[str, str], Path]) -> None:
    row = {
        "question_id": 70,
        "question": "Which?",
        "options": ['red "1"', "blue"],
        "answer": "B",
        "answer_index": 1,
        "category": "law",
        "pred": None,
        "model_outputs": "The answer is blue.",
    }
    path = write("model_outputs_m-1_5shots.json", json.dumps([row]))
    gathered = laptop.read([str(path)], Options())
    (instance,) = gathered.tables["instances"].to_pylist()
    assert json.loads(instance["gold"]) == {"answer": "B", "options": ['red "1"', "blue"]}
    verdicts = laptop.measure(gathered, settings.load()).verdicts.to_pylist()
    found = {verdict["scorer"]: (verdict["extracted_answer"], verdict["correct"]) for verdict in verdicts}
    assert found["rescored:multiple_choice"] == ("B", True)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("model_outputs_gpt-4o_5shots.json", "gpt-4o"), ("gpt-4o/computer science_result.json", "gpt-4o"),
        ("results/mathstral-7b.json", "mathstral-7b"), ("run/math.json", None),
        ("eval_results/math_result.json", None), ("run/computer science.jsonl", None),
    ],
)  # fmt: skip
def test_mmlu_pro_takes_no_subject_and_no_default_folder_for_a_model(
    write: Callable[[str, str], Path], name: str, model: str | None
) -> None:
    row = (
        '[{"question_id": 1, "question": "q", "options": ["a"], "answer": "A", "answer_index": 0,'
        ' "category": "math", "pred": "A", "model_outputs": "A"}]'
    )
    rows = staged(write(name, row))
    assert [run["request_model"] for run in rows["runs"]] == ([] if model is None else [model])
    assert [refused["detail"][:20] for refused in rows["quarantine"]] == (
        ["model: found nothing"] if model is None else []
    )


@pytest.fixture(scope="module")
def lrm(samples: Path) -> Rows:
    return staged(*sorted((samples / "logs" / "lrm_token_economy").glob("*.json")))


def test_raw_results_of_lrm_token_economy_are_five_runs_each(lrm: Rows) -> None:
    assert [total(lrm, name) for name in ("runs", "quarantined")] == [140, 0]
    assert len({run["run_key"] for run in lrm["runs"]}) == 140
    assert Counter(run["finish_reason_raw"] for run in lrm["runs"]) == {"stop": 119, None: 21}


def test_raw_results_keep_t_and_reasoning_as_logged_and_tell_a_conflict(lrm: Rows) -> None:
    first = next(run for run in lrm["runs"] if run["attempt"] == "gen-1753720611-0WX1e0d1WWKBtylSD8jz")
    assert (first["output_tokens"], first["reasoning_tokens"], first["token_convention"]) == (
        1240,
        642,
        "conflict",
    )
    whole = next(run for run in lrm["runs"] if run["attempt"] == "gen-1753720795-B6ph35CfHbhHVVe65iw9")
    assert (whole["output_tokens"], whole["reasoning_tokens"], whole["token_convention"]) == (
        4529,
        4151,
        "assumed",
    )


def test_every_raw_run_meets_its_verdict_by_text_and_t(lrm: Rows) -> None:
    labels = {label["custom_id"]: label["correct"] for label in lrm["labels"]}
    assert len(labels) == len(lrm["labels"])
    found = Counter(labels.get(run["source_record_id"]) for run in lrm["runs"])
    assert found == {True: 136, False: 4}
    wrong = {run["instance_id"] for run in lrm["runs"] if labels[run["source_record_id"]] is False}
    assert wrong == {"bridge_torch_easy_10m"}


def test_verdicts_of_their_own_file_become_those_of_the_runs(samples: Path) -> None:
    folder = samples / "logs" / "lrm_token_economy"
    names = ("output_queries_sonnet37.first4.json", "detailed_evaluations_sonnet37.first4.json")
    gathered = laptop.read([str(folder / name) for name in names], Options())
    verdicts = laptop.measure(gathered, settings.load()).verdicts.to_pylist()
    assert Counter((verdict["scorer"], verdict["correct"]) for verdict in verdicts) == {
        ("label", True): 16,
        ("label", False): 4,
    }


def test_no_raw_trace_is_called_whole_where_reasoning_is_shown(lrm: Rows) -> None:
    assert Counter(run["trace_visibility"] for run in lrm["runs"]) == {"summary": 139, "hidden": 1}


def test_both_files_of_lrm_token_economy_give_one_name_to_a_run(write: Callable[[str, str], Path]) -> None:
    text = (
        '{"results": [{"prompt_id": "sum", "prompt": "q", "llm": "m", "output": ["18"], "thinking": [null],'
        ' "tokens_completion": [7.0]}]}'
    )
    (run,) = staged(write("a.json", text))["runs"]
    assert run["source_record_id"] == lrm_evaluations.run_id("sum", "m", 7, "18")


def test_of_two_answers_of_livebench_to_one_question_the_newest_is_the_run(
    write: Callable[[str, str], Path],
) -> None:
    def line(tokens: int, stamp: int) -> str:
        known = {"question_id": "q", "answer_id": "a", "model_id": "m", "total_output_tokens": tokens}
        return json.dumps({**known, "choices": [{"index": 0, "turns": [str(tokens)]}], "tstamp": stamp})

    path = write(
        "model_answer/m.jsonl", "\n".join([line(7, 1767225600), line(9, 1767225700), line(8, 1767225650)])
    )
    (run,) = laptop.read([str(path)], Options(benchmark="b")).tables["runs"].to_pylist()
    assert (run["output_tokens"], run["instance_id"]) == (9, "q")


def test_both_files_of_livebench_give_one_name_to_a_run(write: Callable[[str, str], Path]) -> None:
    text = (
        '{"question_id": "q", "answer_id": "a", "model_id": "GPT-4o", "choices": [{"turns": ["x"]}],'
        ' "tstamp": 1767225600, "total_output_tokens": 5}'
    )
    (run,) = staged(write("gpt.jsonl", text))["runs"]
    assert run["source_record_id"] == livebench_judgments.run_id("q", "gpt-4o")
    assert run["tags"] == []


def test_answers_of_fastchat_are_not_those_of_livebench(write: Callable[[str, str], Path]) -> None:
    text = (
        '{"question_id": 81, "answer_id": "a", "model_id": "m", "choices": [{"index": 0, "turns": ["x"]}],'
        ' "tstamp": 1767225600}'
    )
    assert mapper.READER.detect(log_of(write("m.jsonl", text))) == 0


GENERATION = (
    '{"id": "gen-1", "model": "m", "native_tokens_prompt": 1, "native_tokens_completion": 2,'
    ' "native_finish_reason": "stop", "generation_time": 5, "total_cost": 0}'
)


@pytest.mark.parametrize(("text", "name"), [(GENERATION, "openrouter_generation"),
                                            (f'{{"data": {GENERATION}}}', "openrouter_response")])  # fmt: skip
def test_what_the_log_does_not_name_the_command_may(
    write: Callable[[str, str], Path], text: str, name: str
) -> None:
    path = write("gen.jsonl", text)
    assert (mapper.recipe_of(log_of(path)) or {})["name"] == name
    assert benchmarks(staged(path)) == ["unlabelled"]
    assert benchmarks(staged(path, benchmark="gsm8k")) == ["gsm8k"]


def benchmarks(rows: Rows) -> Iterable[str]:
    return [run["benchmark_id"] for run in rows["runs"]]


def test_matharena_rows_of_an_unnamed_competition_need_a_benchmark(write: Callable[[str, str], Path]) -> None:
    text = (
        '{"problem_idx": 1, "model_config": "a/b", "idx_answer": 0, "all_messages": [], "user_message": "q",'
        ' "answer": "3", "output_tokens": 5, "correct": true}'
    )
    (refused,) = staged(write("train.jsonl", text))["quarantine"]
    assert refused["detail"] == "benchmark: found nothing; allowed: a name; pass --benchmark NAME"
    assert benchmarks(staged(write("train.jsonl", text), benchmark="hmmt")) == ["hmmt"]
    assert benchmarks(staged(write("aime_2025_outputs/train.jsonl", text), benchmark="hmmt")) == ["aime_2025"]
