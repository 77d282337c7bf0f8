"""The outcome layer of a report: rows of `estimates` and `decompositions` of one benchmark's part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from effspark.gold.parts import Part
from effspark.layers import estimates, ranking
from effspark.layers.estimates import ModelSums
from effspark.sections import ReportSettings

Row = dict[str, Any]


def estimate_rows(part: Part, settings: ReportSettings) -> list[Row]:
    """Estimates and tallies of every model and instance set, and its rank."""
    rows = []
    for (model, _), summed in sorted(part.sums.items()):
        rows += estimates.estimate_rows(
            summed, part.place(model), scored=part.is_scored(model), settings=settings
        )
    return rows + [
        ranking.rank_row(part.place(model), standing) for model, standing in sorted(part.standings.items())
    ]


def decomposition_rows(
    part: Part, paired: Mapping[tuple[str, str, str], ModelSums], settings: ReportSettings
) -> list[Row]:
    """Decomposition of every model that has a reference, on the instances that both cover and on their own.

    Parameters
    ----------
    paired
        Result of `sums.pairs`.
    """
    rows = []
    for model, reference in part.references.items():
        sides = {"own": (part.sums[model, "own"], part.sums[reference, "own"])}
        pair = paired.get((part.benchmark_id, model, "pair"))
        if pair is not None:
            sides["pair"] = (pair, paired[part.benchmark_id, model, "pair_reference"])
        for instance_set, both in sides.items():
            own, other = (estimates.factors(side.sums, settings) for side in both)
            rows += estimates.decomposition_rows(own, other, part.against(model), instance_set=instance_set)
    return rows
