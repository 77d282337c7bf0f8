"""What exactly lies in the logs? Counts and sums of the drawn runs, which a correct pipeline finds to the unit.

    runs of one model on one benchmark  ->  n, correct, tokens, truncated, refused, errors, missing, ...

Names and meaning are those of the columns of the table `moments` (definitions.md section 1), counted here run by run
from what was drawn, not from what was written; `work` and `overhead` are sums of W and T/W over the n runs. The
verdict is that of the log or the label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import Enum

from effspark.simulation.draws import End, Run
from effspark.simulation.expectation import ESTIMATES
from effspark.simulation.plan import BROKEN, MENDED, Fault, Format

UNLABELLED = "unlabelled"
"""Benchmark of batch runs whose label has not come yet."""

Tally = Mapping[str, float]
Group = tuple[str, str]
"""Benchmark and key of a model."""


class Stage(str, Enum):
    """What has been ingested: the logs as first dropped, or the late files too."""

    FIRST = "first"
    LATE = "late"


def is_run(run: Run, *, stage: Stage) -> bool:
    """Does the log hold a whole record of the run at this stage?

    >>> from effspark.simulation.draws import runs_of
    >>> runs = runs_of("birch-lumen-mini-gsm8k", count=24, seed=1)
    >>> [sum(is_run(run, stage=stage) for run in runs) for stage in Stage]
    [45, 48]
    """
    return run.fault not in BROKEN or (stage is Stage.LATE and run.fault in MENDED)


def benchmark_of(run: Run, *, stage: Stage) -> str:
    """Benchmark that the run counts for at this stage.

    >>> from effspark.simulation.draws import runs_of
    >>> runs = runs_of("birch-o4-heron-gsm8k", count=24, seed=1)
    >>> [sum(benchmark_of(run, stage=stage) == UNLABELLED for run in runs) for stage in Stage]
    [10, 0]
    """
    waits = run.fault is Fault.LATE_LABEL and stage is Stage.FIRST
    return UNLABELLED if waits else run.instance.benchmark


def tallies(runs: Iterable[Run], *, stage: Stage) -> dict[Group, Tally]:
    """Tally of each model on each benchmark.

    >>> tallies([], stage=Stage.LATE)
    {}
    """
    found: dict[Group, Counter[str]] = {}
    for run in runs:
        if is_run(run, stage=stage):
            group = benchmark_of(run, stage=stage), run.eval_run.planted.key
            found.setdefault(group, Counter()).update(_of_run(run, stage=stage))
    return {group: dict(sorted(counts.items())) for group, counts in sorted(found.items())}


def realised(tally: Tally, estimate: str) -> float | None:
    """Value of an estimate of `expectation.ESTIMATES` that a tally gives; null for 0/0.

    >>> realised({"correct": 3, "tokens": 1500}, "e0")
    2.0
    """
    factor, powers = ESTIMATES[estimate]
    names = {"completed": "known_completed"}
    if estimate == "r_logic":
        names["correct"] = "known_correct"
    value = factor
    for name, power in powers.items():
        total = tally.get(names.get(name, name), 0)
        if power < 0 and total == 0:
            return None
        value *= total**power
    return value


def _of_run(run: Run, *, stage: Stage) -> Mapping[str, float]:
    status, cut = _status(run), run.end in (End.CUT, End.AGENT_LIMIT)
    if status is not None:
        counted = run.fault is Fault.ERROR_WITH_TOKENS
        return {"runs": 1, status: 1, "errors_with_tokens": counted, "error_tokens": counted * run.tokens}
    if run.fault is Fault.UNSCORED and not cut:
        return {"runs": 1, "unscored": 1}
    if run.usage_missing or not run.eval_run.planted.counted:
        told = dict.fromkeys(("missing_known", "missing_truncated", "censored"), run.usage_missing)
        budget = {"missing_budget": run.budget or 0, "missing_without_budget": run.budget is None}
        return {"runs": 1, "missing": 1, **budget, **told}
    return {"runs": 1, **_in_layers(run, _verdict(run, stage=stage))}


def _in_layers(run: Run, labelled: bool) -> Mapping[str, float]:
    """Tally of a run with verdict and T."""
    cut, harness = run.end in (End.CUT, End.AGENT_LIMIT), run.end is End.AGENT_LIMIT
    known, refused = run.eval_run.planted.tells_end, run.end is End.REFUSED
    truncated, right = cut and known and not harness, labelled and not cut
    text_only = run.eval_run.format is Format.ZEROEVAL
    return {
        "n": 1,
        "tokens": run.tokens,
        "tokens_squared": run.tokens**2,
        "correct": right,
        "correct_tokens": right * run.tokens,
        "known": known,
        "known_completed": known and not cut,
        "known_correct": known and right,
        "truncated": truncated,
        "truncated_inferred": truncated and (run.stop_unknown or text_only),
        "agent_limited": harness,
        "truncated_correct": cut and known and labelled,
        "refused": refused,
        "refused_tokens": refused * run.tokens,
        "estimated": text_only,
        "work": run.instance.work,
        "overhead": run.tokens / run.instance.work,
    }


def _status(run: Run) -> str | None:
    """Tally of a run that is out of every layer, null where it is in."""
    return {
        Fault.ERROR: "errors",
        Fault.ERROR_WITH_TOKENS: "errors",
        Fault.CANCELLED: "cancelled",
        Fault.INVALIDATED: "invalidated",
        Fault.EXCLUDED: "excluded",
    }.get(run.fault or Fault.UNSCORED)


def _verdict(run: Run, *, stage: Stage) -> bool:
    """Does the log call the run right at this stage? A run without verdict is not called so."""
    waits = run.fault is Fault.LATE_LABEL and stage is Stage.FIRST
    if waits or run.fault is Fault.UNSCORED:
        return False
    turned = run.fault is Fault.EDITED and stage is Stage.FIRST
    return not run.labelled if turned else run.labelled
