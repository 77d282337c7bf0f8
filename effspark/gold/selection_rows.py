"""Do models spend more on what they get wrong? Rows of `selections` of one benchmark.

Ratios are over completed runs: of all instances, of the shared ones, and within instances. Source: paper appendix G.4,
definitions.md section 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from effspark.analyses.selection import Completed, across_models, pattern, selection
from effspark.gold.block_sums import ALL, Key
from effspark.gold.parts import Part
from effspark.gold.selection_sums import BESIDE, MET_RIGHT, MET_WRONG, PART, REPEATED
from effspark.gold.undefined import told
from effspark.layers.estimates import ModelSums, settled
from effspark.layers.outcome import ratio
from effspark.sections import ReportSettings

Row = dict[str, Any]
Numbers = Mapping[Key, float]

UNITS = {
    "mean_T_correct": "tokens", "mean_T_incorrect": "tokens", "ratio": "ratio", "within_ratio": "ratio",
    "n_correct": "runs", "n_incorrect": "runs", "mean_ratio": "ratio", "sd_ratio": "ratio",
}  # fmt: skip
REPEATS, OTHERS = "repeats", "others"
"""How right and wrong runs of an instance are compared: among repeats of the model, or each beside other models."""


def selection_rows(part: Part, numbers: Numbers, settings: ReportSettings) -> list[Row]:
    """Rows of every judged model and instance set, and of each set over the models."""
    rows = []
    for instance_set in ("own", "shared"):
        ratios = []
        for (model, which), summed in sorted(part.sums.items()):
            if which != instance_set or not part.is_scored(model):
                continue
            found = _of_model(summed, settings)
            ratios.append(found["ratio"])
            base = {**part.place(model), "instance_set": instance_set}
            rows += [_row(base, name, value) for name, value in found.items()]
            if which == "own":
                value, how = _within(numbers, model)
                rows.append({**_row(base, "within_ratio", value), "comparison": how})
        mean, deviation = across_models(np.array(ratios, float))
        base = {"report_id": part.report_id, "benchmark_id": part.benchmark_id, "instance_set": instance_set}
        base |= {"scorer": "+".join(sorted(set(part.scorers.values()) - {""})), "model_id": ALL, "model": ALL}
        rows += [_row(base, "mean_ratio", mean), _row(base, "sd_ratio", deviation)] if ratios else []
    return rows


def _of_model(summed: ModelSums, settings: ReportSettings) -> dict[str, float]:
    sums = settled(summed.sums, settings)
    right, right_tokens = sums["known_correct"], sums["known_correct_tokens"]
    wrong, wrong_tokens = sums["known_completed"] - right, sums["known_completed_tokens"] - right_tokens
    found = selection(
        Completed(*(np.array(float(one)) for one in (right, right_tokens, wrong, wrong_tokens)))
    )
    return {
        "mean_T_correct": found.mean_correct.item(),
        "mean_T_incorrect": found.mean_incorrect.item(),
        "ratio": found.ratio.item(),
        "n_correct": float(right),
        "n_incorrect": float(wrong),
    }


def _within(numbers: Numbers, model: str) -> tuple[float, str]:
    """Ratio within instances and how it compares: by repeats where the model has any, else beside other models."""
    repeated, wrong, right, *beside = (
        np.array(numbers.get(Key(PART, model, "", "", 0, name), 0.0))
        for name in (REPEATED, MET_WRONG, MET_RIGHT, *BESIDE)
    )
    if repeated:
        return ratio(wrong, right).item(), REPEATS
    return selection(Completed(*beside)).ratio.item(), OTHERS


def _row(base: Row, metric: str, value: float) -> Row:
    is_ratio = metric in ("ratio", "within_ratio")
    return {
        **base,
        **told(value, "no_run_to_compare"),
        "metric": metric,
        "unit": UNITS[metric],
        "pattern": pattern(value).value if is_ratio else None,
        "comparison": None,
    }
