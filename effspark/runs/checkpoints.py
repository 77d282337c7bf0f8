"""Which checkpoint answered? The one that all answers of an eval run name, where a model's eval runs differ in it.

    model asked for, models that answers name  ->  checkpoint, varies, or null  ->  model_revision

A name that only repeats the one asked for tells nothing, nor does one that an alias makes the model's own. A revision
that the log gives stands. One checkpoint everywhere tells no runs apart and makes no revision. Written with narwhals
for both engines. Source: definitions.md section 1 (one model configuration).
"""

from __future__ import annotations

from typing import Any

import narwhals as nw

Frame = Any

VARIES = "varies"
"""Value of what changes inside an eval run."""

_PATH = "^.*/"


def bare(name: str) -> str:
    """A model's name without provider or path, in small letters: by it two spellings of a name are compared.

    >>> bare("openai/GPT-4o"), bare("models/gemini-2.5-pro")
    ('gpt-4o', 'gemini-2.5-pro')
    """
    return name.rpartition("/")[2].lower()


def bare_column(name: str) -> Any:
    """Column of names as `bare` has them."""
    return nw.col(name).str.replace_all(_PATH, "").str.to_lowercase()


def one_or_varies(least: str, most: str) -> Any:
    """Column of the value that all runs share, from the least and the greatest; else `varies`, or null."""
    found = nw.when(nw.col(least) == nw.col(most)).then(nw.col(least))
    return found.otherwise(nw.when(nw.col(least) < nw.col(most)).then(nw.lit(VARIES)))


def with_revisions(eval_runs: Frame, aliases: Frame) -> Frame:
    """Eval runs whose model_revision is the checkpoint that answered, where the log gives none and it tells runs apart.

    Parameters
    ----------
    eval_runs
        Rows with model, request_model, model_revision and checkpoint (a bare name, `varies`, or null).
    aliases
        The table of that name.
    """
    known = aliases.filter(nw.col("kind") == "model").select(
        bare_column("raw").alias("checkpoint"), nw.col("canonical").alias("model")
    )
    own = known.unique().with_columns(nw.lit(1).alias("_own"))
    frame = eval_runs.join(own, on=["checkpoint", "model"], how="left")
    tells = nw.col("model_revision").is_null() & nw.col("_own").is_null()
    tells = tells & (nw.col("checkpoint") != bare_column("request_model"))
    told = frame.with_columns(nw.when(tells).then(nw.col("checkpoint")).alias("_told"))
    ends = told.group_by("model").agg(
        nw.col("_told").min().alias("_least"), nw.col("_told").max().alias("_most")
    )
    apart = told.join(ends, on="model", how="left")
    revision = nw.when(nw.col("_least") < nw.col("_most")).then(nw.col("_told"))
    return apart.with_columns(nw.coalesce("model_revision", revision).alias("model_revision")).drop(
        "_own", "_told", "_least", "_most"
    )
