from __future__ import annotations

import gzip
import hashlib
from datetime import datetime, timezone
from itertools import chain, combinations, pairwise
from pathlib import Path

import pytest
import zstandard

from effspark.errors import LogError
from effspark.readers import files, lines
from effspark.readers.files import Log

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
PLAIN = "\ufeffa\r\n\n  \nbb\né\nlast".encode()


def log_of(path: Path, start: int = 0, end: int | None = None) -> Log:
    return Log(str(path), path.stat().st_size, NOW, start, end)


def written(folder: Path, data: bytes, name: str = "log.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def texts(log: Log) -> list[tuple[int, str | None]]:
    return [(line.offset, line.text) for line in log.lines()]


@pytest.mark.parametrize("piece", [1, 3, 1 << 20])
def test_ranges_hold_each_line_once_wherever_the_file_is_cut(
    piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "_PIECE", piece)
    path = written(tmp_path, PLAIN)
    whole = texts(log_of(path))
    assert whole == [(0, "a"), (10, "bb"), (13, "é"), (16, "last")]
    for first, second in combinations(range(1, len(PLAIN)), 2):
        ranges = list(pairwise([0, first, second, len(PLAIN)]))
        parts = [texts(log_of(path, start, end)) for start, end in ranges]
        assert list(chain(*parts)) == whole, f"cut at {first} and {second}"
        for part, (start, end) in zip(parts, ranges, strict=True):
            assert all(start <= offset < end for offset, _ in part)


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_compressed_lines_are_those_of_the_plain_file(compress: object, tmp_path: Path) -> None:
    path = written(tmp_path, compress(PLAIN))  # type: ignore[operator]
    log = log_of(path)
    assert texts(log) == texts(log_of(written(tmp_path, PLAIN, "plain.jsonl")))
    assert log.content() == PLAIN
    assert log.text() == "a\r\n\n  \nbb\né\nlast"
    assert log.head == PLAIN.removeprefix(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    "data",
    [gzip.compress(PLAIN), zstandard.compress(PLAIN), PLAIN.decode("utf-8-sig").encode("utf-16")],
    ids=["gzip", "zstd", "utf-16"],
)
def test_all_lines_of_a_file_that_cannot_be_divided_belong_to_its_first_range(
    data: bytes, tmp_path: Path
) -> None:
    path = written(tmp_path, data)
    parts = [texts(log_of(path, start, start + 10)) for start in range(0, len(data), 10)]
    assert [text for _, text in parts[0]] == ["a", "bb", "é", "last"]
    assert not any(parts[1:])


def test_several_members_of_one_compressed_file_are_read_on(tmp_path: Path) -> None:
    for compress in (gzip.compress, zstandard.compress):
        path = written(tmp_path, compress(b"a\n") + compress(b"b\n"))
        assert texts(log_of(path)) == [(0, "a"), (2, "b")]


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_cut_compressed_file_ends_in_a_line_that_says_so(compress: object, tmp_path: Path) -> None:
    many = b"".join(
        hashlib.sha256(bytes([n % 251, n // 251])).hexdigest().encode() + b"\n" for n in range(9000)
    )
    data = compress(many)  # type: ignore[operator]
    log = log_of(written(tmp_path, data[: len(data) * 3 // 4]))
    *seen, last = log.lines()
    assert [line.text for line in seen] == many.decode().split("\n")[: len(seen)]
    assert (last.offset, last.text) == (65 * len(seen), None)
    assert (last.fault or "").startswith("unreadable_file: the file cannot be read to its end")
    assert last.raw
    assert many[last.offset :].startswith(last.raw)
    assert log.head == many[: files.HEAD_BYTES]
    with pytest.raises(LogError):
        log.content()
    assert log.damage is None


def test_a_file_cut_in_its_first_bytes_has_no_head(tmp_path: Path) -> None:
    log = log_of(written(tmp_path, gzip.compress(b"abc")[:8]))
    assert log.head == b""
    assert "cannot be read to its end" in (log.damage or "")


def test_utf16_is_decoded_in_head_text_and_lines(tmp_path: Path) -> None:
    log = log_of(written(tmp_path, '{"é": 1}\n{}'.encode("utf-16")))
    assert log.head == '{"é": 1}\n{}'.encode()
    assert log.text() == '{"é": 1}\n{}'
    assert texts(log) == [(0, '{"é": 1}'), (10, "{}")]


def test_text_that_is_not_valid_names_its_place(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"text that is not valid .*byte 4\): found b'\\x00\\xd8'"):
        log_of(written(tmp_path, b"\xff\xfea\x00\x00\xd8")).text()


def test_a_byte_that_is_no_utf8_stays_where_it_is(tmp_path: Path) -> None:
    assert log_of(written(tmp_path, b"\xef\xbb\xbfab\xffc")).text() == "ab\udcffc"


def test_a_line_that_is_too_long_is_the_same_in_every_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 5)
    path = written(tmp_path, b"ab\n123456\ncd\n")
    whole = [(0, "ab"), (3, None), (10, "cd")]
    assert texts(log_of(path)) == whole
    for cut in range(1, 13):
        assert texts(log_of(path, 0, cut)) + texts(log_of(path, cut, 13)) == whole


def test_a_file_that_grows_is_read_to_the_end_of_its_range(tmp_path: Path) -> None:
    path = written(tmp_path, b"a\nb\n")
    log = log_of(path, 2, 4)
    path.write_bytes(b"a\nb\nc\n")
    assert texts(log) == [(2, "b")]


def test_a_missing_file_is_an_error_with_its_name(tmp_path: Path) -> None:
    log = Log(str(tmp_path / "none.jsonl"), 3, NOW)
    for read in (log.raw, log.text, log.content, log.sha256):
        with pytest.raises(LogError, match=r"none\.jsonl"):
            read()
    (line,) = log.lines()
    assert "none.jsonl" in (line.fault or "")


def test_an_unknown_kind_of_place_is_an_error_of_the_log() -> None:
    with pytest.raises(LogError, match="nowhere"):
        Log("nowhere://bucket/key", 3, NOW).raw()


def test_siblings_are_the_other_files_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b.jsonl", "a b|c:d.jsonl", "log.jsonl"):
        written(tmp_path, b"{}", name)
    (tmp_path / "folder").mkdir()
    names = ["a b|c:d.jsonl", "b.jsonl"]
    assert [log.uri for log in log_of(tmp_path / "log.jsonl").siblings()] == [
        f"{tmp_path}/{n}" for n in names
    ]
    monkeypatch.chdir(tmp_path)
    assert [log.uri for log in log_of(Path("log.jsonl")).siblings()] == names
    assert [log.uri for log in Log(f"file://{tmp_path}/log.jsonl", 2, NOW).siblings()] == [
        f"file://{tmp_path}/{n}" for n in names
    ]


def test_the_hash_of_a_large_file_is_that_of_the_hashes_of_its_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, b"abcdef")
    assert log_of(path).sha256() == hashlib.sha256(b"abcdef").hexdigest()
    monkeypatch.setattr(files, "LARGE_BYTES", 5)
    monkeypatch.setattr(files, "CHUNK_BYTES", 4)
    parts = hashlib.sha256(b"abcd").digest() + hashlib.sha256(b"ef").digest()
    assert log_of(path).sha256() == hashlib.sha256(parts).hexdigest()


def test_an_empty_file_says_so(tmp_path: Path) -> None:
    log = log_of(written(tmp_path, b""))
    assert (log.describe(), log.head, texts(log)) == ("an empty file", b"", [])
    assert log_of(written(tmp_path, b"{}\nx")).describe() == "4 bytes that begin '{} x'"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_its_mark_is_named(tmp_path: Path, encoding: str) -> None:
    assert (
        "UTF-16 without a byte order mark"
        in log_of(written(tmp_path, '{"a": 1}\n'.encode(encoding))).describe()
    )
    assert "UTF-16" not in log_of(written(tmp_path, b"PK\0\0\0\0\0\0")).describe()
