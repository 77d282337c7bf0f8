"""One JSON document: its records and their places, and what its start shows of the columns."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers import Rejected, documents
from effspark.readers.documents import document_columns, document_rows
from effspark.readers.files import Log
from effspark.readers.rows import Record

Write = Callable[[str], Log]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def log(text: str) -> Log:
        path = tmp_path / "log.json"
        path.write_text(text, "utf-8")
        return Log(str(path), path.stat().st_size, datetime(2026, 1, 1, tzinfo=timezone.utc))

    return log


def rows(log: Log, path: str) -> list[tuple[int, Any]]:
    return [
        (entry.offset, entry.row if isinstance(entry, Record) else entry.reason)
        for entry in document_rows(log, path).records
    ]


def test_elements_of_a_list_come_with_their_byte_offset(write: Write) -> None:
    text = '{"é": {"runs": [0]}, "of": {"runs": [ {"a": "}]"}, 7,\n{"a": "é"}, {"a": 3}]}, "more": []}'
    found = rows(write(text), "of.runs")
    assert found == [(39, {"a": "}]"}), (52, "wrong_type"), (55, {"a": "é"}), (68, {"a": 3})]
    data = text.encode()
    assert [data[offset : offset + 6] for offset, _ in found] == [b'{"a": ', b'7,\n{"a', b'{"a": ', b'{"a": ']


def test_a_document_may_be_its_own_one_record(write: Write) -> None:
    assert rows(write('\n{\n "a": [1, {"b": 2}]}'), ".") == [(0, {"a": [1, {"b": 2}]})]
    assert rows(write('{"a": '), ".") == [(0, "invalid_json")]


@pytest.mark.parametrize("text", ['{"runs": {"a": []}}', '{"of": {"runs": []}}', "[]", "", "no JSON", '{"runs": 1}',
                                  '{"a": [{"runs": [1]}]}'])  # fmt: skip
def test_a_document_without_the_list_is_refused(write: Write, text: str) -> None:
    with pytest.raises(
        LogError, match=r"the document holds no list of records .* an object with a list under runs"
    ):
        rows(write(text), "runs")


def test_a_broken_list_keeps_what_stands_before(write: Write) -> None:
    found = document_rows(write('{"runs": [{"a": 1}, {"a": '), "runs").records
    assert isinstance(first := next(found), Record)
    assert first.row == {"a": 1}
    with pytest.raises(LogError, match=r"cannot be read .*byte 20\)") as fault:
        next(found)
    assert (fault.value.offset, fault.value.raw) == (20, '{"a": ')


def test_lists_may_be_empty_and_rejections_hold_their_text(write: Write) -> None:
    assert rows(write('{"runs": []}'), "runs") == []
    (entry,) = document_rows(write('{"runs": [[1]]}'), "runs").records
    assert isinstance(entry, Rejected)
    assert entry.raw == "[1]"


@pytest.mark.parametrize(
    ("start", "path", "names"),
    [
        ('{"runs": [{"a": {"x": 1}, "b": [{"y": 1}], "c": "q\\"uo:te"', "runs", "abc"),
        ('{"runs": [{"a": 1}, {"a": 1, "b": 2}]}', "runs", "a"),
        ('{"other": {"z": 1}, "of": {"runs": [{"a": 1}]}}', "of.runs", "a"),
        ('{"runs": {"a": 1}}', "runs", ""),
        ('{"a": 1, "b": {"c": 1}}', ".", "ab"),
        ('[{"a": 1}]', ".", ""),
        ("a,b\n1,2", ".", ""),
        ('{"a": ]', ".", "a"),
        ("", "runs", ""),
    ],
)
def test_names_are_seen_as_far_as_the_start_shows_them(start: str, path: str, names: str) -> None:
    assert list(document_columns(start, path)) == list(names)


@pytest.mark.parametrize("end", ["", "\\", '\\"'])
def test_what_stands_inside_a_text_that_is_cut_names_nothing(end: str) -> None:
    start = '{"results": [{"a": 1, "text": "he said \\"b\\": [ } ] {\\"c\\": 1}' + end
    assert list(document_columns(start, "results")) == ["a", "text"]
    assert list(document_columns(start, ".")) == ["results"]


def test_a_head_that_ends_inside_a_long_text_shows_the_names_before_it() -> None:
    text = json.dumps({"results": [{"prompt_id": 1, "output": ["x" * 100_000], "thinking": []}]})
    assert list(document_columns(text[:65_536], "results")) == ["prompt_id", "output"]


@pytest.mark.parametrize(("path", "names"), [(".", ["a", "b"]), ("a.a", ["a"]), ("b", ["c"])])
def test_brackets_deeper_than_the_path_are_passed_over(
    path: str, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[int] = []
    spell = documents._path
    monkeypatch.setattr(documents, "_path", lambda at, names: (built.append(len(at)), spell(at, names))[1])
    start = '{"a": {"a": [' + '{"a": [' * 9_000 + "]}" * 9_000 + ']}, "b": [{"c": 1}]}'
    assert list(document_columns(start, path)) == names
    assert max(built) <= 4
