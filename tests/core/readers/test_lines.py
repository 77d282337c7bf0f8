from __future__ import annotations

import io

import pytest

from effspark.readers import lines
from effspark.readers.lines import Line, numbered, skip_line, utf16


def offsets_and_texts(data: bytes, offset: int = 0) -> list[tuple[int, str | None]]:
    return [(line.offset, line.text) for line in numbered(io.BytesIO(data), offset)]


@pytest.mark.parametrize("piece", [1, 2, 3, 1 << 20])
def test_pieces_of_any_size_give_the_same_lines(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_PIECE", piece)
    data = "é\r\n\n  \nbb\nlast".encode()
    assert offsets_and_texts(data) == [(0, "é"), (8, "bb"), (11, "last")]


def test_line_ends_among_the_first_bytes_are_seen() -> None:
    assert offsets_and_texts(b"\n{}\n") == [(1, "{}")]
    assert offsets_and_texts(b"1\n2") == [(0, "1"), (2, "2")]
    assert offsets_and_texts(b"\n\n") == []


def test_a_byte_order_mark_belongs_to_the_first_line_only() -> None:
    assert offsets_and_texts(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n") == [(0, "a"), (5, "\ufeffb")]


def test_offsets_count_from_the_given_one() -> None:
    assert offsets_and_texts(b"a\nb\n", 100) == [(100, "a"), (102, "b")]


def test_other_line_separators_of_unicode_end_no_line() -> None:
    assert offsets_and_texts("a\u2028b\x0bc\x85d\n".encode()) == [(0, "a\u2028b\x0bc\x85d")]


@pytest.mark.parametrize("piece", [1, 5, 1 << 20])
def test_a_line_above_the_limit_is_told_and_its_neighbours_are_read(
    piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_PIECE", piece)
    monkeypatch.setattr(lines, "LONGEST_LINE", 9)
    monkeypatch.setattr(lines, "KEPT_BYTES", 4)
    found = list(numbered(io.BytesIO(b"123456789\n" + b"x" * 30 + b"\nend"), 0))
    assert found == [
        Line(0, "123456789", b"123456789", None),
        Line(10, None, b"xxxx", "line_too_long: over 9 bytes"),
        Line(41, "end", b"end", None),
    ]


def test_bytes_that_are_no_utf8_spoil_their_line_only() -> None:
    found = list(numbered(io.BytesIO(b"a\nb\xffc\nd"), 0))
    assert [(line.text, line.fault) for line in found] == [
        ("a", None),
        (None, "invalid_utf8: byte 1 of the line"),
        ("d", None),
    ]
    assert found[1].raw == b"b\xffc"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_offsets_count_the_bytes_of_its_utf8(encoding: str) -> None:
    data = "\ufeffé\nb\n".encode(encoding)
    assert offsets_and_texts(data) == [(0, "é"), (3, "b")]


def test_a_lone_surrogate_of_utf16_spoils_its_line_only() -> None:
    data = "\ufeffa\n".encode("utf-16-le") + b"\x3d\xd8" + "\nb\n".encode("utf-16-le")
    assert [text for _, text in offsets_and_texts(data)] == ["a", None, "b"]


def test_half_a_unit_at_the_end_of_utf16_is_left_out() -> None:
    assert utf16("\ufeffab".encode("utf-16-le")[:-1]) == b"a"


@pytest.mark.parametrize("piece", [1, 4, 1 << 20])
def test_skipping_ends_at_the_next_line(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_PIECE", piece)
    stream = io.BytesIO(b"rest of it\nnext\n")
    assert (skip_line(stream), stream.read()) == (11, b"next\n")
    assert skip_line(io.BytesIO(b"no end")) == 6
