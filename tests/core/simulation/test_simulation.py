"""What the package offers, and that it knows logs only as their tools write them."""

from __future__ import annotations

import ast
from pathlib import Path

from effspark import simulation

FOLDER = Path(simulation.__file__).parent


def test_what_is_simulated_can_be_compared_by_what_the_package_offers(tmp_path: Path) -> None:
    assert isinstance(simulation.simulate(tmp_path, seed=1, size="small"), simulation.Truth)
    truth = simulation.read_truth(tmp_path / "truth.json")
    planted = truth.of("gsm8k", simulation.key_of("mistral/wren-flash", "1024"))
    assert [planted.tallies[stage.value]["runs"] for stage in simulation.Stage] == [24, 24]


def test_simulation_and_readers_know_nothing_of_each_other() -> None:
    parts = {"readers", "runs", "layers", "laptop", "tables"}
    imported = {
        name
        for path in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("effspark")
        for name in [*str(node.module).split("."), *(alias.name for alias in node.names)]
    }
    assert imported & parts == set()
