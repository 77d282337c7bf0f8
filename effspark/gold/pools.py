"""The reference pool of a benchmark: its models, in the order in which they are tried, and the splits of the audit.

    conf, else who covers enough  ->  members  ->  ordered by E0 on the shared instances  ->  pool splits

A model of the pool that has no place in the order defines no work: it generated no token, or its tokens are estimated
while those of others are counted. Source: paper appendix B.2, definitions.md sections 2 and 5.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.errors import SettingsError, all_problems, problem
from effspark.layers.estimates import ModelSums, settled
from effspark.pool.membership import COVERS_TOO_FEW, NO_TOKENS, NOT_DECLARED, by_efficiency
from effspark.resampling.splits import pool_splits
from effspark.sections import Benchmark
from effspark.settings import Settings

Row = dict[str, Any]
Bools = npt.NDArray[np.bool_]

ESTIMATED = "estimated_tokens"
UNJUDGED = "no_verdicts"
"""Why else a model defines no work."""

LEAST_SPLIT = 2
"""A smaller pool cannot be split."""


class Pool(NamedTuple):
    """Ids of the pool's models, best first; why each other model defines no work; which models are the reference of
    each split, shape (splits, models of the order).
    """

    order: tuple[str, ...]
    reasons: Mapping[str, str]
    splits: Bools


NOBODY = Pool((), {}, np.zeros((0, 0), np.bool_))


def members(
    covering: Sequence[Row],
    judged: Sequence[Row],
    shown: Mapping[str, Mapping[str, str]],
    benchmarks: Mapping[str, Benchmark],
) -> list[Row]:
    """Rows of benchmark_id and model_id: the pool of each benchmark.

    Parameters
    ----------
    covering, judged
        Rows of benchmark_id and model_id: the models that cover enough of the instances, and all that are judged.
    shown
        Display name of each model by benchmark and model_id, by which conf names them.

    Raises
    ------
    SettingsError
        All models that conf names and nobody ran.

    >>> one = {"benchmark_id": "b", "model_id": "1"}
    >>> members([one], [one, {"benchmark_id": "b", "model_id": "2"}], {"b": {"1": "m", "2": "n"}},
    ...         {"b": Benchmark(pool=("n",))})
    [{'benchmark_id': 'b', 'model_id': '2'}]
    """
    found, faults = [], []
    for name, names in sorted(shown.items()):
        declared = benchmarks[name].pool if name in benchmarks else ()
        here = [row["model_id"] for row in (judged if declared else covering) if row["benchmark_id"] == name]
        known = {names[model] for model in here}
        if strange := sorted(set(declared) - known) if declared else ():
            faults.append(
                problem(
                    "models of the declared pool that nobody judged",
                    where=f"conf benchmarks.{name}.pool",
                    found=", ".join(strange),
                    allowed=", ".join(sorted(known)),
                    remedy="name models of this benchmark as a report does",
                )
            )
        chosen = [model for model in here if not declared or names[model] in declared]
        found += [{"benchmark_id": name, "model_id": model} for model in sorted(chosen)]
    if faults:
        raise SettingsError(all_problems("declared pools", faults))
    return found


def pool_of(
    models: Collection[str],
    sums: Mapping[tuple[str, str], ModelSums],
    scorers: Mapping[str, str],
    names: Mapping[str, str],
    declared: Collection[str],
    settings: Settings,
) -> Pool:
    """Pool of one benchmark, ordered.

    Parameters
    ----------
    models
        model_id of its members.
    sums
        Sums by model_id and instance set.
    scorers, names
        Scorer, '' where nobody judged it, and display name of every model, by model_id.
    declared
        Names of the pool that conf declares, if it does.
    """
    shared = {model: sums[model, "shared"] for model in sorted(models) if (model, "shared") in sums}
    mixed = len({one.is_estimated for one in shared.values()}) > 1
    apart = mixed and not settings.report.rank_estimated_with_counted
    tried = [model for model, one in shared.items() if not (apart and one.is_estimated)]
    settled_sums = [settled(shared[model].sums, settings.report) for model in tried]
    columns = ([one[feature] for one in settled_sums] for feature in ("n", "tokens", "correct"))
    order = tuple(tried[place] for place in by_efficiency([names[model] for model in tried], *columns))
    outside = NOT_DECLARED if declared else COVERS_TOO_FEW
    reasons = {
        model: outside if scorer else UNJUDGED for model, scorer in scorers.items() if model not in models
    }
    reasons |= dict.fromkeys(set(shared) - set(tried), ESTIMATED)
    reasons |= dict.fromkeys(set(models) - set(order) - set(reasons), NO_TOKENS)
    count = settings.pool.splits if len(order) >= LEAST_SPLIT else 0
    splits = pool_splits(order, seed=settings.resampling.seed, count=count)
    return Pool(order, reasons, splits)
