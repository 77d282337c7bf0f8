"""Runs become moments: canonical names, verdicts of labels and rescoring, eval runs, and the sums themselves.

    runs, traces, labels, instances, aliases -> verdicts, eval_runs, workloads, trace_measures -> moments

Everything is a function of the silver tables, so it may be done again at any time; only what differs is written, and
moments whose runs have changed or vanished are replaced whole. Source: architecture.md sections 5.2, 5.5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import narwhals as nw
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from effspark import tables
from effspark.analyses import trace_measures
from effspark.laptop import alias_table, answer_rules
from effspark.layers import duplicates, exclusions, features, instance_work, judging, moments
from effspark.layers.selection import gathered
from effspark.runs import names, tallies, unmatched
from effspark.settings import Settings
from effspark.spark.merging import merge_changed, merge_fingerprinted, merge_listed
from effspark.spark.store import Store

TABLES = ("aliases", "verdicts", "eval_runs", "workloads", "trace_measures", "moments")
"""Tables that measure writes, in the order it writes them."""

_STAGED = "measure_named"
_STAGED_TEXTS = "measure_texts"
_IS_DERIVED = "t.source IN ('label', 'rescored')"

READS = ("runs", "run_sources", "verdicts", "traces", "instances", "labels", "configurations")


class Findings(NamedTuple):
    """What is odd about the runs of a lake: rows of `unmatched.COLUMNS` and of `duplicates.COLUMNS`."""

    unmatched: list[dict[str, Any]]
    duplicates: list[dict[str, Any]]


def measure(store: Store, settings: Settings, *, look: bool = False) -> Findings:
    """Bring aliases, derived verdicts, eval runs and moments up to date; find what is odd only where `look` says so."""
    store.open([*READS, *(name for name in TABLES if name not in READS)])
    merge_listed(store, "aliases", alias_table(settings))
    named = store.stage(_STAGED, _named(store))
    teams = _teams(store)
    store.together(
        [
            lambda: merge_changed(
                store, "verdicts", derived_verdicts(store, named, settings), gone=_IS_DERIVED
            ),
            lambda: merge_changed(store, "eval_runs", eval_runs(store, named, teams), gone="true"),
            lambda: merge_changed(store, "workloads", workloads(store, settings), gone="true"),
            lambda: _merge_trace_measures(store, named, settings),
        ]
    )
    found: list[Findings] = []
    store.together(
        [
            lambda: merge_fingerprinted(store, "moments", summed(store, named, teams)),
            *([lambda: found.append(_findings(store, named, settings))] if look else []),
        ]
    )
    store.unstage(_STAGED)
    return found[0] if look else Findings([], [])


def _findings(store: Store, named: DataFrame, settings: Settings) -> Findings:
    known = {table: _frame(store.read(table)) for table in ("labels", "instances", "aliases", "verdicts")}
    excluded = _frame(store.frame(exclusions.excluded(settings.benchmarks)))
    alone = unmatched.unmatched(_frame(named), **known, excluded=excluded)
    models = names.canonical_models(_frame(store.read("configurations")), known["aliases"])
    twins = duplicates.duplicates(_frame(named).join(models, on="config_id", how="left"))
    return Findings(gathered(alone).to_pylist(), gathered(twins).to_pylist())


def _named(store: Store) -> DataFrame:
    found = names.named_runs(
        _frame(store.read("runs")),
        labels=_frame(store.read("labels")),
        instances=_frame(store.read("instances")),
        aliases=_frame(store.read("aliases")),
    )
    return _native(found)


def derived_verdicts(store: Store, named: DataFrame, settings: Settings) -> DataFrame:
    """Verdicts that labels and the benchmarks' own rules give."""
    rules = answer_rules(settings)
    labels = _native(judging.label_verdicts(_frame(named))).select(*tables.columns("verdicts"))
    answers = _native(judging.to_rescore(_frame(named), _frame(store.read("traces")), rules))
    rescored = _mapped(
        answers, judging.TO_RESCORE, lambda rows: judging.rescored(rows, rules), tables.schema("verdicts")
    )
    return labels.unionByName(rescored)


