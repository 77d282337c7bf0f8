"""How the tests of this folder make a whole report from a few logged runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from effspark import settings as conf
from effspark import tables
from effspark.laptop import Laptop
from effspark.layers import moments
from effspark.layers.report_tables import ReportTables, report_tables
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


def report(logged: Sequence[Row], settled: Settings | None = None, **of_models: Row) -> ReportTables:
    """Report over logged runs; a configuration is a model unless `of_models` says more."""
    known = sorted({place(one) for one in logged})
    rows = [
        eval_run(config, benchmark_id=benchmark, eval_run_id=name, **of_models.get(config, {}))
        for benchmark, name, config in known
    ]
    summed = moments.partial_moments(table(beside_scorers(logged)))
    return report_tables(
        nw.from_native(summed), tables.from_rows("eval_runs", rows), settled or conf.load(), Laptop()
    )


def logged(
    model: str, instance: str, *ends: str, verdicts: Mapping[str, Any] | None = None, **more: Any
) -> Row:
    judged = {"s": True} if verdicts is None else dict(verdicts)
    return run(*ends, config_id=model, instance_id=instance, **more) | {"verdicts": judged}
