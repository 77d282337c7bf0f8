"""One report: from the moments of a lake, or of a few files, to the rows of its gold tables.

    moments, eval runs  ->  choices  ->  sums on own, shared, pair  ->  estimates, decompositions, standing, warnings
                                     ->  suspects

The same code serves both engines; `Engine` says how small tables become frames and how a frame is kept. The driver
gathers one row a model and instance set, which is the size of the result. Source: definitions.md section 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import narwhals as nw
import pyarrow as pa

from effspark import tables
from effspark.layers import cautions, estimates, exclusions, ranking, selection, sums, suspects
from effspark.layers.estimates import ModelSums
from effspark.layers.moments import METHOD_VERSION
from effspark.layers.ranking import Standing
from effspark.layers.selection import Choice, gathered
from effspark.runs import display, keys
from effspark.settings import Settings

Frame = Any
Row = dict[str, Any]


class Engine(Protocol):
    """What a report needs of the engine that holds the moments."""

    def frame(self, table: pa.Table) -> Frame:
        """A small table as a narwhals frame of the engine."""

    def kept(self, frame: Frame) -> Frame:
        """A frame that is used several times, computed once."""


class ReportTables(NamedTuple):
    """Rows of one report. `standings` is by (benchmark, model_id)."""

    report_id: str
    fingerprint: str
    estimates: pa.Table
    decompositions: pa.Table
    suspects: pa.Table
    standings: dict[tuple[str, str], Standing]
    warnings: list[str]


@dataclass(frozen=True)
class _Benchmark:
    """What one benchmark's part of a report is made of."""

    report_id: str
    benchmark_id: str
    scorers: dict[str, str]
    names: dict[str, str]
    sums: dict[tuple[str, str], ModelSums]
    standings: dict[str, Standing]

    def place(self, model_id: str) -> Row:
        return {
            "report_id": self.report_id,
            "benchmark_id": self.benchmark_id,
            "scorer": self.scorers[model_id],
            "model_id": model_id,
            "model": self.names[model_id],
        }


def report_tables(moments: Frame, eval_runs: pa.Table, settings: Settings, engine: Engine) -> ReportTables:
    """All gold rows of a report over the given moments.

    Parameters
    ----------
    moments
        Frame of the table `moments`.
    eval_runs
        The table `eval_runs`.
    """
    choices = selection.chosen_scorers(_present(moments, eval_runs, engine), settings)
    chosen = engine.frame(_choice_table(choices))
    fingerprint = _fingerprint(moments, chosen)
    report_id = keys.digest("report", settings.digest(), METHOD_VERSION, fingerprint)
    every = engine.kept(selection.by_instance(moments, chosen, refusals=settings.report.refusals))
    left_out = exclusions.excluded(settings.benchmarks)
    cells = exclusions.without(every, engine.frame(left_out)) if left_out.num_rows else every
    judged = cells.join(engine.frame(_judged(choices)), on=_MODEL, how="inner")
    members, met = selection.pool_of(judged, least_coverage=settings.report.least_coverage)
    pool = engine.frame(pa.Table.from_pylist(members, _POOL))
    found = sums.own_and_shared(cells, selection.shared_instances(cells, pool))
    found += sums.own_whole(every) if left_out.num_rows else []
    unsolved = gathered(suspects.suspects(judged, pool)).to_pylist()
    parts = [
        _benchmark(report_id, benchmark, choices, eval_runs, found, settings)
        for benchmark in sorted({choice.benchmark_id for choice in choices})
    ]
    paired = sums.pairs(cells, engine.frame(_references(parts)))
    rows = [row for part in parts for row in _estimates(part, settings)]
    gaps = [row for part in parts for row in _decompositions(part, paired, settings)]
    said = [
        text
        for part in parts
        for text in cautions.of_benchmark(
            part.benchmark_id, part.sums, part.names, choices, eval_runs, met, settings.report
        )
    ]
    said += exclusions.told(left_out, {part.benchmark_id for part in parts}) + suspects.told(unsolved)
    return ReportTables(
        report_id,
        fingerprint,
        tables.from_rows("estimates", rows),
        tables.from_rows("decompositions", gaps),
        tables.from_rows("suspects", [{"report_id": report_id, **row} for row in unsolved]),
        {(part.benchmark_id, model): place for part in parts for model, place in part.standings.items()},
        said,
    )


