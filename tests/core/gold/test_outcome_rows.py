"""Rows of the outcome layer of one part: every model and instance set, ranks, and both sides of each gap."""

from __future__ import annotations

from effspark import settings as conf
from effspark.gold import outcome_rows
from effspark.layers.estimates import ModelSums
from effspark.layers.selection import SUMMED
from tests.core.gold.test_parts import part

REPORT = conf.load().report


def test_every_model_has_its_estimates_on_each_set_and_a_rank() -> None:
    rows = outcome_rows.estimate_rows(part(), REPORT)
    places = {(row["model_id"], row["instance_set"]) for row in rows if row["metric"] == "E0"}
    assert places == {("m", "own"), ("n", "own"), ("o", "own"), ("m", "shared"), ("n", "shared")}
    assert {row["model_id"]: row["value"] for row in rows if row["metric"] == "rank"} == {
        "m": 2,
        "n": 1,
        "o": None,
    }
    assert {row["layer"] for row in rows} == {"outcome"}


def test_a_gap_is_told_on_own_instances_and_on_those_of_both() -> None:
    counted = dict.fromkeys(SUMMED, 0) | {"n": 1, "tokens": 40, "correct": 1}
    counted |= {"known": 1, "known_completed": 1, "known_correct": 1, "known_tokens": 40}
    sides = {("b", "m", side): ModelSums("b", "m", side, 1, counted) for side in ("pair", "pair_reference")}
    rows = outcome_rows.decomposition_rows(part(), sides, REPORT)
    assert {(row["model_id"], row["instance_set"]) for row in rows} == {
        ("m", "own"),
        ("m", "pair"),
        ("n", "own"),
    }
    assert {row["value"] for row in rows if row["instance_set"] == "pair"} == {0.0}
