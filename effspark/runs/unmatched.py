"""What met nothing, or not its like? Labels and exclusions of no run, runs that labels or items do not know.

    labels      -  (custom_id or benchmark and instance of any run)   ->  labels without a run
    named runs  -  (custom_id or benchmark and instance of any label) ->  runs that nobody judged, without a label
    named runs  -  (benchmark and instance of any item)               ->  runs without an item
    named runs that met an item by its id  -  (hash of its question)  ->  runs of another question
    items  -  (benchmark of any run)                                  ->  items of no benchmark that was run
    exclusions of conf  -  (benchmark and instance of any run)        ->  exclusions that exclude nothing

A run without a label counts only where it has no verdict either and others have a label: where labels name its
benchmark, or belong to other runs that the log files under the same name. A run without an item counts where its
benchmark has items. Items without a run are usual and told only where no run is of their benchmark, since its name may
be wrong. Names are joined by alias, as in matching.py. Source: formats.md section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import narwhals as nw

from effspark.runs.matching import ITEMS, canonical_benchmark

Frame = Any

_PLACE = ["benchmark", "instance"]


class Unmatched(str, Enum):
    """What it is that met nothing."""

    LABEL = "label without run"
    UNLABELLED = "run without label"
    NO_ITEM = "run without item"
    OTHER_QUESTION = "run of another question"
    NO_RUN = "items of a benchmark without run"
    EXCLUDED = "excluded instance without run"


COLUMNS = ("unmatched", "benchmark", "rows", "example", "last")
"""What `unmatched` returns; `example` and `last` are the least and greatest target of the labels, or instance."""


def unmatched(
    named: Frame, *, labels: Frame, instances: Frame, aliases: Frame, verdicts: Frame, excluded: Frame
) -> Frame:
    """Labels, runs and exclusions that met nothing, counted.

    Parameters
    ----------
    named
        Result of `names.named_runs`.
    labels, instances, aliases, verdicts
        Frames of the tables of those names.
    excluded
        Columns benchmark_id and instance_id of what conf excludes.

    Returns
    -------
    Frame
        COLUMNS, one row for each kind and canonical benchmark that has any, for each excluded instance its own.
        Without labels, items and exclusions it is empty.
    """
    told = canonical_benchmark(labels, aliases, raw="benchmark_id", name="benchmark")
    of_items = instances.filter(nw.col("source") == ITEMS).select(
        "benchmark_id",
        nw.col("instance_id").alias("instance"),
        nw.col("question_hash").alias("instance_hash"),
    )
    items = canonical_benchmark(of_items, aliases, raw="benchmark_id", name="benchmark")
    parts = [
        _counted(_lonely_labels(named, told), Unmatched.LABEL, example="target"),
        _counted(_unlabelled(named, told, verdicts), Unmatched.UNLABELLED, example="instance"),
        _counted(_without_item(named, items), Unmatched.NO_ITEM, example="instance"),
        _counted(_of_another_question(named, items), Unmatched.OTHER_QUESTION, example="instance"),
        _counted(_of_no_benchmark(named, items), Unmatched.NO_RUN, example="instance"),
        _counted(_excluding_nothing(named, excluded), Unmatched.EXCLUDED, example="instance", by=_PLACE),
    ]
    return nw.concat(parts, how="vertical")


def _counted(frame: Frame, kind: Unmatched, *, example: str, by: Sequence[str] = ("benchmark",)) -> Frame:
    counts = (
        frame.with_columns(nw.col(example).alias("_example"))
        .group_by(*by)
        .agg(
            nw.len().alias("rows"),
            nw.col("_example").min().alias("example"),
            nw.col("_example").max().alias("last"),
        )
    )
    counts = counts.with_columns(nw.col("rows").cast(nw.Int64), nw.lit(kind.value).alias("unmatched"))
    return counts.select(*COLUMNS)


def _split(told: Frame) -> tuple[Frame, Frame]:
    """Labels by custom_id, and those by benchmark and instance alone."""
    by_custom_id = told.filter(~nw.col("custom_id").is_null())
    by_instance = told.filter(nw.col("custom_id").is_null())
    return (
        by_custom_id.select("benchmark", "target", nw.col("custom_id").alias("source_record_id")),
        by_instance.select("benchmark", "target", nw.col("instance_id").alias("instance")),
    )


def _lonely_labels(named: Frame, told: Frame) -> Frame:
    by_custom_id, by_instance = _split(told)
    records = named.select("source_record_id").unique()
    places = named.select(*_PLACE).unique()
    lonely = [
        by_custom_id.join(records, on="source_record_id", how="anti").select("benchmark", "target"),
        by_instance.join(places, on=_PLACE, how="anti").select("benchmark", "target"),
    ]
    return nw.concat(lonely, how="vertical")


def _unlabelled(named: Frame, told: Frame, verdicts: Frame) -> Frame:
    by_custom_id, by_instance = _split(told)
    runs = named.select("run_key", "source_record_id", "benchmark_id", *_PLACE)
    rest = runs.join(by_custom_id.select("source_record_id").unique(), on="source_record_id", how="anti")
    rest = rest.join(by_instance.select(*_PLACE).unique(), on=_PLACE, how="anti")
    labelled = runs.join(rest.select("run_key"), on="run_key", how="anti")
    of_these = told.select("benchmark").unique().with_columns(nw.lit(1).alias("_named"))
    beside = labelled.select("benchmark_id").unique().with_columns(nw.lit(1).alias("_beside"))
    rest = rest.join(of_these, on="benchmark", how="left").join(beside, on="benchmark_id", how="left")
    judged = verdicts.filter(~nw.col("correct").is_null()).select("run_key").unique()
    wanting = rest.filter(~nw.col("_named").is_null() | ~nw.col("_beside").is_null())
    return wanting.join(judged, on="run_key", how="anti")


def _without_item(named: Frame, items: Frame) -> Frame:
    known = items.select("benchmark").unique()
    runs = named.select(*_PLACE).join(known, on="benchmark", how="inner")
    return runs.join(items.select(*_PLACE).unique(), on=_PLACE, how="anti")


def _of_another_question(named: Frame, items: Frame) -> Frame:
    asked = [*_PLACE, "instance_hash"]
    known = items.filter(~nw.col("instance_hash").is_null()).select(*asked).unique()
    runs = named.filter(~nw.col("instance_hash").is_null()).select(*asked)
    met = runs.join(known.select(*_PLACE).unique(), on=_PLACE, how="inner")
    return met.join(known, on=asked, how="anti").select(*_PLACE)


def _excluding_nothing(named: Frame, excluded: Frame) -> Frame:
    """Excluded instances, of the benchmarks that were run, that no run is of."""
    places = excluded.select(
        nw.col("benchmark_id").alias("benchmark"), nw.col("instance_id").alias("instance")
    )
    run = places.join(named.select("benchmark").unique(), on="benchmark", how="inner")
    return run.join(named.select(*_PLACE).unique(), on=_PLACE, how="anti")


def _of_no_benchmark(named: Frame, items: Frame) -> Frame:
    """Items of a benchmark that no run is of, perhaps for a wrong name."""
    met = named.select("benchmark").unique()
    return items.select(*_PLACE).unique().join(met, on="benchmark", how="anti")
