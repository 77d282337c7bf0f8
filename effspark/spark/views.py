"""Views of a lake in Spark: registered for the session on a path lake, persisted in a catalog.

The SQL lies in `schemas/views/` and is the same that DuckDB runs on a local lake.
"""

from __future__ import annotations

from functools import partial

from effspark.lakes import LakeKind
from effspark.local_sql import views
from effspark.spark.store import Store


def register(store: Store) -> list[str]:
    """Make the views whose tables exist available by their names."""
    made, present = [], store.present()
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
