"""From sums to the rows of a report: estimates, tallies and decompositions of one model.

    sums (a row for each model and instance set)  ->  choices of conf  ->  `estimates`, `decompositions`

Source: definitions.md sections 1 to 3. Does not add up moments (selection.py) and does not rank (ranking.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from effspark.layers import decomposition, outcome
from effspark.layers.selection import SUMMED
from effspark.sections import ReportSettings

Row = dict[str, Any]

COUNTS = (
    "n",
    "truncated",
    "truncated_inferred",
    "agent_limited",
    "refused",
    "refused_missing",
    "replayed",
    "errors",
    "cancelled",
    "invalidated",
    "excluded",
    "unscored",
    "missing",
    "missing_truncated",
    "censored",
    "truncated_correct",
    "completion_unknown",
    "conflicting",
    "estimated",
    "correct",
    "tokens",
    "instances",
)
"""Tallies that are printed with every model, as estimates of unit runs (tokens, instances: their own)."""


@dataclass(frozen=True)
class ModelSums:
    """Sums of one model over one instance set, and how many instances that covers."""

    benchmark_id: str
    model_id: str
    instance_set: str
    covered: int
    sums: Mapping[str, int]

    @property
    def is_estimated(self) -> bool:
        """Is T mostly a tokenizer's estimate?"""
        return 2 * self.sums["estimated"] > self.sums["n"]


_REFUSED = (
    ("n", "refused"),
    ("known", "refused"),
    ("known_completed", "refused"),
    ("correct", "refused_correct"),
    ("known_correct", "refused_correct"),
    ("estimated", "refused_estimated"),
    ("tokens", "refused_tokens"),
    ("known_tokens", "refused_tokens"),
    ("known_completed_tokens", "refused_tokens"),
    ("correct_tokens", "refused_correct_tokens"),
    ("known_correct_tokens", "refused_correct_tokens"),
    ("solving", "refused_solving"),
    ("solving_tokens", "refused_correct_tokens"),
    ("missing", "refused_missing"),
    ("missing_known", "refused_missing"),
    ("missing_completed", "refused_missing"),
    ("missing_correct", "refused_missing_correct"),
    ("missing_without_budget", "refused_missing_without_budget"),
    ("missing_budget", "refused_missing_budget"),
)
"""Sums over all runs, and the part of each that excluded refusals take with them."""


def settled(sums: Mapping[str, Any], settings: ReportSettings) -> dict[str, Any]:
    """Sums, numbers or arrays of one shape, after the report's choices on refusals and unknown completion.

    >>> settings = ReportSettings(refusals="exclude")
    >>> settled(dict.fromkeys(SUMMED, 0) | dict(n=5, known=5, known_completed=5, refused=2), settings)["n"]
    3
    """
    out = dict(sums)
    if settings.refusals == "exclude":
        for whole, part in _REFUSED:
            out[whole] = out[whole] - sums[part]
        out.update({part: 0 * sums[part] for _, part in _REFUSED})
    if settings.unknown_completion == "as_completed":
        unknown = out["n"] - out["known"]
        out["known_completed"] = out["known_completed"] + unknown
        out["known_completed_tokens"] = out["known_completed_tokens"] + out["tokens"] - out["known_tokens"]
        out.update(known=out["n"], known_correct=out["correct"], known_tokens=out["tokens"])
        out["known_correct_tokens"] = out["correct_tokens"]
        out["missing_completed"] = out["missing_completed"] + out["missing"] - out["missing_known"]
        out["missing_known"] = out["missing"]
    return out


def metrics(
    sums: Mapping[str, int], *, scored: bool, settings: ReportSettings
) -> dict[str, tuple[float | None, str | None]]:
    """Metric -> (value, reason): the value is null where undefined, and then the reason says why."""
    arrays = {name: np.float64(sums[name]) for name in SUMMED}
    with_values = outcome.outcome(arrays, least_known=settings.least_known_completion)
    found: dict[str, tuple[float | None, str | None]] = {}
    for name, value in with_values.items():
        why = outcome.reason(name, sums, scored=scored, least_known=settings.least_known_completion)
        found[name] = (None if why or math.isnan(value) else float(value), why)
    return found


