"""The sums of a report on the driver: one `ModelSums` for each model and instance set.

    cells of `selection.by_instance`  ->  own, shared, own_whole (with excluded instances), pair and its reference

Gathers one row a model and instance set, which is the size of the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw

from effspark.layers import selection
from effspark.layers.estimates import ModelSums
from effspark.layers.selection import gathered

Frame = Any


def own_and_shared(cells: Frame, shared: Frame) -> list[ModelSums]:
    """Sums of each model over its own instances and over the shared ones."""
    parts = _gathered(selection.shared_and_other_sums(cells, shared))
    own: dict[tuple[str, str], list[ModelSums]] = {}
    for part in parts:
        own.setdefault((part.benchmark_id, part.model_id), []).append(part)
    whole = [
        ModelSums(
            *model,
            "own",
            sum(part.covered for part in found),
            {name: sum(part.sums[name] for part in found) for name in selection.SUMMED},
        )
        for model, found in sorted(own.items())
    ]
    return whole + [part for part in parts if part.instance_set == "shared"]


def own_whole(cells: Frame) -> list[ModelSums]:
    """Sums of each model over all its instances, excluded ones too."""
    return _gathered(selection.model_sums(cells, instance_set=nw.lit("own_whole")))


def pairs(cells: Frame, references: Frame) -> dict[tuple[str, str, str], ModelSums]:
    """Sums by (benchmark, model, `pair` or `pair_reference`) over the instances that a model and its reference cover.

    Parameters
    ----------
    references
        benchmark_id, model_id, reference_id: one row a model.
    """
    found = _gathered(selection.pair_sums(cells, references))
    return {(part.benchmark_id, part.model_id, part.instance_set): part for part in found}


def _gathered(frame: Frame) -> list[ModelSums]:
    return [_as_sums(row) for row in gathered(frame).to_pylist()]


def _as_sums(row: Mapping[str, Any]) -> ModelSums:
    return ModelSums(
        row["benchmark_id"],
        row["model_id"],
        row["instance_set"],
        row["covered"],
        {name: row[name] for name in selection.SUMMED},
    )
