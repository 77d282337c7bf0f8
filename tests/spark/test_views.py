"""The views answer alike in Spark and in DuckDB."""

from __future__ import annotations

from effspark import local_sql
from effspark.spark import views
from effspark.spark.store import Store

QUERY = "SELECT * FROM leaderboard"


def test_the_leaderboard_is_the_same_in_both_engines(base: Store) -> None:
    assert views.register(base) == sorted(local_sql.views())
    spark_rows = base.spark.sql(QUERY).toArrow().to_pylist()
    duck_rows = local_sql.select(base.lake, QUERY).to_pylist()
    assert spark_rows == duck_rows
    assert [row["rank"] for row in spark_rows][:2] == [1.0, 2.0]