def informative_missing(sums: Mapping[str, int], *, least: int) -> bool:
    """Are runs without T cut more often than runs with T (each with enough runs)?

    >>> informative_missing(dict(n=100, truncated=2, agent_limited=0, missing=10, missing_truncated=9), least=5)
    True
    """
    if sums["n"] < least or sums["missing"] < least:
        return False
    cut = sums["truncated"] + sums["agent_limited"]
    return sums["missing_truncated"] * sums["n"] > cut * sums["missing"]


def estimate_rows(model: ModelSums, place: Row, *, scored: bool, settings: ReportSettings) -> list[Row]:
    """Rows of `estimates` of one model on one instance set.

    Parameters
    ----------
    place
        report_id, benchmark_id, scorer, model_id, model.
    """
    base = {**place, "layer": "outcome", "scale": "", "instance_set": model.instance_set, "budget": "own"}
    sums = settled(model.sums, settings)
    rows = [
        {**base, "metric": name, "unit": outcome.unit(name), "value": value, "reason": why}
        for name, (value, why) in metrics(sums, scored=scored, settings=settings).items()
    ]
    counted = {name: model.sums[name] for name in ("refused", "refused_missing")}
    counted["completion_unknown"] = model.sums["n"] - model.sums["known"]
    tallies = {**sums, **counted, "instances": model.covered}
    for name in COUNTS:
        unit = name if name in ("tokens", "instances") else "runs"
        known = scored or name not in ("correct", "unscored", "truncated_correct")
        rows.append(
            {
                **base,
                "metric": f"n_{name}" if name != "n" else "n",
                "unit": unit,
                "value": float(tallies[name]) if known else None,
                "reason": None if known else "no_verdicts",
            }
        )
    flagged = informative_missing(sums, least=settings.least_runs_for_informative_missing)
    rows.append(
        {**base, "metric": "informative_missing", "unit": "flag", "value": float(flagged), "reason": None}
    )
    return rows


def decomposition_rows(
    own: Mapping[str, float],
    reference: Mapping[str, float],
    place: Row,
    *,
    instance_set: str,
    layer: str = "outcome",
    scale: str = "",
) -> list[Row]:
    """Rows of `decompositions`: terms, total, sum and residual of one model against its reference.

    Parameters
    ----------
    own, reference
        E0 and the factors of the layer, computed on the runs whose completion is known, so that the terms add up
        exactly; undefined is NaN.
    place
        report_id, benchmark_id, scorer, model_id, model, reference_id, reference.
    """
    parts = decomposition.decompose(own, reference, layer=layer)
    unknown = any(math.isnan(factors["r_ctx"]) for factors in (own, reference))
    base = {**place, "layer": layer, "scale": scale, "instance_set": instance_set, "budget": "own"}
    rows = []
    for term, value in {
        **parts.terms,
        "total": parts.total,
        "sum": parts.sum,
        "residual": parts.residual,
    }.items():
        reason = None
        if math.isnan(value):
            reason = "completion_unknown" if unknown else "undefined_factor"
        elif math.isinf(value):
            reason = "no_correct_run" if own["E0"] == 0 else "zero_factor"
        rows.append({**base, "term": term, "value": None if math.isnan(value) else value, "reason": reason})
    return rows


def factors(given: Mapping[str, int], settings: ReportSettings) -> dict[str, float]:
    """E0 and the factors of the outcome layer on the runs whose completion is known; NaN where too few are."""
    sums = settled(given, settings)
    known = {**sums, "n": sums["known"], "tokens": sums["known_tokens"], "correct": sums["known_correct"]}
    arrays = {name: np.float64(known[name]) for name in SUMMED}
    found = outcome.outcome(arrays, least_known=0.0)
    enough = sums["known"] > 0 and sums["known"] / sums["n"] >= settings.least_known_completion
    names = ("E0", "r_ctx", "r_logic", "mean_T")
    return {name: float(found[name]) if enough else math.nan for name in names}
