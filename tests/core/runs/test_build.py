"""What makes a run, a configuration and an eval run, and what does not."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.runs.record import (
    Configuration,
    LoggedVerdict,
    Status,
)
from effspark.runs.tokens import Usage
from tests.core.runs.logged import LOG, MODEL, NOON, RUN, built, run_key

CONFIGURATIONS = st.builds(
    Configuration,
    request_model=st.sampled_from(["a", "b"]),
    provider_name=st.none() | st.sampled_from(["p", "q"]),
    provider_route=st.none() | st.sampled_from(["p", "q"]),
    model_revision=st.none() | st.sampled_from(["p", "q"]),
    reasoning_effort=st.none() | st.sampled_from(["low", "high"]),
    temperature=st.none() | st.sampled_from([0.0, 0.5, 1.0]),
    tokenizer_family=st.none() | st.sampled_from(["p", "q"]),
    output_budget_tokens=st.none() | st.integers(1, 3),
)
OTHER: dict[str, Any] = {"temperature": 0.25, "output_budget_tokens": 77}


@given(CONFIGURATIONS, CONFIGURATIONS)
def test_configurations_have_one_id_exactly_if_they_are_equal(
    one: Configuration, other: Configuration
) -> None:
    assert (one.config_id == other.config_id) == (one == other)


@pytest.mark.parametrize("name", [column.name for column in fields(Configuration)])
def test_every_part_of_the_configuration_makes_another_model(name: str) -> None:
    changed = replace(RUN, configuration=replace(MODEL, **{name: OTHER.get(name, "other")}))
    assert built(changed).run["config_id"] != built().run["config_id"]


def test_a_seed_makes_no_other_model_and_no_other_run() -> None:
    seeded = built(replace(RUN, seed=7)).run
    assert (seeded["config_id"], seeded["run_key"]) == (built().run["config_id"], run_key())
    assert seeded["seed"] == 7


def test_inside_an_eval_run_a_budget_makes_another_configuration_of_the_same_run() -> None:
    first = replace(RUN, eval_run_id="e")
    changed = built(replace(first, configuration=replace(MODEL, output_budget_tokens=2000))).run
    assert changed["run_key"] == built(first).run["run_key"]
    assert changed["family_id"] == built().run["family_id"]
    assert changed["config_id"] != built().run["config_id"]


def test_where_a_log_names_no_eval_run_one_budget_is_one_eval_run() -> None:
    silent = replace(RUN, eval_run_id=None)
    changed = built(replace(silent, configuration=replace(MODEL, output_budget_tokens=2000))).run
    same = built(silent).run
    assert changed["eval_run_id"] != same["eval_run_id"]
    assert changed["run_key"] != same["run_key"]


@pytest.mark.parametrize(
    "change",
    [
        {"attempt": "2"},
        {"instance_id": "1"},
        {"benchmark_id": "gsm"},
        {"eval_run_id": "other"},
        {"configuration": replace(MODEL, request_model="acme/two")},
        {"configuration": replace(MODEL, temperature=0.5)},
        {"configuration": replace(MODEL, reasoning_effort="high")},
    ],
    ids=str,
)
def test_what_was_asked_and_which_attempt_make_the_run(change: dict[str, Any]) -> None:
    assert run_key(replace(RUN, **change)) != run_key()


def test_a_format_is_part_of_the_run() -> None:
    named = replace(RUN, eval_run_id="task-7")
    assert run_key(named, replace(LOG, source_format="inspect_ai")) != run_key(named)
    assert run_key(log=replace(LOG, source_format="inspect_ai")) != run_key()


@pytest.mark.parametrize(
    "change",
    [
        {"verdicts": (LoggedVerdict(scorer="judge", raw="C", value=1.0),)},
        {"record_id": "a uuid"},
        {
            "log_version": NOON + timedelta(days=1),
            "started_at": NOON,
            "latency_seconds": 2.0,
            "cost_usd": 1.0,
        },
        {"usage": Usage(output=331), "answer": "18", "reasoning": "so"},
        {"finish_reason": "length", "status": Status.ERROR, "error_type": "x", "n_retries": 3},
        {"quality_flags": ("replayed",), "tags": {"topic": "algebra"}, "axes": {"depth": 3.0}},
        {"gold": "18", "question": "What?", "prompt": "Say.", "benchmark_version": "2", "split": "test"},
        {"response_model": "acme/one-2026", "format_version": "9", "context_budget_tokens": 9},
    ],
    ids=str,
)
def test_verdicts_times_uuids_and_texts_make_no_other_run(change: dict[str, Any]) -> None:
    assert run_key(replace(RUN, **change)) == run_key()


def test_team_place_reader_and_mapping_version_make_no_other_run() -> None:
    moved = replace(
        LOG, team="b", source_uri="b.jsonl", source_sha256="cd", file_time=NOON + timedelta(days=1),
        reader_version=2, mapping_version=3,
    )  # fmt: skip
    assert run_key(log=moved) == run_key()
    assert built(offset=80, answer=2).run["run_key"] == run_key()


def test_without_a_label_the_attempt_is_what_was_generated() -> None:
    unlabelled = replace(RUN, attempt=None, answer="18")
    assert run_key(unlabelled) == run_key(replace(unlabelled, cost_usd=1.0, log_version=NOON))
    for change in ({"answer": "19"}, {"reasoning": "so"}, {"usage": Usage(output=331)}):
        assert run_key(replace(unlabelled, **change)) != run_key(unlabelled)


def test_without_an_id_the_eval_run_is_reader_benchmark_and_model() -> None:
    first = built().run["eval_run_id"]
    assert built(replace(RUN, instance_id="1", attempt="2")).run["eval_run_id"] == first
    assert built(replace(RUN, configuration=replace(MODEL, temperature=0.5))).run["eval_run_id"] != first
    assert built(replace(RUN, eval_run_id="task-7")).run["eval_run_id"] == "task-7"


def test_7_as_number_and_as_text_are_one_instance() -> None:
    assert run_key(replace(RUN, instance_id=7)) == run_key(replace(RUN, instance_id="7"))
    assert built(replace(RUN, instance_id=7)).run["instance_id"] == "7"


@pytest.mark.parametrize("facts", [{"question": "2 + 2?"}, {"gold": "4"}, {"axes": {"depth": 2.0}}], ids=str)
def test_a_question_a_gold_answer_or_axes_alone_make_a_row_of_instances(facts: dict[str, Any]) -> None:
    assert built().instance is None
    assert built(replace(RUN, **facts)).instance is not None


def test_an_attempt_without_word_of_retries_has_none() -> None:
    silent, told = built(), built(replace(RUN, n_retries=2))
    assert [(found.run["n_retries"], found.run_source["n_retries"]) for found in (silent, told)] == [
        (0, 0),
        (2, 2),
    ]


def test_failures_of_other_times_are_other_attempts_and_equal_answers_are_not() -> None:
    def logged(hours: int | None, **changes: Any) -> str:
        at = None if hours is None else NOON + timedelta(hours=hours)
        return str(built(replace(RUN, log_version=at, **changes)).run_source["generation_hash"])

    failed: dict[str, Any] = {"usage": Usage(), "status": Status.ERROR}
    assert logged(1, **failed) != logged(2, **failed)
    assert logged(1, **failed) == logged(1, **failed)
    assert logged(None, **failed) == logged(None, **failed)
    assert logged(1) == logged(2) == logged(None)


def test_the_limit_of_an_agent_is_the_reason_that_is_kept() -> None:
    assert built(replace(RUN, finish_reason="stop")).run["finish_reason_raw"] == "stop"
    limited = built(replace(RUN, finish_reason="stop", agent_limit="message")).run
    assert (limited["finish_reason_raw"], limited["stop_class"]) == ("message", "agent_limit")
