"""Views of a lake in Spark: registered for the session on a path lake, persisted in a catalog.

The SQL lies in `schemas/views/` and is the same that DuckDB runs on a local lake.
"""

from __future__ import annotations

from functools import partial

import pyarrow as pa
from pyspark.errors import PySparkException

from effspark.errors import SettingsError, problem
from effspark.lakes import LakeKind
from effspark.local_sql import views
from effspark.spark.store import Store


def select(store: Store, query: str) -> pa.Table:
    """Result of one query, by Spark; a statement that is no query is not run.

    Raises
    ------
    SettingsError
        The query cannot be answered; Spark's text is told.
    """
    asked = query.strip().rstrip(";")
    try:
        store.spark.sql(f"SELECT * FROM (\n{asked}\n)").schema  # noqa: B018 (analysed, not run: only a query fits)
        return store.spark.sql(asked).toArrow()
    except PySparkException as error:
        raise SettingsError(
            problem(
                "the query cannot be answered",
                where=store.lake,
                found=str(error).split("\n\nJVM")[0].split("\n'")[0],
                allowed="one SELECT over the tables and views of the lake",
                remedy="mend the query; `effspark tables NAME` lists columns",
            )
        ) from error


def register(store: Store) -> list[str]:
    """Make the views whose tables exist available by their names."""
    made, present = [], store.check()
    for name, (needs, query) in views().items():
        if not needs <= present:
            continue
        if store.kind is LakeKind.CATALOG:
            store.spark.sql(f"USE {'.'.join(f'`{part}`' for part in store.lake.split('.'))}")
            store.write(name, partial(store.spark.sql, f"CREATE OR REPLACE VIEW {name} AS {query}"))
        else:
            for table in sorted(needs):
                store.read(table).createOrReplaceTempView(table)
            store.spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS {query}")
        made.append(name)
    return made
