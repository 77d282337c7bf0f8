"""The JSON of Inspect logs: places of samples, bare NaN, cut files, and single values."""

from __future__ import annotations

import json
import math
from datetime import datetime, timezone
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers import inspect_document
from effspark.readers.inspect_document import (
    as_integer,
    as_list,
    as_number,
    as_text,
    as_time,
    decoded,
    pieces,
)

DOCUMENTS = (
    '{"version": 2, "samples": [{"id": 1, "say": "NaN Infinity é😀"}, {"id": 2, "v": [NaN, -Infinity, Infinity]} ], '
    '"after": {"samples": [3]}}',
    '{ "samples" : [ ] , "version" : 2 }',
    '{"eval": {"samples": 4, "sample_ids": [1, 2]}, "samples": [\n {"id": "ünï"} ,\n{"id": 7}\n], "reductions": null}',
    '{"samples": null}',
    "{}",
)


def before_fault(data: bytes) -> list[tuple[str, int, bytes]]:
    """Pieces of a broken document, which must end in a fault."""
    found = []
    try:
        for piece in pieces(data):
            found.append(piece)
    except LogError:
        return found
    raise AssertionError("no fault was told")


@pytest.mark.parametrize("text", DOCUMENTS)
def test_pieces_are_the_values_at_their_places(text: str) -> None:
    data = text.encode()
    found: dict[str, Any] = {}
    samples = []
    for name, offset, piece in pieces(data):
        assert data[offset : offset + len(piece)] == piece
        if name == "samples":
            samples.append(piece)
        else:
            found[name] = piece
    whole = json.loads(text)
    expected = whole.pop("samples", None) or []
    assert [repr(json.loads(piece)) for piece in samples] == [repr(sample) for sample in expected]
    assert {name: json.loads(piece) for name, piece in found.items()} == whole


@pytest.mark.parametrize("text", DOCUMENTS)
def test_the_slow_walk_finds_the_same_pieces(text: str) -> None:
    broken = text.removesuffix("}") + ', "late": \\}'
    wanted = list(pieces(text.encode()))
    assert before_fault((broken if text != "{}" else '{"late": \\}').encode()) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"status": "a", "samples": [1], "status": "b"}', [("status", '"a"'), ("samples", "1"), ("status", '"b"')]),
        ('{"samples": [1, 2], "n": 1, "samples": [3]}',
         [("samples", "1"), ("samples", "2"), ("n", "1"), ("samples", "3")]),
        ('{"a": 7, "a": 7}', [("a", "7"), ("a", "7")]),
        ('{"a": [1], "b": 2, "a": [2]}', [("a", "[1]"), ("b", "2"), ("a", "[2]")]),
        ('{"7": 7, "samples": [[1], 1], "": "\\"", "7": "7"}',
         [("7", "7"), ("samples", "[1]"), ("samples", "1"), ("", '"\\""'), ("7", '"7"')]),
    ],
)  # fmt: skip
def test_a_name_that_stands_twice_gives_a_piece_each_time(text: str, wanted: list[tuple[str, str]]) -> None:
    found = list(pieces(text.encode()))
    assert [(name, piece.decode()) for name, _, piece in found] == wanted
    assert all(text.encode()[place:].startswith(piece) for _, place, piece in found)
    assert [place for _, place, _ in found] == sorted({place for _, place, _ in found})


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity"])
def test_bare_numbers_do_not_make_a_log_slow_to_read(monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.delattr(inspect_document, "_walked")
    data = f'{{"samples": [{{"v": {token}}}]}}'.encode()
    assert list(inspect_document.pieces(data)) == [("samples", 13, data[13:-2])]


def test_a_cut_sample_is_no_piece() -> None:
    found = before_fault(b'{"version": 2, "samples": [{"id": 1}, {"id": 2}, {"id')
    assert [piece for _, _, piece in found] == [b"2", b'{"id": 1}', b'{"id": 2}']


@pytest.mark.parametrize("data", [b"[]", b"", b"3", b'{"a" 1}', b'{"samples": 3', b"[" * 100_000])
def test_what_is_no_document_is_refused(data: bytes) -> None:
    with pytest.raises(LogError, match="unreadable Inspect log"):
        list(pieces(data))


def test_numbers_that_are_none_stay_apart_from_null() -> None:
    found = decoded(b'{"a": NaN, "b": -Infinity, "c": null, "d": "NaN"}', dict)
    assert math.isnan(found["a"])
    assert (found["b"], found["c"], found["d"]) == (-math.inf, None, "NaN")


@pytest.mark.parametrize("data", [b"{", b'{"a": 1} x', b"\xff", b'"\xff"', b"[" * 100_000, b"[]"])
def test_what_cannot_be_read_is_refused(data: bytes) -> None:
    with pytest.raises(LogError, match="unreadable Inspect log"):
        decoded(data, dict[str, Any])


def test_times_keep_their_zone_and_lack_of_one_is_utc() -> None:
    zoned = as_time("2025-05-12T20:28:13-04:00")
    assert zoned is not None
    assert zoned.astimezone(timezone.utc) == datetime(2025, 5, 13, 0, 28, 13, tzinfo=timezone.utc)
    assert as_time("2025-05-12T20:28:13") == datetime(2025, 5, 12, 20, 28, 13, tzinfo=timezone.utc)
    for bad in ("soon", 7, [], True):
        with pytest.raises(LogError, match="allowed: an ISO time"):
            as_time(bad)


def test_values_of_another_kind_are_unknown() -> None:
    others: tuple[Any, ...] = (None, True, [], {}, math.nan)
    assert [as_integer(value) for value in (*others, "7", 2**63)] == [None] * 7
    assert [as_number(value) for value in (*others, "7", math.inf)] == [None] * 7
    assert [as_text(value) for value in others[:4]] == [None] * 4
    assert as_list("ab") == []


@pytest.mark.parametrize(
    "odd",
    ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "2026-01-01T00:00:00\ud800", "\ud800", 7],
)
def test_a_time_that_no_table_can_hold_is_a_fault(odd: Any) -> None:
    with pytest.raises(LogError, match=r"^time: found "):
        as_time(odd)
