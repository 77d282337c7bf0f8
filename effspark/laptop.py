"""The same numbers from files alone: read, name, judge, add up and report on one machine, without lake or Java.

    paths -> staged rows -> winners -> named runs -> verdicts -> moments -> report

Every rule is that of the Spark path; only the engine (pyarrow) differs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import pyarrow as pa

from effspark import tables
from effspark.analyses import trace_measures
from effspark.arrow_engine import Laptop
from effspark.gold.report_tables import ReportTables, report_tables
from effspark.gold.selected import Inputs
from effspark.layers import duplicates, exclusions, features, instance_work, judging, moments
from effspark.readers import Options, plan, staged_rows, staging
from effspark.readers.choosing import AUTO, refuse_if_unusable
from effspark.readers.staged_rows import Item
from effspark.runs import names, tallies, unmatched
from effspark.runs.keys import winner_order
from effspark.runs.winners import winners, with_retries
from effspark.settings import Settings

Frame = Any


class Gathered(NamedTuple):
    """Tables of all records read, each key once; tallies of the items; records of each file that still hold a run."""

    tables: dict[str, pa.Table]
    counts: pa.Table
    kept: dict[str, int]


class Measured(NamedTuple):
    """What `measure` makes of gathered records."""

    eval_runs: pa.Table
    verdicts: pa.Table
    workloads: pa.Table
    trace_measures: pa.Table
    moments: pa.Table
    unmatched: pa.Table
    duplicates: pa.Table


def gather(items: Sequence[Item]) -> Gathered:
    """Read items one after the other and keep the winner of each key."""
    parts: dict[str, list[pa.Table]] = {kind: [] for kind in staged_rows.KINDS}
    for item in items:
        batches = list(staging.stage(item))
        for kind in staged_rows.KINDS:
            parts[kind].append(staged_rows.of_kind(iter(batches), kind))
    whole = {
        kind: pa.concat_tables([staged_rows.staged_schema(kind).empty_table(), *found])
        for kind, found in parts.items()
    }
    counts = whole.pop("counts")
    kept = _kept(whole["runs"])
    best = {kind: _winners(kind, rows) for kind, rows in whole.items()}
    best["runs"] = with_retries(best["runs"], best["run_sources"])
    return Gathered(best, counts, kept)


def _kept(runs: pa.Table) -> dict[str, int]:
    """Records of each file that still hold a run after records of one key have been merged inside the file."""
    own = winners(runs, ["source_uri", "run_key"])
    counted = own.group_by("source_uri").aggregate([("source_offset", "count_distinct")]).to_pylist()
    return {row["source_uri"]: row["source_offset_count_distinct"] for row in counted}


def _winners(kind: str, rows: pa.Table) -> pa.Table:
    if kind == "quarantine":
        return rows
    return winners(rows, tables.key(kind), order=winner_order(kind))


def measure(gathered: Gathered, settings: Settings) -> Measured:
    """Names, verdicts and moments of gathered records."""
    found = gathered.tables
    aliases = _frame(alias_table(settings))
    labels, instances = _frame(found["labels"]), _frame(found["instances"])
    named = names.named_runs(_frame(found["runs"]), labels=labels, instances=instances, aliases=aliases)
    rules = answer_rules(settings)
    answers = judging.to_rescore(named, _frame(found["traces"]), rules)
    labelled = tables.checked("verdicts", judging.label_verdicts(named).to_arrow())
    verdicts = pa.concat_tables([found["verdicts"], labelled, judging.rescored(answers.to_arrow(), rules)])
    alone = unmatched.unmatched(
        named,
        labels=labels,
        instances=instances,
        aliases=aliases,
        verdicts=_frame(verdicts),
        excluded=_frame(exclusions.excluded(settings.benchmarks)),
    )
    inputs = judging.moment_input(named, _frame(verdicts), _frame(_teams(found["run_sources"])))
    summed = moments.partial_moments(inputs.to_arrow().cast(features.INPUT))
    models = names.canonical_models(_frame(found["configurations"]), aliases)
    twins = duplicates.duplicates(named.join(models, on="config_id", how="left")).to_arrow()
    work = instance_work.found(
        found["instances"].select(instance_work.INPUT.names),
        instance_work.rules(settings),
        settings.aliases.get("benchmark", {}),
    )
    worked = instance_work.chosen(_frame(work)).to_arrow()
    texts = _trace_measures(named, found["traces"], rules)
    return Measured(
        _eval_runs(named, found, aliases), verdicts, worked, texts, summed, alone.to_arrow(), twins
    )


def _trace_measures(named: Frame, traces: pa.Table, rules: dict[str, str]) -> pa.Table:
    wanted = trace_measures.asked(trace_measures.shown(named).to_arrow().cast(trace_measures.SHOWN), rules)
    none = _frame(tables.schema("trace_measures").empty_table())
    return trace_measures.measured(trace_measures.to_measure(_frame(wanted), none, _frame(traces)).to_arrow())


def report(measured: Measured, settings: Settings) -> ReportTables:
    """Report over everything measured."""
    given = Inputs(_frame(measured.moments), _frame(measured.workloads), measured.eval_runs)
    return report_tables(given, settings, Laptop())


def alias_table(settings: Settings) -> pa.Table:
    """Aliases of the settings as the table `aliases`."""
    rows = [
        {"kind": kind, "raw": raw, "canonical": canonical, "version": settings.aliases_version}
        for kind, pairs in sorted(settings.aliases.items())
        for raw, canonical in sorted(pairs.items())
    ]
    return tables.from_rows("aliases", rows)


def answer_rules(settings: Settings) -> dict[str, str]:
    """Benchmark -> rule of its answers, where conf declares one."""
    return {name: benchmark.answers for name, benchmark in settings.benchmarks.items() if benchmark.answers}


def _frame(table: pa.Table) -> Frame:
    return nw.from_native(table)


def _teams(sources: pa.Table) -> pa.Table:
    """run_key, teams: the sorted teams of each run."""
    teams: dict[str, set[str]] = {}
    for key, team in zip(sources["run_key"].to_pylist(), sources["team"].to_pylist(), strict=True):
        teams.setdefault(key, set()).add(team)
    return pa.table(
        {
            "run_key": pa.array(list(teams), pa.string()),
            "teams": pa.array([",".join(sorted(found)) for found in teams.values()], pa.string()),
        }
    )


def _eval_runs(named: Frame, found: dict[str, pa.Table], aliases: Frame) -> pa.Table:
    teams, place = _frame(_teams(found["run_sources"])), list(tallies.PLACE)
    of_runs = (
        named.select("run_key", *place)
        .join(teams, on="run_key", how="inner")
        .select(*place, "teams")
        .unique()
    )
    met: dict[tuple[str, ...], set[str]] = {}
    for row in of_runs.to_arrow().to_pylist():
        met.setdefault(tuple(row[name] for name in place), set()).update(row["teams"].split(","))
    configured = names.configured_models(
        names.budgets(named), configurations=_frame(found["configurations"]), aliases=aliases
    )
    models = names.with_model_ids(configured.to_arrow())
    keys = list(zip(*(models[name].to_pylist() for name in place), strict=True))
    joined = models.append_column(
        "teams", pa.array([",".join(sorted(met[key])) for key in keys], pa.string())
    )
    told = tallies.of_flags(named, _frame(tallies.flags_of(found["runs"]))), tallies.of_models(named)
    for column, entries in zip(tallies.COLUMNS, told, strict=True):
        joined = joined.append_column(column, tallies.lists(entries.to_arrow(), keys))
    renamed = joined.rename_columns(
        ["benchmark_id" if name == "benchmark" else name for name in joined.column_names]
    )
    return tables.checked("eval_runs", renamed)


def tally(gathered: Gathered) -> list[dict[str, Any]]:
    """Tally of each file, as the ledger has it: records = mapped + not selected + merged + quarantined."""
    rows = []
    for row in (
        gathered.counts.group_by("source_uri")
        .aggregate([(name, "sum") for name in ("records", "mapped", "not_selected", "quarantined", "runs")])
        .to_pylist()
    ):
        found = {name.removesuffix("_sum"): value for name, value in row.items()}
        kept = gathered.kept.get(found["source_uri"], found["mapped"])
        rows.append({**found, "mapped": kept, "merged": found["mapped"] - kept})
    return sorted(rows, key=lambda row: str(row["source_uri"]))


def planned(
    paths: Sequence[str],
    options: Options,
    *,
    format_name: str = AUTO,
    team: str = "laptop",
    but: Collection[str] = (),
) -> list[Item]:
    """Items of work for paths, `but` for some URIs.

    Raises
    ------
    LogError
        A path is missing or empty.
    """
    return plan.items(plan.files(paths, but=but), options, team=team, format_name=format_name)


def read(
    paths: Sequence[str],
    options: Options,
    *,
    companions: Sequence[tuple[str, Path]] = (),
    format_name: str = AUTO,
) -> Gathered:
    """Read logs and the companions (items, labels) beside them; a file that is named as one is no log.

    Raises
    ------
    LogError
        A path is missing or empty, or no reader knows any of the logs.
    SettingsError
        The mapping does not fit a file that it is named for.
    """
    plan.refuse_two_kinds((Path(path).absolute().as_posix(), kind) for kind, path in companions)
    beside = [item for kind, path in companions for item in planned([str(path)], options, format_name=kind)]
    work = planned(paths, options, format_name=format_name, but={item.uri for item in beside})
    logs = {item.uri for item in work}
    gathered = gather([*work, *beside])
    refuse_if_unusable(row for row in gathered.counts.to_pylist() if row["source_uri"] in logs)
    return gathered
