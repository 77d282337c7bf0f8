"""Repeats that replay an answer weigh as one run; answers that only look alike do not."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from effspark.runs.repeats import with_replays

Row = dict[str, Any]

COLUMNS = {
    **dict.fromkeys(
        (
            "eval_run_id",
            "family_id",
            "benchmark_id",
            "instance_id",
            "scorer",
            "generation_hash",
            "run_key",
            "attempt",
            "status",
        ),
        pa.string(),
    ),
    "trace_visibility": pa.string(),
    "truncated": pa.bool_(),
    "correct": pa.bool_(),
    "from_cache": pa.bool_(),
    "temperature": pa.float64(),
    "output_tokens": pa.int64(),
}
PLAIN: Row = {
    "eval_run_id": "e",
    "family_id": "f",
    "benchmark_id": "b",
    "instance_id": "i",
    "scorer": "s",
    "generation_hash": "h",
    "attempt": "1",
    "status": "ok",
    "trace_visibility": "full",
    "truncated": False,
    "correct": True,
    "from_cache": False,
    "temperature": 0.6,
    "output_tokens": 64,
}


def run(run_key: str, **changes: Any) -> Row:
    return PLAIN | {"run_key": run_key} | changes


def replayed(*runs: Row) -> list[str]:
    """Keys of the runs that replay another one."""
    table = nw.from_native(pa.Table.from_pylist(list(runs), pa.schema(list(COLUMNS.items()))))
    found = with_replays(table).to_arrow().to_pylist()
    assert [row["replayed"] in (True, False) for row in found] == [True] * len(runs)
    return sorted(row["run_key"] for row in found if row["replayed"])


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
        {"correct": None},
    ],
)
def test_short_greedy_partly_shown_failed_and_unjudged_repeats_are_honest(honest: Row) -> None:
    assert replayed(run("1", **honest), run("2", **honest)) == []


@pytest.mark.parametrize(
    "other",
    [{"instance_id": "1"}, {"benchmark_id": "c"}, {"eval_run_id": "x"}, {"family_id": "y"}, {"scorer": "t"}],
)
def test_only_repeats_of_one_instance_in_one_eval_run_of_one_model_replay_each_other(other: Row) -> None:
    assert replayed(run("1"), run("2", **other)) == []


@pytest.mark.parametrize("lost", [{"status": "invalidated"}, {"status": "error"}, {"correct": None}])
def test_a_run_that_does_not_count_takes_no_other_with_it(lost: Row) -> None:
    assert replayed(run("1", **lost), run("2"), run("3")) == ["3"]


def test_a_cut_run_counts_without_a_verdict_and_every_run_without_a_scorer() -> None:
    cut: Row = {"correct": None, "truncated": True}
    assert replayed(run("1", **cut), run("2", **cut)) == ["2"]
    assert replayed(run("1", scorer="", correct=None), run("2", scorer="", correct=None)) == ["2"]


SHORT: Row = {"temperature": 0.0, "output_tokens": 3}


@pytest.mark.parametrize("first", [True, False])
def test_a_run_from_a_cache_replays_its_like_and_leaves_honest_repeats_alone(first: bool) -> None:
    runs = [run("1", from_cache=first), run("2", from_cache=not first), run("3")]
    assert replayed(*(one | SHORT for one in runs)) == ["1" if first else "2"]


def test_of_runs_that_all_came_from_a_cache_one_counts() -> None:
    assert replayed(*(run(key, from_cache=True) | SHORT for key in "312")) == ["2", "3"]
    assert replayed(run("1", from_cache=True)) == []


def test_a_run_from_a_cache_is_a_replay_with_or_without_a_count_and_what_has_one_is_the_original() -> None:
    unknown: Row = {"output_tokens": None}
    assert replayed(run("2"), run("1", from_cache=True, **unknown), run("3", from_cache=True, **unknown)) == [
        "1",
        "3",
    ]
    assert replayed(run("1", **unknown), run("2", from_cache=True, **unknown)) == ["2"]
    assert replayed(run("1", from_cache=True, **unknown), run("2", from_cache=True)) == ["1"]
    assert replayed(run("1", **unknown), run("2", from_cache=True)) == []


def test_of_equal_traces_with_other_counts_the_first_attempt_counts_whatever_the_keys() -> None:
    traces = [run("c", attempt="2", output_tokens=90), run("a", attempt="10", output_tokens=70)]
    assert replayed(*traces) == ["a"]
    assert replayed(*traces, run("b", attempt="1", from_cache=True)) == ["a", "b"]


def test_each_run_of_many_is_marked_by_its_own_generation() -> None:
    """Joins of pyarrow are free to change the order of so many rows."""
    count = 150_000
    keys = [f"{place:06d}" for place in range(count)]
    frame = pa.table(
        {
            **{name: pa.array([PLAIN[name]] * 2 * count, COLUMNS[name]) for name in PLAIN},
            "instance_id": pa.array(keys + keys[::-1]),
            "run_key": pa.array([f"0{key}" for key in keys] + [f"1{key}" for key in keys[::-1]]),
        }
    )
    found = with_replays(nw.from_native(frame)).to_arrow()
    replays = [
        key
        for key, one in zip(found["run_key"].to_pylist(), found["replayed"].to_pylist(), strict=True)
        if one
    ]
    assert sorted(replays) == [f"1{key}" for key in keys]
