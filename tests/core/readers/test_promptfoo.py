"""promptfoo: documents and lines, providers and their settings, repeats without a label."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from effspark import readers
from effspark.errors import LogError
from effspark.readers import Mapped, NotSelected, Rejected
from effspark.readers.files import HEAD_BYTES
from effspark.readers.promptfoo import READER
from tests.core.readers.small_logs import claimed, document, entries, lines, log_of, runs, staged

SAMPLES = ["promptfoo/results.json", "promptfoo/results.jsonl"]


def row(**said: Any) -> dict[str, Any]:
    return {
        "id": "r-1",
        "promptId": "p" * 64,
        "testIdx": 0,
        "provider": {"id": "openai:gpt-4o", "label": "openai:gpt-4o"},
        "prompt": {"raw": "Solve: 2+1?", "label": "Solve: {{question}}"},
        "vars": {"question": "2+1?"},
        "response": {
            "output": "3",
            "finishReason": "stop",
            "tokenUsage": {"prompt": 9, "completion": 4, "total": 13},
        },
        "success": True,
        "latencyMs": 1000,
        "namedScores": {},
        "gradingResult": {"componentResults": [{"pass": True}]},
        "metadata": {"instance_id": "q-1"},
        **said,
    }


def whole(*rows: dict[str, Any], evaluation: str = "eval-1", **said: Any) -> dict[str, Any]:
    results = {"version": 3, "timestamp": "2026-03-01T10:00:00Z", "prompts": [], "results": list(rows)}
    return {"evalId": evaluation, "results": results, "config": {}, "metadata": {}, **said}


def results(folder: Path, *rows: dict[str, Any], **said: Any) -> Path:
    return document(folder / "results.json", whole(*rows, **said))


def test_the_sample_is_read_by_eye(samples: Path) -> None:
    found = staged(READER, samples / "logs" / SAMPLES[0])
    told = [(run["request_model"], run["instance_id"], run["attempt"], run["output_tokens"]) for run in found]
    assert told == [
        ("fake-b", "gsm8k-test-0", "1", None),
        ("fake-a", "gsm8k-test-0", "0", 100),
        ("fake-b", "gsm8k-test-0", "0", 512),
        ("fake-a", "gsm8k-test-0", "1", 512),
        ("fake-b", "gsm8k-test-1", "1", None),
        ("fake-a", "gsm8k-test-1", "0", 100),
        ("fake-b", "gsm8k-test-1", "0", 512),
        ("fake-a", "gsm8k-test-1", "1", 512),
    ]
    assert [run["status"] for run in found].count("error") == 2
    assert [run["stop_class"] for run in found].count("length") == 4
    assert sum(run["output_tokens"] or 0 for run in found) == 2248
    assert sum(run["reasoning_tokens"] or 0 for run in found) == 2168
    verdicts = staged(READER, samples / "logs" / SAMPLES[0], "verdicts")
    assert sorted(verdict["correct"] for verdict in verdicts) == [False] * 5 + [True]


def test_lines_beside_their_document_are_not_read_twice(samples: Path, tmp_path: Path) -> None:
    beside = entries(READER, samples / "logs" / SAMPLES[1])
    assert [type(entry) for entry in beside] == [NotSelected] * 8
    alone = tmp_path / "results.jsonl"
    alone.write_bytes((samples / "logs" / SAMPLES[1]).read_bytes())
    assert [run.attempt for run in runs(READER, alone)] == ["1", "0", "0", "1", "1", "0", "0", "1"]
    results(tmp_path, row())
    assert len(runs(READER, alone)) == 8


def test_only_its_own_samples_are_claimed_and_nobody_is_as_sure(samples: Path) -> None:
    assert claimed(READER, samples) == SAMPLES
    for name in SAMPLES:
        assert readers.detect(log_of(samples / "logs" / name)) is READER


def test_a_document_is_known_by_its_start_and_surely_by_its_first_row(tmp_path: Path) -> None:
    assert READER.detect(log_of(results(tmp_path, row()))) == 0.95
    long = whole(row())
    long["results"]["prompts"] = [{"raw": "x" * HEAD_BYTES}]
    assert READER.detect(log_of(document(tmp_path / "long.json", long))) == 0.7
    assert READER.detect(log_of(document(tmp_path / "other.json", {"results": []}))) == 0
    assert READER.detect(log_of(document(tmp_path / "list.json", [row()]))) == 0


@pytest.mark.parametrize("indent", [None, 1])
def test_a_document_may_stand_on_one_line(indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(whole(row()), indent=indent), "utf-8")
    (entry,) = entries(READER, path)
    assert isinstance(entry, Mapped)
    assert entry.runs[0].eval_run_id == "eval-1/pppppppppppp"
    assert json.loads(path.read_text("utf-8")[entry.offset :][: len(entry.record)])["id"] == "r-1"


def test_repeats_are_numbered_by_their_test_whatever_their_order(tmp_path: Path) -> None:
    rows = [row(testIdx=place, id=f"r-{place}") for place in (5, 3, 4)]
    assert [run.attempt for run in runs(READER, results(tmp_path, *rows))] == ["2", "0", "1"]
    unnumbered = [row(testIdx=None), row(testIdx=None)]
    assert [run.attempt for run in runs(READER, results(tmp_path, *unnumbered))] == ["0", "1"]


@pytest.mark.parametrize(
    "other",
    [
        {"provider": {"id": "openai:gpt-4o", "label": "gpt-4o hot"}},
        {"promptId": "q" * 64},
        {"metadata": {"instance_id": "q-2"}},
        {"testIdx": 1},
    ],
)
def test_other_models_prompts_instances_and_repeats_do_not_replace_each_other(
    other: dict[str, Any], tmp_path: Path
) -> None:
    for first, second in (("r-1", "r-2"), (None, None)):
        found = staged(READER, results(tmp_path, row(id=first), row(**other, id=second)))
        assert len({run["run_key"] for run in found}) == 2


def test_an_export_made_again_gives_the_same_runs_and_a_later_version(tmp_path: Path) -> None:
    exported = [{"exportedAt": f"2026-03-01T10:0{minute}:00Z"} for minute in (1, 2)]
    first, again = (staged(READER, results(tmp_path, row(), metadata=metadata))[0] for metadata in exported)
    assert first["run_key"] == again["run_key"]
    assert first["log_version"] < again["log_version"]
    (other,) = staged(READER, results(tmp_path, row(id="r-2"), evaluation="eval-2"))
    assert other["run_key"] != first["run_key"]


@pytest.mark.parametrize(
    "provider",
    [
        {"id": "openai:gpt-4o", "config": {"max_tokens": 64}},
        {"id": "file://call.js", "label": "openai:gpt-4o", "config": {"max_tokens": 64}},
        {"openai:gpt-4o": {"config": {"max_tokens": 64}}},
    ],
)
def test_the_budget_stands_in_the_configuration_of_the_provider(
    provider: dict[str, Any], tmp_path: Path
) -> None:
    for providers in (provider, ["openai:o3", provider]):
        (run,) = runs(READER, results(tmp_path, row(), config={"providers": providers}))
        assert run.configuration.output_budget_tokens == 64


def test_settings_of_two_providers_of_one_id_are_told_apart_by_label_only(tmp_path: Path) -> None:
    providers = [
        {"id": "openai:gpt-4o", "label": name, "config": {"reasoning_effort": name}}
        for name in ("low", "high")
    ]
    rows = [row(provider={"id": "openai:gpt-4o", "label": label}) for label in ("high", "low", "")]
    path = results(tmp_path, *rows, config={"providers": providers})
    assert [run.configuration.reasoning_effort for run in runs(READER, path)] == ["high", "low", None]


def test_one_bad_row_is_refused_alone(tmp_path: Path) -> None:
    first, bad, last = entries(READER, results(tmp_path, row(), row(response={"finishReason": 7}), row()))
    assert isinstance(bad, Rejected)
    assert "finishReason" in bad.detail
    assert isinstance(first, Mapped)
    assert isinstance(last, Mapped)
    assert (first.runs[0].attempt, last.runs[0].attempt) == ("0", "1")


@pytest.mark.parametrize(
    "said", [{"evalId": 7}, {"results": 7}, {"config": [1]}, {"results": {"timestamp": 1, "results": []}}]
)
def test_a_document_of_another_shape_is_refused_whole(said: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(LogError):
        entries(READER, document(tmp_path / "a.json", {**whole(row()), **said}))


def test_a_provider_whose_label_is_no_text_costs_no_row(tmp_path: Path) -> None:
    path = document(
        tmp_path / "results.json", whole(row(), config={"providers": [{"id": ["x"], "label": {}}]})
    )
    assert len(runs(READER, path)) == 1


def test_lines_alone_are_the_runs_of_their_document_which_outranks_them(
    samples: Path, tmp_path: Path
) -> None:
    said = {"id": "openai:gpt-4o", "config": {"temperature": 1, "reasoning_effort": "high", "max_tokens": 9}}
    rows = [row(id=f"r-{place}", testIdx=place) for place in range(3)]
    (whole_run, *_) = known = staged(READER, results(tmp_path, *rows, config={"providers": [said]}))
    (tmp_path / "apart").mkdir()
    alone = staged(
        READER, lines(tmp_path / "apart" / "results.jsonl", *rows[1:])
    )  # cut: the rest is yet to come
    assert [run["run_key"] for run in alone] == [run["run_key"] for run in known[1:]]
    assert len({run["run_key"] for run in known}) == 3
    assert whole_run["temperature"] == 1
    assert all(run["log_version"] < whole_run["log_version"] for run in alone)
    (tmp_path / "results.jsonl").write_bytes((samples / "logs" / SAMPLES[1]).read_bytes())
    real = staged(READER, samples / "logs" / SAMPLES[0])
    assert [run["run_key"] for run in staged(READER, tmp_path / "results.jsonl")] == [
        run["run_key"] for run in real
    ]
