"""One report: from the moments of a lake, or of a few files, to the rows of its gold tables.

    moments, eval runs  ->  selected.py  ->  sums on own, shared, pair  ->  estimates, decompositions, standings
    workloads           ->  + solver-derived work  ->  sums of blocks   ->  the same on each scale, audits of the pool
                                                                        ->  suspects, warnings

The same code serves both engines; `engine.Engine` says what it needs of them. The driver gathers rows by model,
instance set and scale, which is the size of the result. Source: definitions.md section 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from effspark import tables
from effspark.gold import (
    calibration_rows,
    diagnosis_rows,
    outcome_rows,
    passes,
    pool_rows,
    selection_rows,
    solver_rows,
    surface_rows,
    transfer_rows,
    work_rows,
)  # fmt: skip
from effspark.gold.block_sums import Key
from effspark.gold.engine import Engine, Frame
from effspark.gold.parts import Part, references
from effspark.gold.passes import Plan
from effspark.gold.selected import Inputs, Selected, selected
from effspark.layers import cautions, doubts, exclusions, instance_work, sums, suspects
from effspark.layers.estimates import ModelSums
from effspark.layers.instance_work import Rule
from effspark.layers.ranking import Standing
from effspark.layers.workload import SOLVER_SCALE
from effspark.settings import Settings

Row = dict[str, Any]

GATHERED = (
    "estimates", "decompositions", "suspects", "pool_orders", "pool_splits", "audits", "calibrations", "selections",
    "diagnoses", "transfers", "surfaces",
)  # fmt: skip
SPREAD = ("instance_workloads",)
"""Tables that a report fills, in the order in which they are written: by the driver, and where the moments lie."""


class ReportTables(NamedTuple):
    """Rows of one report by table of `GATHERED`, and frames by table of `SPREAD`.

    `standings` is by (benchmark, model_id).
    """

    report_id: str
    fingerprint: str
    tables: dict[str, pa.Table]
    frames: dict[str, Frame]
    standings: dict[tuple[str, str], Standing]
    warnings: list[str]


class _Found(NamedTuple):
    """What one pass over the data gives beside `Selected`, for all benchmarks."""

    numbers: Mapping[str, Mapping[Key, float]]
    paired: Mapping[tuple[str, str, str], ModelSums]
    tied: Sequence[Row]
    levels: Sequence[Row]
    rules: Mapping[str, Rule]


def report_tables(given: Inputs, settings: Settings, engine: Engine) -> ReportTables:
    """All gold rows of a report over the given moments."""
    rules = instance_work.rules(settings)
    basis = selected(given, settings, engine)
    solvers = engine.kept(
        solver_rows.first_solvers(basis.cells, basis.shared, basis.parts, settings.report, engine)
    )
    plan = _plan(basis.parts, rules, settings)
    found = _Found(
        passes.sums_of_blocks(basis.cells, solvers, given.workloads, plan, engine, count=basis.covered),
        sums.pairs(basis.cells, engine.frame(references(basis.parts))),
        solver_rows.tie_blocks(solvers, given.workloads),
        surface_rows.sums_by_level(basis.cells, given.workloads),
        rules,
    )
    rows: dict[str, list[Row]] = {name: [] for name in GATHERED}
    rows["transfers"] = transfer_rows.transfer_rows(basis.report_id, basis.parts, found.numbers, settings)
    rows["suspects"] = [{"report_id": basis.report_id, **row} for row in basis.unsolved]
    for part in basis.parts:
        for name, of_part in _rows(part, found, settings).items():
            rows[name] += of_part
    return ReportTables(
        basis.report_id,
        basis.fingerprint,
        {name: tables.from_rows(name, of_table) for name, of_table in rows.items()},
        {"instance_workloads": solver_rows.instance_workloads(solvers, basis.report_id)},
        {
            (part.benchmark_id, model): place
            for part in basis.parts
            for model, place in part.standings.items()
        },
        _told(basis, found, given, settings),
    )


def _rows(part: Part, found: _Found, settings: Settings) -> dict[str, list[Row]]:
    """Rows of one benchmark by table."""
    numbers = found.numbers.get(part.benchmark_id, {})
    native = _native(found.rules, part.benchmark_id)
    scales = _scales(found.rules, part)
    tied = {
        (row["scale"], row["instance_set"]): row
        for row in found.tied
        if row["benchmark_id"] == part.benchmark_id
    }
    return {
        "estimates": outcome_rows.estimate_rows(part, settings.report)
        + work_rows.estimate_rows(part, numbers, scales, settings.report),
        "decompositions": outcome_rows.decomposition_rows(part, found.paired, settings.report)
        + work_rows.decomposition_rows(part, numbers, scales, settings.report),
        "pool_orders": pool_rows.order_rows(part, numbers, settings.report),
        "pool_splits": pool_rows.split_rows(part),
        "audits": pool_rows.audit_rows(part, numbers, native),
        "calibrations": calibration_rows.calibration_rows(part, numbers, native, tied),
        "selections": selection_rows.selection_rows(part, numbers, settings.report),
        "diagnoses": diagnosis_rows.diagnosis_rows(part, numbers, found.paired, scales, settings),
        "surfaces": surface_rows.surface_rows(part, found.levels, settings.report),
    }


def _told(basis: Selected, found: _Found, given: Inputs, settings: Settings) -> list[str]:
    """What a reader of the report must know."""
    said = []
    for part in basis.parts:
        name = part.benchmark_id
        said += cautions.of_benchmark(
            name, part.sums, part.names, basis.choices, given.eval_runs, basis.met, settings.report
        )
        said += doubts.told(name, part.names, given.eval_runs)
        said += work_rows.told(part, found.numbers.get(name, {}), _native(found.rules, name))
    names = {part.benchmark_id for part in basis.parts}
    return said + exclusions.told(basis.left_out, names) + suspects.told(basis.unsolved)


def _native(rules: Mapping[str, Rule], benchmark: str) -> tuple[str, ...]:
    return rules[benchmark].scales if benchmark in rules else ()


def _scales(rules: Mapping[str, Rule], part: Part) -> tuple[str, ...]:
    """Scales of work of a benchmark, the primary one first: native ones, then the one that solvers define."""
    return _native(rules, part.benchmark_id) + ((SOLVER_SCALE,) if part.pool.order else ())


def _plan(parts: Sequence[Part], rules: Mapping[str, Rule], settings: Settings) -> Plan:
    native = {scale for part in parts for scale in _native(rules, part.benchmark_id)}
    return Plan(
        tuple(sorted(native)),
        {part.benchmark_id: part.references for part in parts},
        {part.benchmark_id: part.pool for part in parts},
        settings.report,
    )
