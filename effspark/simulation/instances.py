"""Which instances do the simulated teams evaluate? Items of two benchmarks with known work W.

    gsm8k   word problems of GSM8K shape; W = non-empty solution lines before `####`
    chains  follow links from place to place; W = the declared depth

Instances depend on the seed only. Questions are unique, so that copies of an item meet by their hash.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from effspark.simulation.seeds import generator

GSM8K, CHAINS = "gsm8k", "chains"
BENCHMARKS = (GSM8K, CHAINS)
WORK = {GSM8K: range(2, 9), CHAINS: range(2, 11)}
"""Values W takes, in equal shares."""
MEAN_WORK = {GSM8K: 5, CHAINS: 6}
"""Mean of those values: where coupling and difficulty are neutral."""
CLUSTER_SIZE = 6
"""Chains of one family share a cluster."""
WRONG_GOLD = 10
"""Place of the instance of each benchmark whose gold answer is wrong, so that no run of it is ever right."""

_NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ivo", "June", "Kai", "Lena")
_THINGS = ("apples", "books", "cards", "coins", "eggs", "marbles", "pens", "shells", "stamps", "tickets")
_SINGLE = "{name} then has {a} {sign} {b} = <<{a}{sign}{b}={c}>>{c} {things}."
_DOUBLE = "Together that makes {a} {sign} {b} + {d} = <<{a}{sign}{b}+{d}={c}>>{c} {things}."
PLACES = (
    *("amber", "agate", "basalt", "beryl", "cobalt", "copper", "coral", "flint", "garnet", "gold"),
    *("granite", "ivory", "jade", "jasper", "lapis", "marble", "mica", "nickel", "onyx", "opal"),
    *("pearl", "quartz", "ruby", "silver", "slate", "topaz", "tin", "umber", "zinc", "zircon"),
)
"""Names of places in chains, and so its answers."""


@dataclass(frozen=True, kw_only=True)
class Instance:
    """One item: place in the benchmark, work W, question, right answer and the benchmark's solution."""

    benchmark: str
    place: int
    work: int
    question: str
    gold: str
    solution: str

    @property
    def name(self) -> str:
        """Canonical instance id: the line of the items file (gsm8k), or the item's own id (chains)."""
        return str(self.place) if self.benchmark == GSM8K else f"chain-{self.place:03d}"

    @property
    def solvable(self) -> bool:
        """Can any answer be right?"""
        return self.place != WRONG_GOLD

    @property
    def cluster(self) -> str:
        """Family of the instance."""
        return f"family-{self.place // CLUSTER_SIZE:02d}"


def drawn(benchmark: str, count: int, *, seed: int) -> tuple[Instance, ...]:
    """First `count` instances of a benchmark.

    >>> one = drawn("gsm8k", 3, seed=1)[2]
    >>> len(one.solution.splitlines()) - one.work, one.solution.splitlines()[-1] == f"#### {one.gold}"
    (1, True)
    """
    rng = generator(seed, "instances", benchmark)
    values = WORK[benchmark]
    works = rng.permutation([values[place % len(values)] for place in range(count)]).tolist()
    write = _problem if benchmark == GSM8K else _chain
    return tuple(write(rng, place, work) for place, work in enumerate(works))


def _problem(rng: np.random.Generator, place: int, work: int) -> Instance:
    name, things = _NAMES[int(rng.integers(len(_NAMES)))], _THINGS[int(rng.integers(len(_THINGS)))]
    start = total = int(rng.integers(20, 60))
    told, lines = [], []
    for _ in range(work):
        total, words, line = _step(rng, total, name=name, things=things)
        told.append(words)
        lines.append(line)
    question = (
        f"On day {place + 1} {name} has {start} {things}. {' '.join(told)} "
        f"How many {things} does {name} have in the end?"
    )
    solution = "\n".join([*lines, f"#### {total}"])
    return Instance(
        benchmark=GSM8K, place=place, work=work, question=question, gold=str(total), solution=solution
    )


def _step(rng: np.random.Generator, total: int, *, name: str, things: str) -> tuple[int, str, str]:
    """Next total, its words in the question and its line in the solution; totals stay between 1 and 999."""
    amount = int(rng.integers(2, 20))
    extra = int(rng.integers(2, 10)) if rng.random() < 0.3 else 0
    gives = total > 30 and rng.random() < 0.5
    after = total - amount + extra if gives else total + amount + extra
    words = f"{name} {'gives away' if gives else 'gets'} {amount} {things}"
    words += f" and finds {extra} more." if extra else "."
    pattern = _DOUBLE if extra else _SINGLE
    line = pattern.format(
        name=name, things=things, a=total, b=amount, d=extra, c=after, sign="-" if gives else "+"
    )
    return after, words, line


def _chain(rng: np.random.Generator, place: int, work: int) -> Instance:
    path = [PLACES[step] for step in rng.choice(len(PLACES), size=work + 1, replace=False).tolist()]
    links = [f"{here} leads to {there}" for here, there in pairwise(path)]
    told = ", ".join(links[step] for step in rng.permutation(work).tolist())
    question = f"Map {place + 1}: {told}. Start at {path[0]} and follow {work} links. Where do you end?"
    return Instance(
        benchmark=CHAINS, place=place, work=work, question=question, gold=path[-1], solution="; ".join(links)
    )
