"""What stands in a compressed stream, also in one that is cut? Gzip and zstd, known by their first bytes.

stream  ->  its content, up to where it breaks  ->  OSError
"""

from __future__ import annotations

import io
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
            return cast(BinaryIO, _Decompressed(pa.CompressedInputStream(stream, codec)))
    return stream


class _Decompressed(io.RawIOBase):
    """A decompressed stream that gives what stands before a cut, and raises OSError behind it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._broken: OSError | None = None

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, fewer before a cut; all of them, or an error, for a negative size."""
        if self._broken is not None:
            raise self._broken
        if size < 0:
            return self._stream.read()
        pieces = []
        try:
            while size and (piece := self._stream.read(min(size, _PIECE_BYTES))):
                pieces.append(piece)
                size -= len(piece)
        except OSError as error:
            self._broken = error
            if not pieces:
                raise
        return b"".join(pieces)
