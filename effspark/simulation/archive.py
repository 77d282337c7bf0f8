"""How does Inspect pack a log? A zip whose members are deflated, or zstandard (method 93) in newer versions.

The zipfile of Python before 3.14 cannot write method 93, and would stamp members with the clock; this writes what
is given, byte for byte the same. Files above 4 GiB are not its business.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from datetime import datetime
from enum import Enum

import zstandard


class Method(int, Enum):
    """Compression of members; the values are those of the zip format."""

    DEFLATE = 8
    ZSTD = 93


_NEEDS = {Method.DEFLATE: 20, Method.ZSTD: 63}
"""Version of the zip format that a reader needs."""
_UNIX = 3 << 8
_RIGHTS = 0o600 << 16


def packed(members: Iterable[tuple[str, bytes]], *, method: Method, at: datetime) -> bytes:
    """Zip of the members (name, content), in order, all stamped with one time.

    >>> import io, zipfile
    >>> data = packed([("a.json", b"{}")], method=Method.DEFLATE, at=datetime(2026, 3, 2, 9))
    >>> archive = zipfile.ZipFile(io.BytesIO(data))
    >>> archive.read("a.json"), archive.infolist()[0].date_time
    (b'{}', (2026, 3, 2, 9, 0, 0))
    """
    local, directory = bytearray(), bytearray()
    count = 0
    for name, content in members:
        encoded, data = name.encode(), _compressed(content, method)
        head = struct.pack(
            "<HHHHHIIIHH", _NEEDS[method], 0, method, *_stamp(at),
            zlib.crc32(content), len(data), len(content), len(encoded), 0,
        )  # fmt: skip
        place = len(local)
        local += b"PK\x03\x04" + head + encoded + data
        directory += b"PK\x01\x02" + struct.pack("<H", _UNIX | _NEEDS[method]) + head
        directory += struct.pack("<HHHII", 0, 0, 0, _RIGHTS, place) + encoded
        count += 1
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(local), 0)
    return bytes(local + directory + b"PK\x05\x06" + end)


def _compressed(content: bytes, method: Method) -> bytes:
    if method is Method.ZSTD:
        return zstandard.ZstdCompressor(level=3).compress(content)
    deflater = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return deflater.compress(content) + deflater.flush()


def _stamp(at: datetime) -> tuple[int, int]:
    """Time and date as MS-DOS counts them."""
    return at.hour << 11 | at.minute << 5 | at.second // 2, (at.year - 1980) << 9 | at.month << 5 | at.day
