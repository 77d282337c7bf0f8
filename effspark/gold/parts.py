"""One benchmark's part of a report: its models, who judged them, what they are called, their sums, places and pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from effspark.gold import pools
from effspark.gold.pools import Pool
from effspark.layers import ranking, selection
from effspark.layers.estimates import ModelSums
from effspark.layers.ranking import Standing
from effspark.layers.selection import Choice
from effspark.runs import display
from effspark.settings import Settings

Row = dict[str, Any]

_REFERENCES = pa.schema([(name, pa.string()) for name in ("benchmark_id", "model_id", "reference_id")])


@dataclass(frozen=True)
class Part:
    """What the rows of one benchmark are made of; `scorers`, `names` and `standings` are by model_id.

    `sums` is by model_id and instance set (own, shared, own_whole).
    """

    report_id: str
    benchmark_id: str
    scorers: Mapping[str, str]
    names: Mapping[str, str]
    sums: Mapping[tuple[str, str], ModelSums]
    standings: Mapping[str, Standing]
    pool: Pool

    def place(self, model_id: str) -> Row:
        """Columns that say of which model a row is."""
        return {
            "report_id": self.report_id,
            "benchmark_id": self.benchmark_id,
            "scorer": self.scorers[model_id],
            "model_id": model_id,
            "model": self.names[model_id],
        }

    def is_scored(self, model_id: str) -> bool:
        """Has anybody judged the model?"""
        return self.scorers[model_id] != ""

    @property
    def places(self) -> dict[str, int | None]:
        """Place in the pool's order from 1, null where it has none, of every model_id."""
        return dict.fromkeys(self.scorers) | {model: place for place, model in enumerate(self.pool.order, 1)}

    @property
    def references(self) -> dict[str, str]:
        """Reference of each model that has one, by model_id."""
        return {
            model: standing.reference_id
            for model, standing in sorted(self.standings.items())
            if standing.reference_id is not None
        }

    def against(self, model_id: str) -> Row:
        """Columns that say of which model, and against which reference, a row is."""
        reference = self.references[model_id]
        return {**self.place(model_id), "reference_id": reference, "reference": self.names[reference]}


def part_of(
    report_id: str,
    benchmark: str,
    choices: Sequence[Choice],
    shown: Mapping[str, str],
    found: Sequence[ModelSums],
    members: Sequence[Row],
    settings: Settings,
) -> Part:
    """Part of one benchmark.

    Parameters
    ----------
    choices, found, members
        Scorers, sums and pool members of all benchmarks.
    shown
        Display name of each of its models, by model_id.
    """
    signed = _signed(benchmark, choices)
    own = {(part.model_id, part.instance_set): part for part in found if part.benchmark_id == benchmark}
    common = [part for (_, instance_set), part in own.items() if instance_set == "shared"]
    standings = ranking.standings(common, signed, shown, settings.report)
    models = {row["model_id"] for row in members if row["benchmark_id"] == benchmark}
    pool = pools.pool_of(models, own, signed, shown, settings.pool_of(benchmark), settings)
    return Part(report_id, benchmark, signed, shown, own, standings, pool)


def shown_names(benchmark: str, choices: Sequence[Choice], eval_runs: pa.Table) -> dict[str, str]:
    """Display name of each model of a benchmark, by model_id."""
    models = {row["model_id"]: row for row in eval_runs.to_pylist() if row["benchmark_id"] == benchmark}
    return display.display_names([models[model] for model in sorted(_signed(benchmark, choices))])


def _signed(benchmark: str, choices: Sequence[Choice]) -> dict[str, str]:
    """Scorer of each model of a benchmark, by model_id; several are named with +."""
    here = [choice for choice in choices if choice.benchmark_id == benchmark]
    scorers: dict[str, set[str]] = {}
    for choice in set(here) - set(selection.unjudged(here)):
        scorers.setdefault(choice.model_id, set()).add(choice.scorer)
    return {model: "+".join(sorted(names)) for model, names in scorers.items()}


def references(parts: Sequence[Part]) -> pa.Table:
    """The reference of each model that has one: benchmark_id, model_id, reference_id."""
    rows = [
        {"benchmark_id": part.benchmark_id, "model_id": model, "reference_id": reference}
        for part in parts
        for model, reference in part.references.items()
    ]
    return pa.Table.from_pylist(rows, _REFERENCES)
