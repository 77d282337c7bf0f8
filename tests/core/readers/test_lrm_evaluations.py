"""Verdicts of LRMTokenEconomy: labels by what was generated, since places say nothing."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark.readers import Fact, NotSelected, Options, Rejected, detect
from effspark.readers.files import Log
from effspark.readers.lrm_evaluations import READER, run_id


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, datetime(2026, 1, 1, tzinfo=timezone.utc))


def entries(folder: Path, raw: Any) -> list[Any]:
    path = folder / "evaluations.json"
    path.write_text(raw if isinstance(raw, str) else json.dumps(raw), "utf-8")
    return list(READER.read(log_of(path), Options()))


def evaluation(score: Any, tokens: Any = 7, answer: Any = "18") -> dict[str, Any]:
    return {
        "criteria_results": [],
        "total_score": score,
        "original_response": answer,
        "statistics": {"tokens_completions": tokens},
    }


def test_the_real_files_are_labels_of_204_runs(samples: Path) -> None:
    found = Counter[str]()
    for path in sorted((samples / "logs" / "lrm_token_economy").glob("detailed_evaluations_*.json")):
        assert detect(log_of(path)).name == "lrm_evaluations"
        for entry in READER.read(log_of(path), Options()):
            found[str(entry.row["correct"]) if isinstance(entry, Fact) else entry.reason] += 1
    assert found == {"True": 189, "False": 4, "label given twice": 12}


def test_a_score_below_1_is_no_success_and_none_is_no_label(tmp_path: Path) -> None:
    found = entries(tmp_path, {"sum": {"m": [evaluation(1), evaluation(0.99, 8), evaluation(None, 9)]}})
    assert [entry.row["correct"] for entry in found[:2]] == [True, False]
    assert found[2] == NotSelected(2, "not scored")


def test_one_text_and_t_with_two_verdicts_is_told(tmp_path: Path) -> None:
    found = entries(
        tmp_path, {"sum": {"m": [evaluation(1), evaluation(1.0, 7.0), evaluation(0)], "n": [evaluation(0)]}}
    )
    assert [type(entry) for entry in found] == [Fact, NotSelected, Rejected, Fact]
    assert found[2].detail.startswith(f"two verdicts of one text ({run_id('sum', 'm', 7, '18')})")


@pytest.mark.parametrize(
    "bad", [evaluation("all"), evaluation(1, answer=None), evaluation(1, "many"), "text"]
)
def test_a_bad_evaluation_spoils_no_other(tmp_path: Path, bad: Any) -> None:
    found = entries(tmp_path, {"sum": {"m": [bad, evaluation(1)]}})
    assert [type(entry) for entry in found] == [Rejected, Fact]


def test_a_cut_file_is_one_rejection(tmp_path: Path) -> None:
    (entry,) = entries(tmp_path, '{"sum": {"m": [')
    assert entry.reason == "invalid_json"


def test_no_other_sample_is_taken_for_verdicts(samples: Path) -> None:
    others = [
        path for path in sorted((samples / "logs").rglob("*.json")) if path.parent.name != "lrm_token_economy"
    ]
    assert [path.name for path in others if READER.detect(log_of(path)) > 0] == []
