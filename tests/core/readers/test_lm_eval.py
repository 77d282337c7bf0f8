from __future__ import annotations

import gzip
import json
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark import readers
from effspark.errors import SettingsError
from effspark.readers import (
    Entry,
    HasCompanions,
    Mapped,
    NotSelected,
    Options,
    Rejected,
)
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.lm_eval import READER
from effspark.runs.record import LoggedRun
from tests.core.readers.small_logs import staged

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
TIME = "2026-01-02T03-04-05.000001"
ASKED = {"until": ["Question:"], "temperature": 0.0, "max_gen_toks": 64}
TASK = {
    "doc_to_text": "Question: {{question}}\nAnswer:",
    "output_type": "generate_until",
    "generation_kwargs": ASKED,
    "filter_list": [
        {"name": "strict", "filter": [{"function": "regex"}, {"function": "take_first"}]},
        {"name": "maj", "filter": [{"function": "majority_vote"}, {"function": "take_first"}]},
    ],
}


def results(**fields: Any) -> dict[str, Any]:
    return {
        "results": {"gsm8k": {"exact_match,strict": 1.0, "exact_match_stderr,strict": "N/A"}},
        "configs": {"gsm8k": TASK},
        "config": {"model": "hf", "model_args": "pretrained=acme/m7", "torch_seed": 1234},
        "n-shot": {"gsm8k": 0},
        "model_name": "acme/m7",
        **fields,
    }


def sample(**fields: Any) -> dict[str, Any]:
    return {
        "doc_id": 0,
        "doc": {"question": "How many?"},
        "target": "18",
        "arguments": {"gen_args_0": {"arg_0": "Question: How many?\nAnswer:", "arg_1": ASKED}},
        "resps": [["18"]],
        "filtered_resps": ["18"],
        "filter": "strict",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
        **fields,
    }


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, NOW)


def written(
    folder: Path, *samples: dict[str, Any], said: dict[str, Any] | None = None, task: str = "gsm8k"
) -> Path:
    (folder / f"results_{TIME}.json").write_text(json.dumps(results() if said is None else said))
    path = folder / f"samples_{task}_{TIME}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in samples))
    return path


def read(path: Path, **options: Any) -> list[Entry]:
    return list(READER.read(log_of(path), Options(**options)))


def runs_of(entry: Entry) -> tuple[LoggedRun, ...]:
    assert isinstance(entry, Mapped)
    return entry.runs


def run_of(folder: Path, *, said: dict[str, Any] | None = None, **fields: Any) -> LoggedRun:
    (entry,) = read(written(folder, sample(**fields), said=said))
    return runs_of(entry)[0]


def run_keys(path: Path) -> list[str]:
    return [row["run_key"] for row in staged(READER, path)]


def test_samples_and_results_are_known_by_content(tmp_path: Path) -> None:
    path = written(tmp_path, sample())
    assert READER.detect(log_of(path)) == 0.95
    assert READER.detect(log_of(tmp_path / f"results_{TIME}.json")) == 0.95
    assert READER.detect(log_of(written(tmp_path, sample(doc={"question": "x" * HEAD_BYTES})))) == 0.6
    assert READER.detect(log_of(written(tmp_path, {"doc_id": 1, "doc": {}, "resps": []}))) == 0
    assert isinstance(READER, HasCompanions)


def test_no_other_format_is_taken_and_no_other_reader_is_as_sure(samples: Path) -> None:
    for path in sorted((samples / "logs").rglob("*")):
        if not path.is_file():
            continue
        log = log_of(path)
        own = READER.detect(log)
        assert (own > 0) == ("lm_eval" in path.parts), path
        if own:
            assert readers.detect(log).name == "lm_eval"


def test_each_text_is_a_run_and_only_the_first_is_scored(tmp_path: Path) -> None:
    (entry,) = read(written(tmp_path, sample(resps=[["18", "17"]])))
    assert [(run.attempt, run.answer, len(run.verdicts)) for run in runs_of(entry)] == [
        ("0", "18", 1),
        ("1", "17", 0),
    ]


