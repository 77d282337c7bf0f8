"""Files as logs: where bytes come from, whatever the compression, encoding or line end.

    path -> files (URI, size, time) -> Log: head, whole content, or lines with their byte offset

Gzip and zstd are undone, UTF-8 with or without BOM and UTF-16 with BOM are decoded (lines.py). Offsets count
decompressed bytes; only plain UTF-8 files are split into ranges. Knows nothing of any log format.
"""

from __future__ import annotations

import codecs
import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import BinaryIO, cast

import pyarrow as pa
from pyarrow import fs

from effspark.errors import LogError, problem
from effspark.readers.compression import CODECS, plain
from effspark.readers.lines import UNREADABLE, UTF16_MARKS, Line, is_utf16, numbered, skip_line, utf16
from effspark.readers.places import failures, filesystem_of, is_named, modified_of, unreadable

HEAD_BYTES = 65_536
LARGE_BYTES, CHUNK_BYTES = 64 * 1024 * 1024, 16 * 1024 * 1024


@dataclass(frozen=True)
class Log:
    """One file, or the lines of it that begin in [start, end). Sizes in bytes; `end` null is its end."""

    uri: str
    size: int
    modified: datetime
    start: int = 0
    end: int | None = None

    @property
    def whole(self) -> Log:
        """The file that a range is of."""
        return self if self.end is None else replace(self, start=0, end=None)

    def raw(self) -> bytes:
        """Content as stored.

        Raises
        ------
        LogError
            The file cannot be read.
        """
        with self._opened() as stream:
            return stream.read()

    @cached_property
    def magic(self) -> bytes:
        """First four bytes as stored."""
        with self._opened() as stream:
            return stream.read(4)

    @property
    def is_splittable(self) -> bool:
        """Can ranges of the file be read apart? Not where it is compressed or UTF-16."""
        return not self.magic.startswith((*CODECS, *UTF16_MARKS))

    def sha256(self) -> str:
        """Hash of the content as stored; above 64 MiB the hash of the hashes of its 16 MiB chunks."""
        if self.size <= LARGE_BYTES:
            return hashlib.sha256(self._stored).hexdigest()
        return hashlib.sha256(self.digests(0, self.size)).hexdigest()

    def digests(self, start: int, end: int) -> bytes:
        """Hashes of the chunks that begin in [start, end), one after the other; `start` begins a chunk."""
        found = bytearray()
        with self._opened() as stream:
            stream.seek(start)
            while start < end and (chunk := stream.read(min(CHUNK_BYTES, self.size - start))):
                found += hashlib.sha256(chunk).digest()
                start += len(chunk)
        return bytes(found)

    @cached_property
    def head(self) -> bytes:
        """First 64 KiB, decompressed and re-encoded as UTF-8 where the file is UTF-16; fewer if damaged."""
        return self._start[0]

    @property
    def damage(self) -> str | None:
        """What is wrong with a file whose first 64 KiB cannot be read whole; null where they can."""
        return self._start[1]

    @cached_property
    def _start(self) -> tuple[bytes, str | None]:
        start, damage = self._up_to_a_break(HEAD_BYTES)
        if start.startswith(UTF16_MARKS):
            return utf16(start).decode("utf-8", "ignore").encode(), damage
        return start.removeprefix(codecs.BOM_UTF8), damage

    def describe(self) -> str:
        """Short description of the content for messages."""
        if self.size == 0:
            return "an empty file"
        if is_utf16(self.head):
            return f"{self.size:,} bytes of UTF-16 without a byte order mark (allowed: with one, or UTF-8)"
        shown = self.head[:60].decode("utf-8", "backslashreplace").replace("\n", " ")
        return f"{self.size:,} bytes that begin {shown!r}"

    def content(self) -> bytes:
        """Whole content, decompressed.

        Raises
        ------
        LogError
            The file is damaged.
        """
        with self._opened() as stream:
            return plain(stream).read()

    def readable(self) -> tuple[bytes, str | None]:
        """Content, decompressed, up to where it can be read, and what is wrong with the rest; null where nothing is.

        Raises
        ------
        LogError
            The file cannot be opened.
        """
        try:
            return self.content(), None
        except LogError:  # damaged: once more, piece by piece
            return self._up_to_a_break(sys.maxsize)

    def _up_to_a_break(self, most: int) -> tuple[bytes, str | None]:
        """Up to `most` bytes of the content, decompressed, and what is wrong where fewer can be read."""
        found = bytearray()
        with self._opened() as stream:
            content = plain(stream)
            try:
                while len(found) < most and (piece := content.read(min(most - len(found), CHUNK_BYTES))):
                    found += piece
            except OSError as error:
                return bytes(found), unreadable(self.uri, str(error))
        return bytes(found), None

    def text(self) -> str:
        """Whole content as text; a byte that is no UTF-8 is a surrogate in it, for jsonl.py to refuse its record.

        Raises
        ------
        LogError
            The file is damaged, or UTF-16 that is not valid.
        """
        data = self.content()
        if not data.startswith(UTF16_MARKS):
            return data.decode("utf-8-sig", "surrogateescape")
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise LogError(
                problem(
                    "text that is not valid",
                    where=f"{self.uri}, byte {error.start}",
                    found=repr(data[error.start : error.start + 8]),
                    allowed="UTF-8, or UTF-16 with a byte order mark",
                    remedy="write the log again in UTF-8",
                ),
                offset=error.start,
                raw=data[error.start : error.start + HEAD_BYTES].decode("utf-8", "backslashreplace"),
            ) from error

    def lines(self) -> Iterator[Line]:
        """Non-empty lines that begin in [start, end), with their byte offset.

        Compressed and UTF-16 files are not divided: all their lines belong to the range that starts at 0. Where the
        rest of the file cannot be read, the last line says so and holds what stands before the break.
        """
        behind = self.start
        try:
            for line in self._lines():
                behind = line.offset + len(line.raw) + 1
                fault, _, found = (line.fault or "").partition(": ")
                is_cut = fault == UNREADABLE
                yield line._replace(fault=f"{fault}: {unreadable(self.uri, found)}") if is_cut else line
        except LogError as error:
            yield Line(behind, None, b"", f"{UNREADABLE}: {error}")

    def _lines(self) -> Iterator[Line]:
        whole = not self.is_splittable
        if whole and self.start:
            return
        with self._opened() as stream:
            offset = 0
            if self.start:
                stream.seek(self.start - 1)
                offset = self.start - 1 + skip_line(stream)
            for line in numbered(plain(stream) if whole else stream, offset):
                if not whole and self.end is not None and line.offset >= self.end:
                    return
                yield line

    def siblings(self) -> list[Log]:
        """Other files of the same folder, by name.

        Raises
        ------
        LogError
            The folder cannot be listed.
        """
        filesystem, path = filesystem_of(self.uri)
        folder, slash, name = path.rpartition("/")
        with failures(self.uri):
            selected = filesystem.get_file_info(fs.FileSelector(folder or slash or "."))
        infos = filter(is_named, selected)
        prefix = self.uri.removesuffix(name)
        return [
            Log(f"{prefix}{info.base_name}", info.size, modified_of(info))
            for info in sorted(infos, key=lambda info: str(info.path))
            if info.type == fs.FileType.File and info.base_name != name
        ]

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        if self.size <= LARGE_BYTES:
            with failures(self.uri):
                yield cast(BinaryIO, pa.BufferReader(self._stored))
            return
        with _opened(self.uri) as stream:
            yield stream

    @cached_property
    def _stored(self) -> bytes:
        """Content as stored of a file that is not large: read once, whatever is asked of it."""
        with _opened(self.uri) as stream:
            return stream.read()


@contextmanager
def _opened(uri: str) -> Iterator[BinaryIO]:
    filesystem, path = filesystem_of(uri)
    with failures(uri), filesystem.open_input_file(path) as stream:
        yield stream
