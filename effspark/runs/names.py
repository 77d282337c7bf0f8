"""Which benchmark, instance and model does a run stand for? Canonical names, from aliases, labels and items.

    raw benchmark  --label, alias-->  benchmark
    raw instance   --label, question hash or id of the benchmark's items-->  instance
    configuration  --alias, budget and checkpoint inside its eval run-->  model_id

Written once with narwhals and run by two engines: pyarrow on a laptop, Spark on a lake. Aliases and labels move
moments, never runs. Source: architecture.md section 2, definitions.md section 6.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pyarrow as pa

from effspark.runs import checkpoints, keys, matching
from effspark.runs.checkpoints import VARIES
from effspark.runs.keys import WINNER_ORDER
from effspark.runs.matching import canonical_benchmark
from effspark.runs.repeats import from_cache

Frame = Any
"""A narwhals frame of either engine."""

ITEMS = matching.ITEMS
"""Source of instances that are the benchmark's own items."""

RUN_COLUMNS = (
    "run_key",
    "source_record_id",
    "eval_run_id",
    "eval_run_logged",
    "attempt",
    "source_format",
    "config_id",
    "family_id",
    "benchmark_id",
    "benchmark_version",
    "instance_id",
    "instance_hash",
    "status",
    "stop_class",
    "truncated",
    "truncation_source",
    "output_tokens",
    "output_budget_tokens",
    "token_source",
    "token_convention",
    "temperature",
    "trace_visibility",
    "generation_hash",
    "response_model",
    "started_at",
    *WINNER_ORDER,
)
"""Columns of `runs` that naming, judging and moments use."""


def named_runs(runs: Frame, *, labels: Frame, instances: Frame, aliases: Frame) -> Frame:
    """Runs with canonical `benchmark` and `instance`, and the label and gold answer that belong to them.

    Parameters
    ----------
    runs, labels, instances, aliases
        Frames of the tables of those names.

    Returns
    -------
    Frame
        RUN_COLUMNS and: benchmark, instance, gold, from_cache, label_correct, label_version, label_sha256,
        label_offset. One row a run.
    """
    by_custom_id = labels.filter(~nw.col("custom_id").is_null()).select(
        nw.col("custom_id").alias("source_record_id"),
        nw.col("benchmark_id").alias("_label_benchmark"),
        nw.col("instance_id").alias("_label_instance"),
        *matching.label_columns("_custom"),
    )
    frame = runs.select(*RUN_COLUMNS, from_cache()).join(by_custom_id, on="source_record_id", how="left")
    frame = frame.with_columns(
        nw.coalesce("_label_benchmark", "benchmark_id").alias("_raw_benchmark"),
        nw.coalesce("_label_instance", "instance_id").alias("_raw_instance"),
    )
    frame = canonical_benchmark(frame, aliases, raw="_raw_benchmark", name="benchmark")
    frame = matching.with_items(frame, instances, aliases)
    frame = matching.with_instance_labels(frame, labels, aliases)
    frame = matching.with_logged_gold(frame, instances)
    gold = nw.coalesce("_item_gold", "_custom_gold", "_instance_gold", "_logged_gold").alias("gold")
    custom_judges = ~nw.col("_custom_correct").is_null()
    return frame.select(
        *RUN_COLUMNS,
        "benchmark",
        "instance",
        gold,
        "from_cache",
        *(
            nw.when(custom_judges)
            .then(nw.col(f"_custom_{name}"))
            .otherwise(nw.col(f"_instance_{name}"))
            .alias(f"label_{name}")
            for name in ("correct", "version", "sha256", "offset")
        ),
    )


