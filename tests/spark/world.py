"""A small simulated world for Spark tests, and the fingerprint of a lake's tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from effspark import commands, laptop, settings, simulation, tables
from effspark.local_sql import tables_of
from effspark.readers import plan
from effspark.readers.staged_rows import KINDS, Item
from effspark.spark.ingest import Request, ingest
from effspark.spark.measure import measure
from effspark.spark.report import TABLES as GOLD
from effspark.spark.report import report
from effspark.spark.store import Store

NOW = datetime(2026, 11, 1, tzinfo=timezone.utc)
SEED = 7
TEAMS = ("aurora", "birch", "cedar")

LINEAGE = {
    "loads": {"load_id", "loaded_at"},
    "quarantine": {"load_id"},
    "reports": {"created_at", "input_versions"},
}
"""Columns that say when and by which load a row came; all others must not depend on that."""
BY_WHICH_LOAD = "resolved_by"
"""Names a load: whether it is null must not depend on when that came, which load it is may."""

SILVER = (*(kind for kind in KINDS if kind != "counts"), "loads")
DERIVED = ("aliases", "eval_runs", "workloads", "trace_measures", "moments")
ALL = (*SILVER, *DERIVED, *GOLD)


class World:
    """Simulated logs, the settings they need, and the requests that ingest them.

    Late files keep paths of their own here, so that any order of loads must give the same tables.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        if not (out / simulation.TRUTH_FILE).is_file():
            simulation.simulate(out, seed=SEED, size="small")
        self.truth = simulation.read_truth(out / simulation.TRUTH_FILE)
        self.settings = settings.load(out / "conf.yaml")

    def requests(self) -> list[Request]:
        items, plain = (commands.options_of(self.settings, benchmark=name) for name in ("gsm8k", None))
        mapped = commands.options_of(self.settings, mapping=self.out / "mappings" / "cedar.yaml")
        made = [Request(plan.files([str(self.out / "items")]), "benchmarks", items, "items", "items")]
        made += [
            Request(plan.files([str(folder / "labels")]), "birch", plain, "labels", "labels")
            for folder in (self.out, self.out / "late")
        ]
        for team in TEAMS:
            for folder in (self.out / "logs" / team, self.out / "late" / team):
                if folder.is_dir():
                    made.append(
                        Request(plan.files([str(folder)]), team, mapped if team == "cedar" else plain)
                    )
        return made

    def items(self) -> list[Item]:
        """All files as items of the laptop."""
        made: list[Item] = []
        for request in self.requests():
            made += plan.items(
                request.logs, request.options, team=request.team, format_name=request.format_name
            )
        return made


def batches(requests: Sequence[Request], count: int) -> list[list[Request]]:
    """The files of all requests, shared among `count` batches in their order."""
    single = [request._replace(logs=[log]) for request in requests for log in request.logs]
    size = -(-len(single) // count)
    return [single[start : start + size] for start in range(0, len(single), size)]


def fill(spark: SparkSession, lake: Path, world: World, loads: Iterable[Sequence[Request]]) -> Store:
    """Ingest batches one after the other, measure and report."""
    store = Store(spark, str(lake))
    for load in loads:
        ingest(store, load, now=NOW)
    measure(store, world.settings)
    report(store, world.settings, name="test", now=NOW)
    return store


def arrow(store: Store, table: str) -> pa.Table:
    return store.read(table).toArrow()


def rows(data: pa.Table, table: str) -> list[str]:
    """Rows as sorted texts, without lineage."""
    lineage = LINEAGE.get(table, set())
    kept = [name for name in tables.columns(table) if name in data.column_names and name not in lineage]
    return sorted(
        json.dumps(_plain(_whether(row)), sort_keys=True, default=str)
        for row in data.select(kept).to_pylist()
    )


def _whether(row: dict[str, Any]) -> dict[str, Any]:
    return row | {name: row[name] is not None for name in (BY_WHICH_LOAD,) if name in row}


def differences(found: Sequence[str], expected: Sequence[str]) -> list[str]:
    """Rows that only one side has, a few of them, each with its side."""
    only_found, only_expected = sorted(set(found) - set(expected)), sorted(set(expected) - set(found))
    told = [f"found {row}" for row in only_found[:3]] + [f"expected {row}" for row in only_expected[:3]]
    return told or [f"{len(found)} rows, expected {len(expected)}"] * (len(found) != len(expected))


def _plain(value: Any) -> Any:
    """Maps as sorted pairs, times as UTC text, floats by their bits."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        inner = [_plain(entry) for entry in value]
        return sorted(inner, key=str) if inner and isinstance(value[0], tuple) else inner
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat()
    return value.hex() if isinstance(value, float) else value


def digest(data: pa.Table, table: str) -> str:
    return hashlib.sha256("\n".join(rows(data, table)).encode()).hexdigest()


def digests(store: Store, wanted: Iterable[str] = ALL) -> dict[str, str]:
    """Sha256 over the sorted rows of each table, read without Spark."""
    opened = tables_of(store.lake)
    found = {table: opened[table].to_pyarrow_dataset().to_table() for table in wanted}
    return {table: digest(data.cast(tables.schema(table)), table) for table, data in found.items()}


def laptop_tables(world: World) -> dict[str, pa.Table]:
    """The same tables by the laptop's engine."""
    gathered = laptop.gather(world.items())
    measured = laptop.measure(gathered, world.settings)
    made = laptop.report(measured, world.settings)
    refused = gathered.tables["quarantine"]
    gathered.tables["quarantine"] = refused.append_column(
        "resolved_by", pa.nulls(refused.num_rows, pa.string())
    )
    return {
        **{name: gathered.tables[name] for name in SILVER if name in gathered.tables},
        "verdicts": measured.verdicts,
        "eval_runs": measured.eval_runs,
        "workloads": measured.workloads,
        "trace_measures": measured.trace_measures,
        "moments": measured.moments,
        **made.tables,
        **{name: frame.to_arrow().cast(tables.schema(name)) for name, frame in made.frames.items()},
        "aliases": laptop.alias_table(world.settings),
    }