_MODEL = ["benchmark_id", "model_id"]
_POOL = pa.schema([("benchmark_id", pa.string()), ("model_id", pa.string()), ("covered", pa.int64())])
_CHOICE = pa.schema([(name, pa.string()) for name in Choice._fields if name != "alternatives"])
_REFERENCES = pa.schema([(name, pa.string()) for name in ("benchmark_id", "model_id", "reference_id")])


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


def _fingerprint(moments: Frame, chosen: Frame) -> str:
    place = ["benchmark_id", "eval_run_id", "config_id", "scorer"]
    total = gathered(moments.join(chosen, on=place, how="inner").select(nw.col("fingerprint").sum()))
    return str(total["fingerprint"][0].as_py() or 0)


def _benchmark(
    report_id: str,
    benchmark: str,
    choices: Sequence[Choice],
    eval_runs: pa.Table,
    found: Sequence[ModelSums],
    settings: Settings,
) -> _Benchmark:
    here = [choice for choice in choices if choice.benchmark_id == benchmark]
    scorers: dict[str, set[str]] = {}
    for choice in set(here) - set(selection.unjudged(here)):
        scorers.setdefault(choice.model_id, set()).add(choice.scorer)
    models = {row["model_id"]: row for row in eval_runs.to_pylist() if row["benchmark_id"] == benchmark}
    shown = display.display_names([models[model] for model in sorted(scorers)])
    own = {(part.model_id, part.instance_set): part for part in found if part.benchmark_id == benchmark}
    signed = {model: "+".join(sorted(names)) for model, names in scorers.items()}
    common = [part for (_, instance_set), part in own.items() if instance_set == "shared"]
    standings = ranking.standings(common, signed, shown, settings.report)
    return _Benchmark(report_id, benchmark, signed, shown, own, standings)


def _references(parts: Sequence[_Benchmark]) -> pa.Table:
    """The reference of each model that has one."""
    rows = [
        {"benchmark_id": part.benchmark_id, "model_id": model, "reference_id": standing.reference_id}
        for part in parts
        for model, standing in part.standings.items()
        if standing.reference_id is not None
    ]
    return pa.Table.from_pylist(rows, _REFERENCES)


def _estimates(part: _Benchmark, settings: Settings) -> list[Row]:
    rows = []
    for (model, _), summed in sorted(part.sums.items()):
        scored = part.scorers[model] != ""
        rows += estimates.estimate_rows(summed, part.place(model), scored=scored, settings=settings.report)
    return rows + [
        ranking.rank_row(part.place(model), standing) for model, standing in sorted(part.standings.items())
    ]


def _decompositions(
    part: _Benchmark, paired: dict[tuple[str, str, str], ModelSums], settings: Settings
) -> list[Row]:
    rows = []
    for model, standing in sorted(part.standings.items()):
        reference = standing.reference_id
        if reference is None:
            continue
        place = {**part.place(model), "reference_id": reference, "reference": part.names[reference]}
        sides = {"own": (part.sums[model, "own"], part.sums[reference, "own"])}
        pair = paired.get((part.benchmark_id, model, "pair"))
        if pair is not None:
            sides["pair"] = (pair, paired[part.benchmark_id, model, "pair_reference"])
        for instance_set, (own, other) in sides.items():
            rows += estimates.decomposition_rows(
                own.sums, other.sums, place, instance_set=instance_set, settings=settings.report
            )
    return rows
