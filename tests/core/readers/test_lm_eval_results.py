from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest

from effspark.readers.files import Log
from effspark.readers.lm_eval_results import Evaluation, Results, evaluation_of, is_results

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
TIME = "2026-01-02T03-04-05.000001"


def evaluation(task: dict[str, Any] | None = None, **fields: Any) -> Evaluation:
    document = {"configs": {"gsm8k": task or {}}, **fields}
    return Evaluation("gsm8k", msgspec.convert(document, Results))


def results(folder: Path, *tasks: str, name: str = f"results_{TIME}.json") -> None:
    scores = {"gsm8k": {"acc,none": 1.0, "acc_stderr,none": "N/A"}}
    (folder / name).write_text(json.dumps({"results": scores, "configs": {task: {} for task in tasks}}))


def task_of(folder: Path, name: str) -> str:
    found = evaluation_of(Log(str(folder / name), 1, NOW))
    return found.task if isinstance(found, Evaluation) else found


@pytest.mark.parametrize(
    ("given", "model"),
    [
        ("pretrained=acme/m7,dtype=auto", "acme/m7"),
        ("pretrained=acme/base,peft=acme/tuned", "acme/tuned"),
        ("base_url=http://x,model=m", "m"),
        ({"model": "m", "path": "p"}, "m"),
        (None, ""),
        ("dtype=auto", ""),
    ],
)
def test_a_model_is_named_by_its_arguments(given: Any, model: str) -> None:
    assert evaluation(config={"model_args": given}).model == model


def test_a_filter_scores_the_first_text_or_all_of_them() -> None:
    steps = {
        "first": ["regex", "take_first"],
        "maj": ["take_first_k", "majority_vote", "take_first"],
        "all": ["regex"],
    }
    filters = [
        {"name": name, "filter": [{"function": one} for one in found]} for name, found in steps.items()
    ]
    found = evaluation({"filter_list": filters})
    assert [found.scores_first(name) for name in ("first", "maj", "all", "unknown")] == [
        True,
        False,
        False,
        False,
    ]
    assert found.filters == ["first", "maj", "all"]
    assert evaluation().scores_first("none")
    assert evaluation().scores_first(None)


def test_only_what_the_task_says_is_low_is_good_when_low() -> None:
    found = evaluation(higher_is_better={"gsm8k": {"ter": False, "acc": True}, "other": {"acc": False}})
    assert [found.lower_is_better(name) for name in ("ter", "acc", "unknown")] == [True, False, False]
    assert not evaluation(higher_is_better={"gsm8k": None}).lower_is_better("ter")


def test_a_number_that_is_no_time_is_no_date() -> None:
    assert evaluation(date=1764445002).date == datetime(2025, 11, 29, 19, 36, 42, tzinfo=timezone.utc)
    assert evaluation(date=5.5e12).date is None


def test_a_budget_of_the_sample_outranks_that_of_the_model() -> None:
    found = evaluation(config={"model_args": "model=m,max_gen_toks=2048"})
    assert found.configuration({}).output_budget_tokens == 2048
    assert found.configuration({"max_new_tokens": 64}).output_budget_tokens == 64


def test_the_task_is_the_one_the_name_ends_in(tmp_path: Path) -> None:
    results(tmp_path, "math", "hard_math", "a/b-c")
    assert task_of(tmp_path, f"samples_hard_math_{TIME}.jsonl") == "hard_math"
    assert task_of(tmp_path, f"samples_math_{TIME}.jsonl.gz") == "math"
    assert task_of(tmp_path, f"samples_a_b_c_{TIME}.jsonl") == "a/b-c"
    assert task_of(tmp_path, f"samples_other_{TIME}.jsonl") == "0 results files of it among the 1 beside it"


def test_an_only_task_needs_no_name(tmp_path: Path) -> None:
    results(tmp_path, "gsm8k", name="results.json")
    assert task_of(tmp_path, "mine.jsonl") == "gsm8k"


def test_samples_with_a_time_take_the_results_of_that_time_alone(tmp_path: Path) -> None:
    results(tmp_path, "gsm8k")
    results(tmp_path, "gsm8k", name="results_2026-05-05T05-05-05.000001.json")
    assert task_of(tmp_path, f"samples_gsm8k_{TIME}.jsonl") == "gsm8k"
    assert task_of(tmp_path, "samples_gsm8k.jsonl") == "2 results files of it among the 2 beside it"


def test_results_of_the_harness_are_told_from_those_of_others(tmp_path: Path) -> None:
    results(tmp_path, "gsm8k", name="a.json")
    assert is_results(Log(str(tmp_path / "a.json"), 1, NOW))
    for text in ('{"results": {"version": 3}}', '{"acc_stderr,none": 1}', '{"results": ["acc_stderr,none"]}'):
        (tmp_path / "b.json").write_text(text)
        assert not is_results(Log(str(tmp_path / "b.json"), 1, NOW))
