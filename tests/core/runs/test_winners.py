"""Of several records with one key the greatest wins, whatever the order of loads."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark.runs.keys import WINNER_ORDER
from effspark.runs.winners import winners, with_retries

TIME = [datetime(2026, 1, day, tzinfo=timezone.utc) for day in (1, 2)]
SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("kind", pa.string()),
        ("log_version", pa.timestamp("us", tz="UTC")),
        ("reader_version", pa.int32()),
        ("mapping_version", pa.int32()),
        ("source_sha256", pa.string()),
        ("source_offset", pa.int64()),
        ("source_answer", pa.int32()),
    ]
)
LEAST = {"key": "k", "kind": "x", "log_version": TIME[0], "reader_version": 1, "mapping_version": 1}
LEAST |= {"source_sha256": "a", "source_offset": 1, "source_answer": 1}
MORE = {"log_version": TIME[1], "reader_version": 2, "mapping_version": 2}
MORE |= {"source_sha256": "b", "source_offset": 2, "source_answer": 2}


def kept(rows: list[dict[str, Any]], key: list[str] | None = None) -> list[dict[str, Any]]:
    return winners(pa.Table.from_pylist(rows, SCHEMA), key or ["key"]).to_pylist()


@pytest.mark.parametrize("place", range(len(WINNER_ORDER)))
def test_an_earlier_column_outranks_all_later_ones(place: int) -> None:
    name, later = WINNER_ORDER[place], WINNER_ORDER[place + 1 :]
    first = LEAST | {name: MORE[name]}
    second = LEAST | {other: MORE[other] for other in later}
    assert kept([first, second]) == kept([second, first]) == [first]


row = st.fixed_dictionaries(
    {
        "key": st.sampled_from("kl"),
        "kind": st.sampled_from("xy"),
        "log_version": st.sampled_from(TIME),
        "reader_version": st.integers(1, 2),
        "mapping_version": st.integers(0, 1),
        "source_sha256": st.sampled_from("ab"),
        "source_offset": st.integers(0, 1),
        "source_answer": st.integers(0, 1),
    }
)


@settings(max_examples=30)
@given(st.lists(row, max_size=10), st.sampled_from([["key"], ["key", "kind"]]), st.data())
def test_winners_are_the_maxima_in_any_order(
    rows: list[dict[str, Any]], key: list[str], data: st.DataObject
) -> None:
    best: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for one in rows:
        place = tuple(one[name] for name in key)
        best[place] = max(best.get(place, ()), tuple(one[name] for name in WINNER_ORDER))
    found = kept(data.draw(st.permutations(rows)), key)
    assert [tuple(one[name] for name in key) for one in found] == sorted(best)
    assert [tuple(one[name] for name in WINNER_ORDER) for one in found] == [
        best[place] for place in sorted(best)
    ]


def test_parts_may_be_reduced_first() -> None:
    rows = [LEAST | {"source_offset": place} for place in range(5)]
    assert kept(kept(rows[:3]) + kept(rows[3:])) == kept(rows) == [rows[-1]]


def test_no_rows_stay_none() -> None:
    empty = SCHEMA.empty_table()
    assert winners(empty, ["key"]) is empty


def test_where_no_column_of_the_order_is_there_the_later_row_wins() -> None:
    rows = pa.table({"key": ["a", "b", "a"], "value": [1, 2, 3]})
    assert winners(rows, ["key"]).to_pylist() == [{"key": "a", "value": 3}, {"key": "b", "value": 2}]


def test_retries_are_the_other_contents_of_an_attempt_and_the_most_that_a_log_reports() -> None:
    count = pa.int32()
    runs = pa.table({"run_key": ["a", "b"], "n_retries": pa.array([0, 0], count), "kind": ["x", "y"]})
    sources = pa.table(
        {
            "run_key": ["a", "b", "a", "a"],
            "generation_hash": ["first", "only", "again", "first"],
            "n_retries": pa.array([2, 0, 1, 0], count),
        }
    )
    found = with_retries(runs, sources)
    assert found["n_retries"].to_pylist() == [1 + 2, 0]
    assert found.drop_columns("n_retries") == runs.drop_columns("n_retries")
