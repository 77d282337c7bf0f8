"""Folders and files of OpenCompass: shards, results, and names that only look like shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers.opencompass_files import Detail, Place, details_of, place_of, predictions_of
from tests.core.readers.small_logs import document

RECORD = {"origin_prompt": "?", "prediction": "1"}


def written(folder: Path, name: str, items: int = 1) -> str:
    path = folder / "20260301_100000" / "predictions" / "m" / name
    return str(document(path, {str(number): RECORD for number in range(items)}))


def test_a_name_with_a_number_is_a_shard_only_where_the_first_one_lies_beside(tmp_path: Path) -> None:
    assert place_of(written(tmp_path, "aime_2024.json")).benchmark == "aime_2024"
    assert place_of(written(tmp_path, "gsm8k_0.json", 3))[2:] == ("gsm8k", 0)
    assert place_of(written(tmp_path, "gsm8k_1.json", 2))[2:] == ("gsm8k", 3)
    assert place_of(written(tmp_path, "gsm8k_2.json"))[2:] == ("gsm8k", 5)
    written(tmp_path, "arc.json")
    assert place_of(written(tmp_path, "arc_0.json"))[2:] == ("arc_0", 0)


def test_a_missing_shard_refuses_those_after_it(tmp_path: Path) -> None:
    written(tmp_path, "gsm8k_0.json")
    with pytest.raises(LogError, match=r"no gsm8k_1\.json"):
        place_of(written(tmp_path, "gsm8k_2.json"))


@pytest.mark.parametrize(
    ("uri", "place"),
    [
        ("o/20260301_100000/predictions/m/a.json", Place("20260301_100000", "m", "a", 0)),
        ("o/20260301_100000/predictions/m/a.json.gz", Place("20260301_100000", "m", "a", 0)),
        ("o/20260301_100000/predictions/m/tmp_a.jsonl", Place("20260301_100000", "m", "a", 0)),
        ("o/mine/predictions/m/a.json", Place(None, "m", "a", 0)),
        ("predictions/m/a.json", Place(None, "m", "a", 0)),
        ("m/a.json", Place()),
        ("o/results/m/a.json", Place()),
        ("o/predictions/m/a.csv", Place()),
    ],
)
def test_a_path_says_run_model_and_data_set(uri: str, place: Place) -> None:
    assert place_of(uri) == place


def test_results_lead_to_their_predictions_or_the_first_shard(tmp_path: Path) -> None:
    whole, shard = written(tmp_path, "a.json"), written(tmp_path, "b_0.json")
    folder = tmp_path / "20260301_100000" / "results" / "m"
    found = [predictions_of(str(folder / name)) for name in ("a.json", "b.json", "c.json")]
    assert [log and log.uri for log in found] == [whole, shard, None]
    assert predictions_of(whole) is None


@pytest.mark.parametrize(
    ("details", "found"),
    [
        ({"type": "GEN", "1": {"correct": True}, "2": "?"}, {1: Detail(correct=True)}),
        ([{"pred": "a", "correct": 0}], {0: Detail(correct=0, pred="a")}),
        (None, {}),
        ("none", {}),
    ],
)
def test_details_are_a_list_or_numbered(details: Any, found: dict[int, Detail], tmp_path: Path) -> None:
    path = written(tmp_path, "a.json")
    assert details_of(path, place_of(path)) == {}
    document(tmp_path / "20260301_100000" / "results" / "m" / "a.json", {"accuracy": 1.0, "details": details})
    assert details_of(path, place_of(path)) == found


@pytest.mark.parametrize(
    ("correct", "count", "verdicts"),
    [
        (True, 1, [True]),
        (1, 1, [True]),
        (0.0, 1, [False]),
        (0.5, 1, [None]),
        ("true", 1, [None]),
        (None, 1, [None]),
        (True, 2, [None, None]),
        ([True, False], 2, [True, False]),
        ([True], 2, [None, None]),
        ([True], 1, [True]),
    ],
)
def test_a_verdict_is_of_one_prediction_or_of_none(
    correct: Any, count: int, verdicts: list[bool | None]
) -> None:
    assert [Detail(correct=correct).of(place, count)[0] for place in range(count)] == verdicts
