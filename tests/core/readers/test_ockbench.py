"""OckBench: result files and caches give the same runs, and a 0 that nobody counted is no count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from effspark import readers, settings
from effspark.errors import LogError
from effspark.readers import Mapped, NotSelected, Rejected
from effspark.readers.ockbench import READER
from tests.core.readers.small_logs import claimed, document, entries, lines, log_of, runs, staged

SAMPLE = "ockbench/generated_result.json"
CONFIG: dict[str, Any] = {
    "dataset_path": "data/OckBench_math.jsonl",
    "dataset_name": "OckBench_math",
    "provider": "chat_completion",
    "model": "acme/reasoner-7b",
    "base_url": "https://relay.example/v1",
    "temperature": 0.0,
    "max_output_tokens": 4096,
    "request_overrides": {"set": {}, "unset": []},
    "evaluator_type": "math",
}
COUNTS = {
    "prompt_tokens": 20,
    "answer_tokens": 10,
    "reasoning_tokens": 90,
    "output_tokens": 100,
    "total_tokens": 120,
}
NOTHING = dict.fromkeys(COUNTS, 0)


def row(**said: Any) -> dict[str, Any]:
    return {
        "problem_id": "m-1",
        "question": "2+1?",
        "formatted_prompt": "Solve: 2+1?",
        "ground_truth": "3",
        "model_response": "3",
        "extracted_answer": "3",
        "correct": True,
        "tokens": COUNTS,
        "latency": 2.5,
        "error": None,
        "finish_reason": "stop",
        **said,
    }


def results(folder: Path, *rows: dict[str, Any], config: dict[str, Any] | None = None, **said: Any) -> Path:
    whole = {"config": {**CONFIG, **(config or {})}, "results": list(rows), "dataset_name": "OckBench_math"}
    return document(folder / "result.json", {"schema_version": "2.0", **whole, **said})


def cache(folder: Path, *rows: dict[str, Any]) -> Path:
    identity = {
        name: CONFIG[name]
        for name in ("provider", "model", "base_url", "evaluator_type", "request_overrides")
    }
    identity["dataset"] = {"name": "OckBench_math", "split": None, "path": "data/OckBench_math.jsonl"}
    identity["generation"] = {"temperature": 0.0, "top_p": None, "max_output_tokens": 4096}
    header = {
        "__ockbench_cache__": True,
        "schema_version": "2.0",
        "identity": identity,
        "identity_hash": "ab",
    }
    return lines(folder / "cache.jsonl", header, *rows)


def test_the_sample_is_read_by_eye(samples: Path) -> None:
    path = samples / "logs" / SAMPLE
    first, cut, failed, folded = staged(READER, path)
    assert [run["instance_id"] for run in (first, cut, failed, folded)] == [
        f"GPQA-Diamond-{n}" for n in range(1, 5)
    ]
    assert [run["output_tokens"] for run in (first, cut, failed, folded)] == [845, 4096, None, 330]
    assert [run["stop_class"] for run in (first, cut, failed, folded)] == ["stop", "length", "error", "stop"]
    assert (cut["truncated"], cut["reasoning_tokens"], cut["output_budget_tokens"]) == (True, 4096, 4096)
    assert (failed["status"], failed["error_message"]) == ("error", "TimeoutError: wall clock")
    assert folded["quality_flags"] == ["gap_folded", "reasoning_estimated"]
    assert sum(run["output_tokens"] or 0 for run in (first, cut, failed, folded)) == 5271
    assert [verdict["correct"] for verdict in staged(READER, path, "verdicts")] == [True, False, True]


def test_only_its_own_sample_is_claimed_and_nobody_is_as_sure(samples: Path) -> None:
    assert claimed(READER, samples) == [SAMPLE]
    assert readers.detect(log_of(samples / "logs" / SAMPLE)) is READER


def test_caches_and_result_files_are_known_and_other_documents_are_not(tmp_path: Path) -> None:
    assert READER.detect(log_of(results(tmp_path, row()))) == 0.95
    assert READER.detect(log_of(cache(tmp_path, row()))) == 0.95
    assert READER.detect(log_of(document(tmp_path / "a.json", {"config": CONFIG, "results": []}))) == 0
    assert READER.detect(log_of(document(tmp_path / "a.json", [row()]))) == 0


def test_a_cache_and_the_results_made_of_it_are_the_same_runs(tmp_path: Path) -> None:
    kept = staged(READER, cache(tmp_path, row(), row(problem_id="m-2")))
    made = staged(READER, results(tmp_path, row(), row(problem_id="m-2")))
    assert [run["run_key"] for run in kept] == [run["run_key"] for run in made]


def test_in_a_cache_the_last_row_of_a_problem_counts_and_the_others_are_retries(tmp_path: Path) -> None:
    failed = row(
        error="429", model_response="", tokens=NOTHING, finish_reason="error", extraction_method="error"
    )
    found = entries(READER, cache(tmp_path, failed, row(problem_id="m-2"), failed, row()))
    assert [type(entry) for entry in found] == [NotSelected, NotSelected, Mapped, NotSelected, Mapped]
    assert [(run.instance_id, run.n_retries) for run in runs(READER, tmp_path / "cache.jsonl")] == [
        ("m-2", 0),
        ("m-1", 2),
    ]


def test_repeated_runs_with_other_answers_stay_apart(tmp_path: Path) -> None:
    first = staged(READER, results(tmp_path, row()))
    again = staged(READER, results(tmp_path, row(model_response="three")))
    rejudged = staged(READER, results(tmp_path, row(correct=False), timestamp="2026-05-04T03:02:01"))
    assert first[0]["run_key"] == rejudged[0]["run_key"] != again[0]["run_key"]


@pytest.mark.parametrize(
    "config",
    [
        {"max_output_tokens": 8192},
        {"temperature": 0.6},
        {"top_p": 0.9},
        {"base_url": "http://localhost:8000/v1"},
        {"request_overrides": {"set": {"reasoning_effort": "high"}, "unset": []}},
    ],
)
def test_other_settings_make_another_eval_run(config: dict[str, Any], tmp_path: Path) -> None:
    first = staged(READER, results(tmp_path, row()))
    other = staged(READER, results(tmp_path, row(), config=config))
    assert first[0]["eval_run_id"] != other[0]["eval_run_id"]


def test_reasoning_that_an_old_version_counted_twice_is_counted_once(tmp_path: Path) -> None:
    doubled = {
        **COUNTS,
        "answer_tokens": 100,
        "reasoning_tokens": 60,
        "output_tokens": 160,
        "total_tokens": 120,
    }
    (run,) = staged(READER, results(tmp_path, row(tokens=doubled)))
    assert (run["output_tokens"], run["reasoning_tokens"], run["token_convention"]) == (100, 60, "inclusive")


@pytest.mark.parametrize("reasoning", [0, None])
def test_a_reasoning_count_of_0_is_no_count(reasoning: int | None, tmp_path: Path) -> None:
    counts = {**COUNTS, "answer_tokens": 100, "reasoning_tokens": reasoning}
    (run,) = staged(READER, results(tmp_path, row(tokens=counts)))
    assert (run["output_tokens"], run["reasoning_tokens"], run["trace_visibility"]) == (100, None, "full")


def test_where_all_counts_are_0_the_text_is_estimated_unless_reasoning_is_hidden(tmp_path: Path) -> None:
    answer = row(tokens=NOTHING, model_response="The answer is 18.")
    (run,) = staged(READER, results(tmp_path, answer))
    assert (run["output_tokens"], run["token_source"]) == (6, "tokenizer")
    hidden: dict[str, Any] = {"hidden_trace_models": settings.load().hidden_trace_models}
    (run,) = staged(READER, results(tmp_path, answer, config={"model": "openai/o3-mini"}), **hidden)
    assert (run["output_tokens"], run["trace_visibility"]) == (None, "hidden")


def test_a_text_with_think_tags_shows_the_whole_trace(tmp_path: Path) -> None:
    (run,) = runs(READER, results(tmp_path, row(model_response="<think>2+1</think>3")))
    assert (run.trace_visibility.value, run.usage.reasoning) == ("full", 90)


def test_a_run_that_was_cut_or_refused_is_no_error(tmp_path: Path) -> None:
    for reason, stop in (
        ("incomplete:max_output_tokens", "length"),
        ("incomplete:content_filter", "refusal"),
    ):
        cut = row(
            error="no text", extraction_method="error", model_response="", correct=False, finish_reason=reason
        )
        path = results(tmp_path, cut)
        (run,) = staged(READER, path)
        assert (run["status"], run["stop_class"], run["error_message"]) == ("ok", stop, "no text")
        assert [verdict["correct"] for verdict in staged(READER, path, "verdicts")] == [False]


@pytest.mark.parametrize("said", [{"evaluator_error": "judge: 503"}, {"error": "judge: 503"}])
def test_an_answer_that_nobody_could_judge_is_a_run_without_a_verdict(
    said: dict[str, str], tmp_path: Path
) -> None:
    (run,) = runs(READER, results(tmp_path, row(correct=False, **said)))
    assert (run.status.value, run.verdicts) == ("ok", ())
    assert (run.error_type, run.error_message) == ("evaluator_error", "judge: 503")


def test_one_bad_row_is_refused_alone(tmp_path: Path) -> None:
    first, bad, last = entries(READER, results(tmp_path, row(), row(tokens={"output_tokens": "many"}), row()))
    assert isinstance(bad, Rejected)
    assert (bad.reason, "output_tokens" in bad.detail) == ("wrong_type", True)
    assert isinstance(first, Mapped)
    assert isinstance(last, Mapped)
    path = tmp_path / "result.json"
    assert path.read_bytes()[last.offset :].startswith(b'{\n   "problem_id"')


@pytest.mark.parametrize(
    "whole", [{"results": [row()]}, {"config": CONFIG}, {"config": {"model": 7}, "results": [row()]}]
)
def test_a_document_without_its_settings_or_rows_is_refused_whole(
    whole: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(LogError):
        entries(READER, document(tmp_path / "a.json", whole))


def test_a_document_that_is_cut_is_refused_whole(tmp_path: Path) -> None:
    path = results(tmp_path, row())
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(LogError, match="cannot be read"):
        entries(READER, path)


def test_a_time_that_is_none_is_flagged(tmp_path: Path) -> None:
    (run,) = runs(READER, results(tmp_path, row(), timestamp="2025:02:11 15:18:04"))
    assert (run.log_version, run.quality_flags) == (None, ("odd_time",))
