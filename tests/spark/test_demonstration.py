"""The demo, from simulated logs to the printed table."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from effspark import local_sql, simulation
from effspark.demonstration import demo
from effspark.errors import SettingsError
from effspark.simulation import read_truth


@pytest.mark.slow
def test_the_demo_prints_the_table_and_its_tables_hold_the_planted_truth(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report_id = demo(tmp_path / "out", seed=1)
    printed = capsys.readouterr()
    assert "r_logic" in printed.out
    assert report_id in printed.out
    rows = local_sql.select(str(tmp_path / "out" / "lake"), _OWN).to_pylist()
    truth = read_truth(tmp_path / "out" / simulation.TRUTH_FILE)
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    for row in rows:
        key = simulation.key_of(row["name"], row["output_budget"])
        found.setdefault((row["benchmark_id"], key), {})[_NAMES[row["metric"]]] = row["value"]
    differences = truth.estimate_differences(found, within=4.0)
    assert [one for one in differences if one.partition(":")[0].split()[-1] in _NAMES.values()] == []
    for name, table in local_sql.tables_of(str(tmp_path / "out" / "lake")).items():
        data = table.to_pyarrow_dataset().to_table()
        assert data.num_rows, name
        assert [column for column in data.column_names if data[column].null_count == data.num_rows] == [], (
            name
        )


def test_a_demo_replaces_what_a_demo_left_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "sim"
    simulation.simulate(out, seed=1, size="small")
    with pytest.raises(SettingsError, match="not empty"):
        demo(out, seed=1)
    (out / ".demo").touch()
    (out / "notes.txt").write_text("mine")
    with pytest.raises(SettingsError, match="not empty"):
        demo(out, seed=1)
    assert (out / "notes.txt").read_text() == "mine"


_NAMES = {
    "E0": "e0", "r_ctx": "r_ctx", "r_logic": "r_logic", "accuracy": "accuracy", "mean_T": "mean_tokens",
    "VO": "vo", "kappa": "kappa",
}  # fmt: skip
_OWN = """
SELECT DISTINCT e.benchmark_id, r.model AS name, r.output_budget, e.metric, e.value
FROM estimates e JOIN eval_runs r ON e.model_id = r.model_id AND e.benchmark_id = r.benchmark_id
WHERE e.instance_set = 'own' AND (
  e.layer = 'outcome' AND e.metric IN ('E0', 'r_ctx', 'r_logic', 'accuracy', 'mean_T')
  OR e.scale IN ('W_step', 'W_depth') AND e.metric IN ('VO', 'kappa'))
"""
