"""Runs as plain records, made or from a vector, the arrays of them, and section 5 once more run by run."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from effspark.pool.cells import Cells

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
Run = dict[str, Any]
Work = Mapping[str, float]


def vector(name: str) -> tuple[dict[str, Any], Any]:
    """Input and expected output of a shared vector."""
    found = json.loads((VECTORS / f"{name}.json").read_text())
    return found["input"], found["expected"]


def made(
    seed: int, *, models: int = 6, instances: int = 12, repeats: int = 2, gaps: float = 0.1
) -> list[Run]:
    """Runs of models that differ in skill and length; some cells have none, some runs no tokens or a cut."""
    draw = np.random.default_rng(seed)
    skill, length = draw.uniform(0.2, 0.9, models), draw.integers(3, 40, models)
    found = []
    for model in range(models):
        for instance in range(instances):
            if draw.random() < gaps:
                continue
            for repeat in range(draw.integers(1, repeats + 1)):
                found.append(
                    {
                        "model": f"m{model}",
                        "instance": f"i{instance:03}",
                        "repeat": repeat,
                        "tokens": int(draw.integers(0, length[model] * (1 + instance % 4))),
                        "completed": bool(draw.random() < 0.9),
                        "correct": bool(draw.random() < skill[model]),
                    }
                )
    return found


def success(run: Run) -> bool:
    return bool(run["completed"] and run["correct"])


def solves(run: Run) -> bool:
    return success(run) and run["tokens"] > 0


def names(runs: Sequence[Run], key: str) -> list[str]:
    return sorted({run[key] for run in runs})


def cells(runs: Sequence[Run]) -> tuple[Cells, list[str]]:
    """Cells of the runs, and the instances of their rows."""
    models, instances = names(runs, "model"), names(runs, "instance")
    sums = np.zeros((5, len(instances), len(models)), np.int64)
    for run in runs:
        where = (slice(None), instances.index(run["instance"]), models.index(run["model"]))
        solving = int(solves(run))
        sums[where] += [1, run["tokens"], int(success(run)), solving, solving * run["tokens"]]
    return Cells(tuple(models), *sums), instances


def of(runs: Sequence[Run], model: str, instance: str | None = None) -> list[Run]:
    return [run for run in runs if run["model"] == model and instance in (None, run["instance"])]


def shared(runs: Sequence[Run], pool: Collection[str]) -> list[str]:
    return [one for one in names(runs, "instance") if all(of(runs, model, one) for model in pool)]


def ranked(runs: Sequence[Run]) -> list[str]:
    """Models by E0, accuracy and name."""

    def place(model: str) -> tuple[float, float, str]:
        mine = of(runs, model)
        right = sum(map(success, mine))
        return (-1000 * right / sum(run["tokens"] for run in mine), -right / len(mine), model)

    return sorted(
        (model for model in names(runs, "model") if sum(r["tokens"] for r in of(runs, model))), key=place
    )


def solver(runs: Sequence[Run], order: Sequence[str], instance: str) -> tuple[float, str | None]:
    """W of an instance, and who solved it first in the order."""
    for model in order:
        spent = [run["tokens"] for run in of(runs, model, instance) if solves(run)]
        if spent:
            return sum(spent) / len(spent), model
    return math.nan, None


def solver_work(runs: Sequence[Run], order: Sequence[str], instances: Sequence[str]) -> dict[str, float]:
    """W of the instances that anybody solves."""
    found = {instance: solver(runs, order, instance)[0] for instance in instances}
    return {instance: work for instance, work in found.items() if not math.isnan(work)}


def layer(runs: Sequence[Run], work: Work) -> tuple[float, float]:
    """VO and kappa of one model's runs that have W."""
    used = [(run["tokens"], work[run["instance"]]) for run in runs if run["instance"] in work]
    if not used:
        return math.nan, math.nan
    overhead = sum(t / w for t, w in used) / len(used)
    if overhead == 0:
        return 0.0, math.nan
    mean_tokens, mean_work = (sum(side) / len(used) for side in zip(*used, strict=True))
    return overhead, mean_tokens / (mean_work * overhead)


def rank(values: Sequence[float], value: float) -> float:
    return 1 + sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2


def rho(pairs: Sequence[tuple[float, float]]) -> float:
    """Spearman's rho from pairs, as plainly as can be."""
    kept = [
        tuple(float(f"{value:.11e}") for value in pair) for pair in pairs if not any(map(math.isnan, pair))
    ]
    if len(kept) < 3:
        return math.nan
    left, right = ([rank(side, value) for value in side] for side in zip(*kept, strict=True))
    middle = (len(kept) + 1) / 2
    together = sum((a - middle) * (b - middle) for a, b in zip(left, right, strict=True))
    apart = [sum((a - middle) ** 2 for a in side) for side in (left, right)]
    return math.nan if 0 in apart else together / math.sqrt(apart[0] * apart[1])
