"""Spans of OTLP JSON as runs."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark import readers
from effspark.readers import Entry, Mapped, NotSelected, Options, Rejected
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.otel import READER
from effspark.readers.otel_spans import REASONING
from effspark.readers.otlp import KeyValue, plain, time_of
from effspark.runs.record import LoggedRun
from tests.core.readers.small_logs import staged

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
MODEL = {"gen_ai.request.model": "m"}


def attributes(known: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = {bool: "boolValue", int: "intValue", float: "doubleValue", str: "stringValue"}
    return [
        {"key": key, "value": value if isinstance(value, dict) else {kinds[type(value)]: value}}
        for key, value in known.items()
    ]


def span(
    name: str = "s", *, trace: str = "t", parent: str = "", events: Any = (), **known: Any
) -> dict[str, Any]:
    known = {key.replace("__", "."): value for key, value in known.items()}
    return {
        "traceId": trace,
        "spanId": name,
        "parentSpanId": parent,
        "attributes": attributes({**MODEL, **known}),
        "events": list(events),
    }


def judged(scorer: str, value: float) -> dict[str, Any]:
    known = {"gen_ai.evaluation.name": scorer, "gen_ai.evaluation.score.value": value}
    return {"name": "gen_ai.evaluation.result", "attributes": attributes(known)}


def export(*spans: Any, **resource: Any) -> str:
    known = {key.replace("__", "."): value for key, value in resource.items()}
    batch = {"resource": {"attributes": attributes(known)}, "scopeSpans": [{"spans": list(spans)}]}
    return json.dumps({"resourceSpans": [batch]})


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, NOW)


def written(folder: Path, *lines: str) -> Path:
    path = folder / "traces.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def read(path: Path, **options: Any) -> list[Entry]:
    return list(READER.read(log_of(path), Options(**options)))


def runs(entries: list[Entry]) -> list[LoggedRun]:
    return [run for entry in entries if isinstance(entry, Mapped) for run in entry.runs]


def test_the_sample_alone_is_claimed_among_all_formats(samples: Path) -> None:
    claimed = {
        path.relative_to(samples / "logs").as_posix()
        for path in (samples / "logs").rglob("*")
        if path.is_file() and READER.detect(log_of(path)) > 0
    }
    assert claimed == {"otel/otlp_traces.jsonl"}
    assert readers.detect(log_of(samples / "logs/otel/otlp_traces.jsonl")) is READER


def test_the_sample_gives_its_two_runs(samples: Path) -> None:
    found = runs(read(samples / "logs/otel/otlp_traces.jsonl"))
    assert [
        (
            run.instance_id,
            run.attempt,
            run.eval_run_id,
            run.usage.output,
            run.usage.reasoning,
            run.finish_reason,
        )
        for run in found
    ] == [("gsm8k-0", "0", "run-42", 211, 192, "stop"), ("gsm8k-1", "0", "run-42", 4096, 4096, "length")]
    assert [(one.scorer, one.value) for run in found for one in run.verdicts] == [
        ("exact_match", 1.0),
        ("exact_match", 0.0),
    ]
    assert {run.configuration.output_budget_tokens for run in found} == {4096}


def test_a_pretty_document_and_one_without_genai_names_are_known(tmp_path: Path) -> None:
    path = tmp_path / "traces.json"
    path.write_text(json.dumps(json.loads(export(span())), indent=2))
    assert READER.detect(log_of(path)) == 0.95
    assert len(runs(read(path))) == 1
    other = export({"traceId": "t", "spanId": "s", "attributes": []}, note="x" * HEAD_BYTES)
    assert READER.detect(log_of(written(tmp_path, other))) == 0.6
    assert READER.detect(log_of(written(tmp_path, '{"resource": [], "x": "resourceSpans"}'))) == 0


@pytest.mark.parametrize("spelling", REASONING)
def test_each_spelling_of_reasoning_tokens_is_read(spelling: str, tmp_path: Path) -> None:
    known = {"gen_ai.usage.output_tokens": 30, spelling: 20}
    (run,) = runs(read(written(tmp_path, export(span(**known)))))
    assert (run.usage.output, run.usage.reasoning, run.usage.additive) == (30, 20, False)


def test_integers_are_read_from_text_and_a_zero_is_not_nothing(tmp_path: Path) -> None:
    known = {
        "gen_ai.usage.output_tokens": {"intValue": "30"},
        "gen_ai.usage.reasoning_tokens": {"intValue": "0"},
    }
    (run,) = runs(read(written(tmp_path, export(span(**known)))))
    assert (run.usage.output, run.usage.reasoning, run.usage.input) == (30, 0, None)


def test_spans_of_a_trace_meet_across_lines(tmp_path: Path) -> None:
    root = span("r", eval__case__id="q1", gen_ai__usage__output_tokens=14)
    first = span("a", parent="r", gen_ai__usage__output_tokens=5)
    second = span("b", parent="r", gen_ai__usage__output_tokens=9)
    entries = read(written(tmp_path, export(first), export(second, root)))
    (run,) = runs(entries)
    assert (run.instance_id, run.usage.output) == ("q1", 14)
    assert [entry.reason for entry in entries if isinstance(entry, NotSelected)] == [
        "span that is no call of the model"
    ]


def test_a_span_exported_twice_counts_once(tmp_path: Path) -> None:
    line = export(span(gen_ai__usage__output_tokens=5))
    entries = read(written(tmp_path, line, line))
    assert [run.usage.output for run in runs(entries)] == [5]
    assert any(isinstance(entry, NotSelected) and entry.reason == "span exported again" for entry in entries)


def test_instances_of_one_trace_are_runs_of_their_own(tmp_path: Path) -> None:
    spans = [span(name, parent="r", eval__case__id=name, events=[judged("s", 1)]) for name in ("q1", "q2")]
    root = {"traceId": "t", "spanId": "r", "attributes": [], "events": [judged("of the whole", 1)]}
    entries = read(written(tmp_path, export(root, *spans, eval__run__id="run-1")))
    assert [(run.instance_id, run.eval_run_id, len(run.verdicts)) for run in runs(entries)] == [
        ("q1", "run-1", 1),
        ("q2", "run-1", 1),
    ]
    assert any(isinstance(entry, NotSelected) and "several" in entry.reason for entry in entries)


def test_the_nearest_name_of_an_instance_wins(tmp_path: Path) -> None:
    root = span("r", eval__case__id="of the root")
    inner = span("a", parent="r", eval__case__id="of the call", gen_ai__usage__output_tokens=1)
    (run,) = runs(read(written(tmp_path, export(root, inner, eval__case__id="of the resource"))))
    assert run.instance_id == "of the call"


def test_a_scorer_that_judged_twice_is_heard_the_last_time(tmp_path: Path) -> None:
    early = {**judged("s", 0), "timeUnixNano": "1767225600000000000"}
    late = {**judged("s", 1), "timeUnixNano": "1767225601000000000"}
    (run,) = runs(read(written(tmp_path, export(span(events=[late, early])))))
    assert [one.value for one in run.verdicts] == [1.0]
    assert run.log_version == datetime(2026, 1, 1, 0, 0, 1, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "value",
    [
        {"intValue": "7.5"},
        {"intValue": True},
        {"arrayValue": []},
        {"kvlistValue": {"values": ["x"]}},
    ],
)
def test_a_bad_span_is_refused_alone(value: dict[str, Any], tmp_path: Path) -> None:
    bad = span("bad", trace="u", gen_ai__usage__output_tokens=value)
    entries = read(written(tmp_path, export(span(), bad), '{"resourceSpans": ['))
    assert len(runs(entries)) == 1
    refused = [entry for entry in entries if isinstance(entry, Rejected)]
    assert [entry.reason for entry in refused] == ["invalid_record", "invalid_json"]
    assert json.loads(refused[0].raw) == bad


def test_a_span_of_wrong_types_is_refused_with_its_place(tmp_path: Path) -> None:
    path = written(tmp_path, export(span(), {"traceId": 7, "spanId": "x"}))
    (refused,) = [entry for entry in read(path) if isinstance(entry, Rejected)]
    assert refused.reason == "wrong_type"
    assert path.read_bytes()[refused.offset :].startswith(b'{"traceId": 7')


def test_offsets_are_bytes_of_the_file_and_differ(tmp_path: Path) -> None:
    path = written(tmp_path, export(span("é", trace="é"), span("b", trace="b")), export(span("c", trace="c")))
    offsets = [entry.offset for entry in read(path)]
    assert len(set(offsets)) == 3
    assert all(path.read_bytes()[offset:].startswith(b'{"traceId"') for offset in offsets)


def test_the_runs_of_a_file_are_staged_with_benchmark_and_keys_of_their_own(tmp_path: Path) -> None:
    path = written(tmp_path, export(*(span(name, trace=name) for name in "abc")))
    rows = staged(READER, path, benchmark="gsm8k")
    assert {row["benchmark_id"] for row in rows} == {"gsm8k"}
    assert len({row["run_key"] for row in rows}) == 3


def test_attributes_of_all_kinds_are_plain_values() -> None:
    nested = {"kvlistValue": {"values": [{"key": "a", "value": {"doubleValue": 0.5}}]}}
    pairs = [
        KeyValue("n", nested),
        KeyValue("b", {"boolValue": False}),
        KeyValue("none"),
        KeyValue("empty", {}),
    ]
    assert plain(pairs) == {"n": {"a": 0.5}, "b": False, "none": None, "empty": None}


def test_times_are_nanoseconds_and_an_odd_one_is_none() -> None:
    assert time_of(1767225600000000000) == NOW
    assert [time_of(value) for value in ("x", -1, 2**63, None, "")] == [None] * 5
