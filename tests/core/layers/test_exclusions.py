"""Instances that conf excludes, as a small table."""

from __future__ import annotations

from datetime import date

from effspark import settings
from effspark.layers.exclusions import SCHEMA, excluded

WHY = "reason: r, source: s, date: 2026-01-31"


def test_excluded_instances_are_rows_by_benchmark_and_instance() -> None:
    given = [
        f"benchmarks.zebra.exclusions=[{{instance: a, {WHY}}}]",
        f"benchmarks.gsm8k.exclusions=[{{instance: 9, {WHY}}}, {{instance: 10, {WHY}}}]",
    ]
    found = excluded(settings.load(overrides=given).benchmarks)
    assert found.schema == SCHEMA
    assert [(row["benchmark_id"], row["instance_id"]) for row in found.to_pylist()] == [
        ("gsm8k", "10"),
        ("gsm8k", "9"),
        ("zebra", "a"),
    ]
    assert found.to_pylist()[0] == {
        "benchmark_id": "gsm8k",
        "instance_id": "10",
        "reason": "r",
        "source": "s",
        "date": date(2026, 1, 31),
    }


def test_what_ships_excludes_nothing() -> None:
    found = excluded(settings.load().benchmarks)
    assert (found.num_rows, found.schema) == (0, SCHEMA)
