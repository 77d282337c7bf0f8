"""Moments become a report: the gold tables, appended once, the row of `reports` last.

    moments, workloads, eval_runs -> report_tables (one code for both engines) -> gold tables -> reports

A report that stands already is not written again: its id is the hash of settings, method and moments.
Source: architecture.md section 5.5.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import narwhals as nw
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

import effspark
from effspark import tables
from effspark.gold.report_tables import GATHERED, SPREAD, ReportTables, report_tables
from effspark.gold.selected import Inputs
from effspark.layers.moments import METHOD_VERSION
from effspark.layers.selection import gathered
from effspark.settings import Settings
from effspark.spark.store import Store, literal

TABLES = (*GATHERED, *SPREAD, "reports")
"""Gold tables of a report, in the order they are written."""

INPUTS = ("runs", "verdicts", "instances", "labels", "eval_runs", "workloads", "moments")


class Cluster:
    """The engine of Spark frames."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: list[Any] = []

    def frame(self, table: pa.Table) -> Any:
        """A small table as a frame."""
        return nw.from_native(self._store.frame(table))

    def kept(self, frame: Any) -> Any:
        """A frame that is computed once and kept on the executors."""
        native = frame.to_native().persist()
        self._kept.append(native)
        return nw.from_native(native)

    def least(self, frame: Any, by: Sequence[str], column: str) -> Any:
        """The row of each group in which a column is least, without a window: one aggregate of rows as structs."""
        native = frame.to_native()
        rest = [name for name in native.columns if name not in by]
        least = native.groupBy(*by).agg(F.min_by(F.struct(*rest), column).alias("_least"))
        return nw.from_native(least.select(*by, "_least.*"))

    def blocks(
        self, frame: Any, by: Sequence[str], function: Callable[[pa.Table], pa.Table], schema: pa.Schema
    ) -> Any:
        """Rows that a function gives for the rows of each group, on the executors."""
        grouped = frame.to_native().groupBy(*by)
        # Spark reads the hints of what it is given, which a partial lacks.
        return nw.from_native(grouped.applyInArrow(lambda rows: function(rows), from_arrow_schema(schema)))

    def release(self) -> None:
        """Let go of all kept frames."""
        for frame in self._kept:
            frame.unpersist()


class Written(NamedTuple):
    """A report and whether this run wrote it (or found it)."""

    report: ReportTables
    is_new: bool


def report(store: Store, settings: Settings, *, name: str, now: Any) -> Written:
    """Compute a report from the moments and append it, unless it stands already.

    Parameters
    ----------
    name
        Name that people ask for; several reports may bear it, the latest counts.
    now
        Time of the report (UTC).
    """
    store.open(TABLES)
    engine = Cluster(store)
    eval_runs = gathered(nw.from_native(store.read("eval_runs")))
    moments, workloads = (nw.from_native(store.read(table)) for table in ("moments", "workloads"))
    given = Inputs(moments, workloads, eval_runs.cast(tables.schema("eval_runs")))
    found = report_tables(given, settings, engine)
    is_new = not _stands(store, found.report_id, name)
    if is_new:
        store.together([partial(_append, store, found, table) for table in (*GATHERED, *SPREAD)])
        row = _report_row(store, found, settings, name=name, now=now)
        transaction = f"{found.report_id}:{name}"
        store.append("reports", store.frame(tables.from_rows("reports", [row])), transaction=transaction)
    engine.release()
    return Written(found, is_new)


def _stands(store: Store, report_id: str, name: str) -> bool:
    if "reports" in store.fresh:
        return False
    same = store.read("reports").where(f"report_id = '{report_id}' AND name = {literal(name)}")
    return same.head() is not None


def _append(store: Store, found: ReportTables, table: str) -> None:
    spread = table in SPREAD
    rows = found.frames[table].to_native() if spread else store.frame(found.tables[table])
    store.append(table, rows, transaction=found.report_id)


def _counts(found: ReportTables) -> dict[str, int]:
    gathered_rows = {table: rows.num_rows for table, rows in found.tables.items()}
    return gathered_rows | {table: frame.to_native().count() for table, frame in found.frames.items()}


def _report_row(
    store: Store, found: ReportTables, settings: Settings, *, name: str, now: Any
) -> dict[str, Any]:
    return {
        "report_id": found.report_id,
        "name": name,
        "created_at": now,
        "method_version": METHOD_VERSION,
        "effspark_version": effspark.__version__,
        "settings": json.dumps(settings.model_dump(mode="json"), sort_keys=True),
        "fingerprint": found.fingerprint,
        "input_versions": json.dumps(store.versions(INPUTS), sort_keys=True),
        "row_counts": json.dumps(_counts(found), sort_keys=True),
        "warnings": found.warnings,
    }
