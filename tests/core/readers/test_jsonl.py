from __future__ import annotations

import gzip
from datetime import datetime, timezone
from pathlib import Path

import msgspec
import pytest

from effspark.errors import LogError
from effspark.readers import Rejected
from effspark.readers.files import Log
from effspark.readers.jsonl import decoded, elements, records, whole_characters
from effspark.readers.lines import KEPT_BYTES


class Point(msgspec.Struct):
    x: int
    y: int = 0


def rejected(text: str) -> Rejected:
    found = decoded(text, Point, offset=7)
    assert isinstance(found, Rejected)
    return found


def test_fields_that_a_type_does_not_name_are_passed_over() -> None:
    assert decoded('{"x": 1, "z": [1e400000]}', Point, offset=0) == Point(1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"x": "1"}', "Expected `int`, got `str` - at `$.x`"),
        ('{"x": true}', "Expected `int`, got `bool` - at `$.x`"),
        ("{}", "Object missing required field `x`"),
        ("[]", "Expected `object`, got `array`"),
        ("null", "Expected `object`, got `null`"),
    ],
)
def test_a_wrong_type_names_its_path_and_keeps_the_text(text: str, found: str) -> None:
    entry = rejected(text)
    assert (entry.reason, entry.offset, entry.raw) == ("wrong_type", 7, text)
    assert f"byte 7): found {found}; allowed:" in entry.detail


@pytest.mark.parametrize("text", ['{"x": 1', '{"x": NaN}', "x", '{"x": 1}{"x": 2}', '{"y": "\\ud83d'])
def test_what_is_no_json_is_rejected(text: str) -> None:
    assert rejected(text).reason == "invalid_json"


def test_brackets_without_end_are_rejected_not_a_crash() -> None:
    assert decoded("[" * 100_000, list, offset=0).reason == "invalid_json"  # type: ignore[union-attr]


def test_a_bad_line_spoils_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"x": 1}\n{"x": \n{"x": \xff}\n\n{"x": 2}\n{"x"')
    log = Log(str(path), 0, datetime(2026, 1, 1, tzinfo=timezone.utc))
    found = [
        (line.offset, record.reason if isinstance(record, Rejected) else record)
        for line, record in records(log, Point)
    ]
    assert found == [
        (0, Point(1)),
        (9, "invalid_json"),
        (16, "invalid_utf8"),
        (26, Point(2)),
        (35, "invalid_json"),
    ]


def test_elements_stand_at_their_byte_offsets() -> None:
    text = ' [\n {"é": "]"},\n[1, 2],"x" ]'
    data = text.encode()
    found = list(elements(text, "a.json"))
    assert [element for _, element in found] == ['{"é": "]"}', "[1, 2]", '"x"']
    assert [data[offset:].decode().startswith(element) for offset, element in found] == [True] * 3


def test_a_list_cut_in_an_element_gives_the_elements_before() -> None:
    seen = []
    with pytest.raises(LogError, match=r"rest of the file cannot be read \(a\.json, byte 4\)"):
        seen.extend(elements('[1, [2, "', "a.json"))
    assert seen == [(1, "1")]


@pytest.mark.parametrize("text", ["", "{}", "[", "[1", "[[[" * 50_000])
def test_what_is_no_whole_list_is_an_error(text: str) -> None:
    with pytest.raises(LogError, match=r"a\.json"):
        list(elements(text, "a.json"))


def test_an_empty_list_has_no_elements() -> None:
    assert list(elements("[ ]", "a.json")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r'"cut \ud83d"', "cut \ufffd"),
        (r'"cut \uDE00 here"', "cut \ufffd here"),
        (r'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (r'"\\ud83d"', r"\ud83d"),
        (r'"\\\ud83d\n"', "\\\ufffd\n"),
        ('"bare \ud83d"', "bare \ufffd"),
    ],
)
def test_half_a_character_is_read_as_a_mark_and_all_else_as_it_is(text: str, found: str) -> None:
    assert decoded(text, str, offset=0) == found
    size = len(text.encode("utf-8", "surrogatepass"))
    assert len(whole_characters(text).encode()) == size


def test_half_a_character_in_a_field_of_no_use_costs_no_record() -> None:
    assert decoded(r'{"x": 1, "z": ["\ud83d"], "\ud83d": 2}', Point, offset=0) == Point(1)


def test_a_list_that_breaks_keeps_the_start_of_the_broken_element() -> None:
    with pytest.raises(LogError) as fault:
        list(elements('[{"é": 1}, {"x": "' + "y" * 10**6, "a.json", offset=100))
    assert fault.value.offset == 112
    assert fault.value.raw == ('{"x": "' + "y" * 10**6)[:KEPT_BYTES]


def test_the_rest_of_a_damaged_file_is_the_last_record(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    rows = b"".join(b'{"x": %d}\n' % (n * 7919 % 10007) for n in range(200_000))
    path.write_bytes(gzip.compress(rows)[:-500])
    *found, last = records(Log(str(path), 0, datetime(2026, 1, 1, tzinfo=timezone.utc)), Point)
    assert len(found) > 1000
    assert isinstance(last[1], Rejected)
    assert (last[1].reason, "gzip" in last[1].detail) == ("unreadable_file", True)
