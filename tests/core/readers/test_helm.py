from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

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
from effspark.readers.helm import READER
from effspark.runs import generation
from effspark.runs.record import LoggedRun
from tests.core.readers.small_logs import staged

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
ADAPTER = {"method": "generation", "max_train_instances": 5, "model": "acme/m7", "temperature": 0.0}
SPEC = {"name": "gsm:stop=none,model=acme_m7", "scenario_spec": {}, "adapter_spec": ADAPTER}


def state(
    *, completion: dict[str, Any] | None = None, request: dict[str, Any] | None = None, **fields: Any
) -> dict[str, Any]:
    said = {"text": " 18", "tokens": [{"text": " "}, {"text": "18"}], "finish_reason": {"reason": "stop"}}
    return {
        "instance": {"input": {"text": "How many?"}, "references": [], "split": "test", "id": "id1"},
        "train_trial_index": 0,
        "request": {
            "model_deployment": "acme/m7-chat",
            "model": "acme/m7",
            "prompt": "How many?",
            "temperature": 0.0,
            "max_tokens": 100,
            **(request or {}),
        },
        "result": {"success": True, "completions": [{**said, **(completion or {})}], "cached": False},
        **fields,
    }


def statistics(instance: str = "id1", trial: int = 0, **means: float) -> dict[str, Any]:
    said = [{"name": {"name": name}, "count": 1, "mean": mean} for name, mean in means.items()]
    return {"instance_id": instance, "train_trial_index": trial, "stats": said}


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, NOW)


def written(
    folder: Path,
    *states: dict[str, Any],
    of_instances: list[dict[str, Any]] | None = None,
    adapter: dict[str, Any] | None = None,
    prefix: str = "",
) -> Path:
    documents = {
        "run_spec": SPEC,
        "per_instance_stats": of_instances or [statistics(exact_match=1.0)],
        "scenario_state": {"adapter_spec": adapter or ADAPTER, "request_states": list(states)},
    }
    for name, document in documents.items():
        (folder / f"{prefix}{name}.json").write_text(json.dumps(document, indent=2), "utf-8")
    return folder / f"{prefix}scenario_state.json"


def read(path: Path, **options: Any) -> list[Entry]:
    return list(READER.read(log_of(path), Options(**options)))


def runs_of(entry: Entry) -> tuple[LoggedRun, ...]:
    assert isinstance(entry, Mapped)
    return entry.runs


def run_of(folder: Path, *, options: dict[str, Any] | None = None, **fields: Any) -> LoggedRun:
    (entry,) = read(written(folder, state(**fields)), **(options or {}))
    return runs_of(entry)[0]


def rows_of(path: Path, kind: str = "runs") -> list[dict[str, Any]]:
    return staged(READER, path, kind)


def test_requests_and_their_companions_are_known_by_content(tmp_path: Path) -> None:
    path = written(tmp_path, state())
    assert READER.detect(log_of(path)) == 0.95
    for name in ("run_spec", "per_instance_stats"):
        companion = tmp_path / f"{name}.json"
        assert READER.detect(log_of(companion)) == 0.9
        assert read(companion) == [NotSelected(0, "companion of scenario_state.json")]
    assert isinstance(READER, HasCompanions)


@pytest.mark.parametrize(
    "document",
    [
        [{"instance_id": "id1", "predicted_text": "18", "train_trial_index": 0, "stats": {}}],
        [{"instance_id": "id1", "request": {"prompt": "Q"}, "train_trial_index": 0}],
        [{"input": {"text": "Q"}, "references": [], "split": "test", "id": "id1"}],
    ],
)
def test_files_written_for_display_are_companions(document: Any, tmp_path: Path) -> None:
    path = tmp_path / "display.json"
    path.write_text(json.dumps(document))
    assert READER.detect(log_of(path)) == 0.9


def test_no_other_format_is_taken_and_no_other_reader_is_as_sure(samples: Path) -> None:
    for path in sorted((samples / "logs").rglob("*")):
        if not path.is_file():
            continue
        log = log_of(path)
        own = READER.detect(log)
        assert (own > 0) == ("helm" in path.parts), path
        if own:
            assert readers.detect(log).name == "helm"


