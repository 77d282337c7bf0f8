"""What was planted is found again: simulated logs of three teams, from files to estimates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from effspark import commands, laptop, settings, simulation
from effspark.gold.report_tables import ReportTables
from effspark.laptop import Gathered, Measured
from effspark.layers.selection import chosen_scorers
from effspark.readers import plan
from effspark.readers.staged_rows import Item
from effspark.settings import Settings
from effspark.simulation import Stage, Truth, key_of
from effspark.simulation.instances import CHAINS, GSM8K, WRONG_GOLD

Group = tuple[str, str]
"""Benchmark and key of a model."""

METRICS = {
    "outcome": {
        "e0": "E0", "r_ctx": "r_ctx", "r_logic": "r_logic", "accuracy": "accuracy", "mean_tokens": "mean_T",
    },
    "workload": {"vo": "VO", "kappa": "kappa"},
}  # fmt: skip
"""Layer -> estimate of the truth -> metric of the report."""
SCALES = {"": "outcome", "W_step": "workload", "W_depth": "workload"}
"""Scale -> layer, of the primary scales."""


class Found(NamedTuple):
    """What the pipeline made of one simulation."""

    truth: Truth
    gathered: Gathered
    measured: Measured
    report: ReportTables
    settled: Settings


@pytest.fixture(scope="module")
def drop(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Folder of the simulation of a seed, written once."""

    @cache
    def written(seed: int) -> Path:
        out = tmp_path_factory.mktemp(f"seed{seed}") / "out"
        simulation.simulate(out, seed=seed)
        return out

    return written


def found(out: Path, stage: Stage) -> Found:
    truth = simulation.read_truth(out / "truth.json")
    settled = settings.load(out / "conf.yaml")
    gathered = laptop.gather(work(out, settled, stage))
    measured = laptop.measure(gathered, settled)
    return Found(truth, gathered, measured, laptop.report(measured, settled), settled)


def work(out: Path, settled: Settings, stage: Stage) -> list[Item]:
    """Items, labels and logs; the late files lie beside those that they mend, so that the winner rule decides."""
    asked = [("items", "benchmarks", "items", "gsm8k"), ("labels", "birch", "labels", None)]
    asked += [(f"logs/{team}", team, "auto", None) for team in ("aurora", "birch", "cedar")]
    if stage is Stage.LATE:
        asked.append(("late/labels", "birch", "labels", None))
        asked += [(f"late/{team}", team, "auto", None) for team in ("aurora", "birch")]
    planned = []
    for folder, team, format_name, benchmark in asked:
        mapping = out / "mappings" / f"{team}.yaml"
        options = commands.options_of(
            settled, benchmark=benchmark, mapping=mapping if mapping.is_file() else None
        )
        files = plan.files([str(out / folder)])
        planned += plan.items(files, options, format_name=format_name, team=team)
    return planned


def key_of_model(one: Found) -> dict[str, str]:
    """model_id -> key of the planted model."""
    rows = one.measured.eval_runs.to_pylist()
    return {row["model_id"]: key_of(row["model"], row["output_budget"]) for row in rows}


def sums(one: Found) -> dict[Group, Counter[str]]:
    """Columns of `moments`, and W and T/W, summed over the rows that a report chooses."""
    place = ("eval_run_id", "benchmark_id", "config_id")
    models = {
        tuple(row[name] for name in place): row["model_id"] for row in one.measured.eval_runs.to_pylist()
    }
    rows = [
        row | {"model_id": models[tuple(row[name] for name in place)]}
        for row in one.measured.moments.to_pylist()
    ]
    chosen = {
        (choice.eval_run_id, choice.benchmark_id, choice.config_id, choice.scorer)
        for choice in chosen_scorers(rows, one.settled)
    }
    keys = key_of_model(one)
    added: dict[Group, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if (*(row[name] for name in place), row["scorer"]) in chosen:
            group = added[row["benchmark_id"], keys[row["model_id"]]]
            group.update({name: int(value) for name, value in row.items() if not isinstance(value, str)})
    return added


def estimates(one: Found) -> dict[Group, dict[str, float | None]]:
    """Estimates of the report on own instances."""
    keys = key_of_model(one)
    read: dict[Group, dict[str, float | None]] = defaultdict(dict)
    for row in one.report.tables["estimates"].to_pylist():
        if row["instance_set"] == "own" and SCALES.get(row["scale"]) == row["layer"]:
            group = read[row["benchmark_id"], keys[row["model_id"]]]
            group.update(
                {
                    name: row["value"]
                    for name, metric in METRICS[row["layer"]].items()
                    if metric == row["metric"]
                }
            )
    return read


def defined(values: Mapping[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in values.items() if value is not None}


@pytest.mark.parametrize(
    ("seed", "stage"), [(1, Stage.FIRST), (1, Stage.LATE), (2, Stage.LATE), (3, Stage.LATE)]
)
def test_planted_truth_is_recovered_from_the_logs(
    seed: int, stage: Stage, drop: Callable[[int], Path]
) -> None:
    one = found(drop(seed), stage)
    added, read = sums(one), estimates(one)
    assert one.truth.tally_differences(added, stage=stage) == []
    waiting = {key: group["n"] for (benchmark, key), group in added.items() if benchmark == "unlabelled"}
    late = {key: tally["n"] for key, tally in one.truth.unlabelled.items()}
    assert waiting == (late if stage is Stage.FIRST else {})
    unsolved = {
        (row["benchmark_id"], row["instance_id"]) for row in one.report.tables["suspects"].to_pylist()
    }
    assert unsolved == {(GSM8K, str(WRONG_GOLD)), (CHAINS, f"chain-{WRONG_GOLD:03d}")}
    for planted in one.truth.models:
        own = defined(read[planted.benchmark, planted.key])
        drawn = defined({name: planted.realised(name, stage=stage) for name in planted.expected})
        assert own == pytest.approx(drawn, rel=1e-12, abs=0), (planted.benchmark, planted.key)
    if stage is Stage.LATE:
        assert one.truth.estimate_differences(read, within=4.0) == []
        check_records(one)


def check_records(one: Found) -> None:
    """Each run is there once, with all the teams that logged it; what was broken is refused, and nothing else."""
    teams: dict[str, set[str]] = defaultdict(set)
    for row in one.gathered.tables["run_sources"].to_pylist():
        teams[row["run_key"]].add(row["team"])
    shared = Counter(",".join(sorted(found)) for found in teams.values())
    assert shared == Counter(one.truth.runs_by_teams)
    assert one.gathered.tables["runs"].num_rows == sum(one.truth.runs_by_eval_run.values())
    refused = Counter(
        row["source_uri"].split("/out/", 1)[1] for row in one.gathered.tables["quarantine"].to_pylist()
    )
    broken = {file.path: sum(file.broken.values()) for file in one.truth.files if file.broken}
    assert refused == Counter(broken)
