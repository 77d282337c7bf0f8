"""Which rows of moments does a report add up? Scorers, models, and the instance sets own, shared and pair.

    moments  ->  scorer of each eval run  ->  (model, instance) sums  ->  sums over own, shared and pair instances

Shared are the instances that every pool model covers; a model covers an instance with at least one run in the outcome
layer; the pool holds the models that cover most of the benchmark's instances (conf `least_coverage`). Written with
narwhals for both engines; only small tables (a row a model or eval run) are gathered. Source: definitions.md section 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import narwhals as nw
import pyarrow as pa

from effspark.errors import SettingsError, all_problems, problem
from effspark.layers.features import OUTSIDE
from effspark.layers.moments import FEATURES
from effspark.settings import Settings

Frame = Any
Row = dict[str, Any]

SUMMED = tuple(name for name in FEATURES if name != "tokens_squared")
"""Features that a report adds up."""

COVERS = "covers"
"""Column of cells: 1 where the model covers the instance, with at least one run in the outcome layer."""

_MODEL = ["benchmark_id", "model_id"]


class Choice(NamedTuple):
    """Scorer of one configuration of one eval run, and the alternatives that were there."""

    benchmark_id: str
    eval_run_id: str
    config_id: str
    model_id: str
    scorer: str
    alternatives: tuple[str, ...]


def gathered(frame: Frame) -> pa.Table:
    """A small frame of either engine as an Arrow table."""
    return frame.lazy().collect(backend="pyarrow").to_arrow()


def chosen_scorers(present: Sequence[Row], settings: Settings) -> list[Choice]:
    """Scorer of each (eval run, configuration): the first of the benchmark's list that it has, else ''.

    Parameters
    ----------
    present
        Rows of benchmark_id, eval_run_id, config_id, model_id, scorer: what moments hold.

    `*` in a list stands for the log's own scorers, by name, but those of conf `suspect_scorers`.

    Raises
    ------
    SettingsError
        All eval runs that only scorers outside the list have judged.
    """
    found: dict[tuple[str, str, str, str], set[str]] = {}
    for row in present:
        place = (row["benchmark_id"], row["eval_run_id"], row["config_id"], row["model_id"])
        found.setdefault(place, set()).add(row["scorer"])
    choices, faults = [], []
    for place, scorers in sorted(found.items()):
        listed = settings.scorers_of(place[0])
        spare = sorted(scorers - set(listed) - {""})
        suspect = list(filter(settings.report.is_suspect, spare))
        others = [name for name in spare if name not in suspect]
        order = [
            name for entry in listed for name in (others if entry == "*" else [entry]) if name in scorers
        ]
        if others and not order:
            faults.append(_unlisted(place[0], place[1], others, listed))
        choices.append(Choice(*place, scorer=order[0] if order else "", alternatives=(*order[1:], *suspect)))
    if faults:
        raise SettingsError(all_problems("verdicts of scorers that conf does not list", faults))
    return choices


def unjudged(choices: Sequence[Choice]) -> list[Choice]:
    """Choices without a scorer, of models that are judged elsewhere: their runs are unscored, and no wrong ones."""
    judged = {(choice.benchmark_id, choice.model_id) for choice in choices if choice.scorer}
    return [
        choice for choice in choices if not choice.scorer and (choice.benchmark_id, choice.model_id) in judged
    ]


def _unlisted(benchmark: str, eval_run: str, found: Sequence[str], listed: Sequence[str]) -> str:
    return problem(
        f"no scorer of {benchmark} is listed",
        where=f"eval run {eval_run}",
        found=", ".join(found),
        allowed=", ".join(listed) or "nothing",
        remedy=f'add one of them, or "*", to benchmarks.{benchmark}.scorers',
    )


def by_instance(moments: Frame, choices: Frame, *, refusals: str = "include") -> Frame:
    """Sums of the chosen rows for each (benchmark, model, instance), with the instance's key, and COVERS.

    Of eval runs that nobody judged, of a model that is judged elsewhere (`unjudged`), runs are counted as unscored and
    are in no layer; errors and the like are counted as everywhere.

    Parameters
    ----------
    refusals
        Where `exclude` (conf), a refused run covers nothing.
    """
    place = ["benchmark_id", "eval_run_id", "config_id", "scorer"]
    judged = choices.filter(nw.col("scorer") != "").select(*_MODEL).unique()
    known = choices.select(*place, "model_id").join(
        judged.with_columns(nw.lit(1).alias("_judged")), on=_MODEL, how="left"
    )
    silent = (nw.col("scorer") == "") & ~nw.col("_judged").is_null()
    in_layers = nw.when(silent).then(nw.lit(0)).otherwise(nw.lit(1)).cast(nw.Int64)
    chosen = moments.join(known.with_columns(in_layers.alias("_in_layers")), on=place, how="inner")
    unscored = nw.col("unscored") + (nw.col("n") + nw.col("missing")) * (1 - nw.col("_in_layers"))
    layers = [name for name in SUMMED if name not in OUTSIDE]
    chosen = chosen.with_columns(unscored.alias("unscored")).with_columns(
        *((nw.col(name) * nw.col("_in_layers")).alias(name) for name in layers)
    )
    cells = chosen.group_by(*_MODEL, "instance_id", "instance_key").agg(
        *(nw.col(name).sum() for name in SUMMED)
    )
    in_layer = nw.col("n") - nw.col("refused") if refusals == "exclude" else nw.col("n")
    return cells.with_columns((in_layer > 0).cast(nw.Int64).alias(COVERS))


def pool_of(cells: Frame, *, least_coverage: float) -> tuple[list[Row], dict[str, int]]:
    """Models of each benchmark's pool, and the number of instances that any model covers, by benchmark.

    Parameters
    ----------
    cells
        Result of `by_instance`, of the models that somebody has judged: an unscored run is in no layer.
    """
    covered = cells.filter(nw.col(COVERS) == 1)
    met = gathered(
        covered.select("benchmark_id", "instance_id")
        .unique()
        .group_by("benchmark_id")
        .agg(nw.len().alias("met"))
    )
    instances = dict(zip(met["benchmark_id"].to_pylist(), met["met"].to_pylist(), strict=True))
    counts = gathered(covered.group_by(*_MODEL).agg(nw.len().alias("covered"))).to_pylist()
    pool = [row for row in counts if row["covered"] / instances[row["benchmark_id"]] >= least_coverage]
    return sorted(pool, key=lambda row: (row["benchmark_id"], row["model_id"])), instances


def shared_instances(cells: Frame, pool: Frame) -> Frame:
    """Instances that every model of the benchmark's pool covers (columns benchmark_id, instance_id)."""
    sizes = pool.group_by("benchmark_id").agg(nw.len().alias("_models"))
    covered = cells.filter(nw.col(COVERS) == 1).join(pool.select(*_MODEL), on=_MODEL, how="inner")
    counts = covered.group_by("benchmark_id", "instance_id").agg(nw.len().alias("_covering"))
    everywhere = counts.join(sizes, on="benchmark_id", how="inner").filter(
        nw.col("_covering") == nw.col("_models")
    )
    return everywhere.select("benchmark_id", "instance_id")


