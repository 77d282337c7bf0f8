"""Stop reasons that no rule knows are told, those that say nothing are not."""

from __future__ import annotations

import narwhals as nw
import pyarrow as pa

from effspark.runs.unknown_stops import COLUMNS, strange, unknown_stops

RUNS = [
    ("unknown", "weird", "b"),
    ("unknown", "weird", "a"),
    ("unknown", "FINISH_REASON_UNSPECIFIED", "a"),
    ("unknown", None, "a"),
    ("error", "odd", "a"),
    ("stop", "stop", "a"),
]


def test_reasons_are_counted_with_the_least_file_that_has_them() -> None:
    names = ("stop_class", "finish_reason_raw", "source_uri")
    runs = pa.Table.from_pylist([dict(zip(names, run, strict=True)) for run in RUNS])
    found = unknown_stops(nw.from_native(runs)).to_arrow()
    assert tuple(found.column_names) == COLUMNS
    assert strange(found.to_pylist()) == [{"finish_reason_raw": "weird", "runs": 2, "source_uri": "a"}]
    assert strange(unknown_stops(nw.from_native(runs.slice(3))).to_arrow().to_pylist()) == []
