from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from effspark.errors import LogError
from effspark.readers import Entry, Fact, NotSelected, Options, Rejected, reader_named
from effspark.readers.files import Log
from effspark.readers.labels import READER
from tests.core.readers.small_logs import staged

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
LABEL = {"custom_id": "q1", "benchmark": "gsm8k", "instance": "0", "gold": "18", "correct": True}


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, NOW)


def read(path: Path, benchmark: str | None = None) -> list[Entry]:
    return list(READER.read(log_of(path), Options(benchmark=benchmark)))


def jsonl(folder: Path, *labels: Any) -> Path:
    path = folder / "labels.jsonl"
    path.write_text("\n".join(json.dumps(label) for label in labels), "utf-8")
    return path


def csv(folder: Path, *lines: str) -> Path:
    path = folder / "labels.csv"
    path.write_text("\n".join(lines), "utf-8")
    return path


def fact(entry: Entry) -> dict[str, Any]:
    assert isinstance(entry, Fact), entry
    assert entry.table == "labels"
    return dict(entry.row)


def test_a_label_for_a_batch_record_names_benchmark_and_instance(tmp_path: Path) -> None:
    (entry,) = read(jsonl(tmp_path, LABEL))
    assert fact(entry) == {
        "target": "custom_id:q1",
        "custom_id": "q1",
        "benchmark_id": "gsm8k",
        "instance_id": "0",
        "gold": "18",
        "correct": True,
    }


def test_a_label_without_custom_id_is_for_the_instance(tmp_path: Path) -> None:
    (entry,) = read(jsonl(tmp_path, {"benchmark": "gsm8k", "instance": 0, "correct": 0}))
    row = fact(entry)
    assert (row["target"], row["custom_id"]) == ("instance:gsm8k\x1f0", None)
    assert (row["instance_id"], row["gold"], row["correct"]) == ("0", None, False)


def test_the_same_labels_in_three_forms_are_the_same_rows(tmp_path: Path) -> None:
    lines = ["custom_id,benchmark,instance,gold,correct", 'q1,gsm8k,0,"1,8",true', "q2,gsm8k,1,,0"]
    labels = [
        {**LABEL, "gold": "1,8"},
        {**LABEL, "custom_id": "q2", "instance": "1", "gold": None, "correct": False},
    ]
    parquet = tmp_path / "labels.parquet"
    pq.write_table(pa.Table.from_pylist(labels), parquet)
    forms = [csv(tmp_path, *lines), jsonl(tmp_path, *labels), parquet]
    found = [[fact(entry) for entry in read(path)] for path in forms]
    assert found[0] == found[1] == found[2]
    assert [row["correct"] for row in found[0]] == [True, False]


def test_rows_stand_at_their_byte_offset(tmp_path: Path) -> None:
    path = csv(tmp_path, "custom_id,benchmark,correct", "é,b,1", "q2,b,0")
    assert [entry.offset for entry in read(path)] == [28, 35]


@pytest.mark.parametrize(
    ("spelt", "correct"),
    [
        ("true", True),
        ("True", True),
        ("1", True),
        ("C", True),
        ("false", False),
        ("0", False),
        ("I", False),
        ("i", False),
    ],
)
def test_a_verdict_has_many_spellings(spelt: str, correct: bool, tmp_path: Path) -> None:
    (from_csv,) = read(csv(tmp_path, "custom_id,correct", f"q1,{spelt}"), "b")
    (from_json,) = read(jsonl(tmp_path, {"custom_id": "q1", "correct": spelt}), "b")
    assert fact(from_csv)["correct"] is fact(from_json)["correct"] is correct


def test_a_custom_id_alone_is_its_own_instance_in_the_named_benchmark(tmp_path: Path) -> None:
    path = csv(tmp_path, "custom_id,correct", "q1,1")
    row = fact(read(path, "gsm8k")[0])
    assert (row["target"], row["benchmark_id"], row["instance_id"]) == ("custom_id:q1", "gsm8k", "q1")
    (entry,) = read(path)
    assert isinstance(entry, Rejected)
    assert "pass --benchmark NAME" in entry.detail


@pytest.mark.parametrize(
    ("label", "detail"),
    [
        ({"benchmark": "b", "correct": True}, "target: found custom_id None"),
        ({"instance": "0", "correct": True}, "target: found custom_id None"),
        ({"custom_id": "q1", "benchmark": "b"}, "neither correct nor gold"),
        ({"custom_id": "q1", "benchmark": "b", "correct": "maybe"}, "column correct): found 'maybe'"),
        ({"custom_id": "q1", "benchmark": "b", "correct": 0.5}, "column correct): found 0.5"),
        ({"custom_id": True, "benchmark": "b", "correct": 1}, "instance id: found True"),
        ({"benchmark": "b", "instance": 1.5, "correct": 1}, "instance id: found 1.5"),
        ({"benchmark": ["b"], "instance": 1, "correct": 1}, "column benchmark): found ['b']"),
    ],
)
def test_a_label_that_says_too_little_is_refused_alone(
    label: dict[str, Any], detail: str, tmp_path: Path
) -> None:
    first, second = read(jsonl(tmp_path, label, LABEL))
    assert isinstance(first, Rejected)
    assert isinstance(second, Fact)
    assert detail in first.detail
    assert json.loads(first.raw) == label


def test_a_label_given_twice_counts_once_and_a_differing_one_is_refused(tmp_path: Path) -> None:
    entries = read(jsonl(tmp_path, LABEL, LABEL, {**LABEL, "correct": False}))
    assert [type(entry) for entry in entries] == [Fact, NotSelected, Rejected]
    assert isinstance(entries[2], Rejected)
    assert "custom_id:q1: found a second label that differs" in entries[2].detail


def test_a_damaged_parquet_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "labels.parquet"
    pq.write_table(pa.Table.from_pylist([LABEL]), path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(LogError, match="damaged"):
        read(path)


def test_labels_are_staged_with_the_time_of_their_file(tmp_path: Path) -> None:
    path = csv(tmp_path, "custom_id,benchmark,instance,gold,correct", "q1,gsm8k,0,18,")
    (row,) = staged(READER, path, "labels")
    assert (row["labels_version"], row["source_uri"], row["correct"]) == (NOW, str(path), None)


def test_labels_are_never_detected(tmp_path: Path) -> None:
    assert READER.detect(log_of(jsonl(tmp_path, LABEL))) == 0
    assert reader_named("labels") is READER
