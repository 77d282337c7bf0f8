"""The engine of a report on one machine: frames are pyarrow tables, and everything is computed at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa

Frame = Any


class Laptop:
    """The engine of pyarrow tables; everything is computed at once."""

    def frame(self, table: pa.Table) -> Frame:
        """A table as a narwhals frame."""
        return nw.from_native(table)

    def kept(self, frame: Frame) -> Frame:
        """The frame itself: it is computed already."""
        return frame

    def least(self, frame: Frame, by: Sequence[str], column: str) -> Frame:
        """The row of each group in which a column is least."""
        rows = frame.to_arrow().sort_by([(column, "ascending")])
        rest = [name for name in rows.column_names if name not in by]
        firsts = rows.group_by(list(by), use_threads=False).aggregate([(name, "first") for name in rest])
        return nw.from_native(firsts.rename_columns([*by, *rest]))

    def blocks(
        self, frame: Frame, by: Sequence[str], function: Callable[[pa.Table], pa.Table], schema: pa.Schema
    ) -> Frame:
        """Rows that a function gives for the rows of each group."""
        rows = frame.to_arrow()
        places: dict[tuple[Any, ...], list[int]] = {}
        for place, group in enumerate(zip(*(rows[name].to_pylist() for name in by), strict=True)):
            places.setdefault(group, []).append(place)
        found = [function(rows.take(group)) for group in places.values()]
        return nw.from_native(pa.concat_tables([schema.empty_table(), *found]))
