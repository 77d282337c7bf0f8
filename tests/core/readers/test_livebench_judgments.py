"""Verdicts of LiveBench: the newest of each answer, as a label of its first choice."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark.readers import Fact, NotSelected, Options, Rejected, registry
from effspark.readers.files import Log
from effspark.readers.livebench_judgments import READER


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, datetime(2026, 1, 1, tzinfo=timezone.utc))


def written(folder: Path, *rows: dict[str, Any]) -> Log:
    path = folder / "ground_truth_judgment.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return log_of(path)


def judgment(score: Any, at: Any = 1.0, model: Any = "m", question: Any = "q") -> dict[str, Any]:
    known = {"task": "t", "turn": 1, "category": "math"}
    return {"question_id": question, "model": model, "score": score, "tstamp": at, **known}


def read(folder: Path, *rows: dict[str, Any]) -> list[Any]:
    return list(READER.read(written(folder, *rows), Options()))


def test_the_newest_judgment_counts_wherever_it_stands(tmp_path: Path) -> None:
    found = read(tmp_path, judgment(1, 3.0), judgment(0, 2.0, "M"), judgment(0, 3.0, "other"))
    assert [type(entry) for entry in found] == [Fact, NotSelected, Fact]
    assert [(entry.row["custom_id"], entry.row["correct"]) for entry in found if isinstance(entry, Fact)] == [
        ("q/m", True), ("q/other", False),
    ]  # fmt: skip


def test_of_two_judgments_of_one_time_the_later_line_counts(tmp_path: Path) -> None:
    first, second = read(tmp_path, judgment(0), judgment(1))
    assert (first.reason, second.row["correct"]) == ("judged again", True)


@pytest.mark.parametrize(("score", "correct"), [(1, True), (1.0, True), (0.999, False), (0, False)])
def test_a_share_below_1_is_no_success(tmp_path: Path, score: float, correct: bool) -> None:
    (entry,) = read(tmp_path, judgment(score))
    assert entry.row["correct"] is correct


@pytest.mark.parametrize("score", [-1, -1.0, None])
def test_a_judgment_that_is_none_gives_no_label(tmp_path: Path, score: Any) -> None:
    assert read(tmp_path, judgment(score)) == [NotSelected(0, "not scored")]


@pytest.mark.parametrize(
    ("row", "reason"),
    [(judgment(85), "invalid_value"), (judgment("high"), "wrong_type"), (judgment(1, model=None), "wrong_type"),
     (judgment(1, at="now"), "wrong_type")],
)  # fmt: skip
def test_a_bad_judgment_spoils_no_other(tmp_path: Path, row: dict[str, Any], reason: str) -> None:
    bad, good = read(tmp_path, row, judgment(1, question="p"))
    assert (type(bad), bad.reason, type(good)) == (Rejected, reason, Fact)


def test_its_files_are_known_by_their_fields_alone(tmp_path: Path, samples: Path) -> None:
    own = written(tmp_path, judgment(1))
    assert {name: reader.detect(own) for name, reader in registry().items() if reader.detect(own) > 0} == {
        "livebench_judgments": 0.95
    }
    others = [path for path in sorted((samples / "logs").rglob("*")) if path.is_file()]
    assert [path.name for path in others if READER.detect(log_of(path)) > 0] == []
