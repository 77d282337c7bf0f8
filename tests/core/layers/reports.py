"""How the tests of this folder make a whole report from a few logged runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa

from effspark import settings as conf
from effspark import tables
from effspark.arrow_engine import Laptop
from effspark.gold.report_tables import ReportTables, report_tables
from effspark.gold.selected import Inputs
from effspark.layers import moments
from effspark.settings import Settings
from tests.core.layers.rows import Row, eval_run, run, table


def beside_scorers(logged: Sequence[Row]) -> list[Row]:
    """Rows of INPUT: each run without a scorer and beside every scorer of its eval run; `verdicts` by scorer."""
    scorers: dict[tuple[str, str, str], set[str]] = {}
    for one in logged:
        scorers.setdefault(place(one), {""}).update(one["verdicts"])
    return [
        {name: value for name, value in one.items() if name != "verdicts"}
        | {"scorer": scorer, "correct": one["verdicts"].get(scorer)}
        for one in logged
        for scorer in sorted(scorers[place(one)])
    ]


def place(one: Row) -> tuple[str, str, str]:
    return one["benchmark_id"], one["eval_run_id"], one["config_id"]


def worked(work: Mapping[str, Mapping[str, float]], benchmark: str = "b") -> pa.Table:
    """Rows of `workloads`: W by scale and instance."""
    rows = [
        {
            "benchmark_id": benchmark,
            "instance_id": instance,
            "scale": scale,
            "kind": "declared",
            "work": value,
        }
        | {"fingerprint": 1}
        for scale, of_instances in work.items()
        for instance, value in of_instances.items()
    ]
    return tables.from_rows("workloads", rows)


def report(
    logged: Sequence[Row],
    settled: Settings | None = None,
    *,
    work: Mapping[str, Mapping[str, float]] | None = None,
    **of_models: Row,
) -> ReportTables:
    """Report over logged runs; a configuration is a model unless `of_models` says more.

    `work` holds W of benchmark b by scale and instance.
    """
    known = sorted({place(one) for one in logged})
    rows = [
        eval_run(config, benchmark_id=benchmark, eval_run_id=name, **of_models.get(config, {}))
        for benchmark, name, config in known
    ]
    summed = moments.partial_moments(table(beside_scorers(logged)))
    given = Inputs(
        nw.from_native(summed),
        nw.from_native(worked(work or {})),
        tables.from_rows("eval_runs", rows),
    )
    return report_tables(given, settled or conf.load(), Laptop())


def logged(
    model: str, instance: str, *ends: str, verdicts: Mapping[str, Any] | None = None, **more: Any
) -> Row:
    judged = {"s": True} if verdicts is None else dict(verdicts)
    return run(*ends, config_id=model, instance_id=instance, **more) | {"verdicts": judged}
