"""Stop classes and truncation: every spelling and every rule of formats.md section 4, in its order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.runs.stops import (
    StopClass,
    TruncationSource,
    completed,
    ends_open,
    is_strange,
    stop_class,
    truncation,
)

SPELLINGS = {
    "stop": "stop end_turn STOP stop_sequence endoftext completed eos",
    "length": "length max_tokens MAX_TOKENS max_output_tokens max_completion_tokens finish_reason_length "
    "token_exhaustion",
    "context": "model_length model_context_window_exceeded context_window_exceeded",
    "refusal": "refusal content_filter content-filter SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII "
    "IMAGE_SAFETY MODEL_ARMOR",
    "tool": "tool_calls tool_use function_call requires_action",
    "error": "error failed errored expired abort canceled",
    "pause": "pause_turn CONTINUATION",
    "unknown": "incomplete other MALFORMED_FUNCTION_CALL",
}
CUT, WHOLE, OPEN = True, False, None
counts = st.integers(0, 10**9)


@pytest.mark.parametrize(
    ("spelling", "value"), [(text, value) for value, texts in SPELLINGS.items() for text in texts.split()]
)
def test_each_spelling_has_its_class_in_any_case(spelling: str, value: str) -> None:
    for written in (spelling, spelling.upper(), spelling.lower(), f" {spelling}\n"):
        assert stop_class(written).value == value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("FinishReason.STOP", "stop"),
        ("FinishReason.MAX_TOKENS", "length"),
        ("incomplete:max_output_tokens", "length"),
        ("incomplete:content_filter", "refusal"),
        ("stop.", "unknown"),
        ("stop:", "unknown"),
    ],
)
def test_of_a_name_that_says_more_the_last_part_decides(written: str, value: str) -> None:
    assert stop_class(written).value == value


def test_a_missing_finish_reason_is_unknown() -> None:
    assert stop_class(None) is StopClass.UNKNOWN
    assert stop_class("") is StopClass.UNKNOWN


def test_reasons_that_no_rule_knows_are_strange_and_those_that_say_nothing_are_not() -> None:
    told = ("weird", "MALFORMED_FUNCTION_CALL", "incomplete", "other reasons")
    assert [text for text in told if not is_strange(text)] == []
    quiet = ("", "unknown", "Other", "null", "FINISH_REASON_UNSPECIFIED", "stop", "length", "error")
    assert [text for text in quiet if is_strange(text)] == []


def test_rule_0_an_agent_limit_outranks_the_last_stop() -> None:
    assert stop_class("stop", agent_limit="token") is StopClass.AGENT_LIMIT
    cut = truncation(StopClass.AGENT_LIMIT, tokens=1, budget=1000, counted=True)
    assert cut == (True, TruncationSource.AGENT_LIMIT, ())


@pytest.mark.parametrize("stop", [StopClass.LENGTH, StopClass.CONTEXT])
@pytest.mark.parametrize("tokens", [None, 1, 1000])
def test_rule_1_a_reported_length_is_a_cut_whatever_t_and_budget(stop: StopClass, tokens: int | None) -> None:
    assert truncation(stop, tokens=tokens, budget=1000, counted=True) == (True, TruncationSource.REPORTED, ())


@pytest.mark.parametrize("stop", [StopClass.STOP, StopClass.REFUSAL])
@pytest.mark.parametrize(
    ("tokens", "flags"),
    [(None, ()), (999, ()), (1000, ("stop_at_cap",)), (1001, ("stop_at_cap",))],
)
def test_rule_2_a_reported_stop_is_whole_and_flagged_at_the_cap(
    stop: StopClass, tokens: int | None, flags: tuple[str, ...]
) -> None:
    found = truncation(stop, tokens=tokens, budget=1000, counted=True)
    assert found == (False, TruncationSource.REPORTED, flags)


@pytest.mark.parametrize("stop", [StopClass.UNKNOWN, StopClass.TOOL, StopClass.PAUSE])
@pytest.mark.parametrize(
    ("tokens", "budget", "cut"),
    [
        (979, 1000, WHOLE),
        (980, 1000, CUT),  # 0.98 of the budget
        (32764, 32768, CUT),  # Gemini ends 4 short
        (91, 100, WHOLE),
        (92, 100, CUT),  # 8 short
        (1200, 1000, CUT),
        (48999, 50000, WHOLE),
        (49000, 50000, CUT),
    ],
)
def test_rule_4_a_counted_t_near_the_budget_is_a_cut(
    stop: StopClass, tokens: int, budget: int, cut: bool
) -> None:
    found = truncation(stop, tokens=tokens, budget=budget, counted=True)
    assert found == (cut, TruncationSource.INFERRED_BUDGET, ())


@pytest.mark.parametrize(("tokens", "budget"), [(1, 1), (5, 5), (9, 16), (16, 16)])
def test_rule_4_a_budget_that_asks_for_the_answer_alone_tells_nothing(tokens: int, budget: int) -> None:
    assert truncation(StopClass.UNKNOWN, tokens=tokens, budget=budget, counted=True).truncated is OPEN
    assert truncation(StopClass.LENGTH, tokens=tokens, budget=budget, counted=True).truncated is CUT


@pytest.mark.parametrize(
    ("tokens", "open_end", "cut"),
    [(699, False, WHOLE), (699, True, WHOLE), (700, False, OPEN), (700, True, CUT), (2000, False, OPEN)],
)
def test_rule_4_an_estimated_t_rules_a_cut_out_but_never_in(
    tokens: int, open_end: bool, cut: bool | None
) -> None:
    found = truncation(StopClass.UNKNOWN, tokens=tokens, budget=1000, counted=False, ends_open=open_end)
    assert found.truncated is cut
    assert found.source is (TruncationSource.NONE if cut is None else TruncationSource.INFERRED_BUDGET)
    assert found.flags == (("suspected_truncation",) if open_end else ())


@pytest.mark.parametrize(
    ("tokens", "least", "cut"),
    [(500, 200, WHOLE), (1500, 1000, CUT), (1500, 400, OPEN), (985, 400, OPEN)],
)
def test_rule_4_contradictory_counts_decide_only_where_both_readings_agree(
    tokens: int, least: int, cut: bool | None
) -> None:
    found = truncation(StopClass.UNKNOWN, tokens=tokens, least_tokens=least, budget=1000, counted=True)
    assert found.truncated is cut


@pytest.mark.parametrize(("tokens", "budget"), [(None, 1000), (1000, None), (None, None)])
def test_rule_5_without_t_or_budget_an_open_end_is_only_suspected(
    tokens: int | None, budget: int | None
) -> None:
    for open_end, flags in ((True, ("suspected_truncation",)), (False, ())):
        found = truncation(StopClass.UNKNOWN, tokens=tokens, budget=budget, counted=True, ends_open=open_end)
        assert found == (None, TruncationSource.NONE, flags)


def test_an_error_is_never_inferred_to_be_a_cut() -> None:
    assert truncation(StopClass.ERROR, tokens=1000, budget=1000, counted=True).truncated is None


@pytest.mark.parametrize(
    ("stop", "cut", "whole"),
    [
        ("stop", False, True),
        ("refusal", False, True),
        ("length", True, False),
        ("context", True, False),
        ("agent_limit", True, False),
        ("unknown", None, None),
        ("unknown", True, False),
        ("tool", False, True),
        ("pause", None, None),
        ("error", None, None),
        ("error", False, None),
    ],
)
def test_completion_follows_the_stop_class_or_the_inference(
    stop: str, cut: bool | None, whole: bool | None
) -> None:
    assert completed(StopClass(stop), cut) is whole


@given(st.sampled_from(StopClass), st.none() | counts, st.none() | counts, st.booleans(), st.booleans())
def test_what_is_null_has_no_source_and_completion_is_the_opposite_of_a_cut(
    stop: StopClass, tokens: int | None, budget: int | None, counted: bool, open_end: bool
) -> None:
    found = truncation(stop, tokens=tokens, budget=budget, counted=counted, ends_open=open_end)
    assert (found.truncated is None) == (found.source is TruncationSource.NONE)
    if stop is not StopClass.ERROR:
        assert completed(stop, found.truncated) is (None if found.truncated is None else not found.truncated)


@given(counts, counts, st.integers(1, 10**9))
def test_more_tokens_never_turn_a_cut_into_a_whole_run(tokens: int, more: int, budget: int) -> None:
    less, greater = (
        truncation(StopClass.UNKNOWN, tokens=t, budget=budget, counted=True).truncated
        for t in (tokens, min(tokens + more, 10**9))
    )
    assert not (less and not greater)


@pytest.mark.parametrize(
    ("text", "open_end"),
    [
        ("", False),
        ("The answer is 18.", False),
        ("done. {x", False),  # prose, not JSON
        ('{"reasoning": "first we', True),
        ('{"reasoning": "done", "answer": "4"', True),
        ('{"reasoning": "say \\"hi', True),
        ('[{"a": 1}, ', True),
        ('{"a": "} b', True),  # a brace inside a string closes nothing
        ('{"a": "\\"} b', True),  # nor does an escaped quote
        ('{"": 1} and more', False),
        ('{"a": "x\\n"} and more', False),
        ('{"answer": "4"}', False),
        ('{"answer": "4"}\n', False),
        ('{"answer": "a "quoted" word"}', False),  # unparsable, not cut
        ('{"answer": "4"} and more', False),
        ('{"answer": "}', False),  # ends as if it were closed: says nothing
        ('```json\n{"answer": "4"}\n```', False),
        ('```json\n{"answer": "4', True),
        ('```json\n{"a": 1,\n"answer": "4', True),
        ("```", False),
        ("<think> hmm", True),
        ("<think> hmm </think> 18", False),
        ("<think> a </think> <think> b", True),
    ],
)
def test_a_text_ends_open_in_a_string_brace_or_think_tag(text: str, open_end: bool) -> None:
    assert ends_open(text) is open_end
