"""MLflow traces of both layouts as runs."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest

from effspark import readers
from effspark.errors import LogError
from effspark.readers import Entry, Mapped, NotSelected, Options, Rejected
from effspark.readers.files import Log
from effspark.readers.mlflow import READER
from effspark.readers.mlflow_assessments import Assessment, Value, judged
from effspark.readers.mlflow_spans import Span, call_of, plain, usage_of
from effspark.runs.record import LoggedRun, VerdictSource
from effspark.runs.tokens import Usage

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
COUNTS = {"input_tokens": 50, "output_tokens": 90, "total_tokens": 140}


def span(
    name: str = "s", *, parent: str | None = None, kind: str = "CHAT_MODEL", **known: Any
) -> dict[str, Any]:
    told = {"mlflow.spanType": kind, "mlflow.llm.model": "m", "mlflow.chat.tokenUsage": COUNTS}
    told |= {f"mlflow.{key}": value for key, value in known.items()}
    attributes = {key: json.dumps(value) for key, value in told.items() if value is not None}
    return {"span_id": name, "parent_span_id": parent, "attributes": attributes}


def trace(*spans: Any, **info: Any) -> dict[str, Any]:
    return {"info": {"trace_id": "t", "trace_metadata": {}, **info}, "data": {"spans": list(spans)}}


def feedback(name: str, value: Any, minute: int = 0, **fields: Any) -> Assessment:
    stamp = f"2026-01-01T00:{minute:02}:00Z"
    return Assessment(name, feedback=Value(value=value), last_update_time=stamp, **fields)


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, NOW)


def written(folder: Path, *traces: Any) -> Path:
    path = folder / "traces.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in traces), "utf-8")
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
    assert claimed == {"mlflow/traces.json"}
    assert readers.detect(log_of(samples / "logs/mlflow/traces.json")) is READER


def test_the_sample_names_no_model_and_is_refused(samples: Path) -> None:
    entries = read(samples / "logs/mlflow/traces.json")
    assert [type(entry) for entry in entries] == [Rejected, Rejected]
    for entry in entries:
        assert isinstance(entry, Rejected)
        assert entry.reason == "no_model"
        assert entry.detail.endswith("or name it for all of these files with --set readers.model=NAME")


def test_the_sample_is_of_the_model_that_the_user_names(samples: Path) -> None:
    found = runs(read(samples / "logs/mlflow/traces.json", model="m-7"))
    assert [(run.configuration.request_model, run.usage.output) for run in found] == [
        ("m-7", 512),
        ("m-7", 90),
    ]


def test_a_model_that_a_trace_names_outranks_the_one_the_user_names(tmp_path: Path) -> None:
    nameless = span("b", **{"llm.model": None})
    (run,) = runs(read(written(tmp_path, trace(span("a"), nameless)), model="m-7"))
    assert run.configuration.request_model != "m-7"


def test_the_sample_with_a_tag_that_names_the_model_gives_its_two_runs(samples: Path, tmp_path: Path) -> None:
    traces = json.loads((samples / "logs/mlflow/traces.json").read_text("utf-8"))
    for one in traces:
        one["info"]["tags"]["model"] = "o4-mini"
    cut, whole = runs(read(written(tmp_path, *traces)))
    assert cut.usage == Usage(input=50, output=512, reasoning=500, total=562)
    assert whole.usage == Usage(input=50, output=90, reasoning=70, total=140)
    assert (cut.finish_reason, whole.finish_reason, whole.answer) == ("length", "stop", "18")
    assert [(one.scorer, one.value) for one in cut.verdicts] == [("correct", 0.0)]
    assert whole.verdicts == ()
    assert whole.latency_seconds == pytest.approx(0.021374)


def test_traces_of_all_layouts_are_known(tmp_path: Path) -> None:
    for layout in (
        trace(span()),
        {"info": {"request_id": "r", "request_metadata": {}}, "data": {"spans": [span()]}},
        {"spans": [span(traceRequestId="r")]},
    ):
        assert READER.detect(log_of(written(tmp_path, layout))) == 0.95
        assert len(runs(read(written(tmp_path, layout)))) == 1
    assert READER.detect(log_of(written(tmp_path, {"info": {"trace_metadata": {}}}))) == 0


def test_a_parent_that_repeats_the_usage_of_its_calls_does_not_double_it(tmp_path: Path) -> None:
    agent = span("r", kind="AGENT", **{"llm.model": None})
    outer = span("o", parent="r")
    (run,) = runs(read(written(tmp_path, trace(agent, outer, span("a", parent="o"), span("b", parent="o")))))
    assert (run.usage.output, run.tags) == (180, {"calls": "2"})


def test_calls_of_a_grader_are_not_the_models(tmp_path: Path) -> None:
    judge = span("j", kind="EVALUATOR", **{"llm.model": None})
    inner = span("k", parent="j", **{"llm.model": "judge"})
    (run,) = runs(read(written(tmp_path, trace(span(), judge, inner))))
    assert (run.configuration.request_model, run.usage.output) == ("m", 90)
    assert read(written(tmp_path, trace(judge, inner))) == [NotSelected(0, "trace of a grader")]


def test_traces_of_scorers_and_in_progress_are_not_selected(tmp_path: Path) -> None:
    scorer = trace(span(), tags={"mlflow.trace.sourceScorer": "correct"})
    unfinished = trace(span(), state="IN_PROGRESS")
    assert [
        entry.reason
        for entry in read(written(tmp_path, scorer, unfinished))
        if isinstance(entry, NotSelected)
    ] == [
        "trace of a scorer",
        "trace in progress",
    ]


@pytest.mark.parametrize(
    ("spans", "output"),
    [
        ([span(**{"chat.tokenUsage": None})], 90),
        ([span("r", kind="AGENT", **{"llm.model": None, "chat.tokenUsage": None}),
          span("a", parent="r", **{"chat.tokenUsage": None})], 90),
        ([span(**{"chat.tokenUsage": {"output_tokens": 7}})], 7),
        ([span("a", **{"chat.tokenUsage": None}), span("b", **{"chat.tokenUsage": None})], None),
        ([span("a", **{"chat.tokenUsage": None}), span("j", kind="EVALUATOR"), span("k", parent="j")], None),
    ],
)  # fmt: skip
def test_the_usage_of_the_trace_is_that_of_its_one_call_where_that_reports_none(
    spans: list[Any], output: int | None, tmp_path: Path
) -> None:
    told = trace(*spans, trace_metadata={"mlflow.trace.tokenUsage": json.dumps(COUNTS)})
    (run,) = runs(read(written(tmp_path, told)))
    assert run.usage.output == output


@pytest.mark.parametrize("said", [{"state": "ERROR"}, {"status": "ERROR"}])
def test_a_trace_that_ended_in_an_error_is_a_failed_run_though_its_call_went_well(
    said: dict[str, str], tmp_path: Path
) -> None:
    idle = span("p", kind="PARSER", **{"llm.model": None, "chat.tokenUsage": None})
    parse = {**idle, "status": {"code": "STATUS_CODE_ERROR", "message": "no answer"}}
    (run,) = runs(read(written(tmp_path, trace(span(), parse, **said))))
    assert (run.status, run.error_message, run.usage.output) == ("error", "no answer", 90)
    (run,) = runs(read(written(tmp_path, trace(span(), parse, state="OK"))))
    assert (run.status, run.error_message) == ("ok", None)


def test_the_usage_of_the_trace_counts_where_no_span_is_a_call(tmp_path: Path) -> None:
    metadata = {"mlflow.trace.tokenUsage": json.dumps(COUNTS), "mlflow.traceOutputs": json.dumps("18")}
    one = trace(span(kind="CHAIN"), trace_metadata=metadata, tags={"model": "m"})
    (run,) = runs(read(written(tmp_path, one)))
    assert (run.usage.output, run.answer) == (90, "18")


def test_tags_and_metadata_name_the_instance_else_the_clients_request_id_does(tmp_path: Path) -> None:
    tags = {"instance_id": "q1", "benchmark": "gsm8k", "epoch": "2"}
    metadata = {"mlflow.sourceRun": "run-1"}
    one = trace(span(), tags=tags, trace_metadata=metadata, client_request_id="c")
    two = trace(span(), trace_id="u", client_request_id="c")
    three = trace(span(), trace_id="v")
    found = runs(read(written(tmp_path, one, two, three), benchmark="math"))
    assert [(run.benchmark_id, run.instance_id, run.attempt, run.eval_run_id) for run in found] == [
        ("gsm8k", "q1", "2", "run-1"),
        ("math", "c", "u", None),
        ("math", "v", "v", None),
    ]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (trace(span(**{"llm.model": None})), "no_model"),
        (trace(span(), request_time="soon"), "invalid_record"),
        (trace(span(), trace_id=None), "invalid_record"),
        (trace(span(), assessments=[{"feedback": {"value": 1}}]), "wrong_type"),
    ],
)
def test_a_bad_trace_is_refused_alone(bad: dict[str, Any], reason: str, tmp_path: Path) -> None:
    first, second = read(written(tmp_path, bad, trace(span())))
    assert isinstance(first, Rejected)
    assert (first.reason, json.loads(first.raw)) == (reason, bad)
    assert isinstance(second, Mapped)


def test_an_attribute_is_json_once_or_a_text() -> None:
    assert plain('"[1]"') == "[1]"
    assert plain("gpt-4o") == "gpt-4o"
    assert plain(None) is None


def test_a_span_before_mlflow_3_is_read_alike() -> None:
    older = {
        "context": {"span_id": "0xa"},
        "parent_id": "0xb",
        "start_time": 1767225600000000000,
        "end_time": 1767225602000000000,
        "status_code": "ERROR",
        "status_message": "Rate limit.",
        "attributes": {"mlflow.spanType": '"LLM"', "mlflow.spanInputs": '{"model": "m", "max_tokens": 64}'},
    }
    call = call_of(msgspec.convert(older, Span))
    assert call is not None
    assert (call.span_id, call.parent_id, call.failed, call.error_message) == (
        "0xa",
        "0xb",
        True,
        "Rate limit.",
    )
    assert (call.started_at, call.configuration and call.configuration.output_budget_tokens) == (NOW, 64)


@pytest.mark.parametrize("kind", ["TOOL", "AGENT", "RETRIEVER", "EMBEDDING"])
def test_spans_of_other_kinds_are_no_calls_though_they_carry_usage(kind: str) -> None:
    known = {"mlflow.spanType": json.dumps(kind), "mlflow.chat.tokenUsage": json.dumps(COUNTS)}
    assert call_of(Span("s", attributes=known)) is None


def test_settings_stand_in_inputs_or_invocation_parameters() -> None:
    known = {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": '{"messages": [], "temperature": 1}',
        "invocation_params": '{"model": "m", "temperature": 0, "max_completion_tokens": 9, "reasoning_effort": "low"}',
    }
    call = call_of(Span("s", attributes=known))
    assert call is not None
    assert call.configuration is not None
    assert call.configuration.request_model == "m"
    assert (call.configuration.temperature, call.configuration.output_budget_tokens) == (1, 9)
    assert call.configuration.reasoning_effort == "low"


def test_counts_of_mlflow_outrank_those_of_the_output_and_none_is_unknown() -> None:
    output = {
        "usage": {"input_tokens": 1, "output_tokens": 2, "output_tokens_details": {"reasoning_tokens": 1}}
    }
    assert usage_of(COUNTS, output) == Usage(input=50, output=90, reasoning=1, total=140)
    assert usage_of({}, output) == Usage(input=1, output=2, reasoning=1)
    assert usage_of({}, "18") == Usage()


def test_the_latest_feedback_of_a_name_is_heard() -> None:
    found = judged([feedback("correct", True, 2), feedback("correct", False, 1), feedback("style", "fine")])
    assert {one.scorer: (one.raw, one.value) for one in found["verdicts"]} == {
        "correct": ("true", 1.0),
        "style": ("fine", None),
    }
    assert found["tags"] == {}


def test_an_override_is_an_edited_verdict_and_the_original_is_kept() -> None:
    original = feedback("correct", False, 1, assessment_id="a", valid=False)
    edit = feedback("correct", True, 2, assessment_id="b", overrides="a")
    found = judged([edit, original])
    assert [(one.value, one.source) for one in found["verdicts"]] == [(1.0, VerdictSource.EDITED)]
    assert found["tags"] == {"original_score.correct": "false"}


def test_an_expectation_is_the_gold_where_it_is_the_only_one_or_named_so() -> None:
    answer = Assessment("expected_response", expectation=Value(value=18))
    other = Assessment("facts", expectation=Value(serialized_value={"value": '["a"]'}))
    assert judged([answer, other])["gold"] == "18"
    assert judged([other])["gold"] == '["a"]'
    assert "gold" not in judged([other, Assessment("tone", expectation=Value(value="kind"))])


def test_an_assessment_whose_time_is_none_is_a_fault() -> None:
    with pytest.raises(LogError, match="assessment correct"):
        judged([Assessment("correct", feedback=Value(value=True), create_time="soon")])


def test_milliseconds_beyond_the_range_of_a_float_are_no_time(tmp_path: Path) -> None:
    (run,) = runs(read(written(tmp_path, trace(span(), request_time=10**400))))
    assert (run.started_at, run.log_version) == (None, None)
