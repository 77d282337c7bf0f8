"""Who says a run is right? Verdicts of labels and of rescoring, and each run beside every scorer of its eval run.

    named runs  ->  label verdicts, answers to rescore  ->  verdicts  ->  input of moments

A run of an eval run that a scorer judged is set beside that scorer even where its own verdict is missing, so that
unscored and truncated runs are counted. Written with narwhals for both engines. Source: definitions.md section 2.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pyarrow as pa

from effspark import benchmarks, tables
from effspark.benchmarks import choices
from effspark.layers.features import INPUT
from effspark.runs.keys import WINNER_ORDER
from effspark.runs.record import LABEL_SCORER, ScoreKind, VerdictSource
from effspark.runs.repeats import with_replays

Frame = Any


TO_RESCORE = pa.schema(
    [
        ("run_key", pa.string()),
        ("benchmark", pa.string()),
        ("answer", pa.string()),
        ("gold", pa.string()),
        *((name, tables.schema("runs").field(name).type) for name in WINNER_ORDER),
    ]
)
"""Runs of benchmarks that have a rule for answers, with the generated answer and the gold answer."""


_RECORD = ["run_key", *WINNER_ORDER]
"""A run and the record it was read from: texts and verdicts of another record of it tell of another answer."""


_OF_REPEATS = ("attempt", "temperature", "trace_visibility", "from_cache", "generation_hash")
"""Columns by which replayed repeats are found."""


def label_verdicts(named: Frame) -> Frame:
    """Verdict rows of the labels that belong to named runs."""
    labelled = named.filter(~nw.col("label_correct").is_null())
    return labelled.select(
        "run_key",
        nw.lit(LABEL_SCORER).alias("scorer"),
        nw.lit(None).cast(nw.String).alias("score_raw"),
        nw.lit(ScoreKind.BINARY.value).alias("score_kind"),
        nw.col("label_correct").alias("correct"),
        nw.lit(None).cast(nw.String).alias("extracted_answer"),
        nw.lit(VerdictSource.LABEL.value).alias("source"),
        nw.col("label_version").alias("log_version"),
        "reader_version",
        "mapping_version",
        nw.col("label_sha256").alias("source_sha256"),
        nw.col("label_offset").alias("source_offset"),
        "source_answer",
    )


def to_rescore(named: Frame, traces: Frame, rules: dict[str, str]) -> Frame:
    """Runs to score by a benchmark's own rule, of schema TO_RESCORE.

    A run cut inside its reasoning has the empty answer: there was none. A run of which the log shows no text has
    none that could be judged, cut or not.

    Parameters
    ----------
    rules
        Benchmark -> name of its rule (conf).
    """
    names = sorted(rules) or [""]  # an empty list has no type in Arrow
    ruled = named.filter(nw.col("benchmark").is_in(names) & ~nw.col("gold").is_null())
    texts = traces.select(*_RECORD, "answer", "reasoning")
    found = ruled.join(texts, on=_RECORD, how="left")
    cut_inside = nw.col("answer").is_null() & ~nw.col("reasoning").is_null() & nw.col("truncated")
    answer = nw.when(cut_inside).then(nw.lit("")).otherwise(nw.col("answer")).alias("answer")
    return found.with_columns(answer).select(TO_RESCORE.names)


def rescored(answers: pa.Table, rules: dict[str, str]) -> pa.Table:
    """Verdict rows by the benchmarks' own rules; a run whose answer the log does not show gets none,
    nor does one whose gold answer the rule cannot read.

    Parameters
    ----------
    answers
        Table of schema TO_RESCORE.
    """
    rows = []
    for row in answers.to_pylist():
        if row["answer"] is None:
            continue
        rule = benchmarks.benchmark_named(rules[row["benchmark"]])
        gold = right_answer(rule, row["gold"])
        if gold is None:
            continue
        scored = rule.score(row["answer"], gold)
        share = rule.share(row["answer"], gold) if isinstance(rule, benchmarks.Graded) else None
        rows.append(
            {
                "run_key": row["run_key"],
                "scorer": rule.scorer,
                "score_raw": None if share is None else str(share),
                "score_kind": (ScoreKind.BINARY if share is None else ScoreKind.FRACTIONAL).value,
                "correct": scored.correct,
                "extracted_answer": scored.extracted,
                "source": VerdictSource.RESCORED.value,
                **{name: row[name] for name in WINNER_ORDER},
            }
        )
    return tables.from_rows("verdicts", rows)


def right_answer(rule: benchmarks.Benchmark, gold: str) -> str | None:
    """Gold answer of an item in the form that a rule reads; null where it cannot read any.

    >>> right_answer(benchmarks.benchmark_named("proofwriter"), '{"answer": "B", "options": ["True", "False"]}')
    'False'
    """
    told = gold if isinstance(rule, benchmarks.Chooses) else choices.text_of_right(gold)
    return None if rule.gold(told) is None else told


def moment_input(named: Frame, verdicts: Frame, run_teams: Frame) -> Frame:
    """Each named run under scorer '' and under every scorer of its eval run, of schema `features.INPUT`.

    A scorer of an eval run has judged at least one run of it: one whose verdicts are all null has not.
    Runs whose configurations differ in the budget alone share their scorers: they are one model's. A verdict that
    came with a record which has lost to a later one judges another answer and is passed over; labels judge any.

    Parameters
    ----------
    run_teams
        run_key, teams: the sorted teams that logged the run, separated by commas.
    """
    runs = named.join(run_teams, on="run_key", how="inner").select(
        nw.col("benchmark").alias("benchmark_id"),
        nw.coalesce("benchmark_version", nw.lit("")).alias("benchmark_version"),
        "config_id",
        "family_id",
        "teams",
        "eval_run_id",
        nw.col("instance").alias("instance_id"),
        "run_key",
        "status",
        "stop_class",
        "truncated",
        "output_tokens",
        "output_budget_tokens",
        "token_source",
        "token_convention",
        "truncation_source",
        *_OF_REPEATS,
    )
    place = ["eval_run_id", "benchmark_id", "family_id"]
    winners = named.select(*_RECORD).with_columns(nw.lit(True).alias("_won"))
    is_label = nw.col("source") == VerdictSource.LABEL.value
    verdicts = verdicts.join(winners, on=_RECORD, how="left").filter(is_label | ~nw.col("_won").is_null())
    scorers = (
        verdicts.filter(~nw.col("correct").is_null())
        .select("run_key", "scorer")
        .join(runs.select("run_key", *place), on="run_key", how="inner")
        .select(*place, "scorer")
        .unique()
    )
    judged = runs.join(scorers, on=place, how="inner").join(
        verdicts.select("run_key", "scorer", "correct"), on=["run_key", "scorer"], how="left"
    )
    plain = runs.with_columns(nw.lit("").alias("scorer"), nw.lit(None).cast(nw.Boolean).alias("correct"))
    columns = [*(name for name in INPUT.names if name != "replayed"), "family_id", *_OF_REPEATS]
    beside = nw.concat([plain.select(columns), judged.select(columns)], how="vertical")
    return with_replays(beside).select(INPUT.names)
