"""From a logged run to rows: tokens, stops, verdicts, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from effspark import tables
from effspark.errors import LogError
from effspark.runs import keys
from effspark.runs.record import (
    LoggedVerdict,
    ScoreKind,
    Status,
    VerdictSource,
    Visibility,
    is_correct,
)
from effspark.runs.tokens import TokenSource, Usage
from tests.core.runs.logged import MODEL, NOON, RUN, built, run_key


def test_whole_floats_and_numbers_without_fraction_are_one_run() -> None:
    loose = replace(
        RUN,
        attempt=None,
        usage=Usage(output=330.0, input=1.0),
        configuration=replace(MODEL, temperature=1, output_budget_tokens=1000.0),
    )
    strict = replace(loose, usage=Usage(output=330, input=1), configuration=replace(MODEL, temperature=1.0))
    assert built(loose) == built(strict)
    assert type(built(loose).run["output_tokens"]) is int


def test_nan_counts_are_null_and_not_0() -> None:
    nan: Any = float("nan")
    run = built(replace(RUN, usage=Usage(output=nan, input=nan), latency_seconds=nan)).run
    assert [run[name] for name in ("output_tokens", "input_tokens", "total_tokens", "latency_seconds")] == [
        None
    ] * 4


def test_half_a_character_is_replaced_and_the_run_kept() -> None:
    run = built(replace(RUN, answer="cut \ud83d", instance_id="a\udc00", error_message="\ud83d\ude00"))
    assert run.trace is not None
    assert (run.trace["answer"], run.run["instance_id"]) == ("cut \ufffd", "a\ufffd")
    assert run.run["error_message"] == "\U0001f600"
    tables.from_rows("traces", [run.trace])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"configuration": replace(MODEL, request_model="")}, "model: found nothing"),
        ({"benchmark_id": ""}, "benchmark: found nothing"),
        ({"instance_id": None}, "instance id: found None"),
        ({"usage": Usage(output=-3)}, "output_tokens: found -3"),
        ({"usage": Usage(reasoning=True)}, "reasoning_tokens: found True"),
        ({"usage": Usage(token_ids=1.5)}, "token_ids: found 1.5"),
        ({"configuration": replace(MODEL, output_budget_tokens="64")}, "output_budget_tokens: found '64'"),
        ({"configuration": replace(MODEL, temperature="0.7")}, "temperature: found '0.7'"),
        ({"latency_seconds": float("inf")}, "latency_seconds: found inf"),
        ({"seed": 2**63}, "seed: found 9223372036854775808"),
        ({"finish_reason": {"type": "length"}}, "finish_reason: found {'type': 'length'}"),
        ({"started_at": NOON.replace(tzinfo=None)}, "started_at: found datetime"),
        ({"axes": {"depth": "3"}}, "axes.depth: found '3'"),
        ({"verdicts": (LoggedVerdict(scorer="s", raw=None, value="C"),)}, "value: found 'C'"),
    ],
)
def test_a_wrong_value_is_refused_by_name_and_value(change: dict[str, Any], told: str) -> None:
    with pytest.raises(LogError, match="allowed: ") as caught:
        built(replace(RUN, **change))
    assert told in str(caught.value)


def test_all_problems_of_a_record_are_told_at_once() -> None:
    bad = replace(RUN, benchmark_id="", instance_id=1.5, usage=Usage(output=-1, input=True))
    with pytest.raises(LogError) as caught:
        built(bad)
    assert [part.split(":")[0] for part in str(caught.value).split("; ") if ": found" in part] == [
        "benchmark", "instance id", "input_tokens", "output_tokens",
    ]  # fmt: skip


def test_a_cut_run_without_t_is_censored_at_its_budget() -> None:
    run = built(replace(RUN, usage=Usage(), finish_reason="max_tokens")).run
    assert (run["output_tokens"], run["truncated"], run["censored"], run["t_lower_bound"]) == (
        None,
        True,
        True,
        1000,
    )
    known = built(replace(RUN, finish_reason="max_tokens")).run
    assert (known["output_tokens"], known["censored"], known["t_lower_bound"]) == (330, False, None)
    whole = built(replace(RUN, usage=Usage(), finish_reason="stop")).run
    assert (whole["censored"], whole["t_lower_bound"]) == (False, None)


def test_visible_tokens_and_total_are_null_where_a_part_is() -> None:
    run = built(replace(RUN, usage=Usage(output=330, reasoning=256, input=98))).run
    assert (run["visible_tokens"], run["total_tokens"]) == (74, 428)
    run = built(replace(RUN, usage=Usage(output=330))).run
    assert (run["visible_tokens"], run["total_tokens"], run["input_tokens"]) == (None, None, None)


def test_t_over_the_budget_is_flagged_unless_it_is_an_estimate() -> None:
    assert built(replace(RUN, usage=Usage(output=1001))).run["quality_flags"] == []
    assert built(replace(RUN, usage=Usage(output=1002))).run["quality_flags"] == ["t_over_budget"]
    estimated = Usage(output=1002, source=TokenSource.TOKENIZER)
    assert built(replace(RUN, usage=estimated)).run["quality_flags"] == []


def test_counts_that_contradict_each_other_cut_no_run_that_one_of_them_leaves_whole() -> None:
    def cut(output: int, reasoning: int) -> bool | None:
        found = built(replace(RUN, usage=Usage(output=output, reasoning=reasoning))).run
        assert found["token_convention"] == "conflict"
        return found["truncated"]

    assert [cut(300, 400), cut(600, 700), cut(1000, 1200)] == [False, None, True]


@pytest.mark.parametrize(
    ("change", "status", "stop", "truncated"),
    [
        ({}, "ok", "unknown", False),
        ({"finish_reason": "error"}, "error", "error", None),
        ({"finish_reason": "abort", "status": Status.CANCELLED}, "cancelled", "error", None),
        ({"status": Status.ERROR}, "error", "error", None),
        ({"status": Status.ERROR, "finish_reason": "length"}, "error", "length", True),
        ({"status": Status.INVALIDATED}, "invalidated", "unknown", False),
        ({"agent_limit": "message", "finish_reason": "stop"}, "ok", "agent_limit", True),
    ],
)
def test_a_failed_run_is_not_inferred_to_be_cut(
    change: dict[str, Any], status: str, stop: str, truncated: bool | None
) -> None:
    run = built(replace(RUN, **change)).run
    assert (run["status"], run["stop_class"], run["truncated"]) == (status, stop, truncated)


def test_the_log_version_is_the_logs_own_else_the_time_of_the_file() -> None:
    assert built().run["log_version"] == NOON
    own = datetime(2026, 1, 2, 1, tzinfo=timezone(timedelta(hours=2)))
    assert built(replace(RUN, log_version=own)).run["log_version"] == datetime(
        2026, 1, 1, 23, tzinfo=timezone.utc
    )


@pytest.mark.parametrize(
    ("value", "correct"),
    [
        (1.0, True),
        (1 - 1e-9, True),
        (1 - 1e-8, False),
        (0.5, False),
        (0.0, False),
        (None, None),
        (float("nan"), None),
    ],
)
def test_a_score_is_a_success_from_1_and_null_stays_null(value: float | None, correct: bool | None) -> None:
    assert is_correct(value) is correct


def test_several_scorers_are_verdicts_of_one_run_with_their_raw_scores() -> None:
    verdicts = (
        LoggedVerdict(scorer="match", raw="C", value=1.0, kind=ScoreKind.LETTER, extracted_answer="18"),
        LoggedVerdict(
            scorer="judge", raw="0.5", value=0.5, kind=ScoreKind.FRACTIONAL, source=VerdictSource.EDITED
        ),
    )
    rows = built(replace(RUN, verdicts=verdicts)).verdicts
    named = ("run_key", "scorer", "score_raw", "score_kind", "correct", "extracted_answer", "source")
    assert [[row[name] for name in named] for row in rows] == [
        [run_key(), "match", "C", "letter", True, "18", "log"],
        [run_key(), "judge", "0.5", "fractional", False, None, "edited"],
    ]


def test_a_log_without_texts_has_no_trace_row_and_without_items_no_instance_row() -> None:
    assert (built().trace, built().instance) == (None, None)
    texts = built(replace(RUN, prompt="Say.", trace_visibility=Visibility.FULL))
    assert texts.trace is not None
    assert (texts.trace["prompt"], texts.trace["answer"]) == ("Say.", None)


def test_an_instance_row_names_its_team_question_and_key() -> None:
    row = built(
        replace(RUN, question=" What\nis it?", gold="18", axes={"depth": 3}, tags={"cluster": "c1"})
    ).instance
    assert row is not None
    assert [row[name] for name in ("source", "gold", "cluster", "axes", "instance_key")] == [
        "a", "18", "c1", {"depth": 3.0}, "8334c49d950e07af",
    ]  # fmt: skip
    assert row["question_hash"] == keys.question_hash("What is it?")


def test_the_rows_fit_the_schemas() -> None:
    found = built(
        replace(
            RUN, verdicts=(LoggedVerdict(scorer="s", raw="1", value=1),), prompt="p", answer="a",
            question="q",
            seed=1, axes={"depth": 1}, tags={"a": "b"}, started_at=NOON,
        )
    )  # fmt: skip
    for table, row in (
        ("runs", found.run), ("run_sources", found.run_source), ("configurations", found.configuration),
        ("verdicts", found.verdicts[0]), ("traces", found.trace), ("instances", found.instance),
    ):  # fmt: skip
        assert row is not None
        assert set(row) == set(tables.columns(table))
        tables.checked(table, tables.from_rows(table, [row]))
