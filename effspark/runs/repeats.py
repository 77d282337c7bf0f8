"""Which repeats were generated anew, and which only replay an answer that was there before?

    runs of one model on one instance inside an eval run  ->  those of one generated text  ->  which replay another

Of runs of one generation those replay another that the log calls cached, with or without T, and all but one where a
whole trace of at least 64 tokens came out alike at a temperature above 0, also where its counts differ. Short answers
that agree are honest repeats, and so are all at temperature 0; a temperature that the log does not give counts as 0.
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

_LABEL = 20
"""Characters to which labels of attempts are filled with zeros, so that 10 comes behind 9."""

_ONE_GENERATION = ("eval_run_id", "family_id", "benchmark_id", "instance_id", "scorer", "generation_hash")


def from_cache() -> Any:
    """Column `from_cache` of runs: does the log say that the answer came from a cache?"""
    return nw.col("quality_flags").list.contains(CACHED).alias("from_cache")


def judged(without_scorer: Any, has_verdict: Any, cut: Any) -> Any:
    """Is a run judged, or does it need no verdict? Of columns or arrays of booleans: a cut run is wrong whoever judges.

    >>> judged(False, False, True), judged(False, False, False)
    (True, False)
    """
    return without_scorer | has_verdict | cut


def with_replays(frame: Frame) -> Frame:
    """The frame with a boolean column `replayed`: true for each run that replays another which counts.

    Of runs of one generation, the original is one whose T is known, rather than not, and that came from no cache; of
    several the first attempt, as the log labels it. A run that failed or that nobody has judged replays nothing and is
    no original.

    Parameters
    ----------
    frame
        Runs beside scorers: _ONE_GENERATION, run_key, attempt, status, truncated, correct, temperature, output_tokens,
        trace_visibility and from_cache.
    """
    has_tokens, cached = ~nw.col("output_tokens").is_null(), nw.col("from_cache").fill_null(False)
    answered = judged(
        nw.col("scorer") == "", ~nw.col("correct").is_null(), nw.col("truncated").fill_null(False)
    )
    counts = (nw.col("status") == Status.OK.value) & answered
    whole = nw.col("trace_visibility") == Visibility.FULL.value
    alike = whole & (nw.col("output_tokens") >= LEAST_TOKENS) & (nw.col("temperature").fill_null(0.0) > 0)
    rank = nw.concat_str(
        [_first(has_tokens), _first(~cached), nw.col("attempt").str.zfill(_LABEL), nw.col("run_key")],
        separator=" ",
    )
    marked = frame.with_columns(nw.when(counts).then(rank).alias("_rank"), (alike | cached).alias("_may"))
    first = marked.group_by(*_ONE_GENERATION).agg(nw.col("_rank").min().alias("_first"))
    beside = marked.join(first, on=list(_ONE_GENERATION), how="left")
    replays = nw.col("_may") & (nw.col("_rank") != nw.col("_first"))
    return beside.with_columns(replays.fill_null(False).alias("replayed")).drop("_rank", "_first", "_may")


def _first(fact: Any) -> Any:
    """Column of text that sorts runs of which the fact holds before the others."""
    return nw.when(fact).then(nw.lit("0")).otherwise(nw.lit("1"))
