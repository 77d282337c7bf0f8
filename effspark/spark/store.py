"""How do tables lie in a lake, and how are they read and written? Names, schema checks, MERGE, append.

    Lake: a folder or object-store URI (one Delta folder a table), or `catalog.schema`

Every change of a lake goes through `Store.write`, so that what a job does is a list of named writes. Readers get
columns checked against `schemas/`; merging by key is merging.py. Source: architecture.md sections 5.5, 5.10.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import types as T
from pyspark.sql.pandas.types import from_arrow_schema

from effspark import tables
from effspark.errors import LakeError, SchemaError, all_problems, problem
from effspark.lakes import (
    LAKE_VERSION,
    VERSION_PROPERTY,
    LakeKind,
    check_version,
    filesystem_of,
    is_table,
    kind_of,
)
from effspark.spark.conflicts import retried

_log = logging.getLogger(__name__)

FILTERED = ("report_id", "benchmark_id", "source_sha256")
"""Columns by which rows are looked for; Delta keeps the least and greatest value in each file of these only."""
_WRITERS = 6
"""Actions on different tables that run side by side."""
_STAGING = "_staging"


class Store:
    """The tables of one lake, as one Spark session sees them.

    `fresh` names the tables that this store has made and not yet written: they are empty.
    """

    def __init__(self, spark: SparkSession, lake: str) -> None:
        self.spark = spark
        self.lake = lake
        self.kind = kind_of(lake)
        self.fresh: set[str] = set()

    def name(self, table: str) -> str:
        """Table as SQL names it."""
        if self.kind is LakeKind.CATALOG:
            return ".".join(f"`{part}`" for part in (*self.lake.split("."), table))
        return f"delta.`{self.lake}/{table}`"

    def present(self) -> set[str]:
        """Tables that the lake holds."""
        if self.kind is LakeKind.CATALOG:
            return {row["tableName"] for row in self._listed()} & set(tables.names())
        return {name for name in tables.names() if is_table(f"{self.lake}/{name}")}

    def _listed(self) -> list[Row]:
        place = ".".join(f"`{part}`" for part in self.lake.split("."))
        try:
            return self.spark.sql(f"SHOW TABLES IN {place}").collect()
        except AnalysisException as error:
            raise LakeError(
                problem(
                    "the schema cannot be listed",
                    where=self.lake,
                    found=str(error).split("\n")[0],
                    allowed="a folder, an object-store URI, or the catalog.schema of this Spark session",
                    remedy="check --lake (./NAME for a folder), or create the schema",
                )
            ) from error

    def check(self) -> set[str]:
        """Tables that the lake holds, all of this version.

        Raises
        ------
        LakeError
            The lake was made by another version of effspark.
        """
        present = self.present()
        if present:
            check_version(self.lake, self._version(min(present)))
        return present

    def open(self, wanted: Sequence[str]) -> None:
        """Make sure that the tables exist and are of this version.

        Raises
        ------
        LakeError
            The lake was made by another version of effspark.
        """
        present = self.check()
        self.together([partial(self._create, table) for table in wanted if table not in present])

    def together(self, actions: Sequence[Callable[[], object]]) -> None:
        """Do independent actions side by side; the first error is raised when all have ended."""
        with ThreadPoolExecutor(max_workers=_WRITERS) as pool:
            for done in [pool.submit(action) for action in actions]:
                done.result()

    def _version(self, table: str) -> str | None:
        row = self.spark.sql(f"SHOW TBLPROPERTIES {self.name(table)} ('{VERSION_PROPERTY}')").head()
        return None if row is None else str(row["value"])

    def _create(self, table: str) -> None:
        definition = tables.definition(table)
        columns = ", ".join(
            f"`{field.name}` {field.dataType.simpleString()}{'' if field.nullable else ' NOT NULL'} "
            f"COMMENT '{_quoted(str(field.metadata['comment']))}'"
            for field in spark_schema(table).fields
        )
        properties = {VERSION_PROPERTY: str(LAKE_VERSION), "delta.enableDeletionVectors": "false"}
        filtered = [name for name in FILTERED if name in tables.columns(table)]
        if filtered:
            properties["delta.dataSkippingStatsColumns"] = ",".join(filtered)
        else:
            properties["delta.dataSkippingNumIndexedCols"] = "0"
        stated = ", ".join(f"'{name}' = '{value}'" for name, value in properties.items())
        statement = (
            f"CREATE TABLE IF NOT EXISTS {self.name(table)} ({columns}) USING DELTA "
            f"COMMENT '{_quoted(definition['comment'])}' TBLPROPERTIES ({stated})"
        )
        self.write(f"create {table}", partial(self.spark.sql, statement))
        self.fresh.add(table)

    def read(self, table: str) -> DataFrame:
        """Rows of a table, its columns in the order of the schema.

        Raises
        ------
        SchemaError
            The table on disk differs from `schemas/`: all problems at once.
        """
        frame = self.spark.read.table(self.name(table))
        wanted = spark_schema(table)
        found = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
        problems = [
            f"{field.name}: found {found.get(field.name, 'nothing')}; must be {field.dataType.simpleString()}"
            for field in wanted.fields
            if found.get(field.name) != field.dataType.simpleString()
        ]
        problems += [f"{name}: superfluous" for name in found if name not in wanted.names]
        if problems:
            raise SchemaError(
                all_problems(f"table {table} in {self.lake}: {len(problems)} problems", problems)
            )
        return frame.select(*wanted.names)

    def write(self, point: str, action: Callable[[], object]) -> None:
        """Do one named write. Every change of a table passes here; staging places are no tables."""
        _log.debug("write %s in %s", point, self.lake)
        if self.kind is LakeKind.FOLDER:  # locked: there is nobody to meet
            action()
        else:
            retried(action)

    def append(self, table: str, rows: DataFrame, *, transaction: str | None = None) -> None:
        """Append rows; with a transaction, only if it has not appended to the table before."""
        writer = rows.select(*tables.columns(table)).write.format("delta").mode("append")
        if transaction is not None:
            writer = writer.option("txnAppId", transaction).option("txnVersion", 1)
        if self.kind is LakeKind.CATALOG:
            self.write(table, partial(writer.saveAsTable, f"{self.lake}.{table}"))
        else:
            self.write(table, partial(writer.save, f"{self.lake}/{table}"))
        self.fresh.discard(table)

    def frame(self, rows: pa.Table) -> DataFrame:
        """A small table as a frame; an empty one keeps its columns, which a Connect client cannot infer.

        Its chunks become one, since pyspark drops what stands behind an empty one.
        """
        return self.spark.createDataFrame(rows.combine_chunks(), schema=from_arrow_schema(rows.schema))

    def stage(self, name: str, frame: DataFrame, *, partition: str | None = None) -> DataFrame:
        """Write a frame to a staging place and read it back: computed once, whatever is done with it."""
        writer = frame.write.mode("overwrite").partitionBy(*([partition] if partition else []))
        if self.kind is LakeKind.CATALOG:
            writer.format("delta").option("overwriteSchema", "true").saveAsTable(f"{self.lake}.{name}")
            return self.spark.read.table(self.name(name))
        place = f"{self.lake}/{_STAGING}/{name}"
        writer.parquet(place)
        return self.spark.read.schema(frame.schema).parquet(place)

    def unstage(self, name: str) -> None:
        """Let go of a staging table: dropped in a catalog, emptied on a path."""
        if self.kind is LakeKind.CATALOG:
            self.spark.sql(f"DROP TABLE {self.name(name)}")
        elif self.kind is LakeKind.FOLDER:
            shutil.rmtree(f"{self.lake}/{_STAGING}/{name}")
        else:
            filesystem, inner = filesystem_of(self.lake)
            filesystem.delete_dir(f"{inner}/{_STAGING}/{name}")

    def versions(self, wanted: Iterable[str]) -> dict[str, int]:
        """Delta version of each table now."""
        found: dict[str, int] = {}

        def look(table: str) -> None:
            row = self.spark.sql(f"DESCRIBE HISTORY {self.name(table)} LIMIT 1").head()
            found[table] = int(row["version"]) if row is not None else -1

        self.together([partial(look, table) for table in wanted])
        return found


@cache
def spark_schema(table: str) -> T.StructType:
    """Schema of a table as Spark sees it."""
    return T.StructType.fromJson(tables.definition(table))


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def literal(value: str) -> str:
    r"""A text as SQL writes it.

    >>> literal("it's")
    "'it\\'s'"
    """
    return f"'{_quoted(value)}'"
