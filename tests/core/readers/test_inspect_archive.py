"""Members of an Inspect archive: bounded, checked, never extracted; chunks in order."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from datetime import datetime, timezone
from pathlib import Path

import pytest
import zipfile_zstd
import zstandard

from effspark.errors import LogError
from effspark.readers import Rejected, inspect_archive
from effspark.readers.files import Log
from effspark.readers.inspect_archive import (
    Stored,
    first_member,
    header_and_samples,
    member,
    opened,
    zip_header,
)

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile_zstd.ZIP_ZSTANDARD)


def packed(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression=method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return target.getvalue()


def archive_of(data: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(data))


def with_sizes(data: bytes, name: bytes, size: int) -> bytes:
    """The archive with another uncompressed size declared for a member, in its directory and its local header."""
    directory = data.rindex(name) - 46
    local = data.index(name) - 30
    changed = bytearray(data)
    struct.pack_into("<I", changed, directory + 24, size)
    struct.pack_into("<I", changed, local + 22, size)
    return bytes(changed)


def log_of(folder: Path, data: bytes) -> Log:
    path = folder / "log.eval"
    path.write_bytes(data)
    return Log(str(path), len(data), NOW)


@pytest.mark.parametrize("method", METHODS)
def test_a_member_comes_back_whole(method: int) -> None:
    archive = archive_of(packed({"a.json": b"[1, 2]" * 5000}, method))
    assert member(archive, archive.getinfo("a.json")) == b"[1, 2]" * 5000


@pytest.mark.parametrize("method", METHODS)
def test_a_member_above_the_bound_is_refused_before_it_is_read(
    monkeypatch: pytest.MonkeyPatch, method: int
) -> None:
    monkeypatch.setattr(inspect_archive, "LARGEST", 10)
    archive = archive_of(packed({"a.json": b"x" * 11, "b.json": b"x" * 10}, method))
    assert member(archive, archive.getinfo("b.json")) == b"x" * 10
    with pytest.raises(LogError, match="found 11 bytes; allowed: at most 10 bytes"):
        member(archive, archive.getinfo("a.json"))


@pytest.mark.parametrize("method", METHODS[1:])
@pytest.mark.parametrize("declared", [4, 4_000_000])
def test_a_member_that_lies_about_its_size_is_refused(method: int, declared: int) -> None:
    bomb = with_sizes(packed({"a.json": b"0" * 30_000_000}, method), b"a.json", declared)
    archive = archive_of(bomb)
    tracemalloc.start()
    with pytest.raises(LogError, match="a whole member"):
        member(archive, archive.getinfo("a.json"))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10_000_000


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_member_is_refused_alone(tmp_path: Path, method: int) -> None:
    good = {"id": 1, "epoch": 1}
    data = bytearray(
        packed(
            {
                "header.json": b'{"eval": {}}',
                "samples/1_epoch_1.json": json.dumps(good).encode(),
                "samples/2_epoch_1.json": b'{"id": "2", "text": "the rest of it"}',
            },
            method,
        )
    )
    place = data.index(b"samples/2_epoch_1.json") + len(b"samples/2_epoch_1.json") + 12
    data[place] ^= 0xFF
    first, second = header_and_samples(log_of(tmp_path, bytes(data)))[1]
    assert isinstance(first, Stored)
    assert json.loads(first.data) == good
    assert isinstance(second, Rejected)
    assert (second.offset, second.reason, second.raw) == (2, "unreadable_member", "samples/2_epoch_1.json")


def test_other_compressions_and_encryption_are_refused_by_name() -> None:
    archive = archive_of(packed({"a.json": b"{}"}, zipfile.ZIP_BZIP2))
    with pytest.raises(LogError, match="found zip method 12; allowed: zip method 0, 8 or 93"):
        member(archive, archive.getinfo("a.json"))
    locked = archive_of(packed({"a.json": b"{}"}))
    locked.getinfo("a.json").flag_bits |= 1
    with pytest.raises(LogError, match="found encryption"):
        member(locked, locked.getinfo("a.json"))


def test_zstandard_frames_one_after_another_are_one_member() -> None:
    compressor = zstandard.ZstdCompressor()
    frames = compressor.compress(b"[1,") + compressor.compress(b"2]")
    plain = packed({"a.json": frames}, zipfile.ZIP_STORED)
    archive = archive_of(plain)
    info = archive.getinfo("a.json")
    info.compress_type, info.file_size, info.CRC = 93, 5, zlib.crc32(b"[1,2]")
    assert member(archive, info) == b"[1,2]"


def test_chunks_come_in_the_order_of_their_first_item() -> None:
    names = [
        "samples/a/b_epoch_1/sample.json",
        *(f"samples/a/b_epoch_1/messages/{at}.json" for at in (100, 20, 3)),
    ]
    members = {"header.json": b"{}"} | dict.fromkeys(names[:1], b"{}")
    members |= {name: f"[{name.rpartition('/')[2].removesuffix('.json')}]".encode() for name in names[1:]}
    archive = archive_of(packed(members))
    sample = next(iter(inspect_archive._zip_samples(archive)))
    assert isinstance(sample, Stored)
    assert sample.chunks("messages", list[int]) == [[3], [20], [100]]
    assert sample.chunks("calls", list[int]) == []


def test_chunks_too_large_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    members = {"samples/a_epoch_1/sample.json": b"{}"}
    members |= {f"samples/a_epoch_1/events/{at}.json": b"[1, 2, 3]" for at in range(3)}
    sample = next(iter(inspect_archive._zip_samples(archive_of(packed(members)))))
    assert isinstance(sample, Stored)
    monkeypatch.setattr(inspect_archive, "LARGEST", 26)
    with pytest.raises(LogError, match=r"events of a sample.*27 bytes"):
        sample.chunks("events", list[int])


def test_nothing_below_samples_is_passed_over_but_chunks() -> None:
    members = dict.fromkeys(
        ("samples/odd.json", "samples/a_epoch_1/messages/0.json", "summaries.json"), b"{}"
    )
    found = [sample.offset for sample in inspect_archive._zip_samples(archive_of(packed(members)))]
    assert found == [0, 1]


def test_the_header_outranks_the_journal(tmp_path: Path) -> None:
    both = {"_journal/start.json": b'{"eval": 1}', "header.json": b'{"eval": 2}'}
    assert header_and_samples(log_of(tmp_path, packed(both)))[0] == {"eval": 2}
    assert zip_header(archive_of(packed({"_journal/start.json": b"1"}))) == b"1"
    with pytest.raises(LogError, match=r"no header; allowed: header.json or _journal/start.json"):
        zip_header(archive_of(packed({"samples/1_epoch_1.json": b"{}"})))


@pytest.mark.parametrize("method", METHODS)
def test_the_first_member_is_known_from_the_first_bytes(method: int) -> None:
    data = packed({"_journal/start.json": b'{"version": 2}' * 9}, method)
    name, start = first_member(data[: len(data) - 80])
    assert (name, start[:14]) == ("_journal/start.json", b'{"version": 2}')


def test_an_archive_without_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="a whole zip with its directory"):
        opened(log_of(tmp_path, packed({"header.json": b"{}"})[:-30]))


@pytest.mark.parametrize(
    ("at", "damage"),
    [
        (8, struct.pack("<H", 1 << 5)),
        (8, struct.pack("<H", 1 << 6)),
        (8, struct.pack("<H", 1)),
        (10, struct.pack("<H", 97)),
        (42, b"\xff\xff\x00\x80"),
        (42, b"\x05\x00\x00\x00"),
    ],
    ids=["patched data", "strong encryption", "encrypted", "unknown method", "far offset", "wrong offset"],
)
def test_a_member_with_an_odd_flag_method_or_place_is_refused_alone(
    at: int, damage: bytes, tmp_path: Path
) -> None:
    data = bytearray(
        packed({"header.json": b"{}", "samples/1_epoch_1.json": b"{}", "samples/2_epoch_1.json": b"{}"})
    )
    entry = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1))
    data[entry + at : entry + at + len(damage)] = damage
    path = tmp_path / "a.eval"
    path.write_bytes(data)
    _, samples = header_and_samples(Log(str(path), len(data), NOW))
    first, second = samples
    assert isinstance(first, Rejected)
    assert (first.reason, first.raw) == ("unreadable_member", "samples/1_epoch_1.json")
    assert isinstance(second, Stored)


def test_an_offset_of_64_bits_is_no_place(tmp_path: Path) -> None:
    archive = zipfile.ZipFile(io.BytesIO(packed({"a.json": b"{}"})))
    info = archive.getinfo("a.json")
    info.header_offset = 2**64 - 1
    with pytest.raises(LogError, match=r"a\.json"):
        member(archive, info)
