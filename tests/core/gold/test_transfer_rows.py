"""Rows of transfers: rank correlation of two benchmarks over their common models, with intervals of both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from effspark.analyses.transfer import Mode, correlation
from effspark.gold.report_tables import ReportTables
from effspark.resampling.draws import multinomial
from effspark.resampling.words import Purpose, model_keys
from effspark.settings import load
from tests.core.layers.reports import logged, report
from tests.core.layers.rows import Row

TOKENS = {
    "b": dict(zip("mnopq", (10, 20, 30, 40, 50), strict=True)),
    "c": dict(zip("mnopq", (12, 10, 30, 50, 40), strict=True)),
}


def runs(tokens: dict[str, dict[str, int]]) -> list[Row]:
    return [
        logged(model, place, output_tokens=spent + at, benchmark_id=benchmark)
        for benchmark, of_models in tokens.items()
        for model, spent in of_models.items()
        for at, place in enumerate("ij")
    ]


def read(found: ReportTables) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    rows = found.tables["transfers"].to_pylist()
    return {(row["benchmark_id"], row["other_id"], row["metric"], row["mode"]): row for row in rows}


def test_rho_and_its_intervals_are_those_of_the_arrays() -> None:
    found = read(report(runs(TOKENS), load(overrides=["resampling.resamples=300", "resampling.seed=5"])))
    order = [list("mnopq")[place] for place in np.argsort(model_keys(tuple("mnopq")))]
    x, y = (np.array([1000 / (TOKENS[name][model] + 0.5) for model in order]) for name in "bc")
    drawn = multinomial(5, np.arange(300), seed=5, purpose=Purpose.MODELS)
    for mode in Mode:
        row, wanted = found["b", "c", "E0", mode.value], correlation(x, y, drawn, mode=mode)
        assert (row["value"], row["low"], row["high"]) == pytest.approx((0.8, wanted.low, wanted.high))
        assert (row["models"], row["resamples"], row["undefined"]) == (5, 300, wanted.undefined)
    over = found["", "", "E0", "over_pairs"]
    assert (over["value"], over["low"], over["reason"]) == (pytest.approx(0.8), None, "one_pair")
    assert found["b", "c", "accuracy", "fixed"]["reason"] == "constant_ranks"


def test_several_pairs_have_a_range() -> None:
    three = {**TOKENS, "d": dict(zip("mnopq", (50, 40, 30, 20, 10), strict=True))}
    over = read(report(runs(three)))["", "", "E0", "over_pairs"]
    assert (over["models"], over["low"], over["value"], over["high"]) == (
        3,
        -1.0,
        pytest.approx(-0.8),
        pytest.approx(0.8),
    )


def test_two_models_correlate_with_nothing() -> None:
    some = {"b": {"m": 1, "n": 2}, "c": {"m": 3, "n": 4, "o": 5}}
    row = read(report(runs(some)))["b", "c", "E0", "fixed"]
    assert (row["value"], row["low"], row["models"], row["reason"]) == (None, None, 2, "too_few_models")
    assert report([logged("m", "i")]).tables["transfers"].num_rows == 0


def test_an_interval_of_many_undefined_resamples_is_null_with_a_reason() -> None:
    some = {
        name: {model: spent for model, spent in of.items() if model in "mno"} for name, of in TOKENS.items()
    }
    row = read(report(runs(some), load(overrides=["resampling.resamples=200"])))["b", "c", "E0", "fixed"]
    assert row["undefined"] > 10
    assert (row["value"], row["low"], row["reason"]) == (0.5, None, "too_many_undefined_resamples")