def test_lines_of_the_other_filters_give_verdicts_of_the_same_runs(tmp_path: Path) -> None:
    path = written(tmp_path, sample(), sample(filter="loose", exact_match=0.0))
    first, second = read(path)
    assert [(v.scorer, v.value) for v in runs_of(first)[0].verdicts] == [
        ("exact_match", 1.0),
        ("exact_match,loose", 0.0),
    ]
    assert second == NotSelected(
        second.offset, "filter loose, where strict is chosen; conf readers.filters chooses another"
    )


def test_the_filter_of_a_task_can_be_declared(tmp_path: Path) -> None:
    path = written(tmp_path, sample(), sample(filter="loose", exact_match=0.0))
    first, second = read(path, filters={"gsm8k": "loose"})
    assert first == NotSelected(
        0, "filter strict, where loose is chosen; conf readers.filters chooses another"
    )
    assert {v.scorer: v.value for v in runs_of(second)[0].verdicts} == {
        "exact_match": 0.0,
        "exact_match,strict": 1.0,
    }
    with pytest.raises(
        SettingsError, match=r"filter declared for gsm8k .*found none; allowed: strict, loose"
    ):
        read(path, filters={"gsm8k": "none"})


def test_the_first_filter_of_the_task_counts_whatever_the_order_of_lines(tmp_path: Path) -> None:
    first, second = read(written(tmp_path, sample(filter="maj"), sample()))
    assert (type(first), runs_of(second)[0].tags) == (NotSelected, {"filter": "strict"})


def test_a_score_of_k_texts_together_is_no_verdict_of_one(tmp_path: Path) -> None:
    path = written(tmp_path, sample(filter="maj", resps=[["18", "17"]], exact_match=1.0))
    (entry,) = read(path)
    assert [(run.verdicts, run.quality_flags) for run in runs_of(entry)] == [((), ("score_of_k_texts",))] * 2
    assert runs_of(entry)[0].tags == {"filter": "maj", "score.exact_match": "1.0"}
    assert len(run_of(tmp_path, filter="maj").verdicts) == 1


def test_requests_that_generate_nothing_are_no_runs(tmp_path: Path) -> None:
    choice = {"arguments": [["Which?", " a"]], "resps": [[["-1.5", "True"]]]}
    said = results(configs={"gsm8k": {"output_type": "multiple_choice"}})
    assert read(written(tmp_path, sample(**choice), said=said)) == [NotSelected(0, "log-likelihood request")]
    said = results(configs={"gsm8k": {}})
    assert read(written(tmp_path, sample(**choice), said=said)) == [NotSelected(0, "log-likelihood request")]


def test_the_model_is_the_named_one_else_an_argument(tmp_path: Path) -> None:
    assert run_of(tmp_path).configuration.request_model == "acme/m7"
    config = {"model": "hf", "model_args": "pretrained=acme/base,peft=acme/tuned", "model_sha": "82047f5e"}
    run = run_of(tmp_path, said=results(model_name=None, config=config))
    assert run.configuration.request_model == "acme/tuned"
    assert (run.configuration.provider_route, run.configuration.model_revision) == ("hf", "82047f5e")
    config = {"model": "local-chat-completions", "model_args": {"model": "m", "max_gen_toks": 32}}
    run = run_of(tmp_path, said=results(model_name=None, config=config))
    assert run.configuration.request_model == "m"


def test_the_budget_is_the_sample_s_else_the_model_s(tmp_path: Path) -> None:
    assert run_of(tmp_path).configuration.output_budget_tokens == 64
    no_budget = {"gen_args_0": {"arg_0": "Q", "arg_1": {"temperature": 0.0}}}
    assert run_of(tmp_path, arguments=no_budget).configuration.output_budget_tokens is None
    config = {"model": "vllm", "model_args": "pretrained=m,max_gen_toks=32768"}
    run = run_of(tmp_path, arguments=no_budget, said=results(config=config))
    assert run.configuration.output_budget_tokens == 32768


def test_samples_without_their_results_file_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, sample())
    (tmp_path / f"results_{TIME}.json").rename(tmp_path / "results_2026-01-02T09-09-09.000001.json")
    (entry,) = read(path)
    assert isinstance(entry, Rejected)
    assert entry.reason == "no_model"
    assert "found 0 results files of it among the 0 beside it" in entry.detail


