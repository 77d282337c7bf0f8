"""Batches come back in any order: which row stands where says nothing of which request it answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from effspark.readers import Options, plan, staged_rows, staging

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "runs"
BATCHES = [
    "anthropic_batch_results/logs/results.jsonl",
    "gemini_batch_studio/logs/output.jsonl",
    "gemini_batch_vertex/logs/predictions.jsonl",
    "openai_chat/logs/batch_output.jsonl",
    "openai_responses/logs/responses.jsonl",
]


def runs_of(folder: Path, name: str, lines: list[str]) -> set[tuple[object, ...]]:
    folder.mkdir()
    (folder / name).write_text("".join(lines), "utf-8")
    found: set[tuple[object, ...]] = set()
    for item in plan.items(plan.files([str(folder)]), Options(benchmark="b"), team="t"):
        for run in staged_rows.of_kind(staging.stage(item), "runs").to_pylist():
            found.add(tuple(run[name] for name in ("run_key", "instance_id", "output_tokens", "stop_class")))
    return found


@pytest.mark.parametrize("path", BATCHES)
def test_rows_of_a_batch_in_another_order_are_the_same_runs(path: str, tmp_path: Path) -> None:
    lines = (GOLDEN / path).read_text("utf-8").splitlines(keepends=True)
    whole = [line if line.endswith("\n") else line + "\n" for line in lines]
    first = runs_of(tmp_path / "first", Path(path).name, whole)
    assert len(first) > 2
    assert runs_of(tmp_path / "turned", Path(path).name, whole[::-1]) == first
