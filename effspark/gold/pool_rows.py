"""The pool of a benchmark in a report: rows of `pool_orders`, `pool_splits` and `audits`.

    part, sums of pool_sums.py  ->  who defines work, how much of it, and how much that depends on single models

Source: paper appendices B.2 and B.3, definitions.md section 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from effspark.gold import pool_sums, work_sums
from effspark.gold.block_sums import ALL, Key
from effspark.gold.parts import Part
from effspark.gold.pool_sums import FIRST, INSTANCES, LAYER, SOLVED
from effspark.gold.undefined import known, told
from effspark.layers import estimates
from effspark.layers.outcome import efficiency, ratio
from effspark.layers.workload import SOLVER_SCALE, Workload, workload
from effspark.pool.agreement import Agreement, agreement, of_models
from effspark.pool.held_out import agreements, summary
from effspark.pool.sensitivity import TOPS
from effspark.pool.solver import shares_of
from effspark.resampling.ranks import LEAST_PAIRS
from effspark.sections import ReportSettings

Row = dict[str, Any]
Floats = npt.NDArray[np.float64]
Numbers = Mapping[Key, float]

TOO_FEW, TIED, NOTHING_SOLVED = "too_few_models", "constant_ranks", "nothing_solved"


def order_rows(part: Part, numbers: Numbers, settings: ReportSettings) -> list[Row]:
    """Rows of `pool_orders`: every model, those of the pool with their place."""
    rows = []
    for model, place in sorted(part.places.items()):
        summed = part.sums.get((model, "shared"))
        sums = estimates.settled(summed.sums, settings) if summed and part.is_scored(model) else {}
        n, tokens, correct = (np.float64(sums.get(name, 0)) for name in ("n", "tokens", "correct"))
        rows.append(
            {
                **part.place(model),
                "place": place,
                "efficiency": known(efficiency({"correct": correct, "tokens": tokens}).item()),
                "accuracy": known(ratio(correct, n).item()),
                "covered": 0 if summed is None else summed.covered,
                "first_solved": int(numbers.get(Key(pool_sums.POOL, model, "", "", 0, FIRST), 0)),
                "reason": part.pool.reasons.get(model),
            }
        )
    return rows


def split_rows(part: Part) -> list[Row]:
    """Rows of `pool_splits`: each model of the pool in each split."""
    return [
        {
            "report_id": part.report_id,
            "benchmark_id": part.benchmark_id,
            "split": split,
            "model_id": model,
            "model": part.names[model],
            "is_reference": bool(is_reference),
        }
        for split, row in enumerate(part.pool.splits)
        for model, is_reference in zip(part.pool.order, row, strict=True)
    ]


def audit_rows(part: Part, numbers: Numbers, scales: Sequence[str]) -> list[Row]:
    """Rows of `audits`.

    Parameters
    ----------
    scales
        Native scales of the benchmark.
    """
    if not part.pool.order:
        return []
    full = layer_of(numbers, work_sums.PART, part.pool.order, scale=SOLVER_SCALE, instance_set="shared")
    rows = [*_pool(part, numbers), *_leave_self_out(part, numbers, full), *_held_out(part, numbers, full)]
    for k in TOPS:
        rows += _leave_top(part, numbers, full, k)
    met = _count(numbers, pool_sums.COVERED, INSTANCES)
    for scale in scales:
        share = _count(numbers, pool_sums.COVERED, "with_work", scale=scale) / met
        rows += _of_all(part, "native", {"native_coverage": ("share", share)}, scale=scale)
    return rows


def layer_of(
    numbers: Numbers,
    part: str,
    models: Sequence[str],
    *,
    scale: str = "",
    instance_set: str = "",
    place: int = 0,
) -> Workload:
    """Workload layer of some models from the sums of a part; shape (models,)."""
    sums = (
        np.array([numbers.get(Key(part, model, scale, instance_set, place, name), 0.0) for model in models])
        for name in LAYER
    )
    return workload(*sums)


def agreement_metrics(found: Agreement, one: Workload, other: Workload) -> dict[str, tuple[str, float, str]]:
    """Metric -> (unit, value, reason if it is undefined) of how two layers agree."""
    metrics = {}
    for name, rho, shift, sides in (
        ("VO", found.rho_overhead, found.overhead_shift, (one.overhead, other.overhead)),
        ("kappa", found.rho_coupling, found.coupling_shift, (one.coupling, other.coupling)),
    ):
        pairs = int((~np.isnan(sides[0]) & ~np.isnan(sides[1])).sum())
        why = TOO_FEW if pairs < LEAST_PAIRS else TIED
        metrics[f"rho_{name}"] = ("correlation", float(rho), why)
        metrics[f"{name}_rank_shift"] = ("ranks", float(shift), TOO_FEW)
    return metrics


def _pool(part: Part, numbers: Numbers) -> list[Row]:
    instances, solved = (_count(numbers, pool_sums.POOL, name) for name in (INSTANCES, SOLVED))
    firsts = [numbers.get(Key(pool_sums.POOL, model, "", "", 0, FIRST), 0.0) for model in part.pool.order]
    found = shares_of(np.array(firsts, np.int64), int(instances))
    shares = ("top1_share", "top3_share", "rank1_share", "rank3_share")
    metrics: dict[str, tuple[Any, ...]] = {
        "models": ("models", float(len(part.pool.order))),
        "shared_instances": ("instances", instances),
        "solved_instances": ("instances", solved),
        "coverage": ("share", found.coverage, "no_shared_instance"),
        **{name: ("share", getattr(found, name), NOTHING_SOLVED) for name in shares},
        "effective_solvers": ("models", found.effective_solvers, NOTHING_SOLVED),
    }
    return _of_all(part, "pool", metrics)


def _leave_self_out(part: Part, numbers: Numbers, full: Workload) -> list[Row]:
    name, order = pool_sums.LEAVE_SELF_OUT, part.pool.order
    perturbed = layer_of(numbers, name, order)
    instances = np.float64(_count(numbers, pool_sums.POOL, INSTANCES))
    coverage = ratio(
        np.array([numbers.get(Key(name, model, "", "", 0, SOLVED), 0.0) for model in order]), instances
    )
    whole = ratio(np.float64(_count(numbers, pool_sums.POOL, SOLVED)), instances)
    metrics = agreement_metrics(agreement(full, perturbed), full, perturbed) | {
        "full_coverage": ("share", float(whole), "no_shared_instance"),
        "mean_coverage": ("share", float(coverage.mean()), "no_shared_instance"),
        "median_coverage": ("share", float(np.median(coverage)), "no_shared_instance"),
        "min_coverage": ("share", float(coverage.min()), "no_shared_instance"),
    }
    return [*_of_all(part, name, metrics), *_of_models(part, name, order, perturbed, coverage)]


def _leave_top(part: Part, numbers: Numbers, full: Workload, k: int) -> list[Row]:
    name, rest = pool_sums.leave_top(k), part.pool.order[k:]
    base, perturbed = of_models(full, np.arange(k, k + len(rest))), layer_of(numbers, name, rest)
    instances = np.float64(_count(numbers, pool_sums.POOL, INSTANCES))
    coverage = ratio(np.float64(_count(numbers, name, SOLVED)), instances)
    metrics = agreement_metrics(agreement(base, perturbed), base, perturbed) | {
        "coverage": ("share", float(coverage), "no_shared_instance")
    }
    return [*_of_all(part, name, metrics), *_of_models(part, name, rest, perturbed)]


def _held_out(part: Part, numbers: Numbers, full: Workload) -> list[Row]:
    name, order, splits = pool_sums.HELD_OUT, part.pool.order, part.pool.splits
    layers = [layer_of(numbers, name, order, place=split) for split in range(len(splits))]
    if not layers:
        return _of_all(part, name, {"splits": ("splits", 0.0)})
    under = Workload(*(np.stack(sides) for sides in zip(*layers, strict=True)))
    instances = np.full(len(splits), _count(numbers, pool_sums.POOL, INSTANCES))
    solved = np.array([_count(numbers, name, SOLVED, place=split) for split in range(len(splits))])
    found = summary(agreements(full, under, splits, ratio(solved, instances)))
    metrics = {
        "splits": ("splits", float(found.splits), TOO_FEW),
        "median_coverage": ("share", found.median_coverage, "no_shared_instance"),
        "median_rho_VO": ("correlation", found.median_rho_overhead, TOO_FEW),
        "p05_rho_VO": ("correlation", found.low_rho_overhead, TOO_FEW),
        "p95_rho_VO": ("correlation", found.high_rho_overhead, TOO_FEW),
        "median_rho_kappa": ("correlation", found.median_rho_coupling, TOO_FEW),
        "undefined_rho_VO": ("splits", float(found.undefined_rho_overhead), TOO_FEW),
        "undefined_rho_kappa": ("splits", float(found.undefined_rho_coupling), TOO_FEW),
    }
    return _of_all(part, name, metrics)


def _of_models(
    part: Part, audit: str, models: Sequence[str], layer: Workload, coverage: Floats | None = None
) -> Iterator[Row]:
    """Rows of the models that an audit measures again."""
    values = {"VO": ("tokens per unit of work", layer.overhead), "kappa": ("ratio", layer.coupling)}
    if coverage is not None:
        values["coverage"] = ("share", coverage)
    for name, (unit, of_models_) in values.items():
        for model, value in zip(models, of_models_, strict=True):
            base = {**_base(part, audit, SOLVER_SCALE), "model_id": model, "model": part.names[model]}
            yield {**base, **_told(name, unit, float(value), NOTHING_SOLVED)}


def _of_all(
    part: Part, audit: str, metrics: Mapping[str, tuple[Any, ...]], *, scale: str = SOLVER_SCALE
) -> list[Row]:
    base = {**_base(part, audit, scale), "model_id": ALL, "model": ALL}
    return [{**base, **_told(name, *of_metric)} for name, of_metric in metrics.items()]


def _base(part: Part, audit: str, scale: str) -> Row:
    return {"report_id": part.report_id, "benchmark_id": part.benchmark_id, "audit": audit, "scale": scale}


def _told(metric: str, unit: str, value: float, reason: str | None = None) -> Row:
    return {"metric": metric, "unit": unit, **told(value, reason)}


def _count(numbers: Numbers, part: str, name: str, *, scale: str = "", place: int = 0) -> float:
    return numbers.get(Key(part, ALL, scale, "", place, name), 0.0)
