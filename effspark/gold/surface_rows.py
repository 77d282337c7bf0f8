"""Which axis of difficulty costs efficiency? Rows of `surfaces`, on the axes that conf names.

    cells, levels of the instances  ->  sums by model and level, in the engine  ->  E0 on each level, and the drop

Source: paper section 5.5, definitions.md section 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import narwhals as nw
import numpy as np

from effspark.analyses.surfaces import Surface, drop
from effspark.gold.engine import Frame
from effspark.gold.parts import Part
from effspark.gold.undefined import told
from effspark.layers.estimates import settled
from effspark.layers.instance_work import AXIS, axis_of
from effspark.layers.outcome import efficiency
from effspark.layers.selection import SUMMED, gathered
from effspark.sections import ReportSettings

Row = dict[str, Any]

_MODEL = ("benchmark_id", "model_id", "scale", "level")


def sums_by_level(cells: Frame, workloads: Frame) -> list[Row]:
    """Sums of each model over the instances of each level of each axis.

    Parameters
    ----------
    cells
        Result of `selection.by_instance`.
    workloads
        Frame of the table `workloads`, whose rows of kind AXIS hold the levels.
    """
    levels = workloads.filter(nw.col("kind") == AXIS).select(
        "benchmark_id", "instance_id", "scale", nw.col("work").alias("level")
    )
    beside = cells.join(levels, on=["benchmark_id", "instance_id"], how="inner")
    found = beside.group_by(*_MODEL).agg(*(nw.col(name).sum() for name in SUMMED))
    rows: list[Row] = gathered(found.select(*_MODEL, *SUMMED)).to_pylist()
    return sorted(rows, key=lambda row: tuple(row[name] for name in _MODEL))


def surface_rows(part: Part, summed: Sequence[Row], settings: ReportSettings) -> list[Row]:
    """Rows of every judged model and axis of one benchmark.

    Parameters
    ----------
    summed
        Result of `sums_by_level`, of all benchmarks.
    """
    here = [
        row for row in summed if row["benchmark_id"] == part.benchmark_id and part.is_scored(row["model_id"])
    ]
    rows = []
    for (model, scale), group in groupby(here, key=lambda row: (row["model_id"], row["scale"])):
        rows += _of_axis({**part.place(model), "axis": axis_of(scale)}, list(group), settings)
    return rows


def _of_axis(base: Row, levels: Sequence[Row], settings: ReportSettings) -> list[Row]:
    sums = [settled(row, settings) for row in levels]
    n, correct, tokens = (np.array([float(one[name]) for one in sums]) for name in ("n", "correct", "tokens"))
    found = Surface(
        np.array([row["level"] for row in levels]),
        efficiency({"correct": correct, "tokens": tokens})[:, None],
    )
    rows = [
        _row(base, "E0", "correct answers per 1,000 tokens", level, count, value, "no_tokens")
        for level, count, value in zip(found.levels, n, found.efficiency[:, 0], strict=True)
    ]
    if len(levels) > 1:
        low, high = found.levels[0], found.levels[-1]
        lost = drop(found, low=low, high=high).item()
        why = (
            "no_tokens"
            if np.isnan(found.efficiency[[0, -1], 0]).any()
            else "no_correct_run_on_the_lowest_level"
        )
        rows.append(_row(base, "drop", "share", high, n[0] + n[-1], lost, why))
    return rows


def _row(base: Row, metric: str, unit: str, level: float, n: float, value: float, why: str) -> Row:
    return {**base, "metric": metric, "unit": unit, "level": float(level), "n": int(n), **told(value, why)}