def test_a_file_that_is_neither_is_told(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"a": 1}')
    with pytest.raises(
        LogError, match=r"no requests .*found an object of a; allowed: adapter_spec and request_states"
    ):
        read(path)


def test_tokens_of_a_model_that_ran_in_helm_are_exact(tmp_path: Path) -> None:
    run = run_of(tmp_path, request={"model_deployment": "huggingface/m7"})
    assert (run.usage.token_ids, run.usage.output) == (2, None)


def test_tokens_of_other_models_are_an_estimate(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    assert (run.usage.token_ids, run.usage.output, run.usage.source.value) == (None, 2, "tokenizer")


def test_no_tokens_beside_text_are_unknown_and_estimated_only_where_nothing_is_hidden(tmp_path: Path) -> None:
    run = run_of(tmp_path, completion={"tokens": [], "text": "The answer is 18."})
    row = generation.of_generation(run)
    assert (row.output_tokens, row.token_source, row.quality_flags) == (6, "tokenizer", ["zero_usage"])
    hidden = {"hidden_trace_models": ("m7$",)}
    run = run_of(tmp_path, completion={"tokens": []}, options=hidden)
    row = generation.of_generation(run)
    assert (row.output_tokens, row.token_source, run.trace_visibility) == (None, "none", "hidden")
    assert generation.of_generation(run_of(tmp_path, options=hidden)).output_tokens is None
    run = run_of(tmp_path, completion={"tokens": [], "text": ""})
    assert generation.of_generation(run).output_tokens is None


def test_thinking_is_part_of_the_trace_and_never_of_the_logged_tokens(tmp_path: Path) -> None:
    run = run_of(tmp_path, completion={"thinking": {"text": "9 * 2 is 18."}})
    assert (run.reasoning, run.answer, run.usage.output, run.estimable) == ("9 * 2 is 18.", " 18", None, True)


@pytest.mark.parametrize(
    ("reason", "found", "stop"),
    [
        ({"reason": "length"}, "length", "length"),
        ({"reason": "endoftext"}, "endoftext", "stop"),
        ({"reason": "max_tokens"}, "max_tokens", "length"),
        ({"reason": "unknown"}, "unknown", "unknown"),
        ("stop", "stop", "stop"),
        ({}, None, "unknown"),
        (None, None, "unknown"),
    ],
)
def test_the_finish_reason_is_handed_on_as_logged(
    reason: Any, found: str | None, stop: str, tmp_path: Path
) -> None:
    run = run_of(tmp_path, completion={"finish_reason": reason})
    assert (run.finish_reason, generation.of_generation(run).stop_class) == (found, stop)


def test_time_of_a_cached_answer_is_no_latency_of_the_run(tmp_path: Path) -> None:
    result = {**state()["result"], "cached": True, "request_time": 3.5, "request_datetime": 1764445002}
    run = run_of(tmp_path, result=result)
    assert (run.latency_seconds, run.latency_kind, run.quality_flags) == (3.5, "cached", ("replayed",))
    assert run_of(tmp_path, result={**result, "cached": False}).latency_kind == "wall"
    assert run_of(tmp_path).latency_kind is None


def test_statistics_join_on_instance_perturbation_and_trial(tmp_path: Path) -> None:
    typos = {"name": "typos", "robustness": True, "prob": 0.1}
    perturbed = {**state()["instance"], "perturbation": typos}
    stats = [
        statistics(exact_match=1.0, num_prompt_tokens=40.0),
        statistics(trial=1, exact_match=0.0, num_prompt_tokens=0.0),
        {**statistics(exact_match=0.5), "perturbation": typos},
    ]
    states = (state(), state(train_trial_index=1), state(instance=perturbed))
    found = [runs_of(entry)[0] for entry in read(written(tmp_path, *states, of_instances=stats))]
    assert [run.verdicts[0].value for run in found] == [1.0, 0.0, 0.5]
    assert [run.usage.input for run in found] == [40, None, None]
    assert [(run.instance_id, run.attempt) for run in found] == [
        ("id1", "0"),
        ("id1", "1"),
        ("id1:typos,prob=0.1", "0"),
    ]


def test_bookkeeping_and_scores_of_several_answers_are_no_verdicts(tmp_path: Path) -> None:
    means = {
        "num_bytes": 1.0,
        "finish_reason_stop": 1.0,
        "exact_match@5": 1.0,
        "logprob": -1.0,
        "math_equiv": 1.0,
    }
    (entry,) = read(written(tmp_path, state(), of_instances=[statistics(**means)]))
    assert [verdict.scorer for verdict in runs_of(entry)[0].verdicts] == ["math_equiv"]


def test_a_statistic_over_no_or_many_values_is_no_verdict(tmp_path: Path) -> None:
    of_instance = statistics(a=1.0, b=1.0, c=1.0)
    of_instance["stats"][0] |= {"count": 0, "mean": None}
    of_instance["stats"][1] |= {"count": 3}
    (entry,) = read(written(tmp_path, state(), of_instances=[of_instance]))
    assert [verdict.scorer for verdict in runs_of(entry)[0].verdicts] == ["c"]


def test_each_completion_is_a_run_and_only_the_first_is_scored(tmp_path: Path) -> None:
    completion = state()["result"]["completions"][0]
    result = {"success": True, "completions": [completion, {**completion, "text": " 17"}], "cached": False}
    (entry,) = read(written(tmp_path, state(result=result)))
    assert [(run.attempt, run.answer, len(run.verdicts)) for run in runs_of(entry)] == [
        ("0", " 18", 1),
        ("0#1", " 17", 0),
    ]


def test_requests_asked_again_with_another_seed_share_no_verdict(tmp_path: Path) -> None:
    entries = read(written(tmp_path, state(), state(request={"random": "1"})))
    assert [(run.attempt, run.verdicts) for entry in entries for run in runs_of(entry)] == [
        ("0", ()),
        ("0:1", ()),
    ]


def test_the_last_request_before_a_cut_may_have_been_asked_again_and_gets_no_verdict(tmp_path: Path) -> None:
    other = {"input": {"text": "Why?"}, "references": [], "split": "test", "id": "id2"}
    scores = [statistics(name, exact_match=1.0) for name in ("id1", "id2")]
    path = written(tmp_path, state(), state(instance=other), state(), of_instances=scores)
    path.write_bytes(path.read_bytes()[: path.read_bytes().rindex(b'"instance"')])
    first, last = rows_of(path)
    assert (first["instance_id"], last["instance_id"]) == ("id1", "id2")
    assert [row["run_key"] for row in rows_of(path, "verdicts")] == [first["run_key"]]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"reference_index": 0}, "scored reference or prompt"),
        ({"request_mode": "calibration"}, "scored reference or prompt"),
        ({"request": {"max_tokens": 0}}, "scored reference or prompt"),
        ({"result": None}, "request not made"),
    ],
)
def test_requests_that_generate_nothing_are_no_runs(
    fields: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    (entry,) = read(written(tmp_path, state(**fields)))
    assert isinstance(entry, NotSelected)
    assert entry.reason == reason


def test_a_failed_request_is_a_failed_run(tmp_path: Path) -> None:
    run = run_of(tmp_path, result={"success": False, "cached": False, "completions": [], "error": "HTTP 500"})
    assert (run.status.value, run.error_message, run.answer) == ("error", "HTTP 500", None)


def test_a_run_without_specification_or_statistics_is_refused_until_they_come(tmp_path: Path) -> None:
    path = written(tmp_path, state())
    (tmp_path / "run_spec.json").unlink()
    (entry,) = read(path)
    assert isinstance(entry, Rejected)
    assert entry.reason == "no_benchmark"
    assert "run_spec.json is not beside the requests" in entry.detail
    (entry,) = read(path, benchmark="gsm")
    assert runs_of(entry)[0].benchmark_id == "gsm"
    (tmp_path / "per_instance_stats.json").unlink()
    (entry,) = read(path, benchmark="gsm")
    assert isinstance(entry, Rejected)
    assert entry.reason == "no_scores"


def test_a_companion_that_is_damaged_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, state())
    (tmp_path / "run_spec.json").write_text('{"name": ')
    (entry,) = read(path, benchmark="gsm")
    assert isinstance(entry, Rejected)
    assert entry.reason == "no_benchmark"
    assert re.search(r"a file of the run cannot be read \(.*run_spec\.json\)", entry.detail)


