from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from effspark.simulation.draws import End, Run, runs_of
from effspark.simulation.inspect_samples import sample, sample_id, summary
from effspark.simulation.plan import Fault

REAL = (
    Path(__file__).resolve().parents[4]
    / "shared"
    / "data"
    / "logs"
    / "inspect"
    / "generated"
    / "arith_3epochs_nan.json"
)
PLAIN = runs_of("aurora-kestrel-70b-chains", count=1, seed=1)[0]


def run(**changes: object) -> Run:
    plain = {"end": End.COMPLETED, "right": True, "labelled": True, "tokens": 300, "fault": None}
    return replace(PLAIN, **{**plain, **changes})  # type: ignore[arg-type]


def written(own: Run, **options: bool) -> dict[str, Any]:
    return sample(own, seed=1, **options)


@pytest.mark.skipif(not REAL.exists(), reason="the shared samples of real logs are absent")
def test_samples_have_the_fields_of_real_ones_in_their_order() -> None:
    real = json.loads(REAL.read_text("utf-8"))["samples"]
    done, failed = real[0], next(found for found in real if "error" in found)
    for own, theirs in ((written(run()), done), (written(run(fault=Fault.ERROR)), failed)):
        assert [name for name in theirs if name in own] == list(own)
        assert set(own["output"]) <= set(theirs["output"])
    assert set(written(run())["scores"]["match"]) <= set(done["scores"]["match"])
    assert set(written(run())["model_usage"]["vllm/kestrel-70b"]) == set(
        done["model_usage"]["mockllm/reasoner"]
    )
    kinds = {event["event"]: event for event in done["events"]}
    for event in written(run())["events"]:
        assert set(event) - {"state"} <= set(kinds[event["event"]]) | {"config"}


def test_usage_counts_cached_input_apart_and_reasoning_within_output() -> None:
    found = written(run())
    usage = found["model_usage"]["vllm/kestrel-70b"]
    assert usage == found["output"]["usage"]
    assert (
        usage["input_tokens"] + usage["input_tokens_cache_read"] + usage["output_tokens"]
        == usage["total_tokens"]
    )
    assert (usage["output_tokens"], usage["reasoning_tokens"]) == (300, 240)


@pytest.mark.parametrize(
    ("end", "reason", "limit"),
    [
        (End.COMPLETED, "stop", None),
        (End.CUT, "max_tokens", None),
        (End.REFUSED, "content_filter", None),
        (End.AGENT_LIMIT, "stop", "message"),
    ],
)
def test_ends_are_told_in_the_words_of_inspect(end: End, reason: str, limit: str | None) -> None:
    found = written(run(end=end, right=False, labelled=False))
    assert found["output"]["choices"][0]["stop_reason"] == reason
    assert found.get("limit", {}).get("type") == limit


def test_an_unknown_stop_and_missing_usage_are_logged_as_such() -> None:
    assert written(run(fault=Fault.UNKNOWN_STOP))["output"]["choices"][0]["stop_reason"] == "unknown"
    lost = written(run(end=End.CUT, right=False, labelled=False, usage_missing=True))
    assert lost["model_usage"] == {}
    assert "usage" not in lost["output"]


def test_a_failed_sample_has_an_error_and_no_answer() -> None:
    failed = written(run(fault=Fault.ERROR))
    assert (failed["output"]["choices"], failed["scores"], failed["model_usage"]) == ([], {}, {})
    assert "RuntimeError" in failed["error"]["message"]
    assert (
        written(run(fault=Fault.ERROR_WITH_TOKENS))["model_usage"]["vllm/kestrel-70b"]["output_tokens"] == 300
    )


def test_a_retried_sample_fails_first_and_runs_again_later_under_another_uuid() -> None:
    first, again = (written(run(fault=Fault.RETRIED), failed=failed) for failed in (True, False))
    assert "error" in first
    assert "error" not in again
    assert again["scores"]["match"]["value"] == "C"
    assert first["uuid"] != again["uuid"]
    assert first["started_at"] < again["started_at"]
    assert (first["id"], first["epoch"]) == (again["id"], again["epoch"])


def test_a_corrected_verdict_keeps_its_history() -> None:
    first, late = (written(run(fault=Fault.EDITED), late=late)["scores"]["match"] for late in (False, True))
    assert (first["value"], first["history"]) == ("I", [])
    assert late["value"] == "C"
    assert [step["value"] for step in late["history"]] == ["I", "C"]
    assert ["provenance" in step for step in late["history"]] == [False, True]


def test_samples_put_aside_say_who_did_it_and_unscored_ones_hold_nan() -> None:
    assert written(run(fault=Fault.INVALIDATED))["invalidation"]["author"] == "reviewer@aurora.example"
    assert written(run(fault=Fault.EXCLUDED))["exclusion"]["reason"] == "the question is ambiguous"
    assert math.isnan(written(run(fault=Fault.UNSCORED))["scores"]["match"]["value"])


def test_long_texts_of_events_lie_in_attachments() -> None:
    found = written(run())
    text = found["output"]["choices"][0]["message"]["content"][0]["reasoning"]
    assert text in found["attachments"].values()
    assert text not in json.dumps(found["events"])


def test_ids_do_not_give_the_place_of_word_problems_away() -> None:
    problem = runs_of("aurora-kestrel-70b-gsm8k", count=3, seed=1)[2]
    assert sample_id(problem, seed=1).startswith("gsm8k_")
    assert sample_id(PLAIN, seed=1) == "chain-000"


def test_a_summary_leaves_texts_out() -> None:
    short = summary(written(run(fault=Fault.ERROR)))
    assert short["error"] == "RuntimeError('provider 500: upstream overloaded')"
    assert not {"messages", "output", "events", "attachments"} & set(short)
