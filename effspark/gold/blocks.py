"""A block: all models on some instances of a benchmark, as arrays. What needs all models of an instance is done here.

    rows of cells (a row a model and instance, with W)  ->  arrays of shape (instances, models)

A block holds the instances whose key begins with the same digits, so it does not depend on partitions, and neither do
the bits of what is computed in it. Nothing that leaves a block but integers is added up. Source: architecture.md
section 5.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from effspark.layers.selection import COVERS, SUMMED

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

SHARED = "shared"
"""Column of cells: 1 where the instance is shared by all pool models."""
BLOCK = "block"
"""Column of cells: first digits of the instance's key."""
CELLS_A_BLOCK = 1 << 19
"""So many cells, about, are held in memory at once."""


class Block(NamedTuple):
    """Sums by feature, shape (instances, models); models and instances ascend by id. W by scale, shape (instances,)."""

    benchmark_id: str
    models: tuple[str, ...]
    instances: tuple[str, ...]
    sums: Mapping[str, Ints]
    covers: Bools
    shared: Bools
    work: Mapping[str, Floats]


def column_of(scale: str) -> str:
    """Column of W on a scale, which may be called like any feature.

    >>> column_of("tokens")
    'W of tokens'
    """
    return f"W of {scale}"


def schema(scales: Sequence[str]) -> pa.Schema:
    """Columns of cells that make a block."""
    return pa.schema(
        [
            *((name, pa.string()) for name in ("benchmark_id", BLOCK, "model_id", "instance_id")),
            *((name, pa.int64()) for name in (COVERS, SHARED, *SUMMED)),
            *((column_of(scale), pa.float64()) for scale in scales),
        ]
    )


def from_rows(cells: pa.Table, scales: Sequence[str]) -> Block:
    """Cells of one block, of `schema`, in any order, as arrays.

    Parameters
    ----------
    cells
        At least one row.
    """
    models, column = _codes(cells["model_id"])
    instances, row = _codes(cells["instance_id"])

    def spread(name: str) -> Ints:
        out = np.zeros((len(instances), len(models)), np.int64)
        out[row, column] = cells[name].to_numpy(zero_copy_only=False)
        return out

    def of_instance(name: str) -> Floats:
        out = np.full(len(instances), np.nan)
        out[row] = cells[name].to_numpy(zero_copy_only=False)
        return out

    return Block(
        cells["benchmark_id"][0].as_py(),
        models,
        instances,
        {name: spread(name) for name in SUMMED},
        spread(COVERS) == 1,
        of_instance(SHARED) == 1,
        {scale: of_instance(column_of(scale)) for scale in scales},
    )


def digits(cells: int) -> int:
    """How many hexadecimal digits of the key tell blocks apart, so that each holds few enough of the cells.

    >>> digits(1000), digits(10_000_000)
    (0, 2)
    """
    count = 0
    while cells > CELLS_A_BLOCK << (4 * count):
        count += 1
    return count


def _codes(column: pa.ChunkedArray) -> tuple[tuple[str, ...], Ints]:
    """Distinct texts, ascending, and the place of each row's text among them."""
    coded = column.combine_chunks().dictionary_encode()
    names: list[str] = coded.dictionary.to_pylist()
    ascending = sorted(range(len(names)), key=names.__getitem__)
    places = np.empty(len(names), np.int64)
    places[ascending] = np.arange(len(names))
    return tuple(names[place] for place in ascending), places[coded.indices.to_numpy()]
