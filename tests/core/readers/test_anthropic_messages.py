"""What one message of Anthropic's API tells of a run."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers.anthropic_messages import Block, Counts, Details, Message, run_of
from effspark.runs.record import LoggedRun, Visibility
from effspark.runs.tokens import Usage

BASE = {"benchmark_id": "b", "instance_id": "1", "attempt": "1"}
TEXT = Block(type="text", text="18")
THINKING = Block(type="thinking", thinking="9 * 2")
EMPTY = Block(type="thinking", thinking="")
CIPHER = Block(type="redacted_thinking")


def run(
    *blocks: Block, model: str = "claude-3-7-sonnet", hidden: tuple[str, ...] = (), **usage: Any
) -> LoggedRun:
    details = Details(usage.pop("thinking_tokens", None))
    counts = Counts(**usage, output_tokens_details=details)
    return run_of(Message(model=model, content=list(blocks), usage=counts), BASE, hidden)


@pytest.mark.parametrize(
    ("model", "visibility"),
    [
        ("claude-3-7-sonnet-20250219", Visibility.FULL),
        ("anthropic.claude-3-7-sonnet-20250219-v1:0", Visibility.FULL),
        ("claude-sonnet-4-5-20250929", Visibility.SUMMARY),
        ("claude-opus-4@20250514", Visibility.SUMMARY),
        ("deepseek-reasoner", Visibility.FULL),
    ],
)
def test_thinking_is_whole_before_claude_4_and_a_summary_from_then_on(
    model: str, visibility: Visibility
) -> None:
    found = run(THINKING, TEXT, model=model)
    assert (found.trace_visibility, found.estimable) == (visibility, visibility is Visibility.FULL)


@pytest.mark.parametrize(
    ("blocks", "thought", "visibility"),
    [
        ([TEXT], None, Visibility.FULL),
        ([TEXT], 0, Visibility.FULL),
        ([TEXT], 140, Visibility.HIDDEN),
        ([EMPTY, TEXT], None, Visibility.HIDDEN),
        ([THINKING, CIPHER, TEXT], None, Visibility.REDACTED),
        ([CIPHER], None, Visibility.REDACTED),
        ([], None, Visibility.NONE),
    ],
)
def test_what_the_blocks_show_decides_how_much_is_seen(
    blocks: list[Block], thought: int | None, visibility: Visibility
) -> None:
    assert run(*blocks, thinking_tokens=thought).trace_visibility is visibility


def test_a_model_known_to_hide_its_reasoning_is_not_estimated() -> None:
    found = run(TEXT, model="secretive-1", hidden=("secretive",))
    assert (found.trace_visibility, found.estimable) == (Visibility.HIDDEN, False)
    assert run(THINKING, model="secretive-1", hidden=("secretive",)).trace_visibility is Visibility.SUMMARY


def test_texts_are_joined_and_a_message_without_text_has_no_answer() -> None:
    assert run(THINKING, TEXT, Block(type="tool_use"), TEXT).answer == "1818"
    assert run(THINKING).answer is None
    assert run(Block(type="text", text="")).answer == ""


def test_input_is_what_was_fresh_read_and_written() -> None:
    found = run(TEXT, input_tokens=41, cache_read_input_tokens=2048, cache_creation_input_tokens=7)
    assert found.usage == Usage(input=2096, cache_read=2048, cache_write=7)
    assert run(TEXT, cache_read_input_tokens=2048).usage == Usage(cache_read=2048)
    assert run_of(Message(model="m"), BASE, ()).usage == Usage()


def test_a_cache_count_that_is_none_is_a_fault() -> None:
    with pytest.raises(LogError, match=r"cache_read_input_tokens: found '9'"):
        run(TEXT, input_tokens=41, cache_read_input_tokens="9")
