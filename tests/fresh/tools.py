"""The tools of `make test-fresh`, and what effspark makes of their logs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from effspark import checking, laptop
from effspark.readers import Options
from tests.conftest import ROOT

HERE = Path(__file__).parent
KEY = ("request_model", "benchmark_id", "instance_id", "attempt")
INSTALLED = ROOT / ".venv" / "fresh"


def run(folder: Path, *command: str | Path) -> None:
    """Run a tool offline, with a home of its own; what it says is shown where it fails."""
    assert Path(command[0]).exists(), "`make test-fresh` installs the tools before it runs these tests"
    home = folder / "home"
    home.mkdir(parents=True)
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    quiet = {f"PROMPTFOO_DISABLE_{name}": "1" for name in ("TELEMETRY", "UPDATE", "REMOTE_GENERATION")}
    said = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(home), **offline, **quiet},
        capture_output=True,
        text=True,
    )
    (folder / "said.txt").write_text(said.stdout + said.stderr, "utf-8")
    if said.returncode not in (0, 100):  # promptfoo ends with 100 where an assertion fails
        raise AssertionError(f"{command[0]} ended with {said.returncode}:\n{said.stdout}\n{said.stderr}")


def python_logs(folder: Path, script: str) -> Path:
    """Folder of the logs that a script beside this file writes."""
    run(folder, INSTALLED / "python" / "bin" / "python", HERE / script, folder / "logs")
    return folder / "logs"


Runs = dict[tuple[str, ...], dict[str, Any]]


def read(*paths: Path, reader: str, records: int) -> Runs:
    """Runs of logs by model, benchmark, instance and attempt, with their verdicts by scorer.

    One reader must read all files, refuse nothing of them and account for so many records.
    """
    places = [str(path) for path in paths]
    for row in checking.checked(places, Options()):
        assert (row["reader"], row["refused"]) == (reader, []), row["source_uri"]
    gathered = laptop.read(places, Options())
    tally = laptop.tally(gathered)
    assert sum(row["records"] for row in tally) == records
    assert all(row["records"] == row["mapped"] + row["merged"] + row["not_selected"] for row in tally)
    runs = {row["run_key"]: {**row, "verdicts": {}} for row in gathered.tables["runs"].to_pylist()}
    for verdict in gathered.tables["verdicts"].to_pylist():
        runs[verdict["run_key"]]["verdicts"][verdict["scorer"]] = verdict
    keyed = {tuple(run[name] for name in KEY): run for run in runs.values()}
    assert len(keyed) == len(runs)
    return keyed


def columns(runs: Runs, *names: str) -> dict[tuple[str, ...], tuple[Any, ...]]:
    """Some columns of runs; a name that is none is a scorer, whose verdict is right, wrong or none."""
    return {
        key: tuple(
            run[name] if name in run else run["verdicts"].get(name, {}).get("correct") for name in names
        )
        for key, run in runs.items()
    }
