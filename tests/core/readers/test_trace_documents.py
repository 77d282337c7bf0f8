"""Documents of a JSON log, whatever their layout, and the places they stand at."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from effspark.readers import Rejected
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.trace_documents import documents, one_a_line

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def read(folder: Path, text: str | bytes) -> list[tuple[int, str] | Rejected]:
    path = folder / "log.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(documents(Log(str(path), path.stat().st_size, NOW)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}\n{"a": 2}\n', [(0, '{"a": 1}'), (9, '{"a": 2}')]),
        ('{"a": 1}', [(0, '{"a": 1}')]),
        ('{\n "a": {"b": 1}\n}', [(0, '{\n "a": {"b": 1}\n}')]),
        ('[{"a": "é"},\n{"a": 2}]', [(1, '{"a": "é"}'), (14, '{"a": 2}')]),
        ('{"a": \n{"a": 2}\n', [(0, '{"a": '), (7, '{"a": 2}')]),
        ("", []),
        (" \n", []),
    ],
)
def test_documents_stand_one_a_line_in_a_list_or_alone(
    text: str, found: list[tuple[int, str]], tmp_path: Path
) -> None:
    assert read(tmp_path, text) == found


def test_a_line_that_is_no_text_is_refused_alone(tmp_path: Path) -> None:
    first, second = read(tmp_path, b'{"a": 1}\n{"a": "\xff"}\n')
    assert first == (0, '{"a": 1}')
    assert isinstance(second, Rejected)
    assert (second.offset, second.reason) == (9, "invalid_utf8")


def test_a_list_that_breaks_gives_what_stands_before(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text('[{"a": 1}, {"a"')
    first, rest = documents(Log(str(path), path.stat().st_size, NOW))
    assert first == (1, '{"a": 1}')
    assert isinstance(rest, Rejected)
    assert (rest.offset, rest.reason, rest.raw) == (11, "unreadable_file", '{"a"')


def test_a_first_line_longer_than_the_head_is_a_line() -> None:
    assert one_a_line(b'{"a": "' + b"x" * HEAD_BYTES)
