from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from effspark.simulation.draws import End, Run, runs_of
from effspark.simulation.openai_bodies import answered, asked
from effspark.simulation.plan import Fault

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "logs" / "openai_batch"
CHAT = runs_of("birch-lumen-pro-gsm8k", count=1, seed=1)[0]
RESPONSES = runs_of("birch-o4-heron-gsm8k", count=1, seed=1)[0]


def body(run: Run, **changes: object) -> dict[str, Any]:
    plain = {"end": End.COMPLETED, "right": True, "labelled": True, "tokens": 300, "fault": None}
    own = replace(run, **{**plain, "usage_missing": False, **changes})  # type: ignore[arg-type]
    return answered(own, created=own.eval_run.started, seed=1)


@pytest.mark.skipif(not REAL.exists(), reason="the shared samples of real logs are absent")
@pytest.mark.parametrize(
    ("run", "file"), [(CHAT, "chat_output.jsonl"), (RESPONSES, "responses_output.jsonl")]
)
def test_bodies_have_fields_of_real_ones(run: Run, file: str) -> None:
    real = json.loads((REAL / file).read_text("utf-8").splitlines()[0])["response"]["body"]
    own = body(run)
    assert set(own) - {"store"} <= set(real)
    assert set(own["usage"]) == set(real["usage"])
    for name in own["usage"]:
        if isinstance(own["usage"][name], dict):
            assert set(own["usage"][name]) <= set(real["usage"][name])
    assert own["object"] == real["object"]


def test_totals_are_input_and_output_with_reasoning_inside() -> None:
    chat, response = body(CHAT)["usage"], body(RESPONSES)["usage"]
    assert chat["prompt_tokens"] + chat["completion_tokens"] == chat["total_tokens"]
    assert response["input_tokens"] + response["output_tokens"] == response["total_tokens"]
    assert (chat["completion_tokens"], chat["completion_tokens_details"]["reasoning_tokens"]) == (300, 270)
    assert response["output_tokens_details"]["reasoning_tokens"] == 285


@pytest.mark.parametrize(
    ("end", "reason", "status", "why"),
    [
        (End.COMPLETED, "stop", "completed", None),
        (End.CUT, "length", "incomplete", {"reason": "max_output_tokens"}),
        (End.REFUSED, "content_filter", "incomplete", {"reason": "content_filter"}),
    ],
)
def test_ends_are_told_in_the_words_of_each_endpoint(
    end: End, reason: str, status: str, why: dict[str, str] | None
) -> None:
    changes = {"end": end, "right": end is End.COMPLETED, "labelled": end is End.COMPLETED}
    assert body(CHAT, **changes)["choices"][0]["finish_reason"] == reason
    response = body(RESPONSES, **changes)
    assert (response["status"], response["incomplete_details"]) == (status, why)


def test_a_cut_response_has_no_message_and_may_have_no_usage() -> None:
    lost = {"end": End.CUT, "right": False, "labelled": False, "usage_missing": True}
    response, chat = body(RESPONSES, **lost), body(CHAT, **lost)
    assert [item["type"] for item in response["output"]] == ["reasoning"]
    assert (response["usage"], chat["usage"]) == (None, None)
    assert chat["choices"][0]["message"]["content"] == ""


def test_a_count_as_text_is_the_only_thing_wrong_with_its_body() -> None:
    wrong, right = body(CHAT, fault=Fault.TEXT_COUNT), body(CHAT)
    assert wrong["usage"].pop("completion_tokens") == str(right["usage"].pop("completion_tokens"))
    assert wrong == right


def test_requests_ask_for_what_responses_repeat() -> None:
    request, response = asked(RESPONSES), body(RESPONSES)
    for name in ("model", "max_output_tokens", "temperature"):
        assert request[name] == response[name]
    assert request["reasoning"]["effort"] == response["reasoning"]["effort"] == "medium"
    assert "max_completion_tokens" not in asked(CHAT)
