"""openai/evals: events of a sample are one run; lines that belong to none are counted."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark.readers import Mapped, NotSelected, Options, Rejected, detect, registry
from effspark.readers.files import Log
from effspark.readers.openai_evals import READER
from effspark.runs.record import LoggedRun, ScoreKind, Status

Write = Callable[..., Log]
SPEC = {"spec": {"completion_fns": ["m"], "eval_name": "sums.dev.v2", "base_eval": "sums", "split": "dev",
                 "run_config": {}, "run_id": "r"}}  # fmt: skip


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, datetime(2026, 1, 1, tzinfo=timezone.utc))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def log(*lines: Any) -> Log:
        path = tmp_path / "events.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
        return log_of(path)

    return log


def event(kind: str, data: Any, *, sample: Any = "s.0", run: str = "r", at: Any = None) -> dict[str, Any]:
    return {"run_id": run, "event_id": 0, "sample_id": sample, "type": kind, "data": data, "created_at": at}


def runs(log: Log, **said: Any) -> list[LoggedRun]:
    entries = READER.read(log, Options(**said))
    return [run for entry in entries if isinstance(entry, Mapped) for run in entry.runs]


def test_the_real_log_is_two_runs_of_one_call_each(samples: Path) -> None:
    log = log_of(samples / "logs" / "openai_evals" / "oaieval.jsonl")
    assert detect(log).name == "openai_evals"
    entries = list(READER.read(log, Options()))
    assert [(type(entry).__name__, entry.offset) for entry in entries if isinstance(entry, NotSelected)] == [
        ("NotSelected", 0), ("NotSelected", 1687),
    ]  # fmt: skip
    first, second = [entry.runs[0] for entry in entries if isinstance(entry, Mapped)]
    assert (first.benchmark_id, first.benchmark_version, first.split, first.instance_id) == (
        "gsm8k", "v0", "dev", "gsm8k.dev.0",
    )  # fmt: skip
    assert (first.configuration.request_model, first.response_model) == (
        "gpt-4o-mini",
        "gpt-4o-mini-2024-07-18",
    )
    assert [(run.usage.input, run.usage.output, run.usage.reasoning, run.usage.total) for run in (first, second)] == [
        (60, 5, 0, 65), (61, 512, 512, 573),
    ]  # fmt: skip
    assert [run.trace_visibility.value for run in (first, second)] == ["full", "hidden"]
    assert [(verdict.scorer, verdict.value) for run in (first, second) for verdict in run.verdicts] == [
        ("match", 1.0), ("match", 0.0),
    ]  # fmt: skip
    assert (first.eval_run_id, first.gold, second.answer) == ("261129204612D7GM7GHV", "18", "")


def test_no_other_reader_knows_it_and_it_knows_no_other_sample(samples: Path) -> None:
    logs = samples / "logs"
    own = log_of(logs / "openai_evals" / "oaieval.jsonl")
    assert [name for name, reader in registry().items() if reader.detect(own) > 0] == ["openai_evals"]
    others = [
        path for path in sorted(logs.rglob("*")) if path.is_file() and path.parent.name != "openai_evals"
    ]
    assert [path.name for path in others if READER.detect(log_of(path)) > 0] == []


@pytest.mark.parametrize(
    ("lines", "confidence"),
    [([SPEC], 0.95), ([event("match", {})], 0.95), ([{"spec": {}}], 0), ([{"run_id": "r", "type": "match"}], 0),
     (["[1]"], 0), ([""], 0)],
)  # fmt: skip
def test_it_is_known_by_its_spec_or_its_events(write: Write, lines: list[Any], confidence: float) -> None:
    assert READER.detect(write(*lines)) == confidence


def test_events_of_two_runs_of_one_sample_in_one_file_stay_apart(write: Write) -> None:
    other = {"spec": SPEC["spec"] | {"run_id": "q", "completion_fns": ["n"]}}
    found = runs(
        write(SPEC, event("match", {"correct": True}), other, event("match", {"correct": False}, run="q"))
    )
    assert [(run.eval_run_id, run.configuration.request_model, run.verdicts[0].value) for run in found] == [
        ("r", "m", 1.0), ("q", "n", 0.0),
    ]  # fmt: skip


def test_a_file_without_its_spec_names_what_the_calls_and_the_command_name(write: Write) -> None:
    (run,) = runs(write(event("sampling", {"model": "n", "sampled": "x"})), benchmark="own")
    assert (run.configuration.request_model, run.benchmark_id, run.benchmark_version) == ("n", "own", None)


@pytest.mark.parametrize(
    ("data", "raw", "value"),
    [
        ([{"correct": True, "picked": "a"}], "true", 1.0),
        ([{"correct": None}], None, None),
        ([{"correct": True}, {"correct": True}], "[true, true]", 1.0),
        ([{"correct": True}, {"correct": False}], "[true, false]", None),
    ],
)
def test_matches_that_disagree_are_no_verdict(
    write: Write, data: list[Any], raw: str | None, value: float | None
) -> None:
    (run,) = runs(write(SPEC, *(event("match", match) for match in data)))
    assert [(verdict.raw, verdict.value) for verdict in run.verdicts] == [(raw, value)]


def test_metrics_are_verdicts_of_their_own_names(write: Write) -> None:
    (run,) = runs(write(SPEC, event("metrics", {"right": True, "share": 0.25, "choice": "B", "points": 7})))
    assert [(found.scorer, found.raw, found.value, found.kind) for found in run.verdicts] == [
        ("right", "true", 1.0, ScoreKind.BINARY), ("share", "0.25", 0.25, ScoreKind.FRACTIONAL),
        ("choice", "B", None, ScoreKind.LETTER), ("points", "7", None, ScoreKind.LETTER),
    ]  # fmt: skip


def test_a_sample_that_failed_is_an_error_without_t(write: Write) -> None:
    (run,) = runs(write(SPEC, event("error", {"type": "Timeout", "message": "late"})))
    assert (run.status, run.error_type, run.error_message, run.usage.output) == (
        Status.ERROR,
        "Timeout",
        "late",
        None,
    )


@pytest.mark.parametrize(
    "bad", [event("sampling", {"usage": {"completion_tokens": "5"}}), event("match", {}, at="yesterday")]
)
def test_a_bad_sample_spoils_no_other(write: Write, bad: dict[str, Any]) -> None:
    entries = list(
        READER.read(write(SPEC, bad, event("match", {"correct": True}, sample="s.1"), "{"), Options())
    )
    assert [type(entry) for entry in entries] == [NotSelected, Rejected, Rejected, Mapped]
    reasons = {entry.offset: entry.reason for entry in entries if isinstance(entry, Rejected)}
    assert sorted(reasons.values()) == ["invalid_json", "invalid_record"]


def test_a_cut_file_keeps_the_samples_before_the_cut(tmp_path: Path) -> None:
    sampling = {"prompt": "2 + 2?", "sampled": ["4"]}
    lines = [SPEC, *(event("sampling", sampling, sample=f"s.{n * 7919 % 10007}") for n in range(10_000))]
    path = tmp_path / "events.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode())[:-300])
    *found, last = sorted(READER.read(log_of(path), Options()), key=lambda entry: isinstance(entry, Rejected))
    assert sum(isinstance(entry, Mapped) for entry in found) > 1000
    assert isinstance(last, Rejected)
    assert last.reason == "unreadable_file"
