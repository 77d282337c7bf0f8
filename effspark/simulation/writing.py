"""How does one seed become logs of three teams, with their planted truth beside them?

    out/logs/<team>/...      what the teams dropped            out/items/gsm8k.jsonl      the benchmark's items
    out/labels/birch.jsonl   verdicts of birch's batches       out/mappings/cedar.yaml    for logs/cedar/table
    out/conf.yaml            model names, work                 out/truth.json             what must be found
    out/late/<team>/...      three days later, each in place of the file of its name: mended, or with verdicts edited
    out/late/labels/birch.jsonl   the labels that were missing

The same seed writes the same bytes and file times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path, PurePosixPath

import yaml

from effspark.errors import SettingsError, problem
from effspark.simulation import openai_logs, table_logs
from effspark.simulation.draws import drawn_runs
from effspark.simulation.drops import BATCH, LATE_FOLDER, EvalRuns, first_drops, late_drops, teams
from effspark.simulation.files import LogFile, json_lines, write
from effspark.simulation.instances import BENCHMARKS, CHAINS, GSM8K, Instance, drawn
from effspark.simulation.plan import EVAL_RUNS, FIRST_START, LATE, MODEL_ALIASES
from effspark.simulation.tallies import UNLABELLED, Stage, is_run, tallies
from effspark.simulation.truth import TRUTH_FILE, Truth, WrittenFile, planted_models, truth_json, works

ALIASES_VERSION = 2
"""Later than the version that effspark ships, whose benchmark names stay."""
WORK = {"W_depth": "depth", "W_chain": "1"}
"""Declared scales of work of the chains: their depth, and one unit each."""
ITEMS, LABELS = PurePosixPath("items/gsm8k.jsonl"), PurePosixPath("labels/birch.jsonl")
MAPPING, CONF = PurePosixPath("mappings/cedar.yaml"), PurePosixPath("conf.yaml")


class Size(str, Enum):
    """How many instances a benchmark has."""

    DEMO = "demo"
    SMALL = "small"


INSTANCES = {Size.DEMO: 120, Size.SMALL: 24}
_Instances = Mapping[str, Sequence[Instance]]


def simulate(out: Path, *, seed: int, size: str = "demo") -> Truth:
    """Write the logs of three teams, and their truth, into an empty or new folder.

    Parameters
    ----------
    out
        Folder.
    seed
        Whole number; the same gives the same files.
    size
        `demo` (120 instances a benchmark, 3,640 runs) or `small` (24 instances, 728 runs).

    Raises
    ------
    SettingsError
        The folder is not empty or cannot be written, or there is no such size.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     truth = simulate(Path(folder), seed=1, size="small")
    >>> truth.of("gsm8k", "vllm/kestrel-8b@512").tallies["first"]["runs"]
    48
    """
    count = _instances_of(size)
    with _refusals(out):
        _check_empty(out)
    instances = {benchmark: drawn(benchmark, count, seed=seed) for benchmark in BENCHMARKS}
    by_eval_run = {
        eval_run.name: drawn_runs(eval_run, instances[eval_run.benchmark], seed=seed)
        for eval_run in EVAL_RUNS
    }
    drops = [*first_drops(by_eval_run, seed=seed), *late_drops(by_eval_run, seed=seed)]
    told = tuple(drop.told for drop in drops)
    truth = _truth(by_eval_run, instances, told, seed=seed, size=size)
    with _refusals(out):
        write(out, [*(drop.file for drop in drops), *_beside(by_eval_run, instances)])
        write(out, [LogFile(PurePosixPath(TRUTH_FILE), truth_json(truth), FIRST_START)])
    return truth


def _instances_of(size: str) -> int:
    known = {one.value: count for one, count in INSTANCES.items()}
    if size not in known:
        text = problem(
            "unknown size of a simulation",
            where="size",
            found=size,
            allowed=", ".join(known),
            remedy="choose one of them",
        )
        raise SettingsError(text)
    return known[size]


@contextmanager
def _refusals(out: Path) -> Iterator[None]:
    """What the system says against a folder, as one kind of error."""
    try:
        yield
    except OSError as error:
        text = problem(
            "a folder that cannot be written",
            where=str(out),
            found=str(error),
            allowed="an empty or new folder where this user may write",
            remedy="name another folder",
        )
        raise SettingsError(text) from error


def _check_empty(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        text = problem(
            "a simulation would mix with other files",
            where=str(out),
            found="a folder that is not empty" if out.is_dir() else "a file",
            allowed="an empty or new folder",
            remedy="choose another folder, or empty this one",
        )
        raise SettingsError(text)


def _beside(by_eval_run: EvalRuns, instances: _Instances) -> list[LogFile]:
    """Items, labels, mapping and conf."""
    items = [{"question": item.question, "answer": item.solution} for item in instances[GSM8K]]
    batches = [run for runs in by_eval_run.values() for run in runs if run.eval_run.format in BATCH]
    conf = {
        "aliases_version": ALIASES_VERSION,
        "aliases": {"model": dict(MODEL_ALIASES)},
        "benchmarks": {CHAINS: {"declared": WORK, "scales": [*WORK], "axes": ["depth"]}},
    }
    first, late = (json_lines(openai_logs.labels(batches, late=late)) for late in (False, True))
    return [
        LogFile(ITEMS, json_lines(items), FIRST_START),
        LogFile(LABELS, first, LATE.replace(day=LATE.day - 1)),
        LogFile(LATE_FOLDER / LABELS, late, LATE),
        LogFile(MAPPING, table_logs.mapping(), FIRST_START),
        LogFile(CONF, yaml.safe_dump(conf, sort_keys=False).encode(), FIRST_START),
    ]


def _truth(
    by_eval_run: EvalRuns, instances: _Instances, told: tuple[WrittenFile, ...], *, seed: int, size: str
) -> Truth:
    runs = [run for own in by_eval_run.values() for run in own]
    of_team = {eval_run.name: teams(eval_run.name) for eval_run in EVAL_RUNS}
    kept = [run for run in runs if is_run(run, stage=Stage.LATE)]
    return Truth(
        seed=seed,
        size=size,
        models=planted_models(runs, teams=of_team),
        unlabelled={
            key: tally
            for (benchmark, key), tally in tallies(runs, stage=Stage.FIRST).items()
            if benchmark == UNLABELLED
        },
        runs_by_teams=dict(sorted(Counter(",".join(of_team[run.eval_run.name]) for run in kept).items())),
        runs_by_eval_run=dict(Counter(run.eval_run.name for run in kept)),
        work=works(item for items in instances.values() for item in items),
        files=told,
    )
