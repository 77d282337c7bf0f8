"""What a mapping sees of a file: documents, paths, and the k runs of one record."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers import Mapped, Options, Rejected, mapper
from effspark.readers.files import Log
from effspark.readers.mapped_rows import mapped_rows, path_columns, shown, spread
from effspark.readers.mappings import Mapping

LEAST = {"name": "own", "version": 1, "model": "m", "instance": "i", "benchmark": {"value": "b"}}


def log_of(folder: Path, text: str, name: str = "log.json") -> Log:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return Log(str(path), path.stat().st_size, datetime(2026, 1, 1, tzinfo=timezone.utc))


def read(log: Log, **said: Any) -> list[Any]:
    return list(mapper.READER.read(log, Options(mapping=LEAST | said)))


def test_the_path_of_a_file_becomes_columns_of_its_rows(tmp_path: Path) -> None:
    mapping = Mapping.model_validate(LEAST | {"from_path": r"/(?P<model>[^/]+)/(?P<part>\d+)?[^/]*$"})
    for text in ('{"i": 1}\n{"i": 2}', "i\n1\n2"):
        found = mapped_rows(log_of(tmp_path, text, "acme/7.x"), mapping)
        said = {"model": "acme", "part": "7"}
        assert [entry.row["from_path"] for entry in found.records if not isinstance(entry, Rejected)] == [
            said
        ] * 2
        assert found.header is None or found.header["from_path"] == said


def test_a_path_without_a_match_gives_nulls_and_the_record_is_refused_for_what_it_lacks(
    tmp_path: Path,
) -> None:
    assert path_columns("a.json", "(?P<x>b)(?P<y>c)") == {"x": None, "y": None}
    (entry,) = read(log_of(tmp_path, '{"i": 1}'), model="from_path.x", from_path="(?P<x>nowhere)")
    assert isinstance(entry, Mapped)
    assert entry.runs[0].configuration.request_model == ""


def test_one_record_is_one_run_where_no_lists_are_named() -> None:
    assert spread({"a": [1, 2]}, []) == [{"a": [1, 2]}]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"a": [1, 2], "b": [1]}, "do not run side by side .*a 2, b 1"),
        ({"a": 7, "b": [1]}, "is no list .*a 7"),
        ({"a": "two", "b": None}, "is no list"),
        ({"a": [], "b": None}, "a record holds no run .*no element"),
        ({}, "a record holds no run"),
    ],
)
def test_lists_that_do_not_say_which_run_is_which_are_refused(row: dict[str, Any], told: str) -> None:
    with pytest.raises(LogError, match=told):
        spread(row, ["a", "b"])


def test_absent_null_and_empty_lists_are_null_in_every_run() -> None:
    found = spread({"a": [{"x": 1}, None], "b": [], "c": None, "i": 5}, ["a", "b", "c", "d"])
    assert [row["each"] for row in found] == [
        {"place": 0, "count": 2, "a": {"x": 1}, "b": None, "c": None},
        {"place": 1, "count": 2, "a": None, "b": None, "c": None},
    ]
    assert [row["i"] for row in found] == [5, 5]
    assert found[0]["a"] == [{"x": 1}, None]


def test_columns_can_be_asked_of_a_record_whose_lists_are_wrong() -> None:
    assert shown({"a": 7, "b": [{"x": 1}]}, ["a", "b", "c"])["each"] == {
        "place": 0, "count": 1, "a": None, "b": {"x": 1},
    }  # fmt: skip
    assert shown({"a": 7}, []) == {"a": 7}


def test_the_runs_of_a_record_stand_or_fall_together(tmp_path: Path) -> None:
    text = (
        '{"runs": [{"m": "a", "i": 1, "T": [5, 6], "text": ["x", "y"]},'
        ' {"m": "a", "i": 2, "T": [5, "many"], "text": ["x", "y"]}, {"m": "a", "i": 3, "T": [1], "text": ["x", "y"]}]}'
    )
    said = {"records": "runs", "each": ["T", "text"], "output_tokens": "each.T", "answer": "each.text",
            "attempt": {"expr": "text(each.place) + '/' + text(each.count)"}}  # fmt: skip
    first, *others = read(log_of(tmp_path, text), **said)
    assert [(run.usage.output, run.answer, run.attempt) for run in first.runs] == [
        (5, "x", "0/2"),
        (6, "y", "1/2"),
    ]
    assert [(entry.offset, entry.reason) for entry in others] == [
        (text.index('{"m": "a", "i": 2'), "invalid_value"),
        (text.index('{"m": "a", "i": 3'), "invalid_value"),
    ]
