"""The pass over cells in which all models of an instance are together: each block gives sums, and sums add up.

    cells, first solvers, W  ->  blocks by the first digits of the instance's key  ->  block sums  ->  numbers

One pass serves every benchmark and every computation of `_sums`. Source: architecture.md section 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import narwhals as nw
import pyarrow as pa

from effspark.gold import block_sums, blocks, pool_sums, selection_sums, work_sums
from effspark.gold.block_sums import Key, Sum
from effspark.gold.blocks import BLOCK, SHARED, Block
from effspark.gold.engine import Engine, Frame
from effspark.gold.pools import NOBODY, Pool
from effspark.layers.estimates import settled
from effspark.layers.workload import SOLVER_SCALE
from effspark.sections import ReportSettings

_INSTANCE = ["benchmark_id", "instance_id"]


class Plan(NamedTuple):
    """What the blocks are told: native scales, and by benchmark each model's reference (model_id) and the pool."""

    native: tuple[str, ...]
    references: Mapping[str, Mapping[str, str]]
    pools: Mapping[str, Pool]
    settings: ReportSettings

    @property
    def scales(self) -> tuple[str, ...]:
        """All scales of work."""
        return (*self.native, SOLVER_SCALE)


def sums_of_blocks(
    cells: Frame, solvers: Frame, workloads: Frame, plan: Plan, engine: Engine, *, count: int
) -> dict[str, dict[Key, float]]:
    """Numbers by benchmark and key, from all cells.

    Parameters
    ----------
    cells
        Result of `selection.by_instance`.
    solvers
        Result of `solver_rows.first_solvers`: the shared instances and what the first solver of each spent.
    workloads
        Frame of the table `workloads`.
    count
        How many cells there are, about.
    """
    placed = _placed(cells, solvers, _wide(workloads, plan.native), digits=blocks.digits(count))
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
    yield from selection_sums.of_block(block)
    yield from pool_sums.of_block(block, plan.pools.get(block.benchmark_id, NOBODY))


def _wide(workloads: Frame, scales: Sequence[str]) -> Frame:
    """One row an instance, W of each scale in its column."""
    if not scales:
        return workloads.select(*_INSTANCE).unique()
    columns = {scale: blocks.column_of(scale) for scale in scales}
    spread = workloads.with_columns(
        *(
            nw.when(nw.col("scale") == scale).then(nw.col("work")).alias(name)
            for scale, name in columns.items()
        )
    )
    return spread.group_by(*_INSTANCE).agg(*(nw.col(name).max() for name in columns.values()))


def _placed(cells: Frame, solvers: Frame, work: Frame, *, digits: int) -> Frame:
    """Cells with block, mark of shared instances and W."""
    marked = solvers.select(
        *_INSTANCE,
        nw.lit(1).cast(nw.Int64).alias(SHARED),
        nw.col("work").alias(blocks.column_of(SOLVER_SCALE)),
    )
    joined = cells.join(marked, on=_INSTANCE, how="left").join(work, on=_INSTANCE, how="left")
    block = nw.col("instance_key").str.slice(0, digits) if digits else nw.lit("")
    return joined.with_columns(nw.col(SHARED).fill_null(0), block.alias(BLOCK))
