"""Repeats that replay an answer weigh as one run; answers that only look alike do not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.runs.naming import Row, named, run

WHOLE: Row = {"temperature": 0.6, "output_tokens": 64, "trace_visibility": "full", "generation_hash": "h"}


def replayed(*runs: Row) -> list[str]:
    """Keys of the runs that replay another one."""
    return sorted(row["run_key"] for row in named([WHOLE | one for one in runs]) if row["replayed"])


def test_of_equal_traces_of_64_tokens_at_a_temperature_one_counts() -> None:
    assert replayed(run("3"), run("1"), run("2"), run("4", generation_hash="other")) == ["2", "3"]


@pytest.mark.parametrize(
    "honest",
    [
        {"output_tokens": 63},
        {"output_tokens": None},
        {"temperature": 0.0},
        {"temperature": None},
        {"trace_visibility": "summary"},
        {"trace_visibility": "none"},
        {"status": "error"},
    ],
)
def test_short_greedy_partly_shown_and_failed_repeats_are_honest(honest: Row) -> None:
    assert replayed(run("1", **honest), run("2", **honest)) == []


@pytest.mark.parametrize(
    "other", [{"instance_id": "1"}, {"benchmark_id": "b"}, {"eval_run_id": "x"}, {"family_id": "y"}]
)
def test_only_repeats_of_one_instance_in_one_eval_run_of_one_model_replay_each_other(other: Row) -> None:
    assert replayed(run("1"), run("2", **other)) == []


@pytest.mark.parametrize("first", [True, False])
def test_a_run_from_a_cache_replays_its_like_whatever_its_length_and_temperature(first: bool) -> None:
    short: Row = {"temperature": 0.0, "output_tokens": 3}
    flags: dict[str, Any] = {"quality_flags": ["replayed"]}
    runs = [run("1", **(flags if first else {})), run("2", **({} if first else flags)), run("3")]
    assert replayed(*(one | short for one in runs)) == ["2", "3"]


def test_a_lone_run_from_a_cache_counts() -> None:
    assert replayed(run("1", quality_flags=["replayed", "unparsable_answer"])) == []


def test_instances_are_those_that_the_names_say() -> None:
    assert replayed(run("1", benchmark_id="gsm8k"), run("2", benchmark_id="gsm8k", instance_id="0")) == ["2"]
