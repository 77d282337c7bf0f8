"""How did each run go? Its end, verdict and tokens, drawn from what is planted.

    (seed, eval run, instance, attempt)  ->  Run

Each run has a generator of its own, so more instances, attempts or models change no other run. Which runs
meet a fault is drawn by eval run, apart from the outcomes (plan.py). Source of the model: models.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from math import floor

from effspark.simulation.instances import MEAN_WORK, Instance, drawn
from effspark.simulation.models import REFUSAL_TOKENS, SPREAD, Behaviour, chance_right, mean_tokens
from effspark.simulation.plan import EVAL_RUNS, SHORT_SHARE, EvalRun, Fault
from effspark.simulation.seeds import generator


class End(str, Enum):
    """Why a run really ended, whatever its log says of it."""

    COMPLETED = "completed"
    CUT = "cut"
    REFUSED = "refused"
    AGENT_LIMIT = "agent_limit"


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of one model on one instance.

    `tokens` is the true T, whether logged or not; `budget` null where none is configured; `labelled` what the
    verdict in the log says, `right` what counts (completed and correct).
    """

    eval_run: EvalRun
    instance: Instance
    attempt: int
    end: End
    right: bool
    labelled: bool
    tokens: int
    budget: int | None
    usage_missing: bool
    fault: Fault | None

    @property
    def names(self) -> tuple[str, int, int]:
        """What identifies the run: eval run, place of the instance, attempt."""
        return self.eval_run.name, self.instance.place, self.attempt

    @property
    def stop_unknown(self) -> bool:
        """Does the log give a stop reason that nobody knows? Then the budget must tell."""
        plain = self.end in (End.COMPLETED, End.CUT) and not self.usage_missing
        return self.fault is Fault.UNKNOWN_STOP and plain


def budget_of(eval_run: EvalRun, instance: Instance) -> int | None:
    """Output budget of a run: the model's, in turn by instance where it has several, or null.

    >>> [run.budget for run in runs_of("birch-lumen-mini-gsm8k", count=3, seed=1)[:3]]
    [768, 1024, 768]
    """
    budgets = eval_run.planted.budgets
    return budgets[instance.place % len(budgets)] if budgets else None


def half_width(mean: int) -> int:
    """Largest distance of T from its mean.

    >>> half_width(100)
    30
    """
    return floor(SPREAD * mean)


def drawn_runs(eval_run: EvalRun, instances: Iterable[Instance], *, seed: int) -> tuple[Run, ...]:
    """All runs of an eval run, by attempt, then by instance.

    >>> drawn_runs(EVAL_RUNS[0], [], seed=1)
    ()
    """
    covered = list(instances)
    if eval_run.short:
        covered = covered[: len(covered) // SHORT_SHARE]
    struck = _faults(eval_run, covered, seed=seed)
    return tuple(
        _run(eval_run, instance, attempt, struck.get((instance.place, attempt)), seed=seed)
        for attempt in range(1, eval_run.attempts + 1)
        for instance in covered
    )


def runs_of(name: str, *, count: int, seed: int) -> tuple[Run, ...]:
    """Runs of the eval run of a name on the first instances of its benchmark.

    >>> runs = runs_of("aurora-kestrel-8b-gsm8k", count=2, seed=1)
    >>> [(run.instance.place, run.attempt) for run in runs]
    [(0, 1), (1, 1), (0, 2), (1, 2)]
    """
    eval_run = {eval_run.name: eval_run for eval_run in EVAL_RUNS}[name]
    return drawn_runs(eval_run, drawn(eval_run.benchmark, count, seed=seed), seed=seed)


def _faults(eval_run: EvalRun, instances: list[Instance], *, seed: int) -> Mapping[tuple[int, int], Fault]:
    """Place and attempt -> fault; no run meets two."""
    slots = [
        (instance.place, attempt) for attempt in range(1, eval_run.attempts + 1) for instance in instances
    ]
    order = generator(seed, "faults", eval_run.name).permutation(len(slots)).tolist()
    faults = [fault for fault, count in eval_run.faults.items() for _ in range(count)]
    return {slots[place]: fault for place, fault in zip(order, faults, strict=False)}


def _run(eval_run: EvalRun, instance: Instance, attempt: int, fault: Fault | None, *, seed: int) -> Run:
    rng = generator(seed, "run", eval_run.name, instance.place, attempt)
    model = eval_run.planted
    behaviour, mean_work = model.behaviour[instance.benchmark], MEAN_WORK[instance.benchmark]
    ends, corrects, loses, mislabels, moves = rng.random(5).tolist()
    end = _end(behaviour, ends)
    budget = budget_of(eval_run, instance)
    chance = chance_right(behaviour, instance.work, mean_work=mean_work, solvable=instance.solvable)
    right = end is End.COMPLETED and corrects < chance
    usage_missing = end is End.CUT and loses < behaviour.missing
    mislabelled = end is End.CUT and not usage_missing and mislabels < behaviour.mislabelled
    if end is End.CUT:
        tokens = model.cap if budget is None else budget
    else:
        mean = mean_tokens(behaviour, instance.work, mean_work=mean_work)
        tokens = _around(REFUSAL_TOKENS if end is End.REFUSED else mean, moves)
    return Run(
        eval_run=eval_run,
        instance=instance,
        attempt=attempt,
        end=end,
        right=right,
        labelled=right or mislabelled,
        tokens=tokens,
        budget=budget,
        usage_missing=usage_missing,
        fault=fault,
    )


def _end(behaviour: Behaviour, chance: float) -> End:
    if chance < behaviour.refusal:
        return End.REFUSED
    if chance < behaviour.refusal + behaviour.agent_limit:
        return End.AGENT_LIMIT
    left = 1 - behaviour.refusal - behaviour.agent_limit
    cut = chance >= 1 - left * (1 - behaviour.completion)
    return End.CUT if cut else End.COMPLETED


def _around(mean: int, chance: float) -> int:
    """Whole number drawn uniformly from all within the half width of the mean."""
    width = half_width(mean)
    return mean - width + floor(chance * (2 * width + 1))
