"""Do models keep their order from one benchmark to another? Rows of `transfers`, over the parts of a report.

    E0, accuracy, and VO and kappa under solver-derived work, on the shared instances of each benchmark
        ->  Spearman's rho of every two benchmarks over the models of both, with intervals over resamples of the models

Source: paper section 5.4 and appendix C.1, definitions.md section 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from effspark.analyses.transfer import Correlation, Mode, correlation
from effspark.gold import work_sums
from effspark.gold.block_sums import ALL, Key
from effspark.gold.parts import Part
from effspark.gold.pool_rows import TIED, TOO_FEW, layer_of
from effspark.layers.estimates import settled
from effspark.layers.outcome import efficiency, ratio
from effspark.layers.workload import SOLVER_SCALE
from effspark.resampling.draws import multinomial
from effspark.resampling.percentiles import median
from effspark.resampling.ranks import LEAST_PAIRS
from effspark.resampling.words import Purpose, model_keys
from effspark.settings import Settings

Row = dict[str, Any]
Numbers = Mapping[Key, float]
Floats = npt.NDArray[np.float64]

METRICS = ("E0", "accuracy", "VO", "kappa")
OVER_PAIRS = "over_pairs"
UNSTABLE, ONE_PAIR = "too_many_undefined_resamples", "one_pair"


def transfer_rows(
    report_id: str, parts: Sequence[Part], numbers: Mapping[str, Numbers], settings: Settings
) -> list[Row]:
    """Rows of every pair of benchmarks, metric and mode, and of each metric over the pairs."""
    values = {
        part.benchmark_id: _values(part, numbers.get(part.benchmark_id, {}), settings)
        for part in parts
        if part.pool.order
    }
    rows, defined = [], dict[str, list[float]]()
    for one, other in combinations(sorted(values), 2):
        common = _by_key(set(values[one]) & set(values[other]))
        drawn = multinomial(
            len(common),
            np.arange(settings.resampling.resamples),
            seed=settings.resampling.seed,
            purpose=Purpose.MODELS,
        )
        for place, metric in enumerate(METRICS):
            x, y = (np.array([values[name][model][place] for model in common]) for name in (one, other))
            base = {"report_id": report_id, "benchmark_id": one, "other_id": other, "metric": metric}
            found = {
                mode: correlation(x, y, drawn, mode=mode, level=settings.resampling.level) for mode in Mode
            }
            rows += [{**base, "mode": mode.value, **_told(found[mode], x, y, settings)} for mode in Mode]
            rho = found[Mode.FIXED].rho  # that of the full sample, in either mode
            if not np.isnan(rho):
                defined.setdefault(metric, []).append(rho)
    return rows + [_over_pairs(report_id, metric, rhos) for metric, rhos in sorted(defined.items())]


def _values(part: Part, numbers: Numbers, settings: Settings) -> dict[str, tuple[float, ...]]:
    """Metrics of each judged model that covers enough of the shared instances, by model_id; undefined is NaN."""
    models = [model for model, standing in part.standings.items() if standing.rank is not None]
    layer = layer_of(numbers, work_sums.PART, models, scale=SOLVER_SCALE, instance_set="shared")
    found = {}
    for place, model in enumerate(models):
        sums = settled(part.sums[model, "shared"].sums, settings.report)
        n, tokens, correct = (np.float64(sums[name]) for name in ("n", "tokens", "correct"))
        outcome = (efficiency({"correct": correct, "tokens": tokens}), ratio(correct, n))
        found[model] = (*map(float, outcome), float(layer.overhead[place]), float(layer.coupling[place]))
    return found


def _by_key(models: set[str]) -> list[str]:
    """Models in the order of their keys, by which resamples are drawn."""
    names = tuple(sorted(models))
    return [names[place] for place in np.argsort(model_keys(names), kind="stable")]


def _told(found: Correlation, x: Floats, y: Floats, settings: Settings) -> Row:
    pairs = int((~np.isnan(x) & ~np.isnan(y)).sum())
    undefined = np.isnan(found.rho)
    stable = found.undefined <= settings.resampling.most_undefined * found.resamples
    why = (TOO_FEW if pairs < LEAST_PAIRS else TIED) if undefined else None if stable else UNSTABLE
    return {
        "models": pairs,
        "value": None if undefined else found.rho,
        "low": found.low if why is None else None,
        "high": found.high if why is None else None,
        "level": settings.resampling.level,
        "resamples": found.resamples,
        "undefined": found.undefined,
        "reason": why,
    }


def _over_pairs(report_id: str, metric: str, rho: Sequence[float]) -> Row:
    base = {
        "report_id": report_id,
        "benchmark_id": ALL,
        "other_id": ALL,
        "metric": metric,
        "mode": OVER_PAIRS,
    }
    several = len(rho) > 1
    told = {
        "value": median(np.array(rho)).item(),
        "low": min(rho) if several else None,
        "high": max(rho) if several else None,
        "reason": None if several else ONE_PAIR,
    }
    return {**base, **told, "models": len(rho), "level": None, "resamples": 0, "undefined": 0}
