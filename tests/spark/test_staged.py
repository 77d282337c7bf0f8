"""Work shared among tasks, and what they hand back."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from effspark.readers import Options, plan, staged_rows, staging
from effspark.readers.staged_rows import Item
from effspark.spark.staged import balanced, of_kind, read_in_tasks, tallies
from tests.spark.small import MAPPING, csv


def item(number: int, size: int) -> Item:
    day = datetime(2026, 1, 1, tzinfo=timezone.utc)
    return Item(uri=f"{number:03}", size=size, modified=day, team="t", options=Options())


@given(st.lists(st.integers(0, 100), min_size=1, max_size=30), st.integers(1, 8))
@settings(deadline=None, derandomize=True)
def test_every_item_is_in_one_task_and_no_task_is_heavier_than_the_lightest_and_an_item(
    sizes: list[int], most: int
) -> None:
    items = [item(number, size) for number, size in enumerate(sizes)]
    tasks = balanced(items, most=most)
    assert sorted(one.uri for task in tasks for one in task) == [one.uri for one in items]
    weights = [sum(one.size + 1 for one in task) for task in tasks]
    assert len(tasks) <= most
    if len(tasks) == most:
        assert max(weights) - min(weights) <= max(sizes) + 1


def test_tasks_hand_back_what_the_core_stages(spark: SparkSession, tmp_path: Path) -> None:
    log = csv(tmp_path, "log.csv")
    options = Options(mapping=MAPPING)
    items = plan.items(plan.files([str(log)]), options, team="blue")
    staged = read_in_tasks(spark, items).persist()
    for kind in ("runs", "verdicts", "run_sources"):
        expected = staged_rows.of_kind(staging.stage(items[0]), kind)
        found = of_kind(staged, kind).orderBy("run_key").toArrow()
        assert found.column("run_key").to_pylist() == sorted(expected["run_key"].to_pylist())
    (tally,) = tallies(staged).values()
    assert (tally["records"], tally["mapped"], tally["kept"], tally["runs"]) == (4, 4, 4, 4)
    staged.unpersist()
