"""Which calls of a sample are the model's, and what they add up to."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from effspark.readers.openai_evals_calls import Call, of_calls
from effspark.runs.tokens import Usage


def call(model: str | None, sampled: Any = "x", **usage: Any) -> Call:
    return msgspec.convert({"prompt": "q", "sampled": sampled, "model": model, "usage": usage or None}, Call)


def run(*calls: Call, graded: bool = False, hidden: tuple[str, ...] = ()) -> dict[str, Any]:
    return of_calls(calls, asked="acme-big", graded=graded, hidden=hidden)


def test_calls_of_an_agent_add_up_and_a_count_that_one_lacks_is_unknown() -> None:
    details = {"reasoning_tokens": 3}
    found = run(
        call("acme-big", completion_tokens=5, prompt_tokens=10, completion_tokens_details=details),
        call("acme-big", "y", completion_tokens=7, prompt_tokens=20),
    )
    assert found["usage"] == Usage(input=30, output=12)
    assert (found["answer"], found["quality_flags"], found["trace_visibility"].value) == (
        "y", ("several_calls",), "redacted",
    )  # fmt: skip
    assert run(call("acme-big", completion_tokens=5), call("acme-big"))["usage"].output is None


@pytest.mark.parametrize(
    ("models", "output"),
    [
        (("acme-big-2026", "judge"), 1), (("judge", "acme-big"), 2), (("acme-big", "acme-big-1", "judge"), 3),
        (("acme-big", "acme-big-2026"), None), (("judge", "judge"), None), ((None, None), None),
    ],
)  # fmt: skip
def test_a_graders_calls_are_left_out_where_names_tell(
    models: tuple[str | None, ...], output: int | None
) -> None:
    found = run(*(call(model, completion_tokens=2**place) for place, model in enumerate(models)), graded=True)
    assert found.get("usage", Usage()).output == output
    assert ("grader_not_told_apart" in found["quality_flags"]) is (output is None)


@pytest.mark.parametrize(
    ("models", "output"),
    [
        (("acme-big-2026", "judge"), 1), (("judge", "acme-big"), 2), (("acme-big", "judge", "acme-big"), 5),
        (("acme-big", None), 3), (("other", "other"), 3), (("other", None), 3), (("other", "judge"), None),
    ],
)  # fmt: skip
def test_calls_of_another_model_are_left_out_though_nothing_says_that_there_is_a_grader(
    models: tuple[str | None, ...], output: int | None
) -> None:
    found = run(*(call(model, completion_tokens=2**place) for place, model in enumerate(models)))
    assert found.get("usage", Usage()).output == output
    assert ("grader_not_told_apart" in found["quality_flags"]) is (output is None)


def test_one_call_is_the_models_even_in_a_graded_eval() -> None:
    assert run(call("acme-big", completion_tokens=5), graded=True)["usage"].output == 5


def test_no_call_says_nothing() -> None:
    assert run() == {}
    assert run(graded=True) == {}


def test_one_usage_of_several_choices_is_nobodys() -> None:
    found = run(call("acme-big", ["a", "b"], completion_tokens=9))
    assert (found["usage"], found["answer"], found["quality_flags"]) == (
        Usage(),
        None,
        ("usage_of_n_choices",),
    )
    assert found["estimable"] is False


@pytest.mark.parametrize(
    ("details", "hidden", "visibility"),
    [
        (None, (), "full"), ({"reasoning_tokens": 0}, ("big",), "full"), ({"reasoning_tokens": 4}, (), "hidden"),
        (None, ("big",), "hidden"),
    ],
)  # fmt: skip
def test_reasoning_that_is_counted_is_hidden(details: Any, hidden: tuple[str, ...], visibility: str) -> None:
    found = run(call("acme-big", completion_tokens=9, completion_tokens_details=details), hidden=hidden)
    assert found["trace_visibility"].value == visibility


def test_an_empty_or_absent_text_shows_nothing() -> None:
    assert [
        run(call("acme-big", sampled))["trace_visibility"].value for sampled in ("", None, [], [None])
    ] == ["none"] * 4
