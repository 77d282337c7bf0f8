"""The workload layer of a report: rows of `estimates` and `decompositions` from the sums of work_sums.py.

    E0, r_ctx, r_logic on the runs that have W;  VO, kappa, E[W], E[T];  how many runs have W

Source: paper section 3.2, definitions.md sections 2 and 3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from effspark.gold.block_sums import Key, named
from effspark.gold.parts import Part
from effspark.gold.work_sums import NAMES, PART
from effspark.layers import estimates
from effspark.layers.estimates import settled
from effspark.layers.outcome import efficiency, ratio
from effspark.layers.workload import workload
from effspark.sections import ReportSettings

Row = dict[str, Any]
Numbers = Mapping[str, float]

LAYER = "workload"

UNITS = {
    "E0": "correct answers per 1,000 tokens",
    "r_ctx": "share",
    "r_logic": "share",
    "VO": "tokens per unit of work",
    "kappa": "ratio",
    "mean_W": "units of work",
    "mean_T": "tokens",
    "n": "runs",
    "retained": "share",
}
"""Metrics of the layer and their units; `retained` is the share of the model's runs that have W. Beside them stands
IS_PRIMARY, 1 on the scale that the leaderboard shows."""

IS_PRIMARY = "is_primary"


def metrics(
    sums: Numbers, *, runs: float, scored: bool, settings: ReportSettings
) -> dict[str, tuple[Any, str | None]]:
    """Metric -> (value, reason), null where undefined.

    Parameters
    ----------
    sums
        Numbers by the names of `work_sums.NAMES`.
    runs
        Runs of the model in the outcome layer, on the same instances.
    """
    if not sums["n"]:
        nothing: dict[str, tuple[Any, str | None]] = dict.fromkeys(UNITS, (None, "no_work"))
        return nothing | {
            "n": (0.0, None),
            "retained": (0.0, None) if runs else (None, "no_runs_with_tokens"),
        }
    found = factors(sums, settings, known_only=False)
    rates = factors(sums, settings)
    known = {
        **{name: found[name] for name in ("E0", "VO", "kappa", "mean_W", "mean_T")},
        **{name: rates[name] for name in ("r_ctx", "r_logic")},
        "n": sums["n"],
        "retained": sums["n"] / runs,
    }
    return {name: _told(name, known[name], rates, scored=scored) for name in UNITS}


def _told(name: str, value: float, rates: Numbers, *, scored: bool) -> tuple[float | None, str | None]:
    if name in ("E0", "r_logic") and not scored:
        return None, "no_verdicts"
    if not math.isnan(value):
        return value, None
    if name == "r_ctx" or (name == "r_logic" and math.isnan(rates["r_ctx"])):
        return None, "completion_unknown"
    return None, "no_completed_run" if name == "r_logic" else "no_tokens"


def factors(sums: Numbers, settings: ReportSettings, *, known_only: bool = True) -> dict[str, float]:
    """E0 and the factors of the layer on the runs that have W, NaN where undefined.

    Parameters
    ----------
    known_only
        On the runs whose completion is known, so that a decomposition adds up; all NaN where too few are.
    """
    names = ("n", "tokens", "work", "tokens_per_work", "correct")
    of_known = ("known", "known_tokens", "known_work", "known_tokens_per_work", "known_correct")
    used = of_known if known_only else names
    n, tokens, work, per_work, correct = (np.float64(sums[name]) for name in used)
    layer = workload(n, tokens, work, per_work)
    completed = np.float64(sums["known_completed"])
    found = {
        "E0": efficiency({"correct": correct, "tokens": tokens}),
        "r_ctx": ratio(completed, np.float64(sums["known"])),
        "r_logic": ratio(np.float64(sums["known_correct"]), completed),
        "VO": layer.overhead,
        "kappa": layer.coupling,
        "mean_W": layer.mean_work,
        "mean_T": layer.mean_tokens,
    }
    enough = sums["n"] > 0 and sums["known"] / sums["n"] >= settings.least_known_completion
    return {name: float(value) if enough or not known_only else math.nan for name, value in found.items()}


def primary_of(numbers: Mapping[Key, float], scales: Sequence[str]) -> str | None:
    """The first scale of a benchmark that any run has work on; null where none has.

    >>> primary_of({Key("workload", "m", "V", "own", 0, "n"): 1.0}, ["W", "V", "W_solv"])
    'V'
    """
    worked = {key.scale for key in numbers if key.part == PART}
    return next((scale for scale in scales if scale in worked), None)


def estimate_rows(
    part: Part, numbers: Mapping[Key, float], scales: Sequence[str], settings: ReportSettings
) -> list[Row]:
    """Rows of `estimates` of every model, scale and instance set.

    Parameters
    ----------
    numbers
        Numbers of the benchmark, of `work_sums.PART` among others.
    scales
        Its scales, of which the first that any run has work on is primary; a model without work on one is told so.
    """
    rows = []
    primary = primary_of(numbers, scales)
    for scale in scales:
        is_primary = (float(scale == primary), None)
        for instance_set in ("own", "shared"):
            found = named(numbers, PART, NAMES, scale=scale, instance_set=instance_set)
            for model in sorted(model for model, summed in part.sums if summed == instance_set):
                told = metrics(
                    found.get(model, _NOTHING),
                    runs=settled(part.sums[model, instance_set].sums, settings)["n"],
                    scored=part.is_scored(model),
                    settings=settings,
                )
                base = {**part.place(model), "layer": LAYER, "scale": scale}
                base |= {"instance_set": instance_set, "budget": "own"}
                rows += [
                    {**base, "metric": name, "unit": UNITS.get(name, "flag"), "value": value, "reason": why}
                    for name, (value, why) in {**told, IS_PRIMARY: is_primary}.items()
                ]
    return rows


def decomposition_rows(
    part: Part, numbers: Mapping[Key, float], scales: Sequence[str], settings: ReportSettings
) -> list[Row]:
    """Rows of `decompositions` of every model that has a reference, on each scale that both have work on."""
    rows = []
    for scale in scales:
        found = {
            instance_set: named(numbers, PART, NAMES, scale=scale, instance_set=instance_set)
            for instance_set in ("own", "pair", "pair_reference")
        }
        for model, reference in part.references.items():
            sides = {
                "own": (found["own"].get(model), found["own"].get(reference)),
                "pair": (found["pair"].get(model), found["pair_reference"].get(model)),
            }
            for instance_set, (own, other) in sides.items():
                if own is not None and other is not None:
                    rows += estimates.decomposition_rows(
                        factors(own, settings),
                        factors(other, settings),
                        part.against(model),
                        instance_set=instance_set,
                        layer=LAYER,
                        scale=scale,
                    )
    return rows


def told(part: Part, numbers: Mapping[Key, float], scales: Sequence[str]) -> list[str]:
    """A sentence where no run has work on any of the native scales."""
    if not scales or not part.scorers or any(key.part == PART and key.scale in scales for key in numbers):
        return []
    return [
        f"{part.benchmark_id}: no instance has work ({', '.join(scales)}), so overhead and coupling are only known of "
        f"solver-derived work; ingest the benchmark's items (--instances FILE --benchmark {part.benchmark_id})"
    ]


_NOTHING = dict.fromkeys(NAMES, 0.0)
