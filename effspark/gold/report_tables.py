"""One report: from the moments of a lake, or of a few files, to the rows of its gold tables.

    moments, eval runs  ->  choices  ->  sums on own, shared, pair  ->  estimates, decompositions, standing, warnings
    workloads                        ->  sums of blocks, by scale    ->  the same of the workload layer
                                     ->  suspects

The same code serves both engines; `passes.Engine` says what it needs of them. The driver gathers rows by model,
instance set and scale, which is the size of the result. Source: definitions.md section 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import pyarrow as pa

from effspark import tables
from effspark.gold import outcome_rows, passes, work_rows
from effspark.gold.parts import Part, part_of, references
from effspark.gold.passes import Engine, Plan
from effspark.layers import cautions, doubts, exclusions, instance_work, selection, sums, suspects
from effspark.layers.estimates import ModelSums
from effspark.layers.instance_work import Rule
from effspark.layers.moments import METHOD_VERSION
from effspark.layers.ranking import Standing
from effspark.layers.selection import Choice, gathered
from effspark.runs import keys
from effspark.settings import Settings

Frame = Any
Row = dict[str, Any]


class Inputs(NamedTuple):
    """What a report is made of: frames of the tables `moments` and `workloads`, and the table `eval_runs`."""

    moments: Frame
    workloads: Frame
    eval_runs: pa.Table


class ReportTables(NamedTuple):
    """Rows of one report. `standings` is by (benchmark, model_id)."""

    report_id: str
    fingerprint: str
    estimates: pa.Table
    decompositions: pa.Table
    suspects: pa.Table
    standings: dict[tuple[str, str], Standing]
    warnings: list[str]


def report_tables(given: Inputs, settings: Settings, engine: Engine) -> ReportTables:
    """All gold rows of a report over the given moments."""
    (moments, workloads, eval_runs), rules = given, instance_work.rules(settings)
    choices = selection.chosen_scorers(_present(moments, eval_runs, engine), settings)
    chosen = engine.frame(_choice_table(choices))
    names = sorted({choice.benchmark_id for choice in choices})
    fingerprint = _fingerprint(moments, chosen, workloads, engine.frame(_named(names)))
    report_id = keys.digest("report", settings.digest(), METHOD_VERSION, fingerprint)
    every = engine.kept(selection.by_instance(moments, chosen, refusals=settings.report.refusals))
    left_out = exclusions.excluded(settings.benchmarks)
    cells = exclusions.without(every, engine.frame(left_out)) if left_out.num_rows else every
    judged = cells.join(engine.frame(_judged(choices)), on=_MODEL, how="inner")
    members, met = selection.pool_of(judged, least_coverage=settings.report.least_coverage)
    pool = engine.frame(pa.Table.from_pylist(members, _POOL))
    shared = selection.shared_instances(cells, pool)
    found = sums.own_and_shared(cells, shared)
    found += sums.own_whole(every) if left_out.num_rows else []
    unsolved = gathered(suspects.suspects(judged, pool)).to_pylist()
    parts = [part_of(report_id, name, choices, eval_runs, found, settings) for name in names]
    plan = _plan(parts, rules, settings)
    worked = passes.sums_of_blocks(cells, shared, workloads, plan, engine, count=_covered(found))
    paired = sums.pairs(cells, engine.frame(references(parts)))
    rows, gaps, said = [], [], []
    for part in parts:
        work = (part, worked.get(part.benchmark_id, {}), _scales(rules, part.benchmark_id))
        rows += outcome_rows.estimate_rows(part, settings.report)
        rows += work_rows.estimate_rows(*work, settings.report)
        gaps += outcome_rows.decomposition_rows(part, paired, settings.report)
        gaps += work_rows.decomposition_rows(*work, settings.report)
        said += _cautions(part, choices, eval_runs, met, settings)
        said += work_rows.told(*work)
    said += exclusions.told(left_out, set(names)) + suspects.told(unsolved)
    return ReportTables(
        report_id,
        fingerprint,
        tables.from_rows("estimates", rows),
        tables.from_rows("decompositions", gaps),
        tables.from_rows("suspects", [{"report_id": report_id, **row} for row in unsolved]),
        {(part.benchmark_id, model): place for part in parts for model, place in part.standings.items()},
        said,
    )


def _cautions(
    part: Part, choices: Sequence[Choice], eval_runs: pa.Table, met: Mapping[str, int], settings: Settings
) -> list[str]:
    said = cautions.of_benchmark(
        part.benchmark_id, part.sums, part.names, choices, eval_runs, met, settings.report
    )
    return said + doubts.told(part.benchmark_id, part.names, eval_runs)


_MODEL = ["benchmark_id", "model_id"]
_POOL = pa.schema([("benchmark_id", pa.string()), ("model_id", pa.string()), ("covered", pa.int64())])
_CHOICE = pa.schema([(name, pa.string()) for name in Choice._fields if name != "alternatives"])


def _present(moments: Frame, eval_runs: pa.Table, engine: Engine) -> list[Row]:
    place = ["benchmark_id", "eval_run_id", "config_id"]
    known = engine.frame(eval_runs.select([*place, "model_id"]))
    found = moments.select(*place, "scorer").unique().join(known, on=place, how="inner")
    rows: list[Row] = gathered(found).to_pylist()
    return rows


def _choice_table(choices: Sequence[Choice]) -> pa.Table:
    return pa.Table.from_pylist([choice._asdict() for choice in choices], _CHOICE)


def _judged(choices: Sequence[Choice]) -> pa.Table:
    """Models that somebody has judged."""
    judged = sorted({(choice.benchmark_id, choice.model_id) for choice in choices if choice.scorer})
    rows = [{"benchmark_id": benchmark, "model_id": model} for benchmark, model in judged]
    return pa.Table.from_pylist(rows, pa.schema(_POOL.field(name) for name in _MODEL))


def _fingerprint(moments: Frame, chosen: Frame, workloads: Frame, benchmarks: Frame) -> str:
    """Order-free fingerprint of the moments and the work that the report reads."""
    place = ["benchmark_id", "eval_run_id", "config_id", "scorer"]
    used = (
        moments.join(chosen, on=place, how="inner"), workloads.join(benchmarks, on="benchmark_id", how="inner"),
    )  # fmt: skip
    totals = [gathered(frame.select(nw.col("fingerprint").sum()))["fingerprint"][0].as_py() for frame in used]
    return ":".join(str(total or 0) for total in totals)


def _named(names: Sequence[str]) -> pa.Table:
    return pa.table({"benchmark_id": pa.array(names, pa.string())})


def _scales(rules: Mapping[str, Rule], benchmark: str) -> tuple[str, ...]:
    return rules[benchmark].scales if benchmark in rules else ()


def _covered(found: Sequence[ModelSums]) -> int:
    """Cells of all models."""
    return sum(summed.covered for summed in found if summed.instance_set == "own")


def _plan(parts: Sequence[Part], rules: Mapping[str, Rule], settings: Settings) -> Plan:
    scales = sorted({scale for part in parts for scale in _scales(rules, part.benchmark_id)})
    return Plan(tuple(scales), {part.benchmark_id: part.references for part in parts}, settings.report)
