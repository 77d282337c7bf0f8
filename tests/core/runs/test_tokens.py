"""T: every row of formats.md section 3, and what holds whatever a log reports."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.errors import LogError
from effspark.runs.tokens import (
    COUNTED,
    TokenConvention,
    TokenSource,
    Usage,
    count,
    estimate,
    hides_trace,
    normalise,
)

reported = st.none() | st.integers(0, 10**6)
usages = st.builds(
    Usage,
    input=reported,
    output=reported,
    reasoning=reported,
    total=reported,
    additive=st.booleans(),
    token_ids=reported,
)
ROWS = {
    "additive: candidates and thoughts": (
        Usage(input=5, output=20, reasoning=100, total=125, additive=True), "18", 120, "additive", ()),
    "additive: thoughts ate the budget": (Usage(reasoning=100, additive=True), None, 100, "additive", ()),
    "additive: no thoughts": (Usage(output=20, additive=True), "18", 20, "additive", ()),
    "additive: both absent": (Usage(input=5, total=5, additive=True), None, None, "unknown", ()),
    "additive: a reported 0 of thoughts is no count": (Usage(reasoning=0, additive=True), "18",
    None, "unknown", ()),
    "inclusive": (Usage(input=98, output=330, reasoning=256, total=428), "18", 330, "inclusive", ()),
    "inclusive within 1": (Usage(input=98, output=330, total=429), "18", 330, "inclusive", ()),
    "inclusive without a split": (Usage(input=98, output=330, total=428), "18", 330, "inclusive", ()),
    "inclusive, reasoning above T": (
        Usage(input=98, output=330, reasoning=331, total=428), "18", 330, "inclusive", ("conflict",)),
    "additive by the total": (Usage(input=98, output=74, reasoning=256, total=428), "18", 330, "additive",
    ()),
    "additive by the total, within 1": (
        Usage(input=98, output=74, reasoning=256, total=429), "18", 330, "additive", ()),
    "2 apart is not additive": (
        Usage(input=98, output=74, reasoning=256, total=430), "18", None, "unknown", ("conflict",)),
    "inclusive, all of T is reasoning": (
        Usage(input=98, output=330, reasoning=330, total=428), "18", 330, "inclusive", ()),
    "no reasoning is not additive": (Usage(input=98, output=330, reasoning=0, total=428), "18",
    330, "inclusive", ()),
    "2 apart is a gap": (Usage(input=98, output=330, total=430), "18", 332, "gap_folded", ("gap_folded",)),
    "hidden gap": (Usage(input=98, output=74, total=428), "18", 330, "gap_folded", ("gap_folded",)),
    "a total below its parts contradicts them": (
        Usage(input=98, output=330, total=100), "18", None, "unknown", ("conflict",)),
    "a total that no input explains": (Usage(output=330, total=428), "18", None, "unknown", ("conflict",)),
    "a total of 0 beside a text is no total": (Usage(input=98, output=330, total=0), "18", 330, "assumed", ()),
    "a gap beside a reported 0 of reasoning": (
        Usage(input=98, output=74, reasoning=0, total=4428), "18", None, "unknown", ("conflict",)),
    "additive: a total that it does not explain": (
        Usage(input=98, output=6, total=294, additive=True), "18", 6, "additive", ("conflict",)),
    "a gap beside known reasoning is not folded": (
        Usage(input=98, output=74, reasoning=10, total=428), "18", None, "unknown", ("conflict",)),
    "no total": (Usage(output=330, reasoning=256), "18", 330, "assumed", ()),
    "no total, no split": (Usage(output=330), "18", 330, "assumed", ()),
    "no total, reasoning above output": (Usage(output=7, reasoning=64), "18", 71, "conflict", ("conflict",)),
    "completion 0 with reasoning": (Usage(output=0, reasoning=64), None, 64, "conflict", ("conflict",)),
    "completion 0 that the total confirms, beside a text": (
        Usage(input=10, output=0, reasoning=64, total=10), "18", None, "unknown", ("zero_usage",)),
    "completion 0 beside a text, with reasoning that the total confirms": (
        Usage(input=98, output=0, reasoning=64, total=162), "18", None, "unknown", ("zero_usage",)),
    "completion 0 beside a text, with reasoning and no total": (
        Usage(output=0, reasoning=64), "18", None, "unknown", ("zero_usage",)),
    "completion 0 and no ids beside a text": (
        Usage(output=0, token_ids=0), "18", None, "unknown", ("zero_usage",)),
    "completion 0 beside a text, with ids": (
        Usage(output=0, token_ids=12), "18", 12, "inclusive", ("zero_usage",)),
    "no ids beside a text": (Usage(token_ids=0), "18", None, "unknown", ("zero_usage",)),
    "no ids and no text": (Usage(token_ids=0), None, 0, "inclusive", ()),
    "token ids": (Usage(token_ids=12), "18", 12, "inclusive", ()),
    "counts go before token ids": (Usage(output=9, token_ids=12), "18", 9, "assumed", ()),
    "zero beside a text": (Usage(output=0, total=0, input=0), "18", None, "unknown", ("zero_usage",)),
    "zero without a text": (Usage(output=0), None, 0, "assumed", ()),
    "zero without a text that the total confirms": (
        Usage(input=98, output=0, total=98), None, 0, "inclusive", ()),
    "nothing": (Usage(), "18", None, "unknown", ()),
    "a total alone": (Usage(input=98, total=428), "18", None, "unknown", ()),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_the_first_test_that_holds_decides(row: str) -> None:
    usage, text, tokens, convention, flags = ROWS[row]
    found = normalise(usage, text=text)
    assert (found.output, found.convention.value, found.flags) == (tokens, convention, flags)


@pytest.mark.parametrize(
    ("shown", "output"), [(("9 * 2", None), 64), (("9 * 2", "18"), None), ((None, "18"), None)]
)
def test_an_output_of_0_is_true_where_the_text_is_a_reasoning_that_is_counted(
    shown: tuple[str | None, str | None], output: int | None
) -> None:
    usage = Usage(input=98, output=0, reasoning=64, total=162)
    assert normalise(usage, text="9 * 2", shown=shown)[:2] == (output, 64)


def test_t_of_a_full_trace_is_estimated_only_where_that_is_allowed() -> None:
    text = "The answer is 18."
    allowed = normalise(Usage(), text=text, estimate_text=text)
    assert allowed[:4] == (6, None, TokenSource.TOKENIZER, TokenConvention.INCLUSIVE)
    assert normalise(Usage(), text=text).source is TokenSource.NONE
    counted = normalise(Usage(output=9), text=text, estimate_text=text)
    assert (counted.output, counted.source) == (9, TokenSource.PROVIDER)


def test_a_false_zero_is_estimated_and_stays_flagged() -> None:
    found = normalise(Usage(output=0), text="The answer is 18.", estimate_text="The answer is 18.")
    assert (found.output, found.source, found.flags) == (6, TokenSource.TOKENIZER, ("zero_usage",))


@pytest.mark.parametrize(
    ("usage", "source", "counted"),
    [
        (Usage(output=9), TokenSource.PROVIDER, True),
        (Usage(output=9, source=TokenSource.SERVER), TokenSource.SERVER, True),
        (Usage(token_ids=9), TokenSource.TOKEN_IDS, True),
        (Usage(output=9, source=TokenSource.TOKENIZER), TokenSource.TOKENIZER, False),
        (Usage(), TokenSource.NONE, False),
    ],
)
def test_who_counted_t_is_kept(usage: Usage, source: TokenSource, counted: bool) -> None:
    found = normalise(usage, text=None)
    assert found.source is source
    assert (found.source in COUNTED) is counted


@given(usages, st.none() | st.just("some text"))
def test_t_is_at_least_its_reasoning_or_flagged(usage: Usage, text: str | None) -> None:
    found = normalise(usage, text=text)
    if found.output is not None and found.reasoning is not None:
        assert found.output >= found.reasoning or "conflict" in found.flags


@given(usages)
def test_a_null_never_becomes_0(usage: Usage) -> None:
    found = normalise(usage, text="some text")
    if usage.output is None and not (usage.additive and usage.reasoning) and usage.token_ids is None:
        assert found.output is None
    if found.output == 0:
        assert 0 in (usage.output, usage.token_ids)


@given(usages, st.none() | st.just("some text"))
def test_t_is_known_exactly_where_its_source_is(usage: Usage, text: str | None) -> None:
    found = normalise(usage, text=text)
    assert (found.output is None) == (found.source is TokenSource.NONE)
    assert (found.output is None) == (found.convention is TokenConvention.UNKNOWN)


@given(usages)
def test_t_never_exceeds_the_sum_of_all_that_is_reported(usage: Usage) -> None:
    found = normalise(usage, text=None)
    if found.output is not None:
        assert found.output <= sum(
            part or 0 for part in (usage.output, usage.reasoning, usage.total, usage.token_ids)
        )


@pytest.mark.parametrize(("value", "whole"), [(0, 0), (12, 12), (64.0, 64), (10**9, 10**9), (None, None)])
def test_whole_numbers_are_counts(value: object, whole: int | None) -> None:
    found = count(value, "output_tokens")
    assert found == whole
    assert type(found) is type(whole)


def test_nan_is_no_count_and_no_0() -> None:
    assert count(float("nan"), "output_tokens") is None


@pytest.mark.parametrize(
    "value", [-1, 1.5, 10**9 + 1, 1e300, float("inf"), float("-inf"), True, False, "812", [], {}]
)
def test_anything_else_is_refused_with_field_value_and_remedy(value: object) -> None:
    with pytest.raises(
        LogError, match=r"^output_tokens: found .*; allowed: a whole number .*; fix the log"
    ) as caught:
        count(value, "output_tokens")
    assert repr(value)[:20] in str(caught.value)


def test_the_estimate_takes_special_tokens_for_text() -> None:
    assert estimate("") == 0
    assert estimate("<|endoftext|>") > 1


@pytest.mark.parametrize(
    ("model", "hides"),
    [
        ("openai/o1-mini-2024-09-12", True), ("o3", True), ("OpenAI/GPT-5-mini", True),
        ("google/gemini-2.5-pro", True),
        ("grok-4-07-09", True), ("gpt-4o", False), ("deepseek-r1", False), ("gemini-2.0-flash", False),
        ("foo1-3", False),
    ],
)  # fmt: skip
def test_models_that_hide_their_reasoning_are_known_by_conf(model: str, hides: bool) -> None:
    from effspark.settings import load

    assert hides_trace(model, load().hidden_trace_models) is hides


def test_a_text_longer_than_the_tokenizer_takes_is_counted_in_pieces() -> None:
    assert estimate("a" * 1_200_000) == 12 * estimate("a" * 100_000)
    assert estimate("word " * 300_000) in range(300_000, 300_016)


@pytest.mark.parametrize(
    ("usage", "shown", "output"),
    [
        (Usage(input=5, reasoning=64, total=69, additive=True), (None, "18"), None),
        (Usage(reasoning=64, output=0, additive=True), (None, "18"), None),
        (Usage(reasoning=64, additive=True), ("9 * 2", None), 64),
        (Usage(output=20, additive=True), ("9 * 2", "18"), None),
        (Usage(output=20, reasoning=0, additive=True), ("9 * 2", "18"), None),
        (Usage(input=5, output=20, total=25, additive=True), ("9 * 2", "18"), 20),
        (Usage(output=20, additive=True), (None, "18"), 20),
    ],
)
def test_a_text_whose_own_count_is_missing_leaves_t_unknown(
    usage: Usage, shown: tuple[str | None, str | None], output: int | None
) -> None:
    found = normalise(usage, text="some text", shown=shown)
    assert (found.output, found.reasoning) == (output, usage.reasoning)
    assert found.flags == (("part_uncounted",) if output is None else ())
