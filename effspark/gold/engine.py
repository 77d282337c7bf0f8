"""What does a report need of the engine that holds the moments? Two have it: Spark, and pyarrow on one machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import pyarrow as pa

Frame = Any
"""A narwhals frame of the engine."""


class Engine(Protocol):
    """What a report needs of the engine."""

    def frame(self, table: pa.Table) -> Frame:
        """A small table as a frame."""

    def kept(self, frame: Frame) -> Frame:
        """A frame that is used several times, computed once."""

    def least(self, frame: Frame, by: Sequence[str], column: str) -> Frame:
        """The row of each group in which a column is least; no two rows of a group are equal there."""

    def blocks(
        self, frame: Frame, by: Sequence[str], function: Callable[[pa.Table], pa.Table], schema: pa.Schema
    ) -> Frame:
        """Rows that a function gives for the rows of each group, which it gets in any order."""
