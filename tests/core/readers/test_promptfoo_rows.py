"""promptfoo rows: what a 0, an error, a passed test without assertions and a cached answer mean."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from effspark.readers.promptfoo_rows import place_of, run_of
from effspark.readers.promptfoo_shapes import ResultRow
from effspark.runs.record import LoggedRun

HIDDEN = (r"(^|/)o[134](-|$)",)


def made(settings: dict[str, Any] | None = None, **said: Any) -> LoggedRun:
    row = {
        "provider": {"id": "openai:gpt-4o"},
        "vars": {"question": "2+1?"},
        "prompt": {"raw": "2+1?"},
        **said,
    }
    return run_of(msgspec.convert(row, ResultRow), {"benchmark_id": "b"}, settings or {}, HIDDEN)


def answered(output: Any = "3", **said: Any) -> dict[str, Any]:
    return {"output": output, **said}


def test_a_zero_count_is_no_count_but_a_reported_zero_of_reasoning_is_one() -> None:
    zero = {"prompt": 0, "completion": 0, "total": 0, "completionDetails": {"reasoning": 0}}
    usage = made(response=answered(tokenUsage=zero)).usage
    assert (usage.input, usage.output, usage.total, usage.reasoning) == (None, None, None, 0)


def test_an_answer_from_the_cache_is_flagged_and_its_time_is_no_wall_time() -> None:
    run = made(response=answered(cached=True, tokenUsage={"cached": 150, "total": 150}), latencyMs=3)
    assert (run.quality_flags, run.latency_seconds, run.latency_kind) == (("replayed",), 0.003, "cached")
    assert (run.usage.output, run.usage.total) == (None, 150)


@pytest.mark.parametrize(
    ("said", "status", "message"),
    [
        ({"failureReason": 2, "error": "500", "response": {"error": "500"}}, "error", "500"),
        ({"error": "fetch failed"}, "error", "fetch failed"),
        ({"failureReason": 1, "error": "Expected 18", "response": answered()}, "ok", None),
        ({"error": "Expected 18", "response": answered()}, "ok", None),
        ({"failureReason": 2, "error": "script failed", "response": answered()}, "ok", "script failed"),
    ],
)
def test_a_failed_assertion_is_no_error(said: dict[str, Any], status: str, message: str | None) -> None:
    run = made(success=False, gradingResult={"componentResults": [{"pass": False}]}, **said)
    assert (run.status.value, run.error_message) == (status, message)
    assert bool(run.verdicts) is (message is None)


@pytest.mark.parametrize(
    ("said", "judged"),
    [
        ({"gradingResult": {"componentResults": []}}, False),
        ({"gradingResult": None}, False),
        ({"testCase": {"assert": []}}, False),
        ({"testCase": {"assert": [{"type": "javascript", "value": "x"}]}}, True),
        ({"gradingResult": {"componentResults": [{"pass": True}]}}, True),
    ],
)
def test_a_test_without_assertions_judges_nothing(said: dict[str, Any], judged: bool) -> None:
    assert bool(made(success=True, response=answered(), **said).verdicts) is judged


def test_a_named_metric_is_a_verdict_of_its_own_and_outside_0_to_1_none() -> None:
    verdicts = made(response=answered(), namedScores={"brevity": 0.5, "points": 12, "unset": None}).verdicts
    assert [(verdict.scorer, verdict.raw, verdict.value) for verdict in verdicts] == [
        ("metric:brevity", "0.5", 0.5),
        ("metric:points", "12", None),
        ("metric:unset", None, None),
    ]


@pytest.mark.parametrize(
    ("assertions", "gold"),
    [
        ([{"type": "icontains", "value": "{{ gold }}"}], "18"),
        ([{"type": "javascript", "value": "output > 3"}, {"type": "equals", "value": 18.0}], "18"),
        ([{"type": "equals", "value": "{{gold}} eggs"}], "{{gold}} eggs"),
        ([{"type": "equals", "value": "{{other}}"}], None),
        ([{"type": "llm-rubric", "value": "is polite"}, "x"], None),
        (None, None),
    ],
)
def test_the_gold_answer_is_what_the_first_comparison_waits_for(assertions: Any, gold: str | None) -> None:
    assert made(vars={"gold": 18}, testCase={"assert": assertions}).gold == gold


def test_an_instance_is_named_by_its_metadata_else_by_its_variables() -> None:
    def instance(**said: Any) -> Any:
        return place_of(msgspec.convert(said, ResultRow)).instance

    assert instance(vars={"a": 1}, metadata={"instance_id": 7}) == 7
    assert instance(vars={"a": 1}, testCase={"metadata": {"instance_id": "q"}}) == "q"
    assert instance(vars={"a": 1, "b": 2}) == instance(vars={"b": 2, "a": 1}) != instance(vars={"a": 1})
    assert instance() is None


@pytest.mark.parametrize(
    ("settings", "effort"),
    [
        ({"reasoning_effort": "high"}, "high"),
        ({"reasoning": {"effort": "low"}}, "low"),
        ({"thinking": {"type": "enabled", "budget_tokens": 2048}}, "2048 tokens"),
        ({"thinking": {"type": "disabled"}}, None),
        ({"reasoning": True}, None),
    ],
)
def test_effort_is_read_from_the_settings(settings: dict[str, Any], effort: str | None) -> None:
    assert made(settings, response=answered()).configuration.reasoning_effort == effort


@pytest.mark.parametrize(
    "name", ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"]
)
def test_the_prompt_may_set_another_budget_than_the_provider(name: str) -> None:
    assert made({name: 64}, response=answered()).configuration.output_budget_tokens == 64
    prompt = {"raw": "2+1?", "config": {name: 128}}
    assert made({name: 64}, prompt=prompt, response=answered()).configuration.output_budget_tokens == 128


@pytest.mark.parametrize(
    ("said", "provider", "visibility", "estimable"),
    [
        ({}, "openai:gpt-4o", "full", True),
        ({}, "openai:o3-mini", "hidden", False),
        (
            {"tokenUsage": {"completion": 9, "completionDetails": {"reasoning": 5}}},
            "openai:gpt-4o",
            "hidden",
            False,
        ),
        (
            {"tokenUsage": {"completion": 9, "completionDetails": {"reasoning": 0}}},
            "openai:o3-mini",
            "full",
            False,
        ),
        ({"raw": {"choices": [{"message": {"reasoning_content": "2+1"}}]}}, "deepseek:r1", "full", True),
        ({"raw": {"choices": [{"message": {"reasoning": {"text": "no"}}}]}}, "openai:gpt-4o", "full", True),
        ({"raw": {"choices": []}}, "openai:gpt-4o", "full", True),
        ({"output": None}, "openai:gpt-4o", "none", False),
    ],
)
def test_visibility_follows_the_text_the_counts_and_the_model(
    said: dict[str, Any], provider: str, visibility: str, estimable: bool
) -> None:
    run = made(provider={"id": provider, "label": "mine"}, response=answered(**said))
    assert (run.trace_visibility.value, run.estimable) == (visibility, estimable)


@pytest.mark.parametrize(("reason", "finish"), [("stop", "refusal"), ("length", "length"), (None, "refusal")])
def test_a_refusal_is_one_unless_the_answer_was_cut(reason: str | None, finish: str) -> None:
    assert made(response=answered(isRefusal=True, finishReason=reason)).finish_reason == finish


@pytest.mark.parametrize(
    ("cost", "own", "usd"), [(0, None, None), (0.5, None, 0.5), (0.5, 0.0, 0.0), (None, None, None)]
)
def test_a_cost_of_0_is_one_only_where_the_provider_says_so(
    cost: float | None, own: float | None, usd: float | None
) -> None:
    assert made(response=answered(cost=own), cost=cost).cost_usd == usd


def test_a_provider_that_is_a_file_names_no_provider() -> None:
    names = [
        made(provider=one).configuration.provider_name for one in ("openai:gpt-4o", "file://a.js", "echo")
    ]
    assert names == ["openai", None, None]


def test_numbers_in_the_metadata_are_axes() -> None:
    metadata = {"instance_id": 7, "depth": 3, "hard": True, "name": "x"}
    assert made(metadata=metadata, response=answered()).axes == {"depth": 3.0}
