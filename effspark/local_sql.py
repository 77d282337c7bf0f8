"""SQL on a local lake without a JVM: delta-rs opens the tables, DuckDB answers.

    LAKE/<table> (Delta) -> Arrow datasets -> views of schemas/views/*.sql -> the user's SELECT

Source: architecture.md section 4. Reads only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from effspark import lakes, tables
from effspark.errors import LakeError, SettingsError, problem
from effspark.resources import folder

if TYPE_CHECKING:
    import duckdb


def tables_of(lake: str) -> dict[str, Any]:
    """Delta tables of a lake by name, as delta-rs opens them.

    Raises
    ------
    LakeError
        The folder holds no table of effspark.
    """
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    found = {}
    for name in tables.names():
        path = f"{lake}/{name}"
        if not lakes.is_table(path):
            continue
        try:
            found[name] = DeltaTable(path)
        except DeltaError as error:
            raise LakeError(
                problem(
                    f"table {name} cannot be opened",
                    where=path,
                    found=str(error),
                    allowed="a Delta table",
                    remedy="restore the table or run ingest and report into a fresh lake",
                )
            ) from error
    if not found:
        raise LakeError(
            problem(
                "no lake",
                where=lake,
                found="no table of effspark",
                allowed="a folder that `effspark ingest` has written",
                remedy="check --lake, or ingest first",
            )
        )
    return found


def connection(lake: str) -> duckdb.DuckDBPyConnection:
    """DuckDB connection with every table and view of a lake."""
    import duckdb

    opened = tables_of(lake)
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    for name, table in opened.items():
        database.register(name, table.to_pyarrow_dataset())
    for name, (needs, query) in views().items():
        if needs <= opened.keys():
            database.execute(f"CREATE VIEW {name} AS {query}")
    return database


def views() -> dict[str, tuple[set[str], str]]:
    """View name -> tables it reads and its SQL, in the order of their names.

    >>> sorted(views()["leaderboard"][0])
    ['estimates', 'reports']
    """
    found = {}
    for path in sorted((folder("schemas") / "views").glob("*.sql")):
        query = path.read_text("utf-8")
        read = set(re.findall(r"\b(?:FROM|JOIN)\s+(\w+)", query))
        found[path.stem] = (read & set(tables.names()), query)
    return found


def select(lake: str, query: str) -> pa.Table:
    """Result of one query.

    Raises
    ------
    SettingsError
        The query cannot be answered; the text of DuckDB and the names that exist are told.
    """
    import duckdb

    database = connection(lake)
    try:
        answer = database.sql(query)
        return pa.table({}) if answer is None else answer.to_arrow_table()
    except duckdb.Error as error:
        there = [row[0] for row in database.execute("SHOW TABLES").fetchall()]
        raise SettingsError(
            problem(
                "the query cannot be answered",
                where=lake,
                found=str(error),
                allowed=f"tables and views {', '.join(sorted(there))}",
                remedy="mend the query; `effspark tables NAME` lists columns",
            )
        ) from error
