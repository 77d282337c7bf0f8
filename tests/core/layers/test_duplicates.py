"""Eval runs of two formats that may be one: what is compared, and what makes a suspicion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from effspark.layers.duplicates import COLUMNS, RUN_COLUMNS, duplicates

KINDS = {
    "output_tokens": pa.int64(), "output_budget_tokens": pa.int64(), "temperature": pa.float64(),
    "truncated": pa.bool_(), "eval_run_logged": pa.bool_(),
}  # fmt: skip
SCHEMA = pa.schema([(name, KINDS.get(name, pa.string())) for name in RUN_COLUMNS])
Row = dict[str, Any]


def run(source: str, instance: str, tokens: int | None, **changes: Any) -> Row:
    known: Row = {"source_format": source, "eval_run_id": f"of {source}", "benchmark": "b", "model": "m"}
    known |= {"instance": instance, "output_tokens": tokens, "truncated": False, "eval_run_logged": True}
    return known | {"generation_hash": f"{source} {instance} {tokens}"} | changes


def found(*runs: Row, **options: Any) -> list[Row]:
    table = duplicates(nw.from_native(pa.Table.from_pylist(list(runs), SCHEMA)), **options).to_arrow()
    assert tuple(table.column_names) == COLUMNS
    rows: list[Row] = table.to_pylist()
    return rows


def counts(*runs: Row, **options: Any) -> list[tuple[int, int, int]]:
    return [(row["compared"], row["same_tokens"], row["same_text"]) for row in found(*runs, **options)]


def logged(source: str, tokens: Sequence[int | None], **changes: Any) -> list[Row]:
    return [run(source, str(place), count, **changes) for place, count in enumerate(tokens)]


def test_two_formats_with_the_same_counts_are_a_pair_with_its_evidence() -> None:
    (pair,) = found(*logged("inspect_ai", [100, 200, 300]), *logged("every_eval_ever", [100, 200, 301]))
    assert pair == {
        "benchmark": "b",
        "model": "m",
        "source_format": "every_eval_ever",
        "eval_run_id": "of every_eval_ever",
        "other_format": "inspect_ai",
        "other_eval_run_id": "of inspect_ai",
        "compared": 3,
        "same_tokens": 2,
        "same_text": 0,
    }


@pytest.mark.parametrize("other", [[100, 201, 301], [100], [101, 201, 301]])
def test_counts_that_agree_on_one_instance_or_on_few_are_chance(other: list[int | None]) -> None:
    assert counts(*logged("x", [100, 200, 300]), *logged("y", other)) == []


def test_the_share_that_must_agree_is_of_the_compared_instances() -> None:
    runs = [*logged("x", [100, 200, 300, 400, 500]), *logged("y", [100, 200, 301, 401, 501])]
    assert counts(*runs) == []
    assert counts(*runs, least_share=0.4) == [(5, 2, 0)]


def test_one_generation_that_is_the_same_to_the_letter_is_enough() -> None:
    runs = [*logged("x", [100, 200, 300]), *logged("y", [100, 201, 301])]
    runs[0]["generation_hash"] = runs[3]["generation_hash"]
    assert counts(*runs) == [(3, 1, 1)]


@pytest.mark.parametrize("changes", [{"truncated": True}, {"output_tokens": 63}, {"output_tokens": None}])
def test_short_cut_and_uncounted_runs_are_not_compared(changes: Row) -> None:
    same = {"generation_hash": "h"} | changes
    assert counts(*logged("x", [512, 512], **same), *logged("y", [512, 512], **same)) == []


def test_runs_whose_completion_is_unknown_are_compared() -> None:
    assert counts(*logged("x", [64, 65], truncated=None), *logged("y", [64, 65])) == [(2, 2, 0)]


@pytest.mark.parametrize("name", ["benchmark", "model", "instance"])
def test_another_benchmark_model_or_instance_is_another_run(name: str) -> None:
    others = [row | {name: f"another {row[name]}"} for row in logged("y", [100, 200])]
    assert counts(*logged("x", [100, 200]), *others) == []


def exports(first: Row, second: Row) -> list[tuple[int, int]]:
    runs = [*logged("x", [100, 200], **first), *logged("x", [100, 200], eval_run_id="again", **second)]
    return [(compared, same) for compared, same, _ in counts(*runs)]


def test_two_eval_runs_of_one_format_are_two_where_the_logs_name_both() -> None:
    assert exports({}, {}) == []


@pytest.mark.parametrize("bare", [{}, {"temperature": 0.5}])
def test_two_exports_of_one_format_are_a_pair_where_one_lacks_what_the_other_tells(bare: Row) -> None:
    bare, told = bare | {"eval_run_logged": False}, {"output_budget_tokens": 900, "temperature": 0.5}
    assert exports(bare, told) == exports(told, bare) == [(2, 2)]
    assert exports(bare, told | {"eval_run_logged": False}) == [(2, 2)]


@pytest.mark.parametrize("name", ["output_budget_tokens", "temperature"])
def test_runs_of_one_format_under_two_settings_are_two(name: str) -> None:
    unnamed: Row = {"eval_run_logged": False}
    assert exports(unnamed | {name: 1}, unnamed | {name: 2}) == []


def test_of_one_format_an_equal_text_is_no_evidence() -> None:
    unnamed: Row = {"eval_run_logged": False, "generation_hash": "h"}
    first, second = logged("x", [100], **unnamed), logged("x", [100], eval_run_id="again", **unnamed)
    assert counts(*first, *second) == []


def test_repeats_count_an_instance_once() -> None:
    runs = [
        *logged("x", [100, 200]),
        *logged("x", [100, 200]),
        *logged("y", [100, 200]),
        *logged("y", [7_000]),
    ]
    assert counts(*runs) == [(2, 2, 0)]


def test_three_formats_are_three_pairs() -> None:
    runs = [row for source in "xyz" for row in logged(source, [100, 200])]
    pairs = {(row["source_format"], row["other_format"]) for row in found(*runs)}
    assert pairs == {("x", "y"), ("x", "z"), ("y", "z")}
