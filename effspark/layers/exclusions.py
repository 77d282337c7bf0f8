"""Which instances does conf exclude, and why?

    benchmarks.<name>.exclusions  ->  one row for each (benchmark, instance)

An instance is named as the benchmark's items name it, a benchmark by its canonical name. What is excluded leaves no
run: a report gives its numbers without these instances, and those of `own_whole` with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import pyarrow as pa

from effspark.sections import Benchmark

SCHEMA = pa.schema(
    [
        pa.field("benchmark_id", pa.string(), nullable=False),
        pa.field("instance_id", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("date", pa.date32(), nullable=False),
    ]
)
"""Columns of `excluded`; the key is (benchmark_id, instance_id)."""


def excluded(benchmarks: Mapping[str, Benchmark]) -> pa.Table:
    """Instances that conf excludes, of schema SCHEMA, sorted by benchmark and instance.

    Parameters
    ----------
    benchmarks
        The section of that name of the settings.

    >>> one = dict(instance="42", reason="the gold answer is wrong", source="errata", date="2026-01-31")
    >>> excluded({"gsm8k": Benchmark.model_validate({"exclusions": [one]})}).to_pylist()[0]["instance_id"]
    '42'
    """
    rows = [
        {
            "benchmark_id": name,
            "instance_id": one.instance,
            "reason": one.reason,
            "source": one.source,
            "date": one.date,
        }
        for name, benchmark in sorted(benchmarks.items())
        for one in sorted(benchmark.exclusions, key=lambda one: one.instance)
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def without(cells: Any, left_out: Any) -> Any:
    """Cells of `selection.by_instance` but those of excluded instances; both are narwhals frames of one engine."""
    place = ["benchmark_id", "instance_id"]
    return cells.join(left_out.select(*place), on=place, how="anti")


def told(left_out: pa.Table, benchmarks: Set[str]) -> list[str]:
    """One sentence for each reported benchmark of which instances are excluded.

    >>> one = dict(instance="42", reason="the gold answer is wrong", source="errata", date="2026-01-31")
    >>> told(excluded({"gsm8k": Benchmark.model_validate({"exclusions": [one]})}), {"gsm8k"})[0][:39]
    'gsm8k: conf excludes instances: 1; inst'
    """
    names: list[str] = left_out["benchmark_id"].to_pylist()
    return [
        f"{name}: conf excludes instances: {names.count(name)}; instance set own_whole has the numbers with them"
        for name in sorted(set(names) & benchmarks)
    ]
