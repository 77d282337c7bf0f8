"""Rows of diagnoses: flags and primary cause of each model beside its reference, thresholds told, null with reason."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from effspark.gold.report_tables import ReportTables
from effspark.settings import load
from tests.core.layers.reports import logged, report
from tests.core.layers.rows import Row

PLACES = [f"i{place}" for place in range(20)]


def runs(model: str, *, tokens: int, cut: int = 0, right: int = 20, end: str = "stop") -> list[Row]:
    return [
        logged(model, place, "length" if at < cut else end, output_tokens=tokens, verdicts={"s": at < right})
        for at, place in enumerate(PLACES)
    ]


def read(found: ReportTables) -> dict[str, dict[str, Any]]:
    return {row["model"]: row for row in found.tables["diagnoses"].to_pylist()}


def test_each_regime_is_named_beside_the_reference() -> None:
    found = read(
        report(
            [
                *runs("best", tokens=10),
                *runs("cut", tokens=11, cut=6),
                *runs("wordy", tokens=40),
                *runs("wrong", tokens=10, right=4),
                *runs("near", tokens=10, right=19),
            ]
        )
    )
    assert {model: row["primary_cause"] for model, row in found.items()} == {
        "cut": "context", "wordy": "verbosity", "wrong": "logic", "near": "balanced",
    }  # fmt: skip
    assert found["wordy"]["flags"] == ["verbosity"]
    assert (found["cut"]["r_ctx"], found["cut"]["reference_r_ctx"]) == (0.7, 1.0)
    assert found["wordy"]["verbosity_term"] == pytest.approx(-math.log(4))
    assert {row["reference"] for row in found.values()} == {"best"}
    assert {row["scale"] for row in found.values()} == {"W_solv"}


def test_thresholds_are_those_of_conf_and_told() -> None:
    given = [*runs("best", tokens=10), *runs("wordy", tokens=25)]
    told = load(overrides=["diagnosis.verbosity_factor=2.0", "diagnosis.least_term=-2"])
    found = read(report(given, told))["wordy"]
    assert (found["flags"], found["primary_cause"]) == (["verbosity"], "balanced")
    assert json.loads(found["thresholds"])["verbosity_factor"] == 2.0
    assert read(report(given))["wordy"]["flags"] == []


def test_unknown_completion_has_no_diagnosis_but_a_reason() -> None:
    found = read(report([*runs("best", tokens=10), *runs("silent", tokens=20, end="unknown")]))["silent"]
    assert (found["primary_cause"], found["flags"], found["reason"]) == (None, [], "completion_unknown")


def test_cut_runs_without_a_count_are_counted_in() -> None:
    missing = [logged("cut", "i0", "length", output_tokens=None, output_budget_tokens=64) for _ in range(10)]
    found = read(report([*runs("best", tokens=10), *runs("cut", tokens=11), *missing]))["cut"]
    assert (found["all_runs"], found["r_ctx"]) == (True, pytest.approx(20 / 30))
    assert found["primary_cause"] == "context"
