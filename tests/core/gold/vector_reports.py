"""The shared vectors as benchmarks of one report, and what its tables must then say.

Each vector whose quantity a table holds becomes a benchmark of its name. `faults` compares every number of a vector
with the rows of the report, to the tolerance of definitions.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from effspark import settings as conf
from effspark import tables
from effspark.gold import pools
from effspark.layers import instance_work, moments
from effspark.settings import Settings
from tests.core.layers.reports import beside_scorers, worked
from tests.core.layers.rows import eval_run, of_vector, table
from tests.core.pool.loops import Run, names, vector

Row = dict[str, Any]
Rows = Mapping[str, Sequence[Row]]
"""Rows of a report by table."""
Told = Iterator[tuple[str, Any, Any]]
"""What is compared, as the report and as the vector have it."""

POOLED = (
    "audit_calibration_common", "audit_calibration_constant_W", "audit_calibration_own", "audit_held_out",
    "audit_leave_self_out", "audit_leave_self_out_unequal", "audit_leave_top_1", "audit_leave_top_3",
    "audit_leave_top_5", "audit_rank", "audit_shared_instances", "audit_solver_audit", "audit_solver_workload",
    "delta_log_unequal_coverage", "delta_log_unequal_coverage_shared", "rank_ties", "solver_audit",
    "solver_repeats_mean", "solver_workload",
)  # fmt: skip
OTHERS = (
    "audit_outcome_table", "audit_workload_table", "delta_log_never_completed", "delta_log_outcome_only",
    "delta_log_same_instances",
    "delta_log_zero_correct", "outcome_all_zero_tokens", "outcome_basic", "outcome_no_completed_run",
    "outcome_truncated_but_labelled_correct", "outcome_zero_and_missing_tokens", "outcome_zero_correct",
    "factor_surface", "selection_effects", "selection_effects_no_incorrect", "workload_all_T_zero",
    "workload_basic", "workload_constant_T", "workload_constant_W",
)  # fmt: skip
NAMES = (*POOLED, *OTHERS)


def runs_of(name: str) -> list[Run]:
    """Runs of a vector; one that gives T and W alone is of one model."""
    given = vector(name)[0]
    if "runs" in given:
        runs: list[Run] = given["runs"]
        return runs
    whole = {"model": "m", "repeat": 0, "completed": True, "correct": True}
    return [
        {**whole, "instance": f"i{place}", "tokens": tokens} for place, tokens in enumerate(given["tokens"])
    ]


def work_of(name: str) -> dict[str, float]:
    """W by instance, where a vector gives any."""
    given = vector(name)[0]
    if "workload" in given:
        return {f"i{place}": float(work) for place, work in enumerate(given["workload"])}
    return {instance: float(work) for instance, work in (given.get("W") or {}).items()}


def settings() -> Settings:
    """Settings under which all vectors stand in one report."""
    one = [f"benchmarks.{name}.scorers=[s]" for name in NAMES]
    two = [f"benchmarks.{name}.declared={{W: w}}" for name in NAMES if work_of(name)]
    three = [f"benchmarks.{name}.pool=[{', '.join(names(runs_of(name), 'model'))}]" for name in POOLED]
    return conf.load(overrides=[*one, *two, *three, "benchmarks.factor_surface.axes=[N]"])


def inputs() -> dict[str, pa.Table]:
    """Tables `moments`, `workloads` and `eval_runs` of all vectors."""
    logged = [
        of_vector(run, benchmark_id=name, eval_run_id=name) | {"verdicts": {"s": run["correct"]}}
        for name in NAMES
        for run in runs_of(name)
    ]
    models = [(name, model) for name in NAMES for model in names(runs_of(name), "model")]
    return {
        "moments": moments.partial_moments(table(beside_scorers(logged))),
        "workloads": pa.concat_tables([*(worked({"W": work_of(name)}, name) for name in NAMES), _levels()]),
        "eval_runs": tables.from_rows(
            "eval_runs", [eval_run(model, benchmark_id=name, eval_run_id=name) for name, model in models]
        ),
    }


def _levels() -> pa.Table:
    levels = {run["instance"]: float(run["N"]) for run in runs_of("factor_surface")}
    rows = worked({instance_work.scale_of("N"): levels}, "factor_surface")
    return rows.set_column(
        rows.schema.get_field_index("kind"), rows.schema.field("kind"), pa.array(["axis"] * len(rows))
    )


def splits(model_ids: tuple[str, ...], *, seed: int, count: int) -> np.ndarray:
    """The splits of the vector of held-out pools, in place of drawn ones."""
    given = vector("audit_held_out")[0]
    if set(model_ids) != set(names(given["runs"], "model")):
        return _drawn(model_ids, seed=seed, count=count)
    return np.array([[model in half for model in model_ids] for half, _ in given["splits"]])


_drawn = pools.pool_splits


def faults(name: str, report: Rows) -> list[str]:
    """Every number of a vector that the report has otherwise."""
    here = {kind: [row for row in rows if row["benchmark_id"] == name] for kind, rows in report.items()}
    kind = next(part for part in _CHECKS if part in name)
    told = list(_CHECKS[kind](name, here))
    assert told, name
    return [f"{what}: {found} for {wanted}" for what, found, wanted in told if not _same(found, wanted)]


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, str) and wanted in ("NaN", "-inf"):
        return found is None if wanted == "NaN" else found == -math.inf
    if wanted is None or isinstance(wanted, (str, list)):
        return bool(found == wanted)
    return found is not None and math.isclose(found, wanted, rel_tol=1e-12, abs_tol=1e-12)


def _values(rows: Sequence[Row], *place: str, name: str = "metric", **where: Any) -> dict[Any, Any]:
    """Values by place and metric of the rows in which some columns have a value."""
    kept = [row for row in rows if all(row[column] == value for column, value in where.items())]
    return {(*(row[column] for column in place), row[name]): row["value"] for row in kept}


_OUTCOME = {
    "E0": "E0", "accuracy": "accuracy", "mean_tokens": "mean_T", "n": "n", "n_correct": "n_correct",
    "n_missing_tokens": "n_missing", "n_truncated_but_labelled_correct": "n_truncated_correct",
    "r_ctx": "r_ctx", "r_logic": "r_logic", "total_tokens": "n_tokens",
}  # fmt: skip


def _outcome(name: str, here: Rows) -> Told:
    expected = vector(name)[1]
    read = _values(here["estimates"], "model", layer="outcome", instance_set="own")
    for row in expected if isinstance(expected, list) else [{**expected, "model": "m"}]:
        for theirs, ours in _OUTCOME.items():
            yield f"{row['model']} {ours}", read[row["model"], ours], row[theirs]


def _layer(rows: Sequence[Row], read: Mapping[Any, Any], columns: Sequence[str], *place: str) -> Told:
    for row in rows:
        for column in columns:
            yield f"{place} {row['model']} {column}", read[(row["model"], *place, column)], row[column]


def _workload(name: str, here: Rows) -> Told:
    expected = vector(name)[1]
    read = _values(here["estimates"], "model", layer="workload", scale="W", instance_set="own")
    rows = expected if isinstance(expected, list) else [{**expected, "model": "m"}]
    return _layer(rows, read, ("VO", "kappa", "mean_W", "mean_T", "n"))


def _decomposition(name: str, here: Rows) -> Told:
    given, expected = vector(name)
    where = {
        "layer": "workload" if given["W"] else "outcome",
        "scale": "W" if given["W"] else "",
        "instance_set": "pair" if given["shared"] else "own",
    }
    read = _values(here["decompositions"], "model", "reference", name="term", **where)
    place = given["model"], given["reference"]
    for term, value in {**expected["terms"], "total": expected["total"], "sum": expected["sum"]}.items():
        yield term, read[(*place, term)], value


def _ranks(name: str, here: Rows) -> Told:
    read = _values(here["estimates"], "model", instance_set="shared", layer="outcome")
    ranked = {value: model for (model, metric), value in read.items() if metric == "rank"}
    yield "ranks", [ranked[rank] for rank in sorted(ranked)], vector(name)[1]


def _shared(name: str, here: Rows) -> Told:
    yield "shared", sorted(row["instance_id"] for row in here["instance_workloads"]), vector(name)[1]


def _solvers(name: str, here: Rows) -> Told:
    read = {row["instance_id"]: row for row in here["instance_workloads"]}
    solved = {instance for instance, row in read.items() if row["work"] is not None}
    expected = vector(name)[1]
    yield "solved", sorted(solved), sorted(row["instance"] for row in expected)
    for row in expected:
        found = read[row["instance"]]
        for ours, theirs in (("work", "W"), ("solver", "solver"), ("rank", "solver_rank")):
            yield f"{row['instance']} {theirs}", found[ours], row[theirs]


def _pool(name: str, here: Rows) -> Told:
    expected = vector(name)[1]
    read = _values(here["audits"], audit="pool")
    shares = ("coverage", "top1_share", "top3_share", "rank1_share", "rank3_share", "effective_solvers")
    renamed = {share: share for share in shares} | {
        "shared_instances": "shared_instances",
        "solved_instances": "solved",
    }
    for ours, theirs in renamed.items():
        yield ours, read[(ours,)], expected[theirs]
    first = {row["model"]: row["first_solved"] for row in here["pool_orders"]}
    for model, count in expected["counts"].items():
        yield f"{model} counts", first[model], count


_AGREEMENT = {
    "rho_VO": "rho_VO", "rho_kappa": "rho_kappa", "VO_rank_shift": "max_VO_rank_shift",
    "kappa_rank_shift": "max_kappa_rank_shift",
}  # fmt: skip


def _compared(read: Mapping[Any, Any], expected: Row, also: Mapping[str, str]) -> Told:
    for ours, theirs in {**_AGREEMENT, **also}.items():
        yield ours, read[(ours,)], expected[theirs]


def _sensitivity(name: str, here: Rows) -> Told:
    given, expected = vector(name)
    audit = f"leave_top_{given['k']}" if "k" in given else "leave_self_out"
    coverages = {f"{which}_coverage": f"coverage_{which}" for which in ("full", "mean", "median", "min")}
    yield from _compared(
        _values(here["audits"], audit=audit, model_id=""),
        expected,
        {"coverage": "coverage"} if "k" in given else coverages,
    )
    yield from _layer(expected["perturbed"], _values(here["audits"], "model", audit=audit), ("VO", "kappa"))
    full = _values(here["estimates"], "model", layer="workload", scale="W_solv", instance_set="shared")
    yield from _layer(expected["base"], full, ("VO", "kappa", "mean_W", "mean_T", "n"))


def _held_out(name: str, here: Rows) -> Told:
    read, expected = _values(here["audits"], audit="held_out"), vector(name)[1]
    same = (
        "median_coverage",
        "median_rho_VO",
        "median_rho_kappa",
        "p05_rho_VO",
        "p95_rho_VO",
        "undefined_rho_VO",
    )
    for ours, theirs in {**{metric: metric for metric in same}, "splits": "n_splits"}.items():
        yield ours, read[(ours,)], expected[theirs]


def _calibration(name: str, here: Rows) -> Told:
    given, expected = vector(name)
    where = "common" if given["common_instances"] else "shared"
    also = {
        "tau_VO": "tau_VO", "tau_kappa": "tau_kappa", "native_coverage": "native_coverage",
        "solver_coverage": "solver_coverage", "instances": "retained_instances", "unique_work": "unique_W",
        "largest_tie_block": "largest_tie_block",
    }  # fmt: skip
    yield from _compared(_values(here["calibrations"], scale="W", instance_set=where), expected, also)


def _selections(name: str, here: Rows) -> Told:
    expected = vector(name)[1]
    read = _values(here["selections"], model="m", instance_set="own")
    ours = {"mean_T_correct": "T_correct", "mean_T_incorrect": "T_incorrect", "ratio": "ratio"}
    for metric, theirs in {**ours, "n_correct": "n_correct", "n_incorrect": "n_incorrect"}.items():
        yield metric, read[(metric,)], expected[theirs]
    rows = [
        row
        for row in here["selections"]
        if (row["model"], row["instance_set"], row["metric"]) == ("m", "own", "ratio")
    ]
    yield "pattern", rows[0]["pattern"], expected["pattern"]


def _surface(name: str, here: Rows) -> Told:
    expected = vector(name)[1]
    read = _values(here["surfaces"], "model", "level", axis="N")
    for model, levels in expected["surface"].items():
        for level, value in levels.items():
            yield f"{model} {level}", read[model, float(level), "E0"], value
        yield f"{model} drop", read[model, 250.0, "drop"], expected["drop"][model]


_CHECKS: dict[str, Callable[[str, Rows], Told]] = {
    "calibration": _calibration,
    "held_out": _held_out,
    "leave_": _sensitivity,
    "delta_log": _decomposition,
    "rank": _ranks,
    "shared": _shared,
    "solver_audit": _pool,
    "solver_": _solvers,
    "selection": _selections,
    "surface": _surface,
    "outcome": _outcome,
    "workload": _workload,
}
"""By a part of the name; the first that fits."""