def test_lines_of_another_tool_are_refused_and_no_likelihoods(tmp_path: Path) -> None:
    path = tmp_path / "output-rs0.jsonl"
    bare = {"doc_id": 0, "resps": [["18"]]}
    rows = ({"id": 0, "generation": "18"}, {}, bare, {**bare, "resps": [[["-1.5", "True"]]]})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    other, empty, text, choice = read(path)
    assert isinstance(other, Rejected)
    assert other.reason == "invalid_record"
    assert "found the fields id, generation; allowed: a record with arguments or resps" in other.detail
    assert isinstance(empty, Rejected)
    assert "found no field" in empty.detail
    assert isinstance(text, Rejected)
    assert text.reason == "no_model"
    assert choice == NotSelected(choice.offset, "log-likelihood request")


def test_a_results_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, sample())
    beside = tmp_path / f"results_{TIME}.json"
    beside.write_text(beside.read_text()[:-9])
    (entry,) = read(path)
    assert isinstance(entry, Rejected)
    assert f"found results_{TIME}.json, which cannot be read" in entry.detail


def test_the_task_is_the_longest_that_the_file_name_ends_in(tmp_path: Path) -> None:
    configs = {"math": {}, "hard/math": TASK}
    (entry,) = read(written(tmp_path, sample(), said=results(configs=configs), task="hard_math"))
    assert runs_of(entry)[0].benchmark_id == "hard/math"


def test_text_without_its_thinking_is_no_trace_and_is_never_counted(tmp_path: Path) -> None:
    config = {"model": "vllm", "model_args": "pretrained=m,think_end_token=</think>"}
    run = run_of(tmp_path, said=results(config=config))
    assert (run.trace_visibility.value, run.estimable) == ("redacted", False)
    (entry,) = read(written(tmp_path, sample()), hidden_trace_models=("m7$",))
    assert (runs_of(entry)[0].trace_visibility.value, runs_of(entry)[0].estimable) == ("hidden", False)


@pytest.mark.parametrize(
    ("template", "question"),
    [
        ("Question: {{question}}\nAnswer:", "How many?"),
        ("question", "How many?"),
        ("{{question}} {{choices}}", None),
        ("{% if x %}{{question}}", None),
        (None, None),
    ],
)
def test_the_bare_question_is_the_one_field_the_template_names(
    template: str | None, question: str | None, tmp_path: Path
) -> None:
    said = results(configs={"gsm8k": {**TASK, "doc_to_text": template}})
    assert run_of(tmp_path, said=said).question == question


def test_a_metric_that_is_good_when_low_or_no_score_says_nothing_of_right(tmp_path: Path) -> None:
    said = results(higher_is_better={"gsm8k": {"ter": False}})
    run = run_of(
        tmp_path, said=said, metrics=["ter", "bypass", "bleu"], ter=1.0, bypass=999, bleu=["18", "17"]
    )
    assert [(v.scorer, v.raw, v.value) for v in run.verdicts] == [
        ("ter", "1.0", None),
        ("bleu", '["18", "17"]', None),
    ]


def test_settings_and_budget_keep_eval_runs_apart(tmp_path: Path) -> None:
    variants: list[dict[str, Any]] = [
        {},
        {"n-shot": {"gsm8k": 5}},
        {"chat_template_sha": "abc"},
        {"config": {"model": "hf", "model_args": "pretrained=acme/m7", "torch_seed": 1}},
        {
            "config": {
                "model": "hf",
                "model_args": "pretrained=acme/m7,enable_thinking=True",
                "torch_seed": 1234,
            }
        },
    ]
    found = [run_keys(written(tmp_path, sample(), said=results(**one)))[0] for one in variants]
    assert len(set(found)) == len(variants)
    asked = {"gen_args_0": {"arg_0": "Q", "arg_1": {**ASKED, "max_gen_toks": 128}}}
    assert run_keys(written(tmp_path, sample(arguments=asked)))[0] not in found


