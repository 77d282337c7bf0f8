"""What is counted of an eval run's flags and answering models."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from effspark.runs import tallies
from tests.core.runs.naming import Row, named_frame, run


def entries(frame: Any) -> set[tuple[str, ...]]:
    return {tuple(row[name] for name in (*tallies.PLACE, "entry")) for row in frame.to_arrow().to_pylist()}


def flagged(*rows: Row) -> Any:
    lists = pa.list_(pa.string())
    return pa.table(
        {
            "run_key": [row["run_key"] for row in rows],
            "quality_flags": pa.array([row["quality_flags"] for row in rows], lists),
        }
    )


@pytest.mark.parametrize("chunked", [False, True])
def test_each_flag_counts_the_runs_that_have_it_in_their_eval_run(chunked: bool) -> None:
    rows = [
        run("1", quality_flags=["x", "y"]),
        run("2", quality_flags=[]),
        run("3", quality_flags=["x"]),
        run("4", quality_flags=["x"], config_id="d"),
    ]
    table = pa.concat_tables([flagged(row) for row in rows]) if chunked else flagged(*rows)
    found = tallies.of_flags(named_frame(rows), nw.from_native(tallies.flags_of(table)))
    assert entries(found) == {
        ("e", "gsm8k", "c", "x=2"),
        ("e", "gsm8k", "c", "y=1"),
        ("e", "gsm8k", "d", "x=1"),
    }


def test_models_that_answers_name_are_counted_and_silence_is_none() -> None:
    rows = [run("1", response_model="m-1"), run("2", response_model="m-1"), run("3", response_model=None)]
    assert entries(tallies.of_models(named_frame(rows))) == {("e", "gsm8k", "c", "m-1=2")}


def test_of_no_runs_there_is_nothing_to_count() -> None:
    assert tallies.flags_of(flagged()).num_rows == 0
    assert entries(tallies.of_models(named_frame([]))) == set()
