"""What is the planted truth, and does what a pipeline found agree with it?

    Truth = estimates in expectation with standard errors  +  exact tallies of what was drawn  +  files written

Tallies must agree to the unit; estimates within a few standard errors. Models are told apart by benchmark and key
(name and budget, `key_of`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from effspark.simulation.draws import Run
from effspark.simulation.expectation import Expected, expected
from effspark.simulation.instances import Instance
from effspark.simulation.tallies import Group, Stage, Tally, realised, tallies

TRUTH_FILE = "truth.json"


@dataclass(frozen=True, kw_only=True)
class PlantedModel:
    """One model on one benchmark: what makes it a model, its estimates in expectation, and exact tallies by stage.

    An estimate is null where the logs cannot supply it: `completion_known` false leaves r_ctx and r_logic out, and
    a model whose tokens nobody counted has none.
    """

    benchmark: str
    key: str
    model: str
    output_budget: str | None
    temperature: float | None
    reasoning_effort: str | None
    completion_known: bool
    teams: tuple[str, ...]
    expected: Mapping[str, Expected | None]
    tallies: Mapping[str, Tally]

    def realised(self, estimate: str, *, stage: Stage = Stage.LATE) -> float | None:
        """Estimate that the drawn runs give; null where the logs cannot supply it."""
        if self.expected[estimate] is None:
            return None
        return realised(self.tallies[stage.value], estimate)


@dataclass(frozen=True, kw_only=True)
class WrittenFile:
    """One file of a team: its path below the output folder, the runs it holds, and its broken records by fault."""

    path: str
    team: str
    format: str
    stage: str
    eval_run: str | None
    runs: int
    broken: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Truth:
    """Planted truth of one simulation. `unlabelled` tallies runs whose labels are late, by model, in stage `first`.

    `runs_by_teams` counts the runs of the last stage by the sorted teams that logged them, `runs_by_eval_run` by
    eval run; `work` holds W by benchmark and canonical instance.
    """

    seed: int
    size: str
    models: tuple[PlantedModel, ...]
    unlabelled: Mapping[str, Tally]
    runs_by_teams: Mapping[str, int]
    runs_by_eval_run: Mapping[str, int]
    work: Mapping[str, Mapping[str, int]]
    files: tuple[WrittenFile, ...]

    def of(self, benchmark: str, key: str) -> PlantedModel:
        """One model on one benchmark."""
        return {(planted.benchmark, planted.key): planted for planted in self.models}[benchmark, key]

    def tally_differences(self, found: Mapping[Group, Mapping[str, Any]], *, stage: Stage) -> list[str]:
        """Where counts that a pipeline found differ from the exact tallies; empty where all agree.

        Parameters
        ----------
        found
            (benchmark, key) -> sums of the columns of `moments`; columns that the truth does not tally are not
            compared, a column that it tallies and `found` lacks counts as 0.
        """
        wanted = {(planted.benchmark, planted.key): planted.tallies[stage.value] for planted in self.models}
        texts = [f"{group}: found no such model" for group in sorted(set(wanted) - set(found))]
        for group in sorted(set(wanted) & set(found)):
            for name, value in wanted[group].items():
                if name not in _NOT_SUMMED and found[group].get(name, 0) != value:
                    texts.append(f"{group} {name}: found {found[group].get(name, 0)}, planted {value:g}")
        return texts

    def estimate_differences(
        self, found: Mapping[Group, Mapping[str, float | None]], *, within: float = 4.0
    ) -> list[str]:
        """Where estimates differ from the planted ones by more than `within` standard errors.

        Parameters
        ----------
        found
            (benchmark, key) -> estimates by the names of `expectation.ESTIMATES`; null where undefined.
        """
        texts = []
        for planted in self.models:
            group = planted.benchmark, planted.key
            for name, wanted in planted.expected.items():
                value = found.get(group, {}).get(name)
                if not _agree(value, wanted, within):
                    texts.append(f"{group} {name}: found {value}, planted {wanted}")
        return texts


_NOT_SUMMED = frozenset({"work", "overhead"})


def key_of(model: str, output_budget: str | None) -> str:
    """Key of a model from its canonical name and budget, as the table `eval_runs` holds them.

    >>> key_of("lumen-mini", "varies"), key_of("meta/plover-13b", None)
    ('lumen-mini@varies', 'meta/plover-13b@unknown')
    """
    return f"{model}@{output_budget or 'unknown'}"


def planted_models(runs: Iterable[Run], *, teams: Mapping[str, tuple[str, ...]]) -> tuple[PlantedModel, ...]:
    """Truth of each model on each benchmark.

    Parameters
    ----------
    teams
        Name of an eval run -> all teams that logged it.

    >>> from effspark.simulation.draws import runs_of
    >>> runs = runs_of("cedar-plover-13b-chains", count=24, seed=1)
    >>> planted = planted_models(runs, teams={"cedar-plover-13b-chains": ("cedar",)})[0]
    >>> planted.key, planted.completion_known, planted.expected["r_ctx"]
    ('meta/plover-13b@unknown', False, None)
    """
    groups: dict[Group, list[Run]] = {}
    for run in runs:
        groups.setdefault((run.instance.benchmark, run.eval_run.planted.key), []).append(run)
    counted = {
        stage: tallies((run for group in groups.values() for run in group), stage=stage) for stage in Stage
    }
    found = []
    for (benchmark, key), own in sorted(groups.items()):
        model = own[0].eval_run.planted
        found.append(
            PlantedModel(
                benchmark=benchmark,
                key=key,
                model=model.name,
                output_budget=model.output_budget,
                temperature=model.temperature,
                reasoning_effort=model.reasoning_effort,
                completion_known=model.tells_end,
                teams=tuple(sorted({team for run in own for team in teams[run.eval_run.name]})),
                expected=expected(own),
                tallies={stage.value: counted[stage].get((benchmark, key), {}) for stage in Stage},
            )
        )
    return tuple(found)


def works(instances: Iterable[Instance]) -> dict[str, dict[str, int]]:
    """Benchmark -> canonical instance -> W.

    >>> from effspark.simulation.instances import drawn
    >>> list(works(drawn("chains", 2, seed=1))["chains"])
    ['chain-000', 'chain-001']
    """
    found: dict[str, dict[str, int]] = {}
    for instance in instances:
        found.setdefault(instance.benchmark, {})[instance.name] = instance.work
    return found


def truth_json(truth: Truth) -> bytes:
    r"""The truth as JSON; `read_truth` gives it back.

    >>> nothing = Truth(seed=1, size="small", models=(), unlabelled={}, runs_by_teams={}, runs_by_eval_run={},
    ...                 work={}, files=())
    >>> truth_json(nothing)[:13]
    b'{\n "seed": 1,'
    """
    plain = asdict(truth)
    for planted in plain["models"]:
        planted["expected"] = {
            name: None if value is None else {"value": value[0], "standard_error": value[1]}
            for name, value in planted["expected"].items()
        }
    return (json.dumps(plain, ensure_ascii=False, indent=1) + "\n").encode()


def read_truth(path: Path) -> Truth:
    """Truth of a file `truth.json`.

    >>> import tempfile
    >>> nothing = Truth(seed=1, size="small", models=(), unlabelled={}, runs_by_teams={}, runs_by_eval_run={},
    ...                 work={}, files=())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder) / TRUTH_FILE
    ...     _ = place.write_bytes(truth_json(nothing))
    ...     print(read_truth(place) == nothing)
    True
    """
    plain = json.loads(path.read_text("utf-8"))
    for planted in plain["models"]:
        planted["teams"] = tuple(planted["teams"])
        planted["expected"] = {
            name: None if value is None else Expected(**value) for name, value in planted["expected"].items()
        }
    models = tuple(PlantedModel(**planted) for planted in plain.pop("models"))
    files = tuple(WrittenFile(**file) for file in plain.pop("files"))
    return Truth(models=models, files=files, **plain)


def _agree(value: float | None, wanted: Expected | None, within: float) -> bool:
    if value is None or wanted is None:
        return value is None and wanted is None
    return abs(value - wanted.value) <= within * wanted.standard_error + 1e-12
