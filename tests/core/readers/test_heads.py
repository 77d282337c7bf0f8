"""What the first lines of a log tell of it."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import msgspec
import pytest

from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.heads import FIRST_LINES, cut_line, first_element, first_records, is_list


class Row(msgspec.Struct):
    a: int


def log_of(path: Path, data: bytes) -> Log:
    path.write_bytes(data)
    return Log(str(path), len(data), datetime(2026, 1, 1, tzinfo=timezone.utc))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.jsonl"


def test_lines_of_another_shape_are_passed_over(path: Path) -> None:
    log = log_of(path, b'{"a": 1}\r\n\n{"a": "text"}\n{"a": \n{"a": 2, "b": 3}\n')
    assert first_records(log, Row) == [Row(1), Row(2)]


def test_blank_lines_are_no_lines(path: Path) -> None:
    assert first_records(log_of(path, b"\n \r\n" * 8 + b'{"a": 1}\n\n{"a": 2}'), Row) == [Row(1), Row(2)]
    long = b'\n\n{"a": "' + b"x" * HEAD_BYTES
    assert cut_line(log_of(path, long)).startswith(b'{"a": ')


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\xfd", b'{"a": "\xff"}', b"[" * 100_000, b"a,b\n1,2\n"])
def test_what_is_no_json_holds_no_record(path: Path, data: bytes) -> None:
    assert first_records(log_of(path, data), Row) == []


def test_no_more_than_the_first_lines_are_looked_at(path: Path) -> None:
    log = log_of(path, b"".join(b'{"a": %d}\n' % number for number in range(9)))
    assert first_records(log, Row) == [Row(number) for number in range(FIRST_LINES)]


def test_a_first_line_that_the_head_does_not_show_whole_is_cut(path: Path) -> None:
    long = b'{"a": 1, "b": "' + b"x" * HEAD_BYTES + b'"}\n'
    assert cut_line(log_of(path, long)).startswith(b'{"a": 1')
    assert len(cut_line(log_of(path, b"\xef\xbb\xbf" + long))) == HEAD_BYTES - 3
    assert cut_line(log_of(path, b'{"a": 1}\n' + long)) == b""
    assert cut_line(log_of(path, b'{"a": 1}')) == b""


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'[{"a": 1}, {"a": 2}]', [Row(1)]),
        (b'\xef\xbb\xbf\n[\n  {"a": 1},\n  {"a": ', [Row(1)]),
        (b'[{"a": "text"}, {"a": 2}]', []),
        (b'[{"a": ', []),
        (b"[]", []),
        (b'{"a": 1}', []),
        (b"", []),
    ],
)
def test_the_first_element_of_a_list_is_seen_where_it_is_whole(
    path: Path, data: bytes, found: list[Row]
) -> None:
    assert first_element(log_of(path, data), Row) == found


def test_a_list_is_told_by_its_bracket(path: Path) -> None:
    assert is_list(log_of(path, b"\n [1]"))
    assert not is_list(log_of(path, b'{"a": [1]}'))


def test_a_first_line_that_holds_half_a_character_is_seen(path: Path) -> None:
    assert first_records(log_of(path, b'{"a": 1, "b": "\\ud83d"}\n'), Row) == [Row(1)]
