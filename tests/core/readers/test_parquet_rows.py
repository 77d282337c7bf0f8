"""Rows of a Parquet file: what Python cannot hold is refused by its row."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from effspark.errors import LogError
from effspark.readers import Rejected
from effspark.readers.files import Log
from effspark.readers.parquet_rows import header, opened, rows

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
MAP = pa.map_(pa.string(), pa.int64())
NO_UTF8 = pa.Array.from_buffers(
    pa.string(), 2, [None, pa.array([0, 2, 3], pa.int32()).buffers()[1], pa.py_buffer(b"\xff\xfea")]
)


def written(folder: Path, **columns: Any) -> Log:
    path = folder / "a.parquet"
    pq.write_table(pa.table(columns), path)
    return Log(str(path), path.stat().st_size, NOW)


def read(log: Log) -> list[tuple[int, Any]]:
    return list(rows(log, opened(log)))


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        (pa.array([[("a", 1), ("a", 2)], [("a", 1)]], MAP), {"a": 1}),
        (pa.array([2**62, 0], pa.timestamp("us")), datetime(1970, 1, 1)),
        (pa.array([[2**62], [0]], pa.list_(pa.timestamp("us"))), [datetime(1970, 1, 1)]),
        (pa.array([2**62, 0], pa.timestamp("ms")), datetime(1970, 1, 1)),
        (pa.array([-(2**54), 0], pa.timestamp("ms")), datetime(1970, 1, 1)),
        (pa.array([2**30, None], pa.date32()), None),
        (NO_UTF8, "a"),
    ],
    ids=["repeated key", "far time", "far time in a list", "ms that wrap", "early ms", "far day", "no UTF-8"],
)
def test_a_row_that_python_cannot_hold_is_refused_alone(bad: pa.Array, good: Any, tmp_path: Path) -> None:
    (_, refused), (place, row) = read(written(tmp_path, id=["one", "two"], x=bad, y=[1, 2]))
    assert isinstance(refused, Rejected)
    assert (refused.offset, refused.reason, refused.raw) == (0, "unreadable_value", '{"id": "one", "y": 1}')
    assert "found x (" in refused.detail
    assert (place, row) == (1, {"id": "two", "x": good, "y": 2})


@pytest.mark.parametrize("zone", ["Mars/Phobos", "+99:00"])
def test_a_time_of_an_unknown_zone_is_the_same_moment_in_utc(zone: str, tmp_path: Path) -> None:
    ((_, row),) = read(written(tmp_path, at=pa.array([1_000_000], pa.timestamp("us", zone))))
    assert row["at"].isoformat() == "1970-01-01T00:00:01+00:00"


def test_a_time_of_a_known_zone_keeps_it(tmp_path: Path) -> None:
    ((_, row),) = read(written(tmp_path, at=pa.array([0], pa.timestamp("ns", "+02:00"))))
    assert row["at"].isoformat() == "1970-01-01T02:00:00+02:00"


def test_the_header_names_what_lies_in_structs(tmp_path: Path) -> None:
    log = written(tmp_path, id=[1], usage=[{"out": {"n": 5}}], map=pa.array([[("a", 1)]], MAP))
    assert header(opened(log)) == {"id": "", "usage": {"out": {"n": ""}}, "map": None}


def test_a_file_without_rows_or_columns_has_no_rows(tmp_path: Path) -> None:
    assert read(written(tmp_path)) == []
    assert read(written(tmp_path, a=pa.array([], pa.int64()))) == []


def test_a_damaged_file_is_an_error_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(LogError, match=r"the file is damaged .*a\.parquet"):
        opened(Log(str(path), 16, NOW))


def test_a_column_name_that_is_no_utf8_is_damage(tmp_path: Path) -> None:
    log = written(tmp_path, name=[1])
    path = Path(log.uri)
    path.write_bytes(path.read_bytes().replace(b"name", b"n\xffme"))
    with pytest.raises(LogError, match="the file is damaged"):
        opened(log)


def test_times_of_an_unknown_zone_do_not_wrap_and_nanoseconds_are_cut(tmp_path: Path) -> None:
    far = pa.array([2**62, 5], pa.timestamp("ms", "Mars/Phobos"))
    (_, refused), (_, row) = read(written(tmp_path, far=far, fine=pa.array([0, 1_999], pa.timestamp("ns"))))
    assert isinstance(refused, Rejected)
    assert (row["far"].microsecond, row["fine"]) == (5_000, datetime(1970, 1, 1, 0, 0, 0, 1))


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        (b"\xff", pa.binary()),
        ({"a": 1}, pa.struct([("a", pa.int64())])),
        ([1], pa.list_(pa.int64())),
        (1, pa.timestamp("us")),
    ],
)
def test_maps_whose_keys_name_nothing_are_passed_over(key: Any, kind: pa.DataType, tmp_path: Path) -> None:
    odd = pa.array([[(key, 1)]], pa.map_(kind, pa.int64()))
    below = pa.StructArray.from_arrays([odd], names=["odd"])
    log = written(
        tmp_path, id=["x"], odd=odd, below=below, n=pa.array([[(7, 1)]], pa.map_(pa.int64(), pa.int64()))
    )
    assert list(header(opened(log))) == ["id", "n"]
    assert read(log) == [(0, {"id": "x", "n": {7: 1}})]
