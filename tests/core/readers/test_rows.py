"""Records of CSV, JSON lines, JSON lists and Parquet, each with its place."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from effspark.errors import LogError
from effspark.readers import Rejected
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.rows import Record, columns, rows

Write = Callable[[bytes], Log]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def log(content: bytes) -> Log:
        path = tmp_path / "a log, with: odd|name"
        path.write_bytes(content)
        return Log(str(path), len(content), datetime(2026, 1, 1, tzinfo=timezone.utc))

    return log


def read(log: Log) -> list[tuple[Any, ...]]:
    return [
        (found.offset, found.reason) if isinstance(found, Rejected) else (found.offset, dict(found.row))
        for found in rows(log).records
    ]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("separator", [b",", b"\t", b";"])
def test_cells_of_a_csv_file_are_texts_and_empty_ones_null(
    write: Write, separator: bytes, end: bytes
) -> None:
    log = write(end.join([b"a,b c,d", b'1,"x, ""y""",', b"", b",nan,2"]).replace(b",", separator) + end)
    shown = 'x, "y"'.replace(",", separator.decode())
    second, third = 7 + len(end), 7 + 13 + 3 * len(end)
    assert read(log) == [
        (second, {"a": "1", "b c": shown, "d": None}),
        (third, {"a": None, "b c": "nan", "d": "2"}),
    ]
    assert rows(log).cells


