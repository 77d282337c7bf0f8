from __future__ import annotations

import io
import zipfile
from datetime import datetime, timezone

import pytest
import zstandard

from effspark.simulation.archive import Method, packed

AT = datetime(2026, 3, 2, 9, 41, 30, tzinfo=timezone.utc)
MEMBERS = [
    ("_journal/start.json", b'{"version":2}' * 40),
    ("samples/a_epoch_1.json", b""),
    ("header.json", b"{}"),
]


def test_a_deflated_archive_is_whole_for_any_zip_reader() -> None:
    archive = zipfile.ZipFile(io.BytesIO(packed(MEMBERS, method=Method.DEFLATE, at=AT)))
    assert archive.testzip() is None
    assert [(name, archive.read(name)) for name in archive.namelist()] == MEMBERS
    assert {info.date_time for info in archive.infolist()} == {(2026, 3, 2, 9, 41, 30)}


def test_members_of_newer_archives_are_zstandard_frames() -> None:
    data = packed(MEMBERS, method=Method.ZSTD, at=AT)
    for info, (name, content) in zip(zipfile.ZipFile(io.BytesIO(data)).infolist(), MEMBERS, strict=True):
        assert (info.filename, info.compress_type, info.file_size) == (name, 93, len(content))
        begin = info.header_offset + 30 + len(name)
        assert zstandard.decompress(data[begin : begin + info.compress_size], 10_000) == content


@pytest.mark.parametrize("method", list(Method))
def test_the_same_members_give_the_same_bytes(method: Method) -> None:
    assert packed(MEMBERS, method=method, at=AT) == packed(iter(MEMBERS), method=method, at=AT)


def test_an_archive_without_members_is_an_empty_zip() -> None:
    assert zipfile.ZipFile(io.BytesIO(packed([], method=Method.DEFLATE, at=AT))).namelist() == []
