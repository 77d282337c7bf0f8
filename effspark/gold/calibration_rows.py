"""Does solver-derived work order the models of a benchmark as its native work does? Rows of `calibrations`.

    shared   each scale on the shared instances that have it
    common   both on the shared instances that have both

Source: paper section 5.3 and appendix C.1, definitions.md section 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from effspark.gold import pool_sums, work_sums
from effspark.gold.block_sums import ALL, Key
from effspark.gold.parts import Part
from effspark.gold.pool_rows import agreement_metrics, layer_of
from effspark.gold.undefined import told
from effspark.layers.workload import SOLVER_SCALE, Workload
from effspark.pool.agreement import agreement
from effspark.pool.calibration import taus

Row = dict[str, Any]
Numbers = Mapping[Key, float]

SETS = ("shared", "common")


def calibration_rows(
    part: Part, numbers: Numbers, scales: Sequence[str], tied: Mapping[tuple[str, str], Row]
) -> list[Row]:
    """Rows of `calibrations` of one benchmark.

    Parameters
    ----------
    scales
        Its native scales.
    tied
        Rows of `solver_rows.tie_blocks` of the benchmark, by scale and instance set.
    """
    if not part.pool.order:
        return []
    rows = []
    for scale in scales:
        for instance_set in SETS:
            native, solver = _layers(part, numbers, scale, instance_set)
            geometry = tied.get((scale, instance_set), {})
            metrics = _metrics(native, solver) | {
                "instances": ("instances", float(geometry.get("instances", 0)), ""),
                "unique_work": ("values", float(geometry.get("unique", 0)), ""),
                "largest_tie_block": ("instances", float(geometry.get("largest", 0)), ""),
                **_coverages(numbers, tied, scale),
            }
            base = {"report_id": part.report_id, "benchmark_id": part.benchmark_id, "scale": scale}
            for name, (unit, value, why) in metrics.items():
                rows.append(
                    {**base, "instance_set": instance_set, "metric": name, "unit": unit, **told(value, why)}
                )
    return rows


def _layers(part: Part, numbers: Numbers, scale: str, instance_set: str) -> tuple[Workload, Workload]:
    order = part.pool.order
    if instance_set == "common":
        both = (
            layer_of(numbers, pool_sums.COMMON, order, scale=scale, instance_set=which)
            for which in ("native", "solver")
        )
    else:
        both = (
            layer_of(numbers, work_sums.PART, order, scale=one, instance_set=instance_set)
            for one in (scale, SOLVER_SCALE)
        )
    native, solver = both
    return native, solver


def _metrics(native: Workload, solver: Workload) -> dict[str, tuple[str, float, str]]:
    metrics = agreement_metrics(agreement(native, solver), native, solver)
    for name, tau in zip(("VO", "kappa"), taus(native, solver), strict=True):
        metrics[f"tau_{name}"] = ("correlation", tau, metrics[f"rho_{name}"][2])
    return metrics


def _coverages(
    numbers: Numbers, tied: Mapping[tuple[str, str], Row], scale: str
) -> dict[str, tuple[str, float, str]]:
    """Shares of the shared instances that have native work, and that the pool solves."""
    instances, solved = (
        numbers.get(Key(pool_sums.POOL, ALL, "", "", 0, name), 0.0)
        for name in (pool_sums.INSTANCES, pool_sums.SOLVED)
    )
    native = float(tied.get((scale, "shared"), {}).get("instances", 0))
    shares = {"native_coverage": native, "solver_coverage": solved}
    return {
        name: ("share", count / instances if instances else float("nan"), "no_shared_instance")
        for name, count in shares.items()
    }
