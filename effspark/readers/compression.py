"""What stands in a compressed stream, also in one that is cut? Gzip and zstd, known by their first bytes.

stream  ->  its content, up to where it breaks  ->  OSError
"""

from __future__ import annotations

import io
from contextlib import suppress
from typing import BinaryIO, cast

import pyarrow as pa

CODECS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""First bytes of a compressed stream -> its codec."""

_PIECE_BYTES = 4096


def plain(stream: BinaryIO) -> BinaryIO:
    r"""Content of a stream at its start, decompressed.

    >>> import gzip, io
    >>> plain(io.BytesIO(gzip.compress(b"18"))).read(9), plain(io.BytesIO(b"18")).read(9)
    (b'18', b'18')
    """
    magic = stream.read(4)
    stream.seek(0)
    for start, codec in CODECS.items():
        if magic.startswith(start):
            return cast(BinaryIO, _Decompressed(stream, codec))
    return stream


class _Decompressed(io.RawIOBase):
    """A decompressed stream that gives what stands before a cut, and raises OSError behind it."""

    def __init__(self, stored: BinaryIO, codec: str) -> None:
        self._stored, self._codec = stored, codec
        self._stream = pa.CompressedInputStream(stored, codec)
        self._given = 0
        self._broken: OSError | None = None

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, fewer before a cut; all of them, or an error, for a negative size."""
        if self._broken is not None:
            raise self._broken
        if size < 0:
            return cast(bytes, self._stream.read())
        found = bytearray()
        try:
            while len(found) < size and (piece := self._stream.read(min(size - len(found), _PIECE_BYTES))):
                found += piece
        except OSError as error:
            self._broken = error
            found += self._before_the_break(self._given + len(found), size - len(found))
            if not found:
                raise
        self._given += len(found)
        return bytes(found)

    def _before_the_break(self, passed: int, most: int) -> bytes:
        """Content behind `passed` bytes of it: a read that fails keeps what it had, so it is read byte by byte."""
        self._stored.seek(0)
        again, found = pa.CompressedInputStream(self._stored, self._codec), bytearray()
        while passed:
            passed -= len(again.read(min(passed, _PIECE_BYTES)))
        with suppress(OSError):  # it is the one that is told
            while len(found) < most and (byte := again.read(1)):
                found += byte
        return bytes(found)
