"""How much work is in an item, counted from the item itself? The native workload of a benchmark.

    item (question, gold solution, numeric fields)  ->  W on every scale of the benchmark, and axes

Native work is a property of the item, never of a run: it is counted once and divides the tokens of every model. One
benchmark is one module here (`cogniload_work`, `gsm8k_work`, `proofwriter_work`, `zebralogic_work`). Source: paper
section 3.2 and appendix B.1, definitions.md section 4. Work derived from solvers stands in `pool/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import NamedTuple, Protocol, runtime_checkable

from effspark.errors import LogError, problem

WORK = ("cogniload", "gsm8k", "proofwriter", "zebralogic")
"""Benchmarks whose module `<name>_work` holds a `WORK`."""


class Item(NamedTuple):
    """What a benchmark says of one item: question and gold solution as texts, numeric fields by name."""

    question: str | None = None
    solution: str | None = None
    fields: Mapping[str, float] = {}


class Measured(NamedTuple):
    """Work by scale (whole units, above 0), and what else of the item's difficulty its text shows."""

    work: dict[str, int]
    axes: dict[str, float]


@runtime_checkable
class NativeWork(Protocol):
    """How the work of one benchmark is counted. The first of `scales` is its primary scale."""

    name: str
    scales: tuple[str, ...]

    def measure(self, item: Item) -> Measured:
        """Work of an item on every scale."""


@cache
def native_work() -> dict[str, NativeWork]:
    """Rules of native work by benchmark.

    >>> {name: rule.scales[0] for name, rule in native_work().items()}
    {'cogniload': 'W_poi', 'gsm8k': 'W_step', 'proofwriter': 'W_depth', 'zebralogic': 'W_atom'}
    """
    return {name: import_module(f"effspark.benchmarks.{name}_work").WORK for name in WORK}


def uncountable(name: str, *, found: object, allowed: str) -> LogError:
    """Error of an item whose work cannot be counted: it leaves the workload layer, and is no item without work.

    >>> print(uncountable("proofwriter", found=None, allowed="a depth"))
    no work can be counted (proofwriter): found None; allowed: a depth; mend the item or declare its work
    """
    return LogError(
        problem(
            "no work can be counted",
            where=name,
            found=f"{found!r:.80}",
            allowed=allowed,
            remedy="mend the item or declare its work",
        ),
        reason="no_native_work",
    )
