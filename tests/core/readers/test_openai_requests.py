"""What a request says, and what of it a run takes."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.readers.openai_requests import Asked, asked, with_request
from effspark.runs.record import Configuration, LoggedRun

RUN = LoggedRun(
    configuration=Configuration(
        request_model="m-2025", reasoning_effort="low", temperature=1.0, output_budget_tokens=64
    ),
    benchmark_id="b",
    instance_id="1",
)


@pytest.mark.parametrize(
    ("request_", "budget"),
    [
        ({"max_completion_tokens": 1, "max_tokens": 2}, 1),
        ({"max_tokens": 2}, 2),
        ({"max_completion_tokens": None, "max_tokens": 2}, 2),
        ({"max_output_tokens": 3}, 3),
        ({"sampling_params": {"max_new_tokens": 4}}, 4),
        ({"sampling_params": None}, None),
        ({}, None),
    ],
)
def test_each_interface_names_its_budget_in_its_own_way(request_: dict[str, Any], budget: int | None) -> None:
    assert asked(request_).budget == budget


def test_the_effort_stands_in_two_places() -> None:
    assert asked({"reasoning_effort": "high"}).effort == "high"
    assert asked({"reasoning": {"effort": "low"}}).effort == "low"
    assert asked({"reasoning": None}).effort is None


def test_a_seed_of_zero_is_a_seed() -> None:
    assert asked({"seed": 0}).seed == 0
    assert asked({"sampling_params": {"sampling_seed": 5}}).seed == 5


@pytest.mark.parametrize(
    ("request_", "prompt"),
    [
        (
            {"messages": [{"content": "a"}, {"content": [{"type": "text", "text": "b"}, {"type": "image"}]}]},
            "a\nb",
        ),
        ({"instructions": "a", "input": "b"}, "a\nb"),
        ({"input": [{"role": "user", "content": [{"type": "input_text", "text": "b"}]}]}, "b"),
        ({"text": "a"}, "a"),
        ({"input": "b", "text": {"format": {"type": "text"}}}, "b"),
        ({"messages": []}, None),
        ({}, None),
    ],
)
def test_a_prompt_is_the_text_that_was_sent(request_: dict[str, Any], prompt: str | None) -> None:
    assert asked(request_).prompt == prompt


def test_what_a_request_does_not_say_stays_as_the_answer_says_it() -> None:
    assert with_request(RUN, Asked()) == RUN


def test_what_a_request_says_counts() -> None:
    made = with_request(
        RUN, asked({"model": "m", "max_tokens": 9, "temperature": 0, "seed": 3, "prompt": "p"})
    )
    assert made.configuration == Configuration(
        request_model="m", reasoning_effort="low", temperature=0, output_budget_tokens=9
    )
    assert (made.seed, made.prompt) == (3, "p")