def budgets(named: Frame) -> Frame:
    """Output budget of each configuration inside each eval run: a number as text, `varies`, or null.

    Beside it, in the same way, the checkpoint: the bare name of the model that the answers name. Eval runs that no log
    names are one where no instance was run under two budgets: there the budget changes from request to request, and
    does not make a model.

    Returns
    -------
    Frame
        eval_run_id, benchmark, config_id, runs, started_at, log_version, output_budget, checkpoint; one row each.
    """
    scoped = named.join(_swept(named), on=["benchmark", "family_id"], how="left")
    apart = nw.col("eval_run_logged") | ~nw.col("_swept").is_null()
    known = scoped.with_columns(
        nw.when(apart).then(nw.col("eval_run_id")).otherwise(nw.lit("")).alias("_scope"),
        nw.col("output_budget_tokens").is_null().cast(nw.Int64).alias("_without"),
        checkpoints.bare_column("response_model").alias("_answered"),
    )
    families = known.group_by("_scope", "benchmark", "family_id").agg(
        nw.col("output_budget_tokens").min().alias("_least"),
        nw.col("output_budget_tokens").max().alias("_most"),
        nw.col("_without").max().alias("_without"),
        nw.col("_answered").min().alias("_first"),
        nw.col("_answered").max().alias("_last"),
    )
    configurations = known.group_by("eval_run_id", "benchmark", "family_id", "config_id", "_scope").agg(
        nw.len().alias("runs"),
        nw.col("started_at").min().alias("started_at"),
        nw.col("log_version").max().alias("log_version"),
    )
    joined = configurations.join(families, on=["_scope", "benchmark", "family_id"], how="left")
    single = nw.when(nw.col("_least") == nw.col("_most")).then(nw.col("_least").cast(nw.String))
    mixed = (nw.col("_least") < nw.col("_most")) | ((nw.col("_without") == 1) & ~nw.col("_least").is_null())
    return joined.select(
        "eval_run_id",
        "benchmark",
        "config_id",
        nw.col("runs").cast(nw.Int64),
        "started_at",
        "log_version",
        nw.when(mixed).then(nw.lit(VARIES)).otherwise(single).alias("output_budget"),
        checkpoints.one_or_varies("_first", "_last").alias("checkpoint"),
    )


def _swept(named: Frame) -> Frame:
    """Benchmarks and families that were run under several budgets on one instance, where the log names no eval run."""
    hashed = named.filter(~nw.col("eval_run_logged"))
    met = hashed.select("benchmark", "family_id", "instance", "output_budget_tokens").unique()
    counted = met.group_by("benchmark", "family_id", "instance").agg(nw.len().alias("_budgets"))
    several = counted.filter(nw.col("_budgets") > 1).select("benchmark", "family_id").unique()
    return several.with_columns(nw.lit(1).alias("_swept"))


def configured_models(budgeted: Frame, *, configurations: Frame, aliases: Frame) -> Frame:
    """Eval runs with their configuration and canonical model name, ready for `with_model_ids`."""
    models = canonical_models(configurations, aliases)
    parts = configurations.select(
        "config_id",
        "request_model",
        "provider_name",
        "provider_route",
        "model_revision",
        "reasoning_effort",
        "temperature",
        "tokenizer_family",
    )
    joined = budgeted.join(parts, on="config_id", how="left").join(models, on="config_id", how="left")
    return checkpoints.with_revisions(joined, aliases).drop("request_model", "checkpoint")


def canonical_models(configurations: Frame, aliases: Frame) -> Frame:
    """Canonical model name of each configuration: config_id, model."""
    known = aliases.filter(nw.col("kind") == "model").select(
        nw.col("raw").alias("request_model"), nw.col("canonical").alias("_canonical")
    )
    named = configurations.select("config_id", "request_model").join(known, on="request_model", how="left")
    return named.select("config_id", nw.coalesce("_canonical", "request_model").alias("model"))


MODEL_PARTS = (
    "model",
    "provider_route",
    "reasoning_effort",
    "temperature",
    "output_budget",
    "model_revision",
    "tokenizer_family",
)
"""What makes a model: two runs are of one model where all of these agree (the seed is no part of it)."""


def with_model_ids(eval_runs: pa.Table) -> pa.Table:
    """Append `model_id`, the hash of MODEL_PARTS.

    >>> parts = dict.fromkeys(MODEL_PARTS) | {"model": "m"}
    >>> ids = with_model_ids(pa.Table.from_pylist([parts, parts, parts | {"output_budget": "9"}]))["model_id"]
    >>> ids.to_pylist().index(ids[2].as_py())
    2
    """
    columns = [eval_runs[name].to_pylist() for name in MODEL_PARTS]
    ids = [keys.digest("model", *parts) for parts in zip(*columns, strict=True)]
    return eval_runs.append_column("model_id", pa.array(ids, pa.string()))
