"""Where do the header and the samples of an Inspect log lie? Bytes only; what they mean is `inspect_ai`.

    .json  -> one document {version, status, eval, plan, ..., samples: [...]}
    .eval  -> zip: header.json (after a crash only _journal/start.json) and, sample by sample, either
              samples/{id}_epoch_{n}.json, or samples/{id}_epoch_{n}/sample.json beside metadata.json and
              messages|events|calls|attachments/{start}.json

Source: formats.md section 2.1. Members are decompressed in memory, never extracted, and never beyond `LARGEST`.
Zstandard members (method 93) are undone here: the zipfile of Python before 3.14 cannot read them, and a patched
one expands whole chunks without a bound.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeVar

import zstandard

from effspark.errors import LogError
from effspark.readers import NotSelected, Rejected
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.inspect_document import decoded, pieces, unreadable

LARGEST = 512 * 1024 * 1024
"""Most decompressed bytes of one member, and of one part of a sample."""
ZIP_MAGIC = b"PK\x03\x04"
HEADERS = ("header.json", "_journal/start.json")
_STORED, _DEFLATED, _ZSTD = 0, 8, 93
_BROKEN = (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, OSError)
"""What zipfile raises at damaged sizes, places, names and flags (patched data, strong encryption)."""
_NUMBER = re.compile(r"\d{1,18}")
_SAMPLE = re.compile(r"samples/.+\.json", re.DOTALL)
_SHELL = re.compile(r"(samples/.+_epoch_\d+)/sample\.json", re.DOTALL)
_Chunks = dict[int, zipfile.ZipInfo]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Stored:
    """One sample as it lies in a log: the JSON of its shell, and chunks of what the log stores apart from it.

    `offset` is the byte offset in a .json log, the place in the directory of a zip.
    """

    offset: int
    data: bytes
    archive: zipfile.ZipFile | None = None
    parts: Mapping[str, _Chunks] = field(default_factory=dict)

    def chunks(self, part: str, kind: type[T]) -> list[T]:
        """Chunks of a part, in order; none where the log stores nothing apart.

        Raises
        ------
        LogError
            A chunk is damaged or not of this kind, or they are too large together.
        """
        if self.archive is None:
            return []
        found = sorted(self.parts.get(part, {}).items())
        size = sum(info.file_size for _, info in found)
        if size > LARGEST:
            raise LogError(unreadable(f"{part} of a sample", f"{size:,} bytes", f"at most {LARGEST:,} bytes"))
        return [decoded(member(self.archive, info), kind) for _, info in found]


def member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Decompressed content of one member.

    Raises
    ------
    LogError
        It is damaged, encrypted, of another compression, or larger than `LARGEST`.
    """
    if info.file_size > LARGEST:
        raise LogError(unreadable(info.filename, f"{info.file_size:,} bytes", f"at most {LARGEST:,} bytes"))
    if info.flag_bits & 1 or info.compress_type not in (_STORED, _DEFLATED, _ZSTD):
        found = "encryption" if info.flag_bits & 1 else f"zip method {info.compress_type}"
        raise LogError(unreadable(info.filename, found, "zip method 0, 8 or 93, not encrypted"))
    try:
        data = _content(archive, info)
    except (*_BROKEN, zlib.error, zstandard.ZstdError, EOFError) as error:
        raise LogError(unreadable(info.filename, str(error) or "a cut member", "a whole member")) from error
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise LogError(unreadable(info.filename, "content that differs from its checksum", "a whole member"))
    return data


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Content of a member, at most one byte more than its declared size."""
    if info.compress_type != _ZSTD:
        with archive.open(info) as stream:
            return stream.read(info.file_size + 1)
    stored = zipfile.ZipInfo(info.filename)  # without a CRC, which is that of the content
    stored.orig_filename, stored.header_offset = info.orig_filename, info.header_offset
    stored.flag_bits, stored.file_size = info.flag_bits, info.compress_size
    stored.compress_size = info.compress_size
    with archive.open(stored) as compressed:
        reader = zstandard.ZstdDecompressor().stream_reader(compressed, read_across_frames=True)
        return reader.read(info.file_size + 1)


def header_and_samples(log: Log) -> tuple[dict[str, Any], Iterator[Stored | NotSelected | Rejected]]:
    """Header of a log, and its samples one by one; a refused member stands in the place of its sample.

    Raises
    ------
    LogError
        There is no header, or the container is damaged (from the iterator: damaged from here on).
    """
    if log.head.startswith(ZIP_MAGIC):
        archive = opened(log)
        return decoded(zip_header(archive), dict[str, Any]), _zip_samples(archive)
    data = log.content()
    if not data[:64].lstrip().startswith(b"{"):
        data = log.text().encode("utf-8", "surrogateescape")
    found = pieces(data)
    header: dict[str, Any] = {}
    for name, offset, piece in found:
        if name == "samples":
            first = Stored(offset=offset, data=piece)
            return header, chain(
                [first], (Stored(offset=at, data=more) for key, at, more in found if key == name)
            )
        header[name] = decoded(piece, object)
    return header, iter(())


def opened(log: Log) -> zipfile.ZipFile:
    """The zip of a log.

    Raises
    ------
    LogError
        It has no directory: it was cut, or is still being written.
    """
    try:
        return zipfile.ZipFile(io.BytesIO(log.content()))
    except _BROKEN as error:
        raise LogError(unreadable(log.uri, str(error), "a whole zip with its directory")) from error


def zip_header(archive: zipfile.ZipFile) -> bytes:
    """JSON of the header member, or of the start of the journal after a crash.

    Raises
    ------
    LogError
        There is neither.
    """
    names = set(archive.namelist())
    for name in HEADERS:
        if name in names:
            return member(archive, archive.getinfo(name))
    raise LogError(unreadable("the zip", "no header", " or ".join(HEADERS)))


def first_member(head: bytes) -> tuple[str, bytes]:
    """Name of the first member of a zip and the start of its content, from the first bytes of the file alone."""
    method, name_size, extra_size = (int.from_bytes(head[at : at + 2], "little") for at in (8, 26, 28))
    name = head[30 : 30 + name_size].decode("utf-8", "replace")
    body = head[30 + name_size + extra_size :]
    if method == _DEFLATED:
        return name, zlib.decompressobj(-zlib.MAX_WBITS).decompress(body, HEAD_BYTES)
    if method == _ZSTD:
        return name, zstandard.ZstdDecompressor().stream_reader(body).read(HEAD_BYTES)
    return name, body


def _zip_samples(archive: zipfile.ZipFile) -> Iterator[Stored | NotSelected | Rejected]:
    infos = archive.infolist()
    parts = _parts(infos)
    last = {info.filename: place for place, info in enumerate(infos)}
    for place, info in enumerate(infos):
        shell = _SHELL.fullmatch(info.filename)
        if ".." in re.split(r"[/\\]", info.filename) or info.filename.startswith(("/", "\\")):
            detail = unreadable(info.filename, "a path that leads out of the log", "members inside the log")
            yield Rejected(place, "unsafe_member", detail, info.filename)
        elif not shell and not _is_sample(info.filename, parts):
            continue
        elif last[info.filename] != place:
            yield NotSelected(place, "superseded_member")
        else:
            chunks = parts[shell[1]] if shell else {}
            try:
                yield Stored(offset=place, data=member(archive, info), archive=archive, parts=chunks)
            except LogError as error:
                yield Rejected(place, "unreadable_member", str(error), info.filename)


def _is_sample(name: str, parts: Mapping[str, Any]) -> bool:
    """Is a member a sample of its own, and no chunk of another?"""
    folder = name.rpartition("/")[0]
    return bool(_SAMPLE.fullmatch(name)) and folder not in parts and folder.rpartition("/")[0] not in parts


def _parts(infos: list[zipfile.ZipInfo]) -> dict[str, dict[str, _Chunks]]:
    """Chunks by sample, part and first item; the last member of a name counts."""
    parts: dict[str, dict[str, _Chunks]] = {}
    for info in infos:
        if shell := _SHELL.fullmatch(info.filename):
            parts[shell[1]] = {}
    for info in infos:
        folder, _, name = info.filename.removesuffix(".json").rpartition("/")
        sample, _, part = folder.rpartition("/")
        if name == "metadata" and folder in parts:
            parts[folder][name] = {0: info}
        elif _NUMBER.fullmatch(name) and sample in parts:
            parts[sample].setdefault(part, {})[int(name)] = info
    return parts