def test_runs_of_one_folder_are_told_apart_by_their_prefix(tmp_path: Path) -> None:
    first = written(tmp_path, state(), prefix="a__")
    second = written(tmp_path, state(), of_instances=[statistics(exact_match=0.0)], prefix="b__")
    scores = [runs_of(read(path)[0])[0].verdicts[0].value for path in (first, second)]
    assert scores == [1.0, 0.0]


def test_settings_keep_eval_runs_apart_and_the_number_of_instances_does_not(tmp_path: Path) -> None:
    found = [
        rows_of(written(tmp_path, state(), adapter={**ADAPTER, **one}))[0]["run_key"]
        for one in ({}, {"instructions": "Think."}, {"max_train_instances": 0}, {"max_eval_instances": 10})
    ]
    assert len(set(found[:3])) == 3
    assert found[3] == found[0]


@pytest.mark.parametrize("instance", [None, True, 1.5, "", ["q"]])
def test_a_bad_state_is_refused_alone(instance: Any, tmp_path: Path) -> None:
    bad = {**state()["instance"], "id": instance}
    assert len(rows_of(written(tmp_path, state(instance=bad), state(), state(request={"prompt": 7})))) == 1


def test_offsets_are_bytes_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, state(request={"prompt": "é"}), state(train_trial_index=1))
    offsets = [entry.offset for entry in read(path)]
    assert all(path.read_bytes()[offset:].startswith(b"{") for offset in offsets)
    assert len(set(offsets)) == 2


