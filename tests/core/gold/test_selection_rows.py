"""Rows of selections: ratios of completed runs, and within instances, equal the arrays; null has a reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from effspark.analyses.selection import Completed, within_instances
from effspark.gold.report_tables import ReportTables
from effspark.settings import load
from tests.core.layers.reports import logged, report
from tests.core.layers.rows import of_vector
from tests.core.pool import loops
from tests.core.pool.loops import Run, made


def read(found: ReportTables) -> dict[tuple[str, str, str], dict[str, Any]]:
    rows = found.tables["selections"].to_pylist()
    return {(row["model_id"], row["instance_set"], row["metric"]): row for row in rows}


def cells(runs: list[Run]) -> tuple[Completed, list[str]]:
    models, instances = loops.names(runs, "model"), loops.names(runs, "instance")
    sums = np.zeros((4, len(instances), len(models)))
    for run in runs:
        if run["completed"]:
            side = 0 if run["correct"] else 2
            place = instances.index(run["instance"]), models.index(run["model"])
            sums[(side, *place)] += 1
            sums[(side + 1, *place)] += run["tokens"]
    return Completed(*sums), models


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_ratios_within_instances_are_those_of_the_arrays(seed: int, repeats: int) -> None:
    runs = made(seed, models=6, instances=25, repeats=repeats, gaps=0.0)
    rows = [of_vector(run) | {"verdicts": {"s": run["correct"]}} for run in runs]
    found = read(report(rows))
    whole, models = cells(runs)
    for model, expected in zip(models, within_instances(whole), strict=True):
        row = found[model, "own", "within_ratio"]
        assert row["value"] == pytest.approx(expected, rel=1e-12)
        assert row["comparison"] == ("repeats" if repeats > 1 else "others")
    ratios = [found[model, "own", "ratio"]["value"] for model in models]
    assert found["", "own", "mean_ratio"]["value"] == pytest.approx(np.mean(ratios))
    assert found["", "own", "sd_ratio"]["value"] == pytest.approx(np.std(ratios, ddof=1))


def test_cut_runs_are_on_neither_side_and_an_empty_side_has_a_reason() -> None:
    runs = [logged("m", "i", output_tokens=50), logged("m", "j", "length", output_tokens=9000)]
    found = read(report(runs))
    assert (found["m", "own", "mean_T_correct"]["value"], found["m", "own", "n_incorrect"]["value"]) == (
        50,
        0,
    )
    row = found["m", "own", "ratio"]
    assert (row["value"], row["pattern"], row["reason"]) == (None, "Undefined", "no_run_to_compare")
    assert found["", "own", "sd_ratio"]["value"] is None


def test_refusals_leave_where_conf_excludes_them() -> None:
    runs = [
        logged("m", "i", output_tokens=50),
        logged("m", "i", "refusal", output_tokens=10, verdicts={"s": False}),
    ]
    for refusals, count in (("include", 1), ("exclude", 0)):
        found = read(report(runs, load(overrides=[f"report.refusals={refusals}"])))
        assert found["m", "own", "n_incorrect"]["value"] == count
