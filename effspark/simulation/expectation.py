"""What should a correct pipeline find? Expectations and standard errors of every estimate, in closed form.

    run -> outcomes with their probabilities -> E and Cov of its features -> sums over runs
    estimate = product of powers of sums;  Var(log estimate) = a' D Cov D a,  D = diag(1/E sum)   (delta method)

The features of a run are those of definitions.md section 1: n, known, N, S, T, W, T/W; a run whose usage is
missing, or that has no verdict, adds nothing. Instances, and which runs meet a fault, are taken as given. The
delta method is rough where one or two cut runs carry the tokens (a model far below its budget that is rarely cut).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.simulation.draws import End, Run, half_width
from effspark.simulation.instances import MEAN_WORK
from effspark.simulation.models import REFUSAL_TOKENS, chance_right, mean_tokens
from effspark.simulation.plan import BROKEN, MENDED, Fault

Floats = npt.NDArray[np.float64]

FEATURES = ("n", "known", "completed", "correct", "tokens", "work", "overhead")
"""Features of a run: 1, 1 if completion is known, N, S, T, W, T/W."""

ESTIMATES: Mapping[str, tuple[float, Mapping[str, int]]] = {
    "e0": (1000, {"correct": 1, "tokens": -1}),
    "r_ctx": (1, {"completed": 1, "known": -1}),
    "r_logic": (1, {"correct": 1, "completed": -1}),
    "accuracy": (1, {"correct": 1, "n": -1}),
    "mean_tokens": (1, {"tokens": 1, "n": -1}),
    "vo": (1, {"overhead": 1, "n": -1}),
    "kappa": (1, {"tokens": 1, "n": 1, "work": -1, "overhead": -1}),
}
"""Estimate -> factor and exponents of the sums it is the product of (definitions.md section 2)."""

OUT = frozenset(
    {Fault.ERROR, Fault.ERROR_WITH_TOKENS, Fault.CANCELLED, Fault.INVALIDATED, Fault.EXCLUDED}
    | BROKEN - MENDED
)
"""Faults that keep a run out of every layer for good."""


class Expected(NamedTuple):
    """Planted value of an estimate and its standard error at the simulated number of runs."""

    value: float
    standard_error: float


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One way a run can go: probability, end, S, mean and variance of T; `seen` is false where T is missing."""

    chance: float
    end: End
    right: bool
    mean: float
    variance: float
    seen: bool = True


def outcomes(run: Run) -> tuple[Outcome, ...]:
    """All ways a run could have gone; what it did is not looked at. The chances add up to 1.

    Parameters
    ----------
    run
        Any run of the eval run, instance and attempt in question.

    >>> from effspark.simulation.draws import runs_of
    >>> [found.end.value for found in outcomes(runs_of("birch-lumen-pro-gsm8k", count=3, seed=1)[0])]
    ['completed', 'completed', 'cut', 'cut', 'agent_limit', 'refused']
    """
    model = run.eval_run.planted
    behaviour, mean_work = model.behaviour[run.instance.benchmark], MEAN_WORK[run.instance.benchmark]
    right = chance_right(behaviour, run.instance.work, mean_work=mean_work, solvable=run.instance.solvable)
    mean = mean_tokens(behaviour, run.instance.work, mean_work=mean_work)
    others = 1 - behaviour.refusal - behaviour.agent_limit
    done, cut = others * behaviour.completion, others * (1 - behaviour.completion)
    cap = model.cap if run.budget is None else run.budget
    spread = _variance(mean)
    return (
        Outcome(chance=done * right, end=End.COMPLETED, right=True, mean=mean, variance=spread),
        Outcome(chance=done * (1 - right), end=End.COMPLETED, right=False, mean=mean, variance=spread),
        Outcome(chance=cut * (1 - behaviour.missing), end=End.CUT, right=False, mean=cap, variance=0),
        Outcome(chance=cut * behaviour.missing, end=End.CUT, right=False, mean=cap, variance=0, seen=False),
        Outcome(chance=behaviour.agent_limit, end=End.AGENT_LIMIT, right=False, mean=mean, variance=spread),
        Outcome(
            chance=behaviour.refusal,
            end=End.REFUSED,
            right=False,
            mean=REFUSAL_TOKENS,
            variance=_variance(REFUSAL_TOKENS),
        ),
    )


def expected(runs: Iterable[Run]) -> dict[str, Expected | None]:
    """Planted estimates of one model on one benchmark; null where its logs cannot supply them.

    Parameters
    ----------
    runs
        All its runs; those that a fault keeps out are skipped.

    >>> from effspark.simulation.draws import runs_of
    >>> found = expected(runs_of("aurora-kestrel-8b-short-gsm8k", count=24, seed=1))
    >>> [round(number, 3) for number in found["r_ctx"]]
    [0.8, 0.058]
    """
    alike: dict[tuple[object, ...], list[Run]] = {}
    for run in runs:
        if run.fault not in OUT:
            kind = (run.instance.work, run.instance.solvable, run.budget, run.fault is Fault.UNSCORED)
            alike.setdefault(kind, []).append(run)
    mean, covariance = np.zeros(len(FEATURES)), np.zeros((len(FEATURES), len(FEATURES)))
    for group in alike.values():
        first, second = _moments(group[0])
        mean += len(group) * first
        covariance += len(group) * (second - np.outer(first, first))
    sums = dict(zip(FEATURES, mean.tolist(), strict=True))
    return {name: _estimate(factor, powers, sums, covariance) for name, (factor, powers) in ESTIMATES.items()}


def _moments(run: Run) -> tuple[Floats, Floats]:
    """E[x] of shape (features,) and E[xx'] of one run."""
    first, second = np.zeros(len(FEATURES)), np.zeros((len(FEATURES), len(FEATURES)))
    work, known = run.instance.work, float(run.eval_run.planted.tells_end)
    counted = run.eval_run.planted.counted
    for outcome in outcomes(run):
        judged = run.fault is not Fault.UNSCORED or outcome.end in (End.CUT, End.AGENT_LIMIT)
        if not (outcome.seen and judged and counted):
            continue
        done = known * (outcome.end in (End.COMPLETED, End.REFUSED))
        t = outcome.mean
        x = np.array([1, known, done, outcome.right, t, work, t / work])
        direction = np.array([0, 0, 0, 0, 1, 0, 1 / work])
        first += outcome.chance * x
        second += outcome.chance * (np.outer(x, x) + outcome.variance * np.outer(direction, direction))
    return first, second


def _estimate(
    factor: float, powers: Mapping[str, int], sums: Mapping[str, float], covariance: Floats
) -> Expected | None:
    if any(sums[name] == 0 for name, power in powers.items() if power < 0):
        return None
    if any(sums[name] == 0 for name in powers):
        return Expected(0.0, 0.0)
    value = factor
    for name, power in powers.items():
        value *= sums[name] ** power
    gradient = np.array([powers.get(name, 0) / (sums[name] or 1) for name in FEATURES])
    return Expected(value, value * float(gradient @ covariance @ gradient) ** 0.5)


def _variance(mean: int) -> float:
    """Variance of T drawn uniformly from the whole numbers within the half width of its mean."""
    width = half_width(mean)
    return width * (width + 1) / 3
