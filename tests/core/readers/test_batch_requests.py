"""Requests beside a log: each once, read when first asked for, and no worse for a file that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from effspark.readers.batch_requests import Requests
from effspark.readers.files import Log
from tests.core.readers.small_logs import lines, log_of


class Row(msgspec.Struct):
    custom_id: Any = None
    model: str | None = None


def requests(folder: Path, *names: str) -> Requests[Row, str]:
    """Requests of the files of some names beside an empty log."""
    log = lines(folder / "results.jsonl")
    return Requests(log_of(log), Row, lambda other: Path(other.uri).name in names, lambda row: row.model)


def test_what_requests_ask_for_is_told_once_in_the_order_met(tmp_path: Path) -> None:
    lines(
        tmp_path / "a.jsonl",
        {"custom_id": "q", "model": "m"},
        {"custom_id": "q"},
        {"custom_id": 7, "model": "n"},
    )
    lines(tmp_path / "b.jsonl", {"custom_id": "q", "model": "m"}, {"custom_id": "q", "model": "k"})
    lines(tmp_path / "c.jsonl", {"custom_id": "q", "model": "other"})
    found = requests(tmp_path, "a.jsonl", "b.jsonl")
    assert (found.of("q"), found.of("7"), found.of("nobody")) == (["m", "k"], ["n"], [])


def test_nothing_is_read_before_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines(tmp_path / "a.jsonl", {"custom_id": "q", "model": "m"})
    opened: list[str] = []
    siblings = Log.siblings
    monkeypatch.setattr(Log, "siblings", lambda log: (opened.append(log.uri), siblings(log))[1])
    found = requests(tmp_path, "a.jsonl")
    assert opened == []
    assert [found.of("q"), found.of("q")] == [["m"], ["m"]]
    assert len(opened) == 1


def test_a_file_that_cannot_be_read_is_told_beside_what_was_found(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\x1f\x8bno gzip")
    found = requests(tmp_path, "a.jsonl")
    assert found.of("q") == []
    told = found.told("nothing")
    assert told.startswith("nothing; ")
    assert "a.jsonl" in told
