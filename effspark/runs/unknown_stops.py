"""Which stop reasons did no rule know? Counted, so that they can be told by name.

    runs of stop class unknown whose log gives a reason  ->  reason, its runs, the least file that has it

What a known reason means, and which reasons say nothing, is stops.py.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pyarrow as pa

from effspark.runs.stops import StopClass, is_strange

Frame = Any

COLUMNS = ("finish_reason_raw", "runs", "source_uri")


def unknown_stops(runs: Frame) -> Frame:
    """Stop reasons of runs whose class is unknown, those that say nothing included.

    Parameters
    ----------
    runs
        Rows of `runs`, as a narwhals frame of any engine.

    Returns
    -------
    Frame
        COLUMNS, one row a reason.

    >>> import pyarrow as pa
    >>> rows = {"stop_class": ["unknown", "stop"], "finish_reason_raw": ["weird", "stop"], "source_uri": ["a", "a"]}
    >>> unknown_stops(nw.from_native(pa.table(rows))).to_arrow().to_pylist()
    [{'finish_reason_raw': 'weird', 'runs': 1, 'source_uri': 'a'}]
    """
    unknown = runs.filter(
        (nw.col("stop_class") == StopClass.UNKNOWN.value) & ~nw.col("finish_reason_raw").is_null()
    )
    counted = unknown.group_by("finish_reason_raw").agg(nw.len().alias("runs"), nw.col("source_uri").min())
    return counted.select(*COLUMNS)


def strange(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of `unknown_stops` to tell, by reason: those whose reason says something.

    >>> strange([{"finish_reason_raw": "weird"}, {"finish_reason_raw": "unknown"}])
    [{'finish_reason_raw': 'weird'}]
    """
    told = [row for row in rows if is_strange(row["finish_reason_raw"])]
    return sorted(told, key=lambda row: str(row["finish_reason_raw"]))


def told(runs: pa.Table) -> list[dict[str, Any]]:
    """Strange stop reasons of a table of runs, with their numbers."""
    return strange(unknown_stops(nw.from_native(runs)).to_arrow().to_pylist())
