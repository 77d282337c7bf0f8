"""What do executors hand back? Items read in balanced tasks, their rows staged, their records counted.

    items -> tasks of equal bytes -> mapInArrow(stage) -> staged rows by kind -> tally of each file

Source: architecture.md sections 5.6, 5.7.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapreplace
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from effspark.readers import staged_rows, staging
from effspark.readers.staged_rows import Item
from effspark.spark.merging import winners

TASK_BYTES, FEWEST_TASKS, MOST_TASKS = 8 * 1024 * 1024, 4, 1024
"""A load is read in tasks of about so many bytes, within these bounds; a task opens its files one after the other."""


def read_in_tasks(spark: SparkSession, planned: Sequence[Item]) -> DataFrame:
    """Staged rows of all items, read in balanced tasks."""
    wanted = sum(_bytes(item) for item in planned) // TASK_BYTES
    tasks = balanced(planned, most=min(max(wanted, FEWEST_TASKS), MOST_TASKS))
    numbers, pickled = pa.array(range(len(tasks)), pa.int32()), [pickle.dumps(task) for task in tasks]
    work = spark.createDataFrame(pa.table({"task": numbers, "items": pickled}))
    return work.repartitionByRange(len(tasks), "task").mapInArrow(
        _stage_tasks, from_arrow_schema(staged_rows.STAGED)
    )


def balanced(planned: Sequence[Item], *, most: int) -> list[list[Item]]:
    """Share items among at most `most` tasks of about equal bytes: the largest first, each to the lightest task.

    >>> from datetime import datetime, timezone
    >>> from effspark.readers import Options
    >>> made = [Item(uri=str(n), size=n, modified=datetime(2026, 1, 1, tzinfo=timezone.utc), team="t",
    ...              options=Options()) for n in (5, 1, 1, 3)]
    >>> [[item.size for item in task] for task in balanced(made, most=2)]
    [[5, 1], [3, 1]]
    """
    tasks: list[list[Item]] = [[] for _ in range(most)]
    lightest = [(0, place) for place in range(most)]
    for item in sorted(planned, key=lambda item: (-_bytes(item), item.uri, item.start)):
        size, place = lightest[0]
        tasks[place].append(item)
        heapreplace(lightest, (size + _bytes(item) + 1, place))
    return [task for task in tasks if task]


def _bytes(item: Item) -> int:
    return (item.size if item.end is None else item.end) - item.start


def _stage_tasks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for pickled in batch.column("items").to_pylist():
            for item in pickle.loads(pickled):
                yield from staging.stage(item)


def of_kind(staged: DataFrame, kind: str) -> DataFrame:
    """Staged rows of one kind, as that kind's own columns."""
    return staged.where(F.col("kind") == kind).select(f"{kind}.*")


def tallies(staged: DataFrame) -> dict[tuple[str, str], dict[str, Any]]:
    """Tally of each (team, file): the counts of its items added up, and `kept`, its records that still hold a run."""
    place = ["team", "source_uri"]
    counts = (
        of_kind(staged, "counts")
        .groupBy(*place, "source_sha256", "reader", "mapping_sha256", "mapping_version", "why", "fault")
        .agg(*(F.sum(name).alias(name) for name in staged_rows.COUNTED))
    )
    runs = of_kind(staged, "runs").select(
        "source_uri", "run_key", "source_offset", "source_answer", "log_version"
    )
    own = winners(runs, ("source_uri", "run_key"), ("log_version", "source_offset", "source_answer"))
    kept = own.groupBy("source_uri").agg(F.countDistinct("source_offset").alias("kept"))
    rows = counts.join(kept, on="source_uri", how="left").collect()
    return {(row["team"], row["source_uri"]): row.asDict() for row in rows}


def refusals(staged: DataFrame) -> list[dict[str, Any]]:
    """Why records were refused: a row for each reason, with how many there are, in how many files, and the first."""
    places = ("source_uri", "source_offset", "detail")
    grouped = of_kind(staged, "quarantine").groupBy("reason")
    counted = grouped.agg(
        F.count("*").alias("records"),
        F.countDistinct("source_uri").alias("files"),
        F.min(F.struct(*places)).alias("first"),
    )
    rows = counted.orderBy("reason").select("reason", "records", "files", "first.*").collect()
    return [row.asDict() for row in rows]
