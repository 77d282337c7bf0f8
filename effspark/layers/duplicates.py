"""Which eval runs may be one, met through two formats (say Inspect and Every Eval Ever) or two exports of one?

    runs of one model on one instance in two formats  ->  T alike, text alike  ->  pairs of eval runs that may be one

Two formats name an eval run differently and keep different texts of it, so neither a key nor the text tells; what stays
is T. Compared are instances on which both have a run of at least 64 tokens that was not cut: short answers agree by
chance, and cut ones at the budget. A pair is suspected where one generation is the same to the letter, or where T
agrees on at least 2 instances and on half of those compared. Nothing is dropped: a person decides. Eval runs of one
format are told apart or merged by their keys, but two exports of a result, one with settings that the other lacks, are
not (a table and its raw logs, each by a mapping): of one format those are compared of which not both are named by
their logs, and whose budgets and temperatures do not differ where both are known; T alone decides there. Written with
narwhals for both engines. Source: formats.md section 0.6.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw

from effspark.runs.repeats import LEAST_TOKENS

Frame = Any

RUN_COLUMNS = (
    "source_format", "eval_run_id", "eval_run_logged", "benchmark", "instance", "model", "output_tokens", "truncated",
    "output_budget_tokens", "temperature", "generation_hash",
)  # fmt: skip
"""What `duplicates` reads of runs: canonical names of benchmark, instance (`names.named_runs`) and model."""
COLUMNS = (
    "benchmark", "model", "source_format", "eval_run_id", "other_format", "other_eval_run_id",
    "compared", "same_tokens", "same_text",
)  # fmt: skip
"""What it returns: the last three count instances. `source_format` does not come after `other_format`."""
LEAST_SHARE = 0.5
LEAST_INSTANCES = 2

_MET = ["benchmark", "model", "instance"]
_PAIR = ["benchmark", "model", "source_format", "eval_run_id", "other_format", "other_eval_run_id"]
_SETTINGS = ["output_budget_tokens", "temperature"]
_SIDE = ["source_format", "eval_run_id", "eval_run_logged", "output_tokens", "generation_hash", *_SETTINGS]


def duplicates(runs: Frame, *, least_share: float = LEAST_SHARE) -> Frame:
    """Pairs of eval runs that may be one.

    Parameters
    ----------
    runs
        RUN_COLUMNS, one row a run.
    least_share
        Share of the compared instances on which T agrees, from which a pair is suspected; above 0, up to 1.

    Returns
    -------
    Frame
        COLUMNS, one row for each pair of eval runs, benchmark and model.
    """
    whole = nw.col("truncated").is_null() | ~nw.col("truncated")
    told = runs.filter((nw.col("output_tokens") >= LEAST_TOKENS) & whole).select(*_MET, *_SIDE)
    other = told.select(*_MET, *(nw.col(name).alias(f"other_{name}") for name in _SIDE))
    other = other.rename({"other_source_format": "other_format"})
    met = told.join(other, on=_MET, how="inner").filter(
        (nw.col("source_format") < nw.col("other_format")) | _two_exports()
    )
    alike = met.with_columns(
        (nw.col("output_tokens") == nw.col("other_output_tokens")).cast(nw.Int64).alias("same_tokens"),
        (nw.col("generation_hash") == nw.col("other_generation_hash")).cast(nw.Int64).alias("same_text"),
        nw.lit(1).cast(nw.Int64).alias("compared"),
    )
    counts = ("compared", "same_tokens", "same_text")
    once = alike.group_by(*_PAIR, "instance").agg(*(nw.col(name).max() for name in counts))
    pairs = once.group_by(*_PAIR).agg(*(nw.col(name).sum() for name in counts))
    agrees = (nw.col("same_tokens") >= LEAST_INSTANCES) & (
        nw.col("same_tokens") >= least_share * nw.col("compared")
    )
    same_text = (nw.col("same_text") > 0) & (nw.col("source_format") < nw.col("other_format"))
    return pairs.filter(agrees | same_text).select(*COLUMNS)


def _two_exports() -> Any:
    """May two runs of one format be of one result that was exported twice?"""
    of_one = nw.col("source_format") == nw.col("other_format")
    apart = nw.col("eval_run_id") < nw.col("other_eval_run_id")
    may_be = of_one & apart & ~(nw.col("eval_run_logged") & nw.col("other_eval_run_logged"))
    for name in _SETTINGS:
        one, other = nw.col(name), nw.col(f"other_{name}")
        may_be = may_be & (one.is_null() | other.is_null() | (one == other))
    return may_be
