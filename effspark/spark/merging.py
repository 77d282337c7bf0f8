"""How do rows meet rows of the same key? MERGE with the winner rule, MERGE of what differs, and deletion by key.

Sources must hold each key once and be computed before (staged), since MERGE reads them twice. An empty table is
appended to instead: there is nothing to meet. Source: architecture.md sections 5.4, 5.5.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from effspark import tables
from effspark.runs.keys import winner_order
from effspark.spark.store import Store, literal, spark_schema

_VERSIONS = ("reader_version", "mapping_version")
"""Which reading of a content a row comes from."""


def merge_winners(
    store: Store,
    table: str,
    source: DataFrame,
    *,
    always: Sequence[str] = (),
    gone: str | None = None,
    reread: Sequence[str] = (),
) -> None:
    """Merge rows by key; a row replaces another only where it is greater in the winner order.

    Columns named in `always` are taken from the source whichever row wins; `gone` is the condition under which rows
    that the source lacks are deleted. Of the same content the newer reading wins, whatever the times that each found
    in it; rows of the contents named in `reread`, which are read in another way now, give way to any.
    """
    clauses = f"WHEN MATCHED AND {_wins(table, reread)} THEN UPDATE SET *"
    if always:
        differs = " OR ".join(f"NOT (s.`{name}` <=> t.`{name}`)" for name in always)
        taken = ", ".join(f"`{name}` = s.`{name}`" for name in always)
        clauses += f" WHEN MATCHED AND ({differs}) THEN UPDATE SET {taken}"
    _merge(store, table, winners(source, tables.key(table), winner_order(table)), clauses, gone)


def _wins(table: str, reread: Sequence[str]) -> str:
    order = winner_order(table)
    greater = f"{_struct('s', order)} > {_struct('t', order)}"
    if not {"source_sha256", *_VERSIONS} <= set(tables.columns(table)):
        return greater
    read, stood = _struct("s", _VERSIONS), _struct("t", _VERSIONS)
    gone_by = f"WHEN t.source_sha256 IN ({', '.join(map(literal, reread))}) THEN true " if reread else ""
    return (
        f"CASE {gone_by}WHEN s.source_sha256 <> t.source_sha256 THEN {greater} "
        f"WHEN {read} <> {stood} THEN {read} > {stood} ELSE {greater} END"
    )


def merge_changed(store: Store, table: str, source: DataFrame, *, gone: str | None = None) -> None:
    """Merge rows by key where any column differs; `gone` is the condition under which absent rows are deleted."""
    rest = [name for name in tables.columns(table) if name not in tables.key(table)]
    same = " AND ".join(_same(name, spark_schema(table)[name].dataType) for name in rest) or "true"
    clauses = f"WHEN MATCHED AND NOT ({same}) THEN UPDATE SET *"
    _merge(store, table, source, clauses, gone)


def merge_listed(store: Store, table: str, rows: pa.Table) -> None:
    """Make a small table hold these rows and no others; it is written only where it does not yet."""
    if table in store.fresh or _rows(store.read(table).toArrow()) != _rows(rows):
        merge_changed(store, table, store.frame(rows), gone="true")


def _rows(data: pa.Table) -> list[str]:
    return sorted(map(str, data.to_pylist()))


def merge_fingerprinted(store: Store, table: str, source: DataFrame) -> None:
    """Merge rows by key where the fingerprint differs, and delete rows whose key has vanished."""
    _merge(store, table, source, "WHEN MATCHED AND s.fingerprint <> t.fingerprint THEN UPDATE SET *", "true")


def merge_new(store: Store, table: str, source: DataFrame) -> None:
    """Add rows whose key is new; where the key is a hash of the row, those that are there are the same."""
    _merge(store, table, source, "")


def _merge(store: Store, table: str, source: DataFrame, matched: str, gone: str | None = None) -> None:
    if table in store.fresh:
        store.append(table, source)
        return
    view = f"effspark_merge_{table}"
    source.select(*tables.columns(table)).createOrReplaceTempView(view)
    on = " AND ".join(f"s.`{name}` = t.`{name}`" for name in tables.key(table))
    vanished = f"WHEN NOT MATCHED BY SOURCE AND {gone} THEN DELETE" if gone else ""
    statement = (
        f"MERGE INTO {store.name(table)} t USING {view} s ON {on} {matched} "
        f"WHEN NOT MATCHED THEN INSERT * {vanished}"
    )
    store.write(table, lambda: store.spark.sql(statement).collect())
    store.spark.catalog.dropTempView(view)


def delete_rows(store: Store, table: str, rows: DataFrame) -> None:
    """Delete the rows of a table whose key is among the given rows."""
    view = f"effspark_gone_{table}"
    rows.select(*tables.key(table)).createOrReplaceTempView(view)
    on = " AND ".join(f"s.`{name}` = t.`{name}`" for name in tables.key(table))
    statement = f"MERGE INTO {store.name(table)} t USING {view} s ON {on} WHEN MATCHED THEN DELETE"
    store.write(table, lambda: store.spark.sql(statement).collect())
    store.spark.catalog.dropTempView(view)


def winners(frame: DataFrame, key: Sequence[str], order: Sequence[str]) -> DataFrame:
    """One row for each key: the greatest in `order`."""
    window = Window.partitionBy(*key).orderBy(*(F.col(name).desc() for name in order))
    ranked = frame.withColumn("_place", F.row_number().over(window))
    return ranked.where("_place = 1").drop("_place")


def _struct(alias: str, names: Sequence[str]) -> str:
    return f"struct({', '.join(f'{alias}.`{name}`' for name in names)})"


def _same(name: str, kind: T.DataType) -> str:
    """Null-safe equality of one column; maps, which SQL cannot compare, by their entries."""
    left, right = f"s.`{name}`", f"t.`{name}`"
    if isinstance(kind, T.MapType):
        left, right = f"array_sort(map_entries({left}))", f"array_sort(map_entries({right}))"
    return f"{left} <=> {right}"