def model_sums(cells: Frame, *, instance_set: nw.Expr) -> Frame:
    """Sums over all given cells of each model, with the number of instances covered.

    Parameters
    ----------
    instance_set
        What the sums are called: an expression by which cells are told apart.
    """
    return (
        cells.with_columns(instance_set.alias("instance_set"))
        .group_by(*_MODEL, "instance_set")
        .agg(nw.col(COVERS).sum().alias("covered"), *(nw.col(name).sum() for name in SUMMED))
        .select(*_MODEL, "instance_set", "covered", *SUMMED)
    )


def shared_and_other_sums(cells: Frame, shared: Frame) -> Frame:
    """Sums of each model over the shared instances (`shared`) and over all others (`other`)."""
    marked = cells.join(
        shared.with_columns(nw.lit(1).alias("_shared")), on=["benchmark_id", "instance_id"], how="left"
    )
    is_shared = nw.when(nw.col("_shared").is_null()).then(nw.lit("other")).otherwise(nw.lit("shared"))
    return model_sums(marked, instance_set=is_shared)


def pair_sums(cells: Frame, references: Frame) -> Frame:
    """Sums of each model and of its reference over the instances that both cover.

    Parameters
    ----------
    references
        benchmark_id, model_id, reference_id: one row a model.

    Returns
    -------
    Frame
        Like `model_sums`, with instance_set `pair` for the model's own sums and `pair_reference` for those of its
        reference; model_id is the model in both.
    """
    roles = nw.concat(
        [
            references.select(
                "benchmark_id",
                nw.col("model_id").alias("_asked"),
                nw.col(whose).alias("model_id"),
                nw.lit(side).alias("instance_set"),
            )
            for whose, side in (("model_id", "pair"), ("reference_id", "pair_reference"))
        ],
        how="vertical",
    )
    sides = cells.filter(nw.col(COVERS) == 1).join(roles, on=_MODEL, how="inner")
    place = ["benchmark_id", "_asked", "instance_id"]
    counts = sides.group_by(*place).agg(nw.col(COVERS).sum().alias("_sides")).filter(nw.col("_sides") == 2)
    both = sides.join(counts.select(*place), on=place, how="inner")
    asked = both.drop("model_id").rename({"_asked": "model_id"})
    return model_sums(asked, instance_set=nw.col("instance_set"))
