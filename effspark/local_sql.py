"""SQL on a local lake without a JVM: delta-rs opens the tables, DuckDB answers.

    LAKE/<table> (Delta) -> Arrow datasets -> views of schemas/views/*.sql -> the user's SELECT

Source: architecture.md section 4. Reads only.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from effspark import lakes, tables
from effspark.errors import LakeError, SettingsError, problem
from effspark.resources import folder

if TYPE_CHECKING:
    import duckdb


_CLOSED = (
    "python_enable_replacements = false",
    "enable_external_access = false",
    "lock_configuration = true",
)
"""Settings by which a query can neither read nor write a file."""

_IN_A_FILE = "reading the stream registered as"
"""How DuckDB tells that a table's rows could not be read, whatever the query."""


def tables_of(lake: str) -> dict[str, Any]:
    """Delta tables of a lake by name, as delta-rs opens them.

    Raises
    ------
    LakeError
        The folder holds no table of effspark, or the lake is of another version.
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
            version = found[name].metadata().configuration.get(lakes.VERSION_PROPERTY)
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
        lakes.check_version(lake, version)
    if not found:
        raise LakeError(lakes.nothing_there(lake))
    return found


def connection(lake: str) -> duckdb.DuckDBPyConnection:
    """DuckDB connection with every table and view of a lake, which can reach nothing else."""
    import duckdb

    opened = tables_of(lake)
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    for name, table in opened.items():
        database.register(name, table.to_pyarrow_dataset())
    for name, (needs, query) in views().items():
        if needs <= opened.keys():
            database.execute(f"CREATE VIEW {name} AS {query}")
    for setting in _CLOSED:
        database.execute(f"SET {setting}")
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


def comment_of(view: str) -> str:
    """What a view answers: the comment at the head of its SQL.

    >>> comment_of("unmatched_labels")[:35]
    'Which labels belong to no run? By c'
    """
    lines = views()[view][1].splitlines()
    return " ".join(
        line.removeprefix("-- ") for line in takewhile(lambda line: line.startswith("-- "), lines)
    )


def columns_of(view: str) -> pa.Schema:
    """Columns of a view, found by asking it of empty tables.

    >>> columns_of("unmatched_labels").names[:2]
    ['benchmark', 'custom_id']
    """
    import duckdb

    needs, query = views()[view]
    database = duckdb.connect()
    for name in needs:
        database.register(name, tables.schema(name).empty_table())
    return database.sql(query).to_arrow_table().schema


def select(lake: str, query: str) -> pa.Table:
    """Result of one query; nothing is ever written.

    Raises
    ------
    SettingsError
        The query cannot be answered, or is no single SELECT; the text of DuckDB and the names that exist are told.
    LakeError
        A file of the lake is missing or damaged.
    """
    import duckdb

    database = connection(lake)
    try:
        kinds = [statement.type.name for statement in duckdb.extract_statements(query)]
        if len(kinds) != 1 or kinds[0] not in ("SELECT", "EXPLAIN"):
            raise SettingsError(_no_query(lake, kinds))
        return database.sql(query).to_arrow_table()
    except duckdb.Error as error:
        if _IN_A_FILE in str(error):
            raise LakeError(_damaged(lake, error)) from error
        there = [row[0] for row in database.execute("SHOW TABLES").fetchall()]
        known = (*tables.names(), *views())
        absent = [name for name in known if name not in there and re.search(rf"\b{name}\b", query)]
        later = f"{', '.join(absent)} will be there after the first `effspark report`"
        raise SettingsError(
            problem(
                "the query cannot be answered",
                where=lake,
                found=str(error),
                allowed=f"tables and views {', '.join(sorted(there))}",
                remedy=later if absent else "mend the query; `effspark tables NAME` lists columns",
            )
        ) from error


def rows_of(lake: str, table: str, opened: Any) -> int:
    """Number of rows of an opened table.

    Raises
    ------
    LakeError
        A file of the table is missing or damaged.
    """
    try:
        return int(opened.to_pyarrow_dataset().count_rows())
    except (OSError, pa.ArrowException) as error:
        raise LakeError(_damaged(f"{lake}/{table}", error)) from error


def _damaged(where: str, error: Exception) -> str:
    return problem(
        "a file of the lake cannot be read",
        where=where,
        found=str(error).strip(),
        allowed="tables whose files are all there and whole",
        remedy="restore the file, or ingest and report into a fresh lake",
    )


def _no_query(lake: str, kinds: list[str]) -> str:
    return problem(
        "no query",
        where=lake,
        found=" and ".join(kinds) or "no statement",
        allowed="one SELECT",
        remedy="ask one question at a time; a lake is written by `effspark ingest`, `measure` and `report` only",
    )
