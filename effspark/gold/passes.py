"""The pass over cells in which all models of an instance are together: each block gives sums, and sums add up.

    cells, shared instances, W  ->  blocks by the first digits of the instance's key  ->  block sums  ->  numbers

One pass serves every benchmark and every computation of `_sums`. Source: architecture.md section 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import narwhals as nw
import pyarrow as pa

from effspark.gold import block_sums, blocks, work_sums
from effspark.gold.block_sums import Key, Sum
from effspark.gold.blocks import BLOCK, SHARED, Block
from effspark.layers.estimates import settled
from effspark.settings import ReportSettings

Frame = Any

_INSTANCE = ["benchmark_id", "instance_id"]


class Engine(Protocol):
    """What a report needs of the engine that holds the moments."""

    def frame(self, table: pa.Table) -> Frame:
        """A small table as a narwhals frame of the engine."""

    def kept(self, frame: Frame) -> Frame:
        """A frame that is used several times, computed once."""

    def blocks(
        self, frame: Frame, by: Sequence[str], function: Callable[[pa.Table], pa.Table], schema: pa.Schema
    ) -> Frame:
        """Rows that a function gives for the rows of each group, which it gets in any order."""


class Plan(NamedTuple):
    """What the blocks are told: scales of work, and by benchmark the reference of each model (model_id)."""

    scales: tuple[str, ...]
    references: Mapping[str, Mapping[str, str]]
    settings: ReportSettings


def sums_of_blocks(
    cells: Frame, shared: Frame, workloads: Frame, plan: Plan, engine: Engine, *, count: int
) -> dict[str, dict[Key, float]]:
    """Numbers by benchmark and key, from all cells; none where there is no scale.

    Parameters
    ----------
    cells
        Result of `selection.by_instance`.
    shared
        Shared instances: benchmark_id, instance_id.
    workloads
        Frame of the table `workloads`.
    count
        How many cells there are, about.
    """
    if not plan.scales:
        return {}
    placed = _placed(cells, shared, _wide(workloads, plan.scales), digits=blocks.digits(count))
    wanted = blocks.schema(plan.scales)
    found = engine.blocks(
        placed.select(*wanted.names), ["benchmark_id", BLOCK], partial(sums_of, plan), block_sums.SCHEMA
    )
    return block_sums.added_up(found)


def sums_of(plan: Plan, cells: pa.Table) -> pa.Table:
    """Sums of one block as rows of `block_sums.SCHEMA`.

    Parameters
    ----------
    cells
        Rows of one block, with the columns of `blocks.schema`, in any order.
    """
    wanted = blocks.schema(plan.scales)
    block = blocks.from_rows(cells.select(wanted.names).cast(wanted), plan.scales)
    block = block._replace(sums=settled(block.sums, plan.settings))
    return block_sums.rows(block, _sums(block, plan))


def _sums(block: Block, plan: Plan) -> Iterator[Sum]:
    yield from work_sums.of_block(block, plan.references.get(block.benchmark_id, {}))


def _wide(workloads: Frame, scales: Sequence[str]) -> Frame:
    """One row an instance, W of each scale in its column."""
    columns = {scale: blocks.column_of(scale) for scale in scales}
    spread = workloads.with_columns(
        *(
            nw.when(nw.col("scale") == scale).then(nw.col("work")).alias(name)
            for scale, name in columns.items()
        )
    )
    return spread.group_by(*_INSTANCE).agg(*(nw.col(name).max() for name in columns.values()))


def _placed(cells: Frame, shared: Frame, work: Frame, *, digits: int) -> Frame:
    """Cells with block, mark of shared instances and W."""
    marked = shared.select(*_INSTANCE).with_columns(nw.lit(1).cast(nw.Int64).alias(SHARED))
    joined = cells.join(marked, on=_INSTANCE, how="left").join(work, on=_INSTANCE, how="left")
    block = nw.col("instance_key").str.slice(0, digits) if digits else nw.lit("")
    return joined.with_columns(nw.col(SHARED).fill_null(0), block.alias(BLOCK))
