"""Which item of the benchmark is a run's instance, and what do items, labels and logs say of it?

    run --hash of its question where one item has it, else its id-->  instance  -->  gold answer, label

The benchmark's names are joined by alias first, so items or labels that came under two of its names are one: the
newest counts. Of a gold answer or a question the newest source that tells it counts: one that is silent takes nothing
back. Every join finds at most one row for a run. Source: architecture.md section 2, definitions.md section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw

from effspark.runs.keys import WINNER_ORDER

Frame = Any

ITEMS = "items"
"""Source of instances that are the benchmark's own items."""

_LABEL_ORDER = ("labels_version", "source_sha256", "source_offset", "benchmark_id")
_ITEM_ORDER = (*WINNER_ORDER, "benchmark_id")
_LOGGED_ORDER = (*WINNER_ORDER, "source")


def canonical_benchmark(frame: Frame, aliases: Frame, *, raw: str, name: str) -> Frame:
    """The frame with a column `name`: the canonical benchmark of the column `raw`."""
    known = aliases.filter(nw.col("kind") == "benchmark").select(
        nw.col("raw").alias(raw), nw.col("canonical").alias("_canonical")
    )
    joined = frame.join(known, on=raw, how="left")
    return joined.with_columns(nw.coalesce("_canonical", raw).alias(name)).drop("_canonical")


def label_columns(prefix: str) -> list[Any]:
    """Columns of `labels` that say something of a run, under names of their own."""
    return [
        nw.col("gold").alias(f"{prefix}_gold"),
        nw.col("correct").alias(f"{prefix}_correct"),
        nw.col("labels_version").alias(f"{prefix}_version"),
        nw.col("source_sha256").alias(f"{prefix}_sha256"),
        nw.col("source_offset").alias(f"{prefix}_offset"),
    ]


def with_items(frame: Frame, instances: Frame, aliases: Frame) -> Frame:
    """Match runs to the benchmark's items: by the hash of the question where it is unique, else by id."""
    own = instances.filter(nw.col("source") == ITEMS).select(
        "benchmark_id", "instance_id", "gold", "question_hash", *WINNER_ORDER
    )
    items = canonical_benchmark(own, aliases, raw="benchmark_id", name="benchmark")
    by_hash = (
        _newest_that_tells("question_hash", items, ("benchmark", "instance_id"), _ITEM_ORDER)
        .group_by("benchmark", "question_hash")
        .agg(nw.len().alias("_copies"), nw.col("instance_id").min().alias("_by_hash"))
        .filter(nw.col("_copies") == 1)
        .select("benchmark", nw.col("question_hash").alias("instance_hash"), "_by_hash")
    )
    golds = _newest_that_tells("gold", items, ("benchmark", "instance_id"), _ITEM_ORDER).select(
        "benchmark", nw.col("instance_id").alias("instance"), nw.col("gold").alias("_item_gold")
    )
    frame = frame.join(by_hash, on=["benchmark", "instance_hash"], how="left")
    frame = frame.with_columns(nw.coalesce("_by_hash", "_raw_instance").alias("instance"))
    return frame.join(golds, on=["benchmark", "instance"], how="left")


def with_instance_labels(frame: Frame, labels: Frame, aliases: Frame) -> Frame:
    """Labels that name benchmark and instance only, beside the runs of that instance."""
    own = labels.filter(nw.col("custom_id").is_null())
    named = canonical_benchmark(own, aliases, raw="benchmark_id", name="benchmark")
    newest = _newest(named, ("benchmark", "instance_id"), _LABEL_ORDER)
    found = newest.select("benchmark", nw.col("instance_id").alias("instance"), *label_columns("_instance"))
    return frame.join(found, on=["benchmark", "instance"], how="left")


def with_logged_gold(frame: Frame, instances: Frame) -> Frame:
    """Gold answers that the logs themselves show."""
    place = ("benchmark_id", "instance_id")
    logged = instances.filter(nw.col("source") != ITEMS).select(*place, "gold", *_LOGGED_ORDER)
    golds = _newest_that_tells("gold", logged, place, _LOGGED_ORDER)
    return frame.join(golds.select(*place, nw.col("gold").alias("_logged_gold")), on=[*place], how="left")


def _newest_that_tells(fact: str, frame: Frame, key: Sequence[str], order: Sequence[str]) -> Frame:
    return _newest(frame.filter(~nw.col(fact).is_null()), key, order)


def _newest(frame: Frame, key: Sequence[str], order: Sequence[str]) -> Frame:
    """One row for each key: the greatest in `order`, whose last column tells the rows of a key apart."""
    return frame.unique([*key], keep="last", order_by=[*order])