def test_an_evaluation_run_again_gives_the_same_keys_and_a_later_version(tmp_path: Path) -> None:
    first = run_keys(written(tmp_path, sample(), said=results(date=1764445002.5)))
    later = written(tmp_path, sample(), said=results(date=1764445999.0))
    assert run_keys(later) == first
    (entry,) = read(later)
    assert runs_of(entry)[0].log_version == datetime(2025, 11, 29, 19, 53, 19, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "fields",
    [
        {"resps": []},
        {"resps": [[]]},
        {"resps": [["a"], ["b"]]},
        {"resps": [[18]]},
        {"arguments": {}},
        {"arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": "{'temperature': "}}},
        {"arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": "{'temperature': 'hot'}"}}, "doc_id": 2},
        {"doc_id": None},
        {"doc_id": True},
    ],
)
def test_a_bad_sample_is_refused_alone(fields: dict[str, Any], tmp_path: Path) -> None:
    assert len(run_keys(written(tmp_path, sample(**fields), sample(doc_id=1)))) == 1


def test_odd_names_of_metrics_and_filters_stop_nothing(tmp_path: Path) -> None:
    run = run_of(tmp_path, filter=["a"], metrics=["exact_match", ["b"], "absent"])
    assert (run.tags, [verdict.scorer for verdict in run.verdicts]) == ({"filter": '["a"]'}, ["exact_match"])


def test_a_compressed_file_gives_the_same_runs(tmp_path: Path) -> None:
    path = written(tmp_path, sample())
    plain = run_keys(path)
    packed = path.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    assert run_keys(packed) == plain


def test_the_real_samples_of_a_perturbed_math_task_are_read_whole(samples: Path) -> None:
    path = samples / "logs/lm_eval/samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl"
    entries = read(path)
    assert Counter(type(entry) for entry in entries) == {Mapped: 10}
    run = runs_of(entries[2])[0]
    assert run.configuration.model_revision == "82047f5e5d5245c1b3a4cd75ad98aa441d6487cd"
    assert (run.configuration.provider_route, run.configuration.output_budget_tokens) == ("hf", 512)
    assert (run.instance_id, run.gold, run.verdicts[0].scorer, run.verdicts[0].value) == (
        2,
        "\\dfrac{13}{9}",
        "exact_match",
        0.0,
    )
    assert run.format_version == "0.4.9.2"


def test_the_generated_samples_of_gsm8k_give_two_runs_a_document_and_a_verdict_a_filter(
    samples: Path,
) -> None:
    entries = read(samples / "logs/lm_eval/generated/samples_gsm8k_2026-11-29T20-37-10.263903.jsonl")
    assert Counter(type(entry) for entry in entries) == {Mapped: 8, NotSelected: 8}
    runs = [run for entry in entries if isinstance(entry, Mapped) for run in entry.runs]
    assert len(runs) == 16
    scores = Counter((v.scorer, v.value) for run in runs for v in run.verdicts)
    assert scores == {
        ("exact_match", 0.0): 8,
        ("exact_match,flexible-extract", 0.0): 7,
        ("exact_match,flexible-extract", 1.0): 1,
    }
    assert (runs[0].configuration.request_model, runs[0].configuration.output_budget_tokens) == (
        "fake-7b",
        None,
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"config": {"model": "hf", "model_args": {"model": "m", "max_gen_toks": "many"}}},
        {"model_source": 7},
        {"configs": {"gsm8k": {"filter_list": [{"name": "strict", "filter": [{"function": {}}]}]}}},
        {"configs": {"gsm8k": {"output_type": ["generate_until"]}}},
    ],
)
def test_a_results_file_of_odd_types_refuses_its_samples(fields: dict[str, Any], tmp_path: Path) -> None:
    no_budget = {"gen_args_0": {"arg_0": "Q", "arg_1": {"temperature": 0.0}}}
    (entry,) = read(written(tmp_path, sample(arguments=no_budget), said=results(**fields)))
    assert isinstance(entry, Rejected)


def test_a_record_nested_to_the_limit_of_the_parser_is_a_run_or_refused(tmp_path: Path) -> None:
    depths = range(700, 1000)
    path = written(tmp_path, *(sample(doc_id=depth, extra=f"@{depth}@") for depth in depths))
    text = path.read_text()
    for depth in depths:
        text = text.replace(f'"@{depth}@"', "[" * depth + "]" * depth)
    path.write_text(text)
    read = list(READER.read(log_of(path), Options()))
    refused = [depth for depth, entry in zip(depths, read, strict=True) if isinstance(entry, Rejected)]
    assert refused
    assert [*range(refused[0], depths.stop)] == refused
