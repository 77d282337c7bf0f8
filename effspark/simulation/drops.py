"""Which files did the teams drop, first and late, and what does each hold?

    runs by eval run  ->  files of all formats, copies among them, each with its count of runs and broken records

Formats: inspect_logs.py, openai_logs.py, zeroeval_logs.py, table_logs.py. Writes nothing (writing.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from effspark.simulation import inspect_logs, openai_logs, table_logs, zeroeval_logs
from effspark.simulation.draws import Run
from effspark.simulation.files import LogFile
from effspark.simulation.plan import COPIES, EVAL_RUNS, MENDED, Copy, EvalRun, Fault, Format
from effspark.simulation.tallies import Stage, is_run
from effspark.simulation.truth import WrittenFile

INSPECT = (Format.INSPECT_EVAL, Format.INSPECT_JSON)
BATCH = (Format.CHAT, Format.RESPONSES)
LOGS_FOLDER, LATE_FOLDER = PurePosixPath("logs"), PurePosixPath("late")

EvalRuns = Mapping[str, Sequence[Run]]


class Drop(NamedTuple):
    """A file below the output folder, and what the truth says of it."""

    file: LogFile
    told: WrittenFile


def first_drops(by_eval_run: EvalRuns, *, seed: int) -> list[Drop]:
    """All logs as first dropped.

    >>> from effspark.simulation.draws import runs_of
    >>> by_eval_run = {eval_run.name: runs_of(eval_run.name, count=3, seed=1) for eval_run in EVAL_RUNS}
    >>> first_drops(by_eval_run, seed=1)[-1].told.path[:16]
    'logs/cedar/2026-'
    """
    found: list[Drop] = []
    tabled: list[Run] = []
    for runs in by_eval_run.values():
        if runs[0].eval_run.format is Format.CSV:
            tabled += runs
        else:
            found += _of_eval_run(runs, seed=seed)
    table = _drop(table_logs.log(tabled, seed=seed), tabled[0].eval_run, tabled)
    copies = [_copied(copy, found, by_eval_run[copy.eval_run], seed=seed) for copy in COPIES]
    return [*found, table, *copies]


def late_drops(by_eval_run: EvalRuns, *, seed: int) -> list[Drop]:
    """Logs that came later under the name of an earlier one: corrected verdicts, records written whole.

    >>> from effspark.simulation.draws import runs_of
    >>> by_eval_run = {eval_run.name: runs_of(eval_run.name, count=3, seed=1) for eval_run in EVAL_RUNS}
    >>> [drop.told.team for drop in late_drops(by_eval_run, seed=1)]
    ['aurora', 'birch']
    """
    found = []
    for runs in by_eval_run.values():
        eval_run = runs[0].eval_run
        if any(run.fault is Fault.EDITED for run in runs):
            file = inspect_logs.archive(runs, seed=seed, late=True)
            found.append(_drop(file, eval_run, runs, stage=Stage.LATE))
        if any(run.fault in MENDED for run in runs):
            file = openai_logs.mended(runs, seed=seed)
            found.append(_drop(file, eval_run, _recorded(file, runs), stage=Stage.LATE))
    return found


def teams(eval_run: str) -> tuple[str, ...]:
    """All teams that logged an eval run, sorted.

    >>> teams("aurora-wren-flash-gsm8k")
    ('aurora', 'cedar')
    """
    own = {run.team for run in EVAL_RUNS if run.name == eval_run}
    return tuple(sorted(own | {copy.team for copy in COPIES if copy.eval_run == eval_run}))


def _of_eval_run(runs: Sequence[Run], *, seed: int) -> list[Drop]:
    eval_run = runs[0].eval_run
    if eval_run.format in INSPECT:
        return [_drop(file, eval_run, runs) for file in inspect_logs.logs(runs, seed=seed)]
    if eval_run.format in BATCH:
        return [_drop(file, eval_run, _recorded(file, runs)) for file in openai_logs.logs(runs, seed=seed)]
    return [_drop(zeroeval_logs.log(runs, seed=seed), eval_run, runs)]


def _recorded(file: LogFile, runs: Sequence[Run]) -> list[Run]:
    """Runs whose answer or failure stands in a file of a batch."""
    part = file.path.stem.rpartition("_")[2]
    failed = {"input": (), "error": (True,), "output": (False,)}[part]
    return [run for run in runs if (run.fault is Fault.ERROR) in failed]


def _copied(copy: Copy, found: Sequence[Drop], runs: Sequence[Run], *, seed: int) -> Drop:
    if copy.name is None:
        file = inspect_logs.archive(runs, seed=seed)
    else:
        original = next(drop.file for drop in found if drop.told.eval_run == copy.eval_run)
        file = original._replace(path=PurePosixPath(copy.name))
    return _drop(file, runs[0].eval_run, runs, team=copy.team)


def _drop(
    file: LogFile,
    eval_run: EvalRun,
    runs: Sequence[Run],
    *,
    stage: Stage = Stage.FIRST,
    team: str | None = None,
) -> Drop:
    """The file in its place, and what it holds."""
    owner = team or eval_run.team
    path = (LOGS_FOLDER if stage is Stage.FIRST else LATE_FOLDER) / owner / file.path
    broken = Counter(
        run.fault.value for run in runs if run.fault is not None and not is_run(run, stage=stage)
    )
    told = WrittenFile(
        path=str(path),
        team=owner,
        format=eval_run.format.value,
        stage=stage.value,
        eval_run=None if eval_run.format is Format.CSV else eval_run.name,
        runs=sum(is_run(run, stage=stage) for run in runs),
        broken=dict(sorted(broken.items())),
    )
    return Drop(file._replace(path=path), told)
