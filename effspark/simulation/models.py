"""What is planted for a model? Completion, correctness, overhead, coupling, and how its runs go wrong.

A run of a model on an instance with work W (B = budget in tokens, W0 = mean work of the benchmark):

    refused with probability `refusal`, stopped by the harness with `agent_limit`; of the others
    completed with `completion`, else cut:  T = B
    T of a run that was not cut is m(W) + d,  m(W) = round(overhead · W · (1 + coupling · (W - W0)/W0)),
                                       d uniform on the whole numbers of [-s, s], s = floor(SPREAD · m(W))
    right, if completed, with          p(W) = correctness + slope · (W0 - W)/W0, kept in [0, 1]

Completion is drawn first and on its own, and m(W) + s stays below the budget (a test holds the plan to that),
so a budget never bends the distribution of T: E[T | W] is c·m(W) + (1 - c)·B in closed form.
`overhead` is VO at mean work and `coupling` makes κ exceed 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

SPREAD = 0.3
"""Half width of T around its mean, as a share of it."""
REFUSAL_TOKENS = 24
"""Mean T of a refused run; its half width is a third of it."""


class Trace(str, Enum):
    """How much of its reasoning a model shows."""

    OPEN = "open"
    PLAIN = "plain"
    HIDDEN = "hidden"


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """How a model behaves on one benchmark (probabilities in [0, 1], overhead in tokens per unit of work).

    `missing` and `mislabelled` are shares of the cut runs: those without usage in the log, and those (of the
    others) that the log labels correct.
    """

    completion: float
    correctness: float
    overhead: float
    slope: float = 0.0
    coupling: float = 0.0
    refusal: float = 0.0
    agent_limit: float = 0.0
    missing: float = 0.0
    mislabelled: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Model:
    """One model: canonical name, budgets and behaviour on each benchmark.

    `budgets` are several where the budget changes inside an eval run, none where none is configured; then the
    provider's own `cap` cuts its runs. `tells_end` is false where no log tells why a run ended, `counted` where
    nobody counted T. `reasoning_share` is the part of T that is reasoning.
    """

    name: str
    budgets: tuple[int, ...]
    behaviour: Mapping[str, Behaviour]
    trace: Trace = Trace.PLAIN
    route: str | None = None
    temperature: float | None = None
    reasoning_effort: str | None = None
    reasoning_share: float = 0.0
    repetition: float = 0.1
    cap: int = 0
    tells_end: bool = True
    counted: bool = True

    @property
    def output_budget(self) -> str | None:
        """Budget as the table `eval_runs` spells it: a number, `varies`, or null."""
        if not self.budgets:
            return None
        return str(self.budgets[0]) if len(self.budgets) == 1 else "varies"

    @property
    def key(self) -> str:
        """Name and budget: what tells the planted models apart.

        >>> Model(name="m", budgets=(512,), behaviour={}).key, Model(name="m", budgets=(), behaviour={}).key
        ('m@512', 'm@unknown')
        """
        return f"{self.name}@{self.output_budget or 'unknown'}"


def mean_tokens(behaviour: Behaviour, work: int, *, mean_work: int) -> int:
    """m(W): mean T of a run that was not cut.

    >>> mean_tokens(Behaviour(completion=1, correctness=1, overhead=50, coupling=0.2), 8, mean_work=5)
    448
    """
    return round(behaviour.overhead * work * (1 + behaviour.coupling * (work - mean_work) / mean_work))


def chance_right(behaviour: Behaviour, work: int, *, mean_work: int, solvable: bool = True) -> float:
    """p(W): probability that a completed run is right; 0 where the gold answer is wrong.

    >>> behaviour = Behaviour(completion=1, correctness=0.9, slope=0.5, overhead=1)
    >>> round(chance_right(behaviour, 8, mean_work=5), 3)
    0.6
    """
    chance = behaviour.correctness + behaviour.slope * (mean_work - work) / mean_work
    return min(1.0, max(0.0, chance)) if solvable else 0.0