def eval_runs(store: Store, named: DataFrame, teams: DataFrame) -> DataFrame:
    """The table `eval_runs` as it should be now."""
    place = list(tallies.PLACE)
    met = (
        named.select("run_key", *place)
        .join(teams, on="run_key", how="inner")
        .select(*place, F.explode(F.split("teams", ",")).alias("team"))
        .groupBy(*place)
        .agg(_joined("team").alias("teams"))
    )
    configured = names.configured_models(
        names.budgets(_frame(named)),
        configurations=_frame(store.read("configurations")),
        aliases=_frame(store.read("aliases")),
    )
    joined = _native(configured).join(met, on=place, how="inner")
    flags = store.read("runs").select("run_key", F.explode("quality_flags").alias("value"))
    told = tallies.of_flags(_frame(named), _frame(flags)), tallies.of_models(_frame(named))
    for column, entries in zip(tallies.COLUMNS, told, strict=True):
        joined = _with_lists(joined, column, _native(entries))
    renamed = joined.withColumnRenamed("benchmark", "benchmark_id")
    columns = [name for name in tables.columns("eval_runs") if name != "model_id"]
    plain = pa.schema([tables.schema("eval_runs").field(name) for name in columns])
    whole = pa.schema([*plain, tables.schema("eval_runs").field("model_id")])
    return _mapped(renamed.select(*columns), plain, names.with_model_ids, whole)


def _with_lists(frame: DataFrame, column: str, entries: DataFrame) -> DataFrame:
    """Eval runs with their sorted tallies; at most one row of these to each of those."""
    place = list(tallies.PLACE)
    lists = entries.groupBy(*place).agg(F.array_sort(F.collect_list("entry")).alias(column))
    known = F.coalesce(column, F.array().cast("array<string>")).alias(column)
    return frame.join(lists, on=place, how="left").select(*frame.columns, known)


def workloads(store: Store, settings: Settings) -> DataFrame:
    """The table `workloads` as it should be now."""
    rules, aliases = instance_work.rules(settings), settings.aliases.get("benchmark", {})
    found = _mapped(
        store.read("instances"),
        instance_work.INPUT,
        lambda rows: instance_work.found(rows, rules, aliases),
        instance_work.FOUND,
    )
    return _native(instance_work.chosen(_frame(found)))


def unmeasured(store: Store, asked: DataFrame) -> DataFrame:
    """Runs whose trace is yet to be measured, with their text: of schema `trace_measures.INPUT`."""
    known, traces = (_frame(store.read(table)) for table in ("trace_measures", "traces"))
    return _native(trace_measures.to_measure(_frame(asked), known, traces))


def _merge_trace_measures(store: Store, named: DataFrame, settings: Settings) -> None:
    """Bring the table `trace_measures` up to date. Its new rows are staged: MERGE reads its source twice."""
    rules = answer_rules(settings)
    asked = _mapped(
        _native(trace_measures.shown(_frame(named))),
        trace_measures.SHOWN,
        lambda rows: trace_measures.asked(rows, rules),
        trace_measures.ASKED,
    )
    measured = _mapped(
        unmeasured(store, asked),
        trace_measures.INPUT,
        trace_measures.measured,
        tables.schema("trace_measures"),
    )
    new = store.stage(_STAGED_TEXTS, measured)
    kept = _native(trace_measures.kept(_frame(asked), _frame(store.read("trace_measures"))))
    merge_changed(store, "trace_measures", kept.unionByName(new), gone="true")
    store.unstage(_STAGED_TEXTS)


def summed(store: Store, named: DataFrame, teams: DataFrame) -> DataFrame:
    """The table `moments` as it should be now: partial sums in Python on Arrow batches, added up in SQL."""
    inputs = judging.moment_input(_frame(named), _frame(store.read("verdicts")), _frame(teams))
    partial = _mapped(_native(inputs), features.INPUT, moments.partial_moments, tables.schema("moments"))
    added_up = [*moments.FEATURES, "fingerprint"]
    types = {name: tables.schema("moments").field(name).type for name in added_up}
    added = partial.groupBy(*features.MOMENT_KEY, "instance_key").agg(
        *(
            F.sum(name).cast("decimal(38,0)" if pa.types.is_decimal(types[name]) else "bigint").alias(name)
            for name in added_up
        )
    )
    return added.select(*tables.columns("moments"))


def _mapped(
    frame: DataFrame, wanted: pa.Schema, function: Callable[[pa.Table], pa.Table], schema: pa.Schema
) -> DataFrame:
    """A core function on Arrow tables, applied to each batch."""

    def apply(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            result = function(pa.Table.from_batches([batch]).select(wanted.names).cast(wanted))
            yield from result.select(schema.names).cast(schema).to_batches()

    return frame.select(*wanted.names).mapInArrow(apply, from_arrow_schema(schema))


def _teams(store: Store) -> DataFrame:
    return store.read("run_sources").groupBy("run_key").agg(_joined("team").alias("teams"))


def _joined(column: str) -> Any:
    return F.array_join(F.array_sort(F.collect_set(column)), ",")


def _frame(frame: DataFrame) -> Any:
    return nw.from_native(frame)


def _native(frame: Any) -> DataFrame:
    found: DataFrame = frame.to_native()
    return found
