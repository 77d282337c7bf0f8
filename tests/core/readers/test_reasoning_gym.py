"""reasoning-gym: each completion is a run of its own, and its model stands in another file."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from effspark import readers
from effspark.errors import LogError
from effspark.readers import Mapped, NotSelected, Rejected
from effspark.readers.reasoning_gym import READER
from effspark.runs.record import LoggedRun
from tests.core.readers.small_logs import claimed, document, entries, log_of, runs, staged

SAMPLES = {
    "easy__anthropic_claude-sonnet-4_20250524_191444__arithmetic_gsm_symbolic.first6.json": (18, 18, 0),
    "easy__deepseek_deepseek-r1_20250315_181530__logic_zebra_puzzles.first6.json": (18, 16, 0),
    "easy__openai_o3-mini_20250315_181742__logic_zebra_puzzles.first6.json": (18, 18, 0),
    "hard__qwen_qwq-32b_20250412_110323__algebra_simple_equations.first6.json": (6, 3, 2),
    "hard__qwen_qwq-32b_20250412_110323__logic_zebra_puzzles.first6.json": (6, 2, 4),
    "hard__x-ai_grok-3-mini-beta_20250413_235101__arithmetic_gsm_symbolic.first6.json": (6, 6, 0),
}
"""Runs, right answers and empty texts of each sample."""
SUMMARY = "easy__o3-mini__summary.json"


def item(**said: Any) -> dict[str, Any]:
    made = [{"model_answer": "3", "full_model_response": "<think>2+1</think>3", "score": 1.0}]
    return {"question": "2+1?", "expected_answer": "3", "best_score": 1.0, "completions": made, **said}


def data_set(*items: dict[str, Any], **said: Any) -> dict[str, Any]:
    config = {"size": 50, "seed": 45, "max_terms": 3}
    scores = {"average_best_score": 1.0, "average_mean_score": 1.0}
    return {
        "name": "sums",
        "category": "arithmetic",
        **scores,
        "config": config,
        "results": list(items),
        **said,
    }


def run_folder(
    folder: Path, *items: dict[str, Any], summary: dict[str, Any] | None = None, **said: Any
) -> Path:
    setup = {"dataset_best_scores": {}, "total_datasets": 1, "model": "acme/thinker", **(summary or {})}
    document(folder / "summary.json", setup)
    return document(folder / "arithmetic" / "sums.json", data_set(*items, **said))


def only(folder: Path, *items: dict[str, Any], **said: Any) -> LoggedRun:
    (run,) = runs(READER, run_folder(folder, *(items or (item(),)), **said))
    return run


@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_are_read_by_eye(name: str, samples: Path, tmp_path: Path) -> None:
    made, right, empty = SAMPLES[name]
    path = tmp_path / "run" / "category" / "set.json"
    path.parent.mkdir(parents=True)
    shutil.copy(samples / "logs" / "reasoning_gym" / name, path)
    document(tmp_path / "run" / "summary.json", {"model": "acme/thinker"})
    found = staged(READER, path)
    assert Counter(run["instance_id"].partition("-")[0] for run in found) == dict.fromkeys(
        "012345", made // 6
    )
    assert [run["output_tokens"] for run in found] == [None] * made
    verdicts = staged(READER, path, "verdicts")
    assert sum(verdict["correct"] for verdict in verdicts) == right
    assert sum(trace["answer"] == "" for trace in staged(READER, path, "traces")) == empty


def test_a_sample_without_its_summary_is_refused_item_by_item(samples: Path) -> None:
    found = entries(READER, samples / "logs" / "reasoning_gym" / next(iter(SAMPLES)))
    assert [entry.reason for entry in found if isinstance(entry, Rejected)] == ["no_model"] * 6


def test_only_its_own_samples_are_claimed_and_nobody_is_as_sure(samples: Path) -> None:
    own = [f"reasoning_gym/{name}" for name in sorted([*SAMPLES, SUMMARY])]
    assert claimed(READER, samples) == own
    for name in own:
        assert readers.detect(log_of(samples / "logs" / name)) is READER


def test_a_summary_is_not_selected(samples: Path) -> None:
    assert entries(READER, samples / "logs" / "reasoning_gym" / SUMMARY) == [
        NotSelected(0, "summary of a run")
    ]


def test_model_and_settings_stand_in_the_summary_of_the_run(tmp_path: Path) -> None:
    said = {"provider": "Nebius", "temperature": 0.6, "max_tokens": 4096, "timestamp": "2026-03-01T10:00:00"}
    run = only(tmp_path, summary=said)
    asked = run.configuration
    assert (asked.request_model, asked.provider_route, asked.temperature) == ("acme/thinker", "Nebius", 0.6)
    assert asked.output_budget_tokens == 4096
    assert run.started_at is not None
    assert run.started_at.isoformat() == "2026-03-01T10:00:00+00:00"


def test_a_summary_that_names_no_model_yet_is_none(tmp_path: Path) -> None:
    path = run_folder(tmp_path, item(), summary={"model": None})
    (refused,) = entries(READER, path)
    assert isinstance(refused, Rejected)
    assert refused.detail.endswith("or name it for all of these files with --set readers.model=NAME")
    (run,) = runs(READER, path, model="acme/thinker")
    assert run.configuration.request_model == "acme/thinker"
    document(tmp_path / "arithmetic" / "summary.json", {"model": "beside"})
    (run,) = runs(READER, path)
    assert run.configuration.request_model == "beside"


def test_each_completion_is_a_run_named_by_its_place(tmp_path: Path) -> None:
    made = [
        {"full_model_response": text, "score": score} for text, score in (("3", 1.0), ("4", 0.0), ("3", 0.99))
    ]
    found = runs(READER, run_folder(tmp_path, item(completions=made)))
    assert [(run.attempt, run.verdicts[0].value) for run in found] == [("0", 1.0), ("1", 0.0), ("2", 0.99)]
    assert len({run["run_key"] for run in staged(READER, tmp_path / "arithmetic" / "sums.json")}) == 3


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ({"config": {"size": 50, "seed": 45, "max_terms": 9}}, {}),
        ({"system_prompt": "Think."}, {}),
        ({}, {"max_tokens": 4096}),
        ({}, {"top_p": 0.5}),
        ({}, {"provider": "Nebius"}),
    ],
)
def test_other_settings_do_not_replace_a_run(
    said: dict[str, Any], summary: dict[str, Any], tmp_path: Path
) -> None:
    (first,) = staged(READER, run_folder(tmp_path, item()))
    (other,) = staged(READER, run_folder(tmp_path, item(), summary=summary, **said))
    assert first["run_key"] != other["run_key"]


def test_the_file_of_all_results_holds_the_same_runs(tmp_path: Path) -> None:
    (alone,) = staged(READER, run_folder(tmp_path, item()))
    metadata = {"model": "acme/thinker", "git_hash": "unknown", "duration_seconds": 1.0}
    whole = {"metadata": metadata, "categories": [{"name": "arithmetic", "datasets": [data_set(item())]}]}
    path = document(tmp_path / "results.json", whole)
    assert READER.detect(log_of(path)) == 0.95
    (among,) = staged(READER, path)
    assert among["run_key"] == alone["run_key"]
    assert path.read_bytes()[among["source_offset"] :].lstrip().startswith(b'{\n       "question"')


def test_equal_questions_at_two_places_are_two_instances(tmp_path: Path) -> None:
    found = runs(READER, run_folder(tmp_path, item(), item(), item(question="2+2?")))
    assert [run.instance_id.split("-")[0] for run in found] == ["0", "1", "2"]
    hashes = [run.instance_id.split("-")[1] for run in found]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(
    ("text", "visibility", "estimable"),
    [
        ("<think>2+1</think>3", "full", True),
        ("<think>2+", "full", True),
        ("3", "hidden", False),
        ("", "none", False),
    ],
)
def test_tokens_are_estimated_only_where_the_text_shows_its_thinking(
    text: str, visibility: str, estimable: bool, tmp_path: Path
) -> None:
    run = only(tmp_path, item(completions=[{"full_model_response": text, "score": 0.0}]))
    assert (run.trace_visibility.value, run.estimable) == (visibility, estimable)


def test_what_the_scorer_could_not_take_is_not_judged(tmp_path: Path) -> None:
    made = {"model_answer": "ERROR", "full_model_response": "3", "score": 0.0, "error": "cannot parse"}
    run = only(tmp_path, item(completions=[made]))
    assert (run.status.value, run.error_type, run.verdicts) == ("ok", "evaluator_error", ())
    run = only(tmp_path, item(completions=[{**made, "full_model_response": None}]))
    assert (run.status.value, run.error_type, run.error_message) == ("error", None, "cannot parse")


def test_an_item_without_any_answer_is_an_error_or_is_refused(tmp_path: Path) -> None:
    run = only(tmp_path, item(completions=[], error="all failed"))
    assert (run.status.value, run.error_message, run.attempt) == ("error", "all failed", "0")
    (refused,) = entries(READER, run_folder(tmp_path, item(completions=[])))
    assert isinstance(refused, Rejected)


def test_configuration_and_metadata_say_how_hard_an_item_is(tmp_path: Path) -> None:
    assert only(tmp_path).axes == {"max_terms": 3.0}
    saved = item(metadata={"difficulty": {"max_terms": 5, "depth": 2, "kind": "x"}, "source": "y"})
    assert only(tmp_path, saved).axes == {"max_terms": 5.0, "depth": 2.0}


def test_one_bad_item_is_refused_alone(tmp_path: Path) -> None:
    bad = item(completions=[{"full_model_response": 7}])
    found = entries(READER, run_folder(tmp_path, item(), bad, item()))
    assert [type(entry) for entry in found] == [Mapped, Rejected, Mapped]
    path = tmp_path / "arithmetic" / "sums.json"
    raw = found[1].raw  # type: ignore[union-attr]
    assert path.read_bytes()[found[1].offset :].startswith(raw.encode())


@pytest.mark.parametrize("said", [{"name": 7}, {"config": [1]}, {"results": {}}])
def test_a_data_set_of_another_shape_is_refused_whole(said: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(LogError):
        entries(READER, run_folder(tmp_path, item(), **said))


def test_a_file_that_is_cut_is_refused_whole(tmp_path: Path) -> None:
    path = run_folder(tmp_path, item())
    path.write_text(json.dumps(data_set(item()))[:-9], "utf-8")
    with pytest.raises(LogError):
        entries(READER, path)
