"""From bytes to lines: where does each line begin, and is it text?

    byte stream, offset of its first byte  ->  non-empty lines with the byte offset of each

UTF-8 with or without byte order mark, and UTF-16 with one; line ends are LF or CRLF. A line that is too long, no valid
text or cut by the end of what can be read is handed on as such, never repaired. Knows nothing of files or formats.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO, NamedTuple

LONGEST_LINE = 64 * 1024 * 1024
"""A line above this many bytes is quarantined, not parsed."""
KEPT_BYTES = 65_536
"""So much of a line that is too long is kept."""
TOO_LONG = "line_too_long"
UNREADABLE = "unreadable_file"
"""Faults of a line, and of one that stands for the rest of a file that cannot be read."""
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PIECE = 1 << 20
_ASKED = 16


class Line(NamedTuple):
    """One line without its end. `text` is null where it is too long, cut or no valid text; `raw` is its start."""

    offset: int
    text: str | None
    raw: bytes
    fault: str | None


def numbered(stream: BinaryIO, offset: int) -> Iterator[Line]:
    r"""Non-empty lines of a byte stream whose first byte stands at `offset` (bytes) and begins a line.

    UTF-16 is decoded whole, and offsets then count the bytes of its UTF-8.

    >>> import io
    >>> [(line.offset, line.text) for line in numbered(io.BytesIO(b'{}\r\n\nx'), 0)]
    [(0, '{}'), (5, 'x')]
    """
    first = stream.read(_PIECE)
    if offset == 0 and first.startswith(UTF16_MARKS):
        yield from _split([utf16(first + stream.read())], 0)
        return
    yield from _split(chain([first], iter(lambda: stream.read(_PIECE), b"")), offset)


def utf16(data: bytes) -> bytes:
    r"""UTF-16 with a byte order mark as UTF-8; lone surrogates stay invalid, half a unit at the end goes.

    >>> utf16(b"\xff\xfea\x00\x0a")
    b'a'
    """
    return data[: len(data) & ~1].decode("utf-16", "surrogatepass").encode("utf-8", "surrogatepass")


def is_utf16(head: bytes) -> bool:
    r"""Does a file begin with characters of ASCII in UTF-16, without a byte order mark?

    >>> is_utf16("{}".encode("utf-16-le")), is_utf16("{}".encode("utf-16-be")), is_utf16(b"{}")
    (True, True, False)
    """
    first, second = head[:_ASKED:2], head[1:_ASKED:2]
    return len(second) > 0 and any(
        not any(zeros) and all(text) for zeros, text in ((first, second), (second, first))
    )


def skip_line(stream: BinaryIO) -> int:
    r"""Read past the end of the current line; number of bytes passed.

    >>> import io
    >>> skip_line(io.BytesIO(b"end of it\nnext"))
    10
    """
    passed = 0
    while piece := stream.read(_PIECE):
        end = piece.find(b"\n")
        if end >= 0:
            stream.seek(stream.tell() - len(piece) + end + 1)
            return passed + end + 1
        passed += len(piece)
    return passed


def _split(pieces: Iterable[bytes], offset: int) -> Iterator[Line]:
    buffer, dropped, searched = bytearray(), 0, 0
    for piece in _until_broken(pieces):
        if isinstance(piece, OSError):
            yield Line(offset, None, bytes(buffer[:KEPT_BYTES]), f"{UNREADABLE}: {piece}")
            return
        buffer += piece
        begin = 0
        while (end := buffer.find(b"\n", searched)) >= 0:
            if (line := _line(offset, bytes(buffer[begin:end]), dropped)) is not None:
                yield line
            offset += dropped + end + 1 - begin
            begin = searched = end + 1
            dropped = 0
        del buffer[:begin]
        if len(buffer) > max(LONGEST_LINE - dropped, KEPT_BYTES):
            dropped += len(buffer) - KEPT_BYTES
            del buffer[KEPT_BYTES:]
        searched = len(buffer)
    if (line := _line(offset, bytes(buffer), dropped)) is not None:
        yield line


def _until_broken(pieces: Iterable[bytes]) -> Iterator[bytes | OSError]:
    """Pieces of a stream, and the error that ends it if one does."""
    try:
        yield from pieces
    except OSError as error:
        yield error


def _line(offset: int, raw: bytes, dropped: int) -> Line | None:
    """The line, or nothing where it is empty."""
    too_long = len(raw) + dropped > LONGEST_LINE
    if offset == 0:
        raw = raw.removeprefix(codecs.BOM_UTF8)
    raw = raw.removesuffix(b"\r")
    if too_long:
        return Line(offset, None, raw[:KEPT_BYTES], f"{TOO_LONG}: over {LONGEST_LINE:,} bytes")
    if not raw or raw.isspace():
        return None
    try:
        return Line(offset, raw.decode(), raw, None)
    except UnicodeDecodeError as error:
        return Line(offset, None, raw, f"invalid_utf8: byte {error.start} of the line")
