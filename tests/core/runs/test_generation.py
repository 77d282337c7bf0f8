"""What was generated, as columns of `runs`."""

from __future__ import annotations

import pytest

from effspark.runs.generation import generated, of_generation
from effspark.runs.record import Configuration, LoggedRun, Status, Visibility
from effspark.runs.tokens import TokenSource, Usage

BUDGET = Configuration(request_model="m", output_budget_tokens=512)


def logged(**facts: object) -> LoggedRun:
    return LoggedRun(configuration=BUDGET, benchmark_id="b", instance_id="1", **facts)  # type: ignore[arg-type]


def test_a_trace_is_reasoning_newline_answer_or_either_part_alone() -> None:
    assert generated(logged(reasoning="r", answer="a")) == "r\na"
    assert generated(logged(reasoning="r", answer="")) == "r"
    assert generated(logged(answer="a")) == "a"
    assert generated(logged()) is None


def test_a_cut_run_without_usage_is_censored_at_its_budget_and_has_no_t() -> None:
    row = of_generation(logged(finish_reason="length"))
    assert (row.output_tokens, row.censored, row.t_lower_bound) == (None, True, 512)


def test_a_failed_run_without_a_reason_stops_by_error() -> None:
    row = of_generation(logged(status=Status.ERROR, error_type="timeout"))
    assert (row.status, row.stop_class, row.truncated) == ("error", "error", None)


def test_a_finish_reason_that_is_an_error_makes_the_run_an_error() -> None:
    assert of_generation(logged(finish_reason="abort")).status == "error"


@pytest.mark.parametrize(
    ("tokens", "flags"), [(513, ["stop_at_cap"]), (514, ["stop_at_cap", "t_over_budget"])]
)
def test_more_tokens_than_budget_and_one_are_flagged(tokens: int, flags: list[str]) -> None:
    row = of_generation(logged(finish_reason="stop", usage=Usage(output=tokens)))
    assert row.quality_flags == flags


@pytest.mark.parametrize(
    ("characters", "tokens", "facts", "flags"),
    [
        (10_000, 1, {}, ["text_over_t"]), (8_000, 500, {}, []), (8_001, 500, {}, ["text_over_t"]),
        (10_000, 1, {"trace_visibility": Visibility.SUMMARY}, ["text_over_t"]),
        (64, 1, {}, []), (65, 1, {}, ["text_over_t"]), (10_000, None, {}, []),
        (110, 100, {}, ["hidden_trace"]), (111, 100, {}, []), (2, 64, {}, ["hidden_trace"]), (2, 63, {}, []),
        (0, 100, {}, []), (2, 100, {"finish_reason": "tool_calls"}, []),
        (2, 100, {"trace_visibility": Visibility.HIDDEN}, []),
    ],
)  # fmt: skip
def test_a_text_that_does_not_fit_its_t_is_flagged(
    characters: int, tokens: int | None, facts: dict[str, object], flags: list[str]
) -> None:
    known = {"trace_visibility": Visibility.FULL, "usage": Usage(output=tokens), "answer": "x" * characters}
    assert of_generation(logged(**{**known, **facts})).quality_flags == flags


def test_an_estimate_of_t_says_nothing_of_its_text() -> None:
    usage = Usage(output=1, source=TokenSource.TOKENIZER)
    assert of_generation(logged(usage=usage, answer="x" * 10_000)).quality_flags == []


def test_total_is_input_and_t_where_both_are_known() -> None:
    assert of_generation(logged(usage=Usage(input=5, output=7))).total_tokens == 12
    assert of_generation(logged(usage=Usage(output=7))).total_tokens is None
    assert of_generation(logged(usage=Usage(input=0, output=0))).total_tokens == 0


def test_a_text_is_counted_only_where_the_log_allows_it() -> None:
    facts = [{}, {"estimable": True}, {"estimable": True, "answer": None}]
    rows = [of_generation(logged(**{"answer": "The answer is 18.", **more})) for more in facts]
    assert [(row.output_tokens, row.token_source) for row in rows] == [
        (None, "none"),
        (6, "tokenizer"),
        (None, "none"),
    ]


def test_the_limit_of_an_agent_outranks_the_reason() -> None:
    assert of_generation(logged(finish_reason="stop", agent_limit="message")).stop_class == "agent_limit"


def test_an_open_end_is_suspected_only_where_nothing_says_why_the_run_ended() -> None:
    rows = [
        of_generation(logged(answer='{"a": "so', finish_reason=why)) for why in (None, "tool_calls", "stop")
    ]
    assert [row.quality_flags for row in rows] == [["suspected_truncation"], [], []]
