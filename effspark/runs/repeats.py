"""Which repeats were generated anew, and which only replay an answer that was there before?

    runs of one model on one instance inside an eval run  ->  those of one generated text  ->  which replay another

Of runs of one generation those replay another that the log calls cached, and all but one where a whole trace of at
least 64 tokens came out alike at a temperature above 0. Short answers that agree are honest repeats.
Written with narwhals for both engines. Source: definitions.md section 3.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw

from effspark.runs.record import Status, Visibility

Frame = Any

LEAST_TOKENS = 64
"""T from which two equal traces are no accident."""
CACHED = "replayed"
"""Quality flag of a run whose log says that its answer came from a cache."""

_ONE_GENERATION = ("eval_run_id", "family_id", "benchmark_id", "instance_id", "scorer", "generation_hash")


def from_cache() -> Any:
    """Column `from_cache` of runs: does the log say that the answer came from a cache?"""
    return nw.col("quality_flags").list.contains(CACHED).alias("from_cache")


def with_replays(frame: Frame) -> Frame:
    """The frame with a boolean column `replayed`: true for each run that replays another which counts.

    Of runs of one generation, those that came from no cache are the originals; else the one of least run_key is. A run
    that failed or that nobody has judged replays nothing and is no original.

    Parameters
    ----------
    frame
        Runs beside scorers: _ONE_GENERATION, run_key, status, truncated, correct, temperature, output_tokens,
        trace_visibility and from_cache.
    """
    judged = (nw.col("scorer") == "") | ~nw.col("correct").is_null() | (nw.col("truncated").fill_null(False))
    counts = (nw.col("status") == Status.OK.value) & judged & ~nw.col("output_tokens").is_null()
    whole = nw.col("trace_visibility") == Visibility.FULL.value
    alike = whole & (nw.col("output_tokens") >= LEAST_TOKENS) & (nw.col("temperature").fill_null(0.0) > 0)
    cached = nw.col("from_cache").fill_null(False)
    rank = nw.concat_str([nw.when(cached).then(nw.lit("1")).otherwise(nw.lit("0")), nw.col("run_key")])
    marked = frame.with_columns(nw.when(counts).then(rank).alias("_rank"), (alike | cached).alias("_may"))
    first = marked.group_by(*_ONE_GENERATION).agg(nw.col("_rank").min().alias("_first"))
    beside = marked.join(first, on=list(_ONE_GENERATION), how="left")
    replays = nw.col("_may") & (nw.col("_rank") != nw.col("_first"))
    return beside.with_columns(replays.fill_null(False).alias("replayed")).drop("_rank", "_first", "_may")
