"""Benchmarks: what is the right answer of an item, and does a text give it?

One benchmark is one module here. Its rule judges what a model wrote, so that logs without verdicts can be
scored and verdicts of different harnesses compared. Which benchmark follows which rule, and which scorer
comes first, is conf.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import NamedTuple, Protocol, runtime_checkable

from effspark.errors import SettingsError, problem

BENCHMARKS = ("cogniload", "gsm8k", "multiple_choice", "proofwriter", "zebralogic")
"""Modules of this package that hold a `BENCHMARK`."""


class Scored(NamedTuple):
    """What a rule reads as the answer of a text (null where it finds none), and whether that is right."""

    extracted: str | None
    correct: bool


@runtime_checkable
class Benchmark(Protocol):
    """The rule of one benchmark. `scorer` is the name under which its verdicts are stored.

    `gold` gives the right answer of an item, whatever form the item has it in (null where there is none), and
    gives its own results back. `score` judges a generated text against any such form.
    """

    name: str
    scorer: str

    def gold(self, answer: str) -> str | None:
        """Right answer of an item."""

    def score(self, answer: str, gold: str) -> Scored:
        """Answer of a generated text, and whether it is right."""


@runtime_checkable
class Graded(Benchmark, Protocol):
    """A rule that also says how much of an answer is right, which is then the raw score of its verdict.

    It stays one scorer: an answer is right where all of it is (definitions.md section 1).
    """

    def share(self, answer: str, gold: str) -> float:
        """Share of an answer that is right, 0 to 1."""


@runtime_checkable
class Chooses(Benchmark, Protocol):
    """A rule that reads the options of an item beside the right one (choices.py); others get the right one alone."""

    letters: str


@runtime_checkable
class Turns(Benchmark, Protocol):
    """A rule that knows where a growing text may become right (turns.py), so that not every prefix need be tried."""

    def turns(self, text: str, gold: str) -> Iterator[int]:
        """Places of a text, in any order: the first right prefix at the end of a word has one in its last word."""


@cache
def registry() -> dict[str, Benchmark]:
    """All benchmarks by name.

    >>> list(registry()), registry()["gsm8k"].scorer
    (['cogniload', 'gsm8k', 'multiple_choice', 'proofwriter', 'zebralogic'], 'rescored:gsm8k')
    """
    found: dict[str, Benchmark] = {}
    for module in BENCHMARKS:
        benchmark: Benchmark = import_module(f"effspark.benchmarks.{module}").BENCHMARK
        found[benchmark.name] = benchmark
    return found


def benchmark_named(name: str) -> Benchmark:
    """Benchmark of a name.

    Raises
    ------
    SettingsError
        There is none of that name.

    >>> benchmark_named("gsm8k").score("The answer is 18.", "#### 18")
    Scored(extracted='18', correct=True)
    """
    benchmarks = registry()
    if name not in benchmarks:
        raise SettingsError(
            problem(
                "no rule for the answers of a benchmark",
                where="conf benchmarks.*.answers",
                found=name,
                allowed=", ".join(benchmarks),
                remedy="name one of them, or score the runs with --labels",
            )
        )
    return benchmarks[name]
