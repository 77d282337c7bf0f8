"""What does a report stand on? Who judged which models, their sums on each instance, the pool, and its parts.

    moments, eval runs  ->  scorers  ->  cells (model x instance)  ->  pool, shared instances  ->  parts, with standings

Everything here is of the outcome layer alone. Source: definitions.md section 2, architecture.md section 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import narwhals as nw
import pyarrow as pa

from effspark.gold import parts, pools
from effspark.gold.engine import Engine
from effspark.gold.parts import Part
from effspark.layers import exclusions, selection, sums, suspects
from effspark.layers.moments import METHOD_VERSION
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


@dataclass(frozen=True)
class Selected:
    """What every table of a report is computed from.

    `cells` are the sums of each model on each instance (`selection.by_instance`), kept by the engine; `shared` the
    instances that all models of the pool cover; `met` how many instances any model covers, by benchmark; `unsolved`
    the rows of `suspects`; `left_out` the instances that conf excludes.
    """

    report_id: str
    fingerprint: str
    choices: Sequence[Choice]
    cells: Frame
    shared: Frame
    parts: Sequence[Part]
    met: Mapping[str, int]
    unsolved: Sequence[Row]
    left_out: pa.Table

    @property
    def covered(self) -> int:
        """Cells of all models."""
        return sum(
            summed.covered
            for part in self.parts
            for (_, which), summed in part.sums.items()
            if which == "own"
        )


def selected(given: Inputs, settings: Settings, engine: Engine) -> Selected:
    """Choices, cells and parts of a report over the given moments."""
    moments, workloads, eval_runs = given
    choices = selection.chosen_scorers(_present(moments, eval_runs, engine), settings)
    chosen = engine.frame(_choice_table(choices))
    names = sorted({choice.benchmark_id for choice in choices})
    fingerprint = _fingerprint(moments, chosen, workloads, engine.frame(_named(names)))
    report_id = keys.digest("report", settings.digest(), METHOD_VERSION, fingerprint)
    every = engine.kept(selection.by_instance(moments, chosen, refusals=settings.report.refusals))
    left_out = exclusions.excluded(settings.benchmarks)
    cells = exclusions.without(every, engine.frame(left_out)) if left_out.num_rows else every
    judged = cells.join(engine.frame(_judged(choices)), on=_MODEL, how="inner")
    covering, met = selection.pool_of(judged, least_coverage=settings.report.least_coverage)
    shown = {name: parts.shown_names(name, choices, eval_runs) for name in names}
    members = pools.members(covering, _judged(choices).to_pylist(), shown, settings.benchmarks)
    pool = engine.frame(pa.Table.from_pylist(members, _judged(()).schema))
    shared = engine.kept(selection.shared_instances(cells, pool))
    found = sums.own_and_shared(cells, shared)
    found += sums.own_whole(every) if left_out.num_rows else []
    unsolved = gathered(suspects.suspects(judged, pool)).to_pylist()
    made = [parts.part_of(report_id, name, choices, shown[name], found, members, settings) for name in names]
    return Selected(report_id, fingerprint, choices, cells, shared, made, met, unsolved, left_out)


_MODEL = ["benchmark_id", "model_id"]
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
    return pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in _MODEL]))


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
