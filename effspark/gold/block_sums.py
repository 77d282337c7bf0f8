"""What does a block add to a report? Rows of whole numbers that SQL adds up, whatever the blocks.

    block  ->  (part, model, scale, instance set, place, name) -> limbs  ->  added up over blocks  ->  numbers

`part` names the computation, `place` numbers what it has many of (splits, levels). Every number is four limbs of
`layers/fixed.py`, so that sums over blocks are exact. Source: architecture.md section 5.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa

from effspark.gold.blocks import Block
from effspark.layers import fixed
from effspark.layers.fixed import Ints
from effspark.layers.selection import gathered

Frame = Any

_KEY = ("benchmark_id", "part", "model_id", "scale", "instance_set", "place", "name")
_LIMBS = tuple(f"limb_{place}" for place in range(fixed.LIMBS))

SCHEMA = pa.schema(
    [
        *((name, pa.int64() if name == "place" else pa.string()) for name in _KEY),
        *((name, pa.int64()) for name in _LIMBS),
    ]
)
"""Sums of a block."""


ALL = ""
"""Stands for the model of a number that is of all of them."""


class Key(NamedTuple):
    """What a number of a benchmark is."""

    part: str
    model_id: str
    scale: str
    instance_set: str
    place: int
    name: str


class Sum(NamedTuple):
    """One number of each of some models, all of the block where null; `limbs` of shape (LIMBS, models)."""

    part: str
    name: str
    limbs: Ints
    scale: str = ""
    instance_set: str = ""
    place: int = 0
    models: tuple[str, ...] | None = None


def rows(block: Block, sums: Iterable[Sum]) -> pa.Table:
    """Sums as rows of SCHEMA; zeros are left out."""
    columns: dict[str, list[Any]] = {name: [] for name in SCHEMA.names}
    for one in sums:
        known = np.flatnonzero(one.limbs.any(axis=0))
        models = block.models if one.models is None else one.models
        columns["model_id"] += [models[model] for model in known]
        for name, value in (
            ("benchmark_id", block.benchmark_id),
            ("part", one.part),
            ("scale", one.scale),
            ("instance_set", one.instance_set),
            ("place", one.place),
            ("name", one.name),
        ):
            columns[name] += [value] * len(known)
        for name, limb in zip(_LIMBS, one.limbs[:, known], strict=True):
            columns[name] += limb.tolist()
    return pa.table([pa.array(columns[field.name], field.type) for field in SCHEMA], SCHEMA)


def added_up(frame: Frame) -> dict[str, dict[Key, float]]:
    """Numbers by benchmark and key, from a frame of rows of any blocks; what is absent is 0."""
    summed = frame.group_by(*_KEY).agg(*(nw.col(name).sum() for name in _LIMBS))
    found: dict[str, dict[Key, float]] = {}
    for row in gathered(summed.select(*SCHEMA.names)).to_pylist():
        key = Key(*(row[name] for name in _KEY[1:]))
        found.setdefault(row["benchmark_id"], {})[key] = fixed.total([row[name] for name in _LIMBS])
    return found


def named(
    sums: Mapping[Key, float], part: str, names: Sequence[str], *, scale: str, instance_set: str
) -> dict[str, dict[str, float]]:
    """Numbers of one part by model and name, 0 where no block had any.

    >>> one = {Key("workload", "m", "W", "own", 0, "n"): 2.0}
    >>> named(one, "workload", ("n", "work"), scale="W", instance_set="own")
    {'m': {'n': 2.0, 'work': 0.0}}
    """
    models = {
        key.model_id for key in sums if (key.part, key.scale, key.instance_set) == (part, scale, instance_set)
    }
    return {
        model: {name: sums.get(Key(part, model, scale, instance_set, 0, name), 0.0) for name in names}
        for model in sorted(models)
    }
