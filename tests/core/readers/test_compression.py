"""What stands before a cut is given, and the cut is told."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from typing import BinaryIO

import pytest
import zstandard

from effspark.readers.compression import plain

CONTENT = random.Random(1).randbytes(600_000)
COMPRESSORS = [gzip.compress, zstandard.ZstdCompressor().compress]


def drain(stream: BinaryIO, size: int, given: list[bytes]) -> None:
    while piece := stream.read(size):
        given.append(piece)


@pytest.mark.parametrize("compress", COMPRESSORS)
@pytest.mark.parametrize("size", [1 << 20, 1000])
def test_of_a_cut_stream_nearly_all_before_the_cut_is_given_then_the_error(
    compress: Callable[[bytes], bytes], size: int
) -> None:
    data = compress(CONTENT)
    stream = plain(io.BytesIO(data[: len(data) // 2]))
    given: list[bytes] = []
    with pytest.raises(OSError, match="Truncated"):
        drain(stream, size, given)
    assert b"".join(given) == CONTENT[: sum(map(len, given))]
    assert given
    with pytest.raises(OSError, match="Truncated"):
        stream.read(size)


def test_of_rows_before_a_cut_none_is_lost() -> None:
    rows = b'{"id": 1}\n' * 9
    assert plain(io.BytesIO(gzip.compress(rows)[:-9])).read(1 << 20) == rows


@pytest.mark.parametrize("compress", [*COMPRESSORS, bytes])
def test_a_whole_stream_is_given_whole(compress: Callable[[bytes], bytes]) -> None:
    assert plain(io.BytesIO(compress(CONTENT))).read() == CONTENT
    stream = plain(io.BytesIO(compress(CONTENT)))
    assert b"".join(iter(lambda: stream.read(777), b"")) == CONTENT


@pytest.mark.parametrize("compress", COMPRESSORS)
@pytest.mark.parametrize("content", [b'{"id": 1}\n', CONTENT])
def test_of_a_stream_with_other_bytes_behind_it_all_is_given_then_the_error(
    compress: Callable[[bytes], bytes], content: bytes
) -> None:
    stream = plain(io.BytesIO(compress(content) + b"other bytes"))
    given: list[bytes] = []
    with pytest.raises(OSError):  # noqa: PT011 each codec has words of its own
        drain(stream, 1000, given)
    assert b"".join(given) == content


def test_a_cut_stream_that_is_asked_for_whole_is_refused() -> None:
    with pytest.raises(OSError, match="Truncated"):
        plain(io.BytesIO(gzip.compress(CONTENT)[:-9])).read()
