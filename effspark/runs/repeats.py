"""Which repeats were generated anew, and which only replay an answer that was there before?

    runs of one model on one instance inside an eval run  ->  classes of one generation  ->  `replayed` for all but one

Runs of one generation (text and T) replay each other where the log says that one came from a cache, or where a whole
trace of at least 64 tokens came out alike at a temperature above 0. Short answers that agree are honest repeats.
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

_ONE_GENERATION = ("eval_run_id", "family_id", "benchmark", "instance", "generation_hash")


def from_cache() -> Any:
    """Column `from_cache` of runs: does the log say that the answer came from a cache?"""
    return nw.col("quality_flags").list.contains(CACHED).alias("from_cache")


def with_replays(frame: Frame) -> Frame:
    """The frame with a boolean column `replayed`: true for all runs of a class but the one of least run_key.

    Parameters
    ----------
    frame
        Named runs with status, temperature, output_tokens, trace_visibility, from_cache and generation_hash.
    """
    whole = nw.col("trace_visibility") == Visibility.FULL.value
    alike = whole & (nw.col("output_tokens") >= LEAST_TOKENS) & (nw.col("temperature") > 0)
    tells = (
        nw.when((nw.col("status") == Status.OK.value) & (nw.col("from_cache") | alike)).then(1).otherwise(0)
    )
    marked = frame.with_columns(tells.alias("_tells"))
    is_class = nw.col("_tells").max().over(*_ONE_GENERATION) == 1
    is_first = nw.col("run_key") == nw.col("run_key").min().over(*_ONE_GENERATION)
    return marked.with_columns((is_class & ~is_first).alias("replayed")).drop("_tells")