def test_compressed_files_give_the_same_runs(tmp_path: Path) -> None:
    path = written(tmp_path, state())
    plain = [row["run_key"] for row in rows_of(path)]
    for one in list(tmp_path.iterdir()):
        one.with_suffix(".json.gz").write_bytes(gzip.compress(one.read_bytes()))
        one.unlink()
    assert [row["run_key"] for row in rows_of(path.with_suffix(".json.gz"))] == plain


def test_the_real_runs_of_three_scenarios_are_read_whole(samples: Path) -> None:
    found: dict[str, list[LoggedRun]] = {}
    for path in sorted((samples / "logs/helm").glob("*scenario_state.json")):
        found[path.name[:7]] = [run for entry in read(path) for run in runs_of(entry)]
    assert {name: len(runs) for name, runs in found.items()} == {"commons": 10, "mmlu-su": 10, "narrati": 5}
    right = {
        name: sum(v.value == 1.0 for run in runs for v in run.verdicts if v.scorer == "exact_match")
        for name, runs in found.items()
    }
    assert right == {"commons": 3, "mmlu-su": 1, "narrati": 0}
    story = found["narrati"]
    assert [run.usage.token_ids for run in story] == [2, 45, 57, 5, 100]
    assert [run.usage.input for run in story] == [790, 653, 686, 772, 635]
    assert story[0].latency_seconds == 0.8313617706298828
    assert [generation.of_generation(run).truncated for run in story] == [False, False, False, False, True]
    assert {run.benchmark_id for run in found["mmlu-su"]} == {
        "mmlu:subject=philosophy,method=multiple_choice_joint"
    }
    assert Counter(run.split for run in found["mmlu-su"]) == {"test": 9, "valid": 1}
    assert {run.finish_reason for runs in found.values() for run in runs} == {None}


@pytest.mark.parametrize("mean", [float("nan"), float("inf")])
def test_a_count_of_the_prompt_that_is_no_number_is_none(mean: float, tmp_path: Path) -> None:
    path = written(tmp_path, state(), of_instances=[statistics(exact_match=1.0, num_prompt_tokens=mean)])
    assert runs_of(read(path)[0])[0].usage.input is None
