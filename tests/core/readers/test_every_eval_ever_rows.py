"""What one row of Every Eval Ever says of its runs and of its scorer."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.readers.every_eval_ever_rows import runs_of, verdict_of
from effspark.readers.every_eval_ever_shapes import (
    Asked,
    Counts,
    Extracted,
    Judged,
    Message,
    Row,
    Said,
)
from effspark.runs.record import LoggedRun, Visibility
from effspark.runs.tokens import Usage

BASE = {"benchmark_id": "gsm8k", "instance_id": "q1"}


def run_of(**fields: Any) -> LoggedRun:
    (run,) = runs_of(Row(model_id="m", **fields), "2", (), BASE, (r"^o4",))
    return run


def test_every_count_of_the_row_has_its_place_in_the_usage() -> None:
    counts = Counts(1, 2, 3, 4, 5, 6)
    assert run_of(output=Said("18"), token_usage=counts).usage == Usage(
        input=1, output=2, total=3, reasoning=4, cache_read=5, cache_write=6
    )


def test_a_row_of_nothing_is_a_run_of_nothing() -> None:
    (run,) = runs_of(Row(), "2", (), BASE, ())
    assert (run.configuration.request_model, run.attempt, run.usage) == ("", "2", Usage())
    assert (run.answer, run.prompt, run.question, run.gold, run.latency_kind) == (None,) * 5
    assert (run.trace_visibility, run.estimable, run.tags) == (Visibility.NONE, False, {})


def test_an_input_that_is_no_text_is_a_prompt_and_no_question() -> None:
    run = run_of(input=Asked(raw=["9 * 2?"]))
    assert (run.prompt, run.question) == ('["9 * 2?"]', None)


def test_a_gold_that_is_a_number_is_its_text_and_a_null_in_a_list_is_none() -> None:
    assert run_of(input=Asked(reference=18.0)).gold == "18"
    assert run_of(input=Asked(reference=[None, 18])).gold == "18"


def test_metadata_are_tags_but_for_stop_and_epoch_and_what_is_empty() -> None:
    metadata = {"epoch": 2, "stop_reason": "length", "subject": "art", "level": 3, "note": "", "none": None}
    run = run_of(output=Said("18"), metadata=metadata)
    assert run.tags == {"subject": "art", "level": "3"}
    assert run.finish_reason == "length"


def test_a_usage_of_several_answers_is_kept_in_the_tags_of_each_where_it_counts() -> None:
    row = Row(model_id="m", output=Said(["18", "17"]), token_usage=Counts(input_tokens=0, output_tokens=30))
    assert [(run.tags, run.quality_flags) for run in runs_of(row, "0", (), BASE, ())] == [
        ({"usage_input_tokens": "0", "usage_output_tokens": "30"}, ("usage_of_n_choices",))
    ] * 2


def test_an_output_beside_a_conversation_is_the_answer_and_the_usage_still_that_of_the_last_call() -> None:
    turns = [Message("ASSISTANT", "Wait."), Message("assistant", "17")]
    run = run_of(output=Said("18"), messages=turns, token_usage=Counts(output_tokens=30))
    assert (run.answer, run.usage.output, run.quality_flags) == ("18", None, ("usage_of_last_call",))


def test_reasoning_that_was_counted_and_is_not_shown_is_hidden_though_something_was_extracted() -> None:
    run = run_of(
        output=Said("It is 18."),
        token_usage=Counts(reasoning_tokens=9),
        answer_attribution=[Extracted("18", True)],
    )
    assert (run.trace_visibility, run.estimable) == (Visibility.HIDDEN, False)


@pytest.mark.parametrize(
    ("steps", "answer"),
    [([Extracted("9"), Extracted("18", False)], "9"), ([Extracted("9", False)], None), (None, None)],
)
def test_a_step_is_terminal_unless_it_says_that_it_is_not(
    steps: list[Extracted] | None, answer: str | None
) -> None:
    found = verdict_of(Row(evaluation=Judged(1), answer_attribution=steps))
    assert found is not None
    assert found.extracted_answer == answer
