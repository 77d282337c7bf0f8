"""What do the logs say of how many runs of an eval run? Its quality flags, and the models that its answers name.

    runs of a configuration in an eval run, a value each  ->  value=runs, as one text for each value

Written with narwhals for both engines; only the step from lists to rows and back is each engine's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc

Frame = Any

PLACE = ("eval_run_id", "benchmark", "config_id")
"""What a row of `eval_runs` stands for."""
COLUMNS = ("quality_flags", "response_models")
"""Columns of `eval_runs` that hold tallies."""

_RUNS = "="
"""Stands between a value and the number of its runs."""


def flags_of(runs: pa.Table) -> pa.Table:
    """Quality flags, one a row: run_key, value.

    >>> runs = pa.table({"run_key": ["a", "b"], "quality_flags": [["x", "y"], []]})
    >>> flags_of(runs).to_pylist()
    [{'run_key': 'a', 'value': 'x'}, {'run_key': 'a', 'value': 'y'}]
    """
    lists = runs["quality_flags"].combine_chunks()
    keys = runs["run_key"].combine_chunks().take(pc.list_parent_indices(lists))
    return pa.table({"run_key": keys, "value": pc.list_flatten(lists).cast(pa.string())})


def of_flags(named: Frame, flags: Frame) -> Frame:
    """Tallies of quality flags: PLACE and `entry`, one row a flag.

    Parameters
    ----------
    named
        Runs with run_key and PLACE.
    flags
        run_key, value: one row for each flag of a run.
    """
    return _tallied(named.select("run_key", *PLACE).join(flags, on="run_key", how="inner"))


def of_models(named: Frame) -> Frame:
    """Tallies of the models that answers name: PLACE and `entry`, one row a name.

    Parameters
    ----------
    named
        Runs with PLACE and response_model.
    """
    told = named.filter(~nw.col("response_model").is_null())
    return _tallied(told.select(*PLACE, nw.col("response_model").alias("value")))


def _tallied(values: Frame) -> Frame:
    counted = values.group_by(*PLACE, "value").agg(nw.len().alias("_runs"))
    entry = nw.concat_str([nw.col("value"), nw.col("_runs").cast(nw.String)], separator=_RUNS)
    return counted.select(*PLACE, entry.alias("entry"))


def lists(entries: pa.Table, places: Iterable[tuple[str, ...]]) -> pa.Array:
    """Sorted tallies of each place, a list for each, for the laptop's engine.

    >>> rows = pa.table({"eval_run_id": ["e", "e"], "benchmark": ["b", "b"], "config_id": ["c", "c"],
    ...     "entry": ["y=1", "x=2"]})
    >>> lists(rows, [("e", "b", "c"), ("e", "b", "d")]).to_pylist()
    [['x=2', 'y=1'], []]
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for row in entries.to_pylist():
        found.setdefault(tuple(row[name] for name in PLACE), []).append(row["entry"])
    kind = pa.list_(pa.field("element", pa.string(), nullable=False))
    return pa.array([sorted(found.get(place, ())) for place in places], kind)


def counts(entries: Sequence[str]) -> dict[str, int]:
    """Number of runs by value.

    >>> counts(["a=b=2", "c=1"])
    {'a=b': 2, 'c': 1}
    """
    parted = (entry.rpartition(_RUNS) for entry in entries)
    return {value: int(runs) for value, _, runs in parted}