def test_quoted_cells_keep_line_ends_and_places_count_bytes(write: Write) -> None:
    log = write('é,b\n"one\n\r\ntwo",1\nthree,2'.encode())
    assert read(log) == [(5, {"é": "one\n\r\ntwo", "b": "1"}), (19, {"é": "three", "b": "2"})]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_of_a_cut_csv_file_the_whole_rows_are_kept_and_the_half_one_is_told(
    write: Write, encoding: str
) -> None:
    many = [(str(n), hashlib.sha256(bytes([n % 251, n // 251])).hexdigest()) for n in range(9000)]
    content = "".join(f"{left},{right}\n" for left, right in [("a", "b"), *many])
    stored = gzip.compress(content.encode(encoding))
    *whole, cut = rows(write(stored[: len(stored) // 2])).records
    assert [tuple(found.row.values()) for found in whole if isinstance(found, Record)] == many[: len(whole)]
    assert isinstance(cut, Rejected)
    assert (cut.reason, len(whole) > 1000) == ("unreadable_file", True)
    assert content[cut.offset :].startswith(str(cut.raw))
    assert "cannot be read to its end" in cut.detail
    with pytest.raises(LogError, match="cannot be read to its end"):
        rows(write(gzip.compress(b"a,b\n1,2\n")[:12]))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_no_part_of_the_first_column(write: Write, encoding: str) -> None:
    log = write("a,b\né,1\n".encode(encoding))
    assert [row for _, row in read(log)] == [{"a": "é", "b": "1"}]
    assert columns(log) == [{"a": "", "b": ""}]


def test_gzip_is_undone_and_places_count_plain_bytes(write: Write) -> None:
    assert read(write(gzip.compress(b"a\n1\n2\n"))) == [(2, {"a": "1"}), (4, {"a": "2"})]


def test_one_bad_csv_record_never_spoils_its_neighbours(write: Write) -> None:
    log = write(b'a,b\n1,2\n3\n"x"y,2\n\xff,2\n5,"open\n6,7\n8,9\n')
    assert read(log) == [
        (4, {"a": "1", "b": "2"}),
        (8, "invalid_csv"),
        (10, "invalid_csv"),
        (17, "invalid_utf8"),
        (21, "invalid_csv"),
        (29, {"a": "6", "b": "7"}),
        (33, {"a": "8", "b": "9"}),
    ]


def test_a_bad_csv_record_says_how_many_cells_and_shows_its_text(write: Write) -> None:
    (bad,) = [found for found in rows(write(b"a,b\n1,2,3\n")).records if isinstance(found, Rejected)]
    assert (bad.detail, bad.raw) == (
        "found 3 cells; allowed: 2, as in the header; quote or mend the record", "1,2,3\n",
    )  # fmt: skip


def test_a_very_long_cell_is_read(write: Write) -> None:
    long = b"x" * 300_000
    ((_, row),) = read(write(b"a,b\n" + long + b",1\n"))
    assert len(row["a"]) == 300_000


def test_two_columns_of_one_name_are_refused(write: Write) -> None:
    with pytest.raises(LogError, match=r"the header cannot be read .*two columns called 'a'"):
        rows(write(b"a,b,a\n1,2,3\n"))


@pytest.mark.parametrize("content", [b"", b"\n", b"a,b\n", b"a,b"])
def test_a_file_without_records_has_none(write: Write, content: bytes) -> None:
    assert read(write(content)) == []


def test_only_a_line_end_ends_a_record_or_a_header(write: Write) -> None:
    record = '{"a": "x\u2028y\x85z", "b": 1}\n'.encode()
    assert columns(write(record * 2)) == [{"a": "x\u2028y\x85z", "b": 1}] * 2
    assert columns(write("a\x0b,b\u2028,c\n1,2,3\n".encode())) == [{"a\x0b": "", "b\u2028": "", "c": ""}]


def test_bytes_are_no_header(write: Write) -> None:
    log = write(b"PK\x03\x04\x14\x00\x08,a\n1,2\n")
    assert columns(log) == []
    with pytest.raises(LogError, match="no file of rows"):
        rows(log)
    assert columns(write(b"a,b\n\x00,2\n")) == [{"a": "", "b": ""}]


def test_json_lines_keep_nan_and_nested_values(write: Write) -> None:
    log = write(b'{"a": {"b": NaN}}\n\n[1]\n{"a": \n{"a": 7}')
    found = read(log)
    assert str(found[0]) == "(0, {'a': {'b': nan}})"
    assert found[1:] == [(19, "wrong_type"), (23, "invalid_json"), (30, {"a": 7})]
    assert (rows(log).header, rows(log).cells) == (None, False)


def test_a_line_that_is_no_text_is_refused_alone(write: Write) -> None:
    assert read(write(b'{"a": 1}\n{"a": "\xff"}\n{"a": 2}\n')) == [
        (0, {"a": 1}),
        (9, "invalid_utf8"),
        (20, {"a": 2}),
    ]


def test_elements_of_a_json_list_are_records(write: Write) -> None:
    assert read(write('[{"é": 1},\n 5, {"a": 2}]'.encode())) == [
        (1, {"é": 1}),
        (13, "wrong_type"),
        (16, {"a": 2}),
    ]


def test_a_json_list_that_breaks_off_gives_what_it_holds_and_says_so(write: Write) -> None:
    found = rows(write(b'[{"a": 1}, {"a": ')).records
    assert next(found) == (1, {"a": 1}, '{"a": 1}')
    with pytest.raises(LogError, match="the rest of the file cannot be read"):
        next(found)


def test_rows_of_a_parquet_file_are_counted_and_keep_their_types(write: Write, tmp_path: Path) -> None:
    path = tmp_path / "x"
    time = pa.array([1_000_000_001, None], pa.timestamp("ns"))
    table = pa.table(
        {
            "id": [7, 8], "usage": [{"out": 5}, None], "at": time,
            "m": pa.array([[("k", 1.0)], []], pa.map_(pa.string(), pa.float64())),
        }
    )  # fmt: skip
    pq.write_table(table, path)
    log = write(path.read_bytes())
    assert read(log) == [
        (0, {"id": 7, "usage": {"out": 5}, "at": datetime(1970, 1, 1, 0, 0, 1), "m": {"k": 1.0}}),
        (1, {"id": 8, "usage": None, "at": None, "m": {}}),
    ]
    assert rows(log).header == {"id": "", "usage": {"out": ""}, "at": "", "m": None}
    assert columns(log) == [rows(log).header]


def test_a_damaged_parquet_file_is_told(write: Write) -> None:
    with pytest.raises(LogError, match=r"the file is damaged .*odd\|name"):
        rows(write(b"PAR1 and no more PAR1"))


def test_columns_are_those_of_the_whole_records_in_the_first_64_kib(write: Write) -> None:
    long = b'{"a": "' + b"x" * HEAD_BYTES + b'"}\n'
    assert columns(write(b'{"b": 1}\n{"c": 2}\n' + long)) == [{"b": 1}, {"c": 2}]
    assert columns(write(b'[{"b": 1}, {"c": 2}, ' + long + b"]")) == [{"b": 1}, {"c": 2}]
    assert columns(write(b'{"b": 1}')) == [{"b": 1}]
    assert columns(write(b"b,c\n1," + b"x" * HEAD_BYTES)) == [{"b": "", "c": ""}]
    assert columns(write(b"b," * HEAD_BYTES + b"c\n")) == []


def test_half_a_character_of_a_json_record_is_replaced(write: Write) -> None:
    assert read(write(b'{"a": "cut \\ud83d"}')) == [(0, {"a": "cut \ufffd"})]


def test_two_columns_of_one_name_in_a_parquet_file_are_no_header(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"]), path)
    log = Log(str(path), path.stat().st_size, datetime(2026, 1, 1, tzinfo=timezone.utc))
    for read in (rows, columns):
        with pytest.raises(LogError, match=r"the header cannot be read .*two columns called 'x'"):
            read(log)


def test_a_byte_that_is_no_utf8_costs_one_element_of_a_list(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'[{"a": "\xe9"}, {"a": "\xc3\xa9"}]')
    first, second = rows(Log(str(path), 28, datetime(2026, 1, 1, tzinfo=timezone.utc))).records
    assert isinstance(first, Rejected)
    assert (first.offset, first.reason) == (1, "invalid_utf8")
    assert r"found b'\xe9' at byte 8" in first.detail
    assert (second.offset, second.raw) == (13, '{"a": "é"}')  # type: ignore[union-attr]
