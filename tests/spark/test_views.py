"""The views answer alike in Spark and in DuckDB."""

from __future__ import annotations

import pytest

from effspark import local_sql
from effspark.errors import SettingsError
from effspark.spark import views
from effspark.spark.store import Store


@pytest.mark.parametrize(
    "statement", ["DROP TABLE runs", "SELECT nope FROM leaderboard", "SELECT 1; SELECT 2"]
)
def test_spark_answers_a_query_and_runs_nothing_else(statement: str, base: Store) -> None:
    views.register(base)
    with pytest.raises(SettingsError, match="allowed: one SELECT over the tables and views of the lake"):
        views.select(base, statement)
    assert views.select(base, "SELECT count(*) AS n FROM reports ORDER BY n;").to_pylist() == [{"n": 1}]


def test_every_view_is_the_same_in_both_engines(base: Store) -> None:
    assert views.register(base) == sorted(local_sql.views())
    found = {}
    for name in local_sql.views():
        found[name] = views.select(base, f"SELECT * FROM {name}").to_pylist()
        assert found[name] == local_sql.select(base.lake, f"SELECT * FROM {name}").to_pylist(), name
    assert [row["rank"] for row in found["leaderboard"]][:2] == [1.0, 2.0]
