"""Which instances may have a wrong gold answer? Those that every model of the pool was asked and none solved.

    cells, pool  ->  shared instances with no success of any pool model

A suspect is a reason to look, not a fault: a very hard instance, or one that no budget allows, looks alike. A pool of
one model tells nothing, since what it fails is what it fails. Written with narwhals for both engines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import narwhals as nw

from effspark.layers.selection import COVERS, shared_instances
from effspark.wording import counted

Frame = Any

LEAST_MODELS = 2
"""Models that must agree before their failure says something of the instance."""

_INSTANCE = ["benchmark_id", "instance_id"]
_SHOWN = 5
"""Suspects that the sentence names."""


def suspects(cells: Frame, pool: Frame, *, least_models: int = LEAST_MODELS) -> Frame:
    """Instances that every pool model covers and none solves.

    Parameters
    ----------
    cells
        Result of `selection.by_instance`, of the models that somebody has judged.
    pool
        Columns benchmark_id and model_id, one row for each model of a benchmark's pool.
    least_models
        Benchmarks with smaller pools have no suspects; at least 1.

    Returns
    -------
    Frame
        benchmark_id, instance_id, models (of the pool), n (their runs of the instance in the outcome layer) and
        completed (those known to have finished: where few did, the budget may be what fails).
    """
    members = pool.select("benchmark_id", "model_id")
    asked = cells.join(members, on=["benchmark_id", "model_id"], how="inner")
    everywhere = asked.join(shared_instances(cells, members), on=_INSTANCE, how="inner")
    summed = everywhere.group_by(*_INSTANCE).agg(
        nw.col(COVERS).sum().alias("models"),
        nw.col("n").sum(),
        nw.col("known_completed").sum().alias("completed"),
        nw.col("correct").sum(),
    )
    unsolved = summed.filter((nw.col("correct") == 0) & (nw.col("models") >= least_models))
    return unsolved.select(*_INSTANCE, "models", "n", "completed")


def told(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """One sentence for each benchmark that has suspects, of their rows in the table `suspects`.

    >>> told([{"benchmark_id": "gsm8k", "instance_id": "42", "models": 3, "n": 5}])
    ['gsm8k: no model of the pool solves 1 instance, perhaps for a wrong gold answer: 42 (table suspects)']
    """
    of_benchmark: dict[str, list[str]] = {}
    for row in rows:
        of_benchmark.setdefault(row["benchmark_id"], []).append(row["instance_id"])
    return [
        f"{name}: no model of the pool solves {counted(len(instances), 'instance')}, perhaps for a wrong gold answer: "
        f"{', '.join(sorted(instances)[:_SHOWN])}{', …' if len(instances) > _SHOWN else ''} (table suspects)"
        for name, instances in sorted(of_benchmark.items())
    ]
