"""Who is most efficient? Models ranked by E0 on the shared instances, and the reference of each.

    settled sums on shared instances  ->  rank, reference (rank 1, if it was ever right), reason where unranked

Ties in E0 go to the higher accuracy, then the name. Models whose T a provider counted and models whose T a tokenizer
estimated are ranked apart (conf `rank_estimated_with_counted`). Source: definitions.md sections 2 and 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from effspark.layers.estimates import ModelSums, settled
from effspark.sections import ReportSettings

Row = dict[str, Any]


class Standing(NamedTuple):
    """Place of a model among those ranked with it; `rank` is null where it is not ranked.

    `apart` says that those ranked with it are the models whose T a tokenizer estimated.
    """

    rank: int | None
    reference_id: str | None
    reason: str | None
    apart: bool = False


def standings(
    shared: Iterable[ModelSums],
    scorers: Mapping[str, str],
    names: Mapping[str, str],
    settings: ReportSettings,
) -> dict[str, Standing]:
    """Standing of every model of one benchmark.

    Parameters
    ----------
    shared
        Sums on the shared instances, of the models that have any run there.
    scorers
        model_id -> scorer, '' where nobody has judged it.
    names
        model_id -> display name.
    """
    common = list(shared)
    rankable = [
        ModelSums(
            part.benchmark_id, part.model_id, part.instance_set, part.covered, settled(part.sums, settings)
        )
        for part in common
        if scorers[part.model_id]
    ]
    count = max((part.covered for part in rankable), default=0)
    unranked = {
        model: Standing(None, None, _uncovered(count) if scorer else "no_verdicts")
        for model, scorer in scorers.items()
    }
    return unranked | ranking(rankable, names, shared=count, settings=settings)


def ranking(
    models: Iterable[ModelSums], names: Mapping[str, str], *, shared: int, settings: ReportSettings
) -> dict[str, Standing]:
    """Rank models by E0 on the shared instances; ties by accuracy, then name (definitions.md section 3).

    Parameters
    ----------
    models
        Sums on the shared instances, after `settled`; one benchmark.
    names
        model_id -> display name.
    shared
        Number of shared instances.

    >>> def model(name, correct):
    ...     return ModelSums("b", name, "shared", 2, dict(n=2, correct=correct, tokens=100, estimated=0))
    >>> found = ranking([model("a", 1), model("b", 2)], {"a": "A", "b": "B"}, shared=2, settings=ReportSettings())
    >>> found["a"], found["b"].rank
    (Standing(rank=2, reference_id='b', reason=None, apart=False), 1)
    """
    standing: dict[str, Standing] = {}
    groups: dict[bool, list[tuple[float, float, str, ModelSums]]] = {}
    for model in models:
        sums = model.sums
        if not shared or model.covered / shared < settings.least_coverage:
            standing[model.model_id] = Standing(None, None, _uncovered(shared))
        elif not sums["tokens"]:
            standing[model.model_id] = Standing(None, None, "no_tokens")
        else:
            score = 1000 * sums["correct"] / sums["tokens"]
            accuracy = sums["correct"] / sums["n"]
            apart = model.is_estimated and not settings.rank_estimated_with_counted
            groups.setdefault(apart, []).append((-score, -accuracy, names[model.model_id], model))
    for apart, group in groups.items():
        group.sort(key=lambda entry: entry[:3])
        best = group[0][3]
        reference = best.model_id if best.sums["correct"] > 0 else None
        for place, (*_, model) in enumerate(group, 1):
            standing[model.model_id] = Standing(place, reference, None, apart)
    return standing


def _uncovered(shared: int) -> str:
    """Why a model is not ranked that does not cover the shared instances, where there are any."""
    return "covers_too_few_shared_instances" if shared else "no_shared_instances"


def rank_row(place: Row, standing: Standing) -> Row:
    """Row of `estimates` that holds the rank of a model on the shared instances."""
    return {
        **place,
        "layer": "outcome",
        "scale": "",
        "instance_set": "shared",
        "budget": "own",
        "metric": "rank",
        "unit": "rank",
        "value": None if standing.rank is None else float(standing.rank),
        "reason": standing.reason,
    }
