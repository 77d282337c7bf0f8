"""What a header says of all its samples: configuration, names, times."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers import Options
from effspark.readers.inspect_header import task_of

SPEC = {"model": "openai/azure/gpt-4o", "task": "team/sums", "run_id": "R", "created": "2026-01-01T00:00:00Z"}


def header(spec: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"eval": {**SPEC, **(spec or {})}, **more}


def test_the_plan_outranks_the_model_and_nulls_give_way() -> None:
    asked = {"max_tokens": 64, "temperature": 1, "reasoning_effort": "low"}
    plan = {"config": {"max_tokens": 512, "temperature": None, "seed": -7}}
    task = task_of(header({"model_generate_config": asked}, plan=plan), Options())
    found = task.configuration
    assert (found.output_budget_tokens, found.temperature, found.reasoning_effort, task.seed) == (
        512,
        1.0,
        "low",
        -7,
    )


def test_a_budget_of_thoughts_tells_models_apart_where_no_effort_is_named() -> None:
    families = set()
    for config in ({}, {"reasoning_tokens": 1024}, {"reasoning_tokens": 4096}, {"reasoning_effort": "high"}):
        families.add(task_of(header(plan={"config": config}), Options()).configuration.family_id)
    assert len(families) == 4


def test_provider_and_route_come_from_name_and_address() -> None:
    found = task_of(header({"model_base_url": "https://relay.example/v1"}), Options()).configuration
    assert (found.request_model, found.provider_name, found.provider_route) == (
        "openai/azure/gpt-4o",
        "openai",
        "relay.example",
    )
    own = task_of(
        header({"model": "acme", "model_base_url": "http://localhost:11434/v1"}), Options()
    ).configuration
    assert (own.provider_name, own.provider_route) == (None, None)


def test_the_eval_run_is_the_task_and_else_the_run() -> None:
    assert task_of(header(), Options()).eval_run_id == "R"
    assert task_of(header({"task_id": "T"}), Options()).eval_run_id == "T"


def test_the_user_names_the_benchmark_where_the_log_does_not() -> None:
    assert task_of(header({"task_version": 0}), Options()).benchmark_version == "0"
    assert task_of(header(), Options()).benchmark_id == "team/sums"
    assert task_of(header(), Options(benchmark="sums")).benchmark_id == "team/sums"
    assert task_of(header({"task": None}), Options(benchmark="sums")).benchmark_id == "sums"


def test_times_are_those_of_the_log() -> None:
    update = {"edits": [], "provenance": {"author": "ann", "timestamp": "2026-03-01T00:00:00+01:00"}}
    task = task_of(header(stats={"started_at": "", "completed_at": ""}, log_updates=[update]), Options())
    assert task.started_at == datetime(2026, 1, 1, tzinfo=timezone.utc)
    assert task.completed_at is None
    assert task.updates == (datetime(2026, 2, 28, 23, tzinfo=timezone.utc),)


@pytest.mark.parametrize(
    ("results", "spec", "expected"),
    [
        ({"scores": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}, {"scorers": [{"name": "c"}]}, ("a", "b")),
        (None, {"scorers": [{"name": "c"}]}, ("c",)),
        ({"scorer": {"name": "old"}}, {}, ("old",)),
        ({}, {}, ()),
    ],
)
def test_scorers_are_named_by_results_then_by_the_task(
    results: Any, spec: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert task_of(header(spec, results=results), Options()).scorers == expected


@pytest.mark.parametrize(
    ("written", "version"), [("0.3.95.dev16+g6527d0861", (0, 3, 95)), ("0.3.285", (0, 3, 285)), (None, ())]
)
def test_the_version_is_the_first_three_numbers(written: str | None, version: tuple[int, ...]) -> None:
    assert task_of(header({"packages": {"inspect_ai": written}}), Options()).version == version


def test_models_known_to_hide_their_reasoning_are_told() -> None:
    assert task_of(header({"model": "openai/o3"}), Options(hidden_trace_models=(r"(^|/)o3",))).hides
    assert not task_of(header(), Options(hidden_trace_models=(r"(^|/)o3",))).hides


@pytest.mark.parametrize("document", [{}, {"eval": None}, {"eval": []}])
def test_a_document_without_eval_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(LogError, match="allowed: the header of an Inspect log"):
        task_of(document, Options())


def test_a_version_of_thousands_of_digits_costs_no_log() -> None:
    assert len(task_of(header({"packages": {"inspect_ai": "9" * 5000}}), Options()).version) == 3


@pytest.mark.parametrize("odd", ["10000-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00", "soon", 7, [], True])
def test_a_time_that_is_none_costs_that_time_and_is_flagged(odd: Any) -> None:
    update = {"provenance": {"timestamp": odd}}
    task = task_of(header(stats={"started_at": odd, "completed_at": odd}, log_updates=[update]), Options())
    assert (task.started_at, task.completed_at) == (datetime(2026, 1, 1, tzinfo=timezone.utc), None)
    assert (task.updates, task.flags) == ((), ("odd_time",))
    assert task_of(header(stats={"completed_at": ""}), Options()).flags == ()


def test_an_address_that_is_none_names_no_route() -> None:
    assert (
        task_of(header({"model_base_url": "http://[::1/v1"}), Options()).configuration.provider_route is None
    )
