"""What would become of logs is told file by file, and nothing is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from effspark import checking, readers
from effspark.errors import SettingsError
from effspark.laptop import planned
from effspark.readers import MAPPER, Options, plan
from tests.core.tiny_reader import TinyReader


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {**readers.registry(), "tiny": TinyReader()}
    monkeypatch.setattr(readers, "registry", lambda: known)


@pytest.mark.usefixtures("tiny")
def test_a_check_says_what_would_become_of_each_file_with_one_example_a_reason(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("#tiny\na\nbad\nworse\nbad\nstop reading\n")
    (tmp_path / "other.bin").write_bytes(b"\x00\x01nobody's")
    unknown, words = sorted(
        checking.checked([str(tmp_path)], Options()), key=lambda row: row["reader"], reverse=True
    )
    assert (unknown["reader"], unknown["records"], unknown["quarantined"]) == ("unknown", 1, 1)
    assert [one["reason"] for one in unknown["refused"]] == ["unknown_format"]
    counts = ("reader", "records", "mapped", "not_selected", "quarantined", "runs")
    assert [words[name] for name in counts] == ["tiny", 6, 1, 1, 4, 2]
    assert [(one["reason"], one["offset"]) for one in words["refused"]] == [
        ("bad_word", 8),
        ("worse_word", 12),
        ("unreadable_file", 19),
    ]
    assert [one["records"] for one in words["refused"]] == [2, 1, 1]
    assert words["reasons"] == "2 bad_word, 1 comment, 1 unreadable_file, 1 worse_word"
    assert words["left_out"] == [{"reason": "comment", "records": 1}]


@pytest.mark.usefixtures("tiny")
def test_a_check_adds_up_the_pieces_of_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "words.txt"
    path.write_text("#tiny\nbad\na\nbad\n")
    monkeypatch.setattr(plan, "RANGE_BYTES", 8)
    assert len(planned([str(path)], Options())) == 2
    (found,) = checking.checked([str(path)], Options())
    assert (found["records"], found["quarantined"]) == (4, 2)
    assert found["reasons"] == "1 bad_word, 1 comment; 1 bad_word"
    assert [(one["offset"], one["records"]) for one in found["refused"]] == [(6, 2)]
    assert found["left_out"] == [{"reason": "comment", "records": 1}]


def test_a_mapping_that_does_not_fit_the_file_it_is_named_for_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("model,i\nacme,7\n")
    mapping = {"name": "tiny", "version": 1, "benchmark": {"value": "b"}, "model": "m", "instance": "i"}
    with pytest.raises(SettingsError, match="no record has: m"):
        checking.checked([str(tmp_path)], Options(mapping=mapping), format_name=MAPPER)
