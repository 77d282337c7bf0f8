from __future__ import annotations

import gzip
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark import commands, settings
from effspark.errors import SettingsError
from effspark.readers import Entry, Fact, Options, Rejected, reader_named, staged_rows, staging
from effspark.readers.files import Log
from effspark.readers.items import READER
from effspark.runs import keys

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data"
NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def written(folder: Path, *items: Any, name: str = "items.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(item if isinstance(item, str) else json.dumps(item) for item in items), "utf-8")
    return path


def read(path: Path, benchmark: str = "mine", rule: str | None = None) -> list[Entry]:
    options = Options(benchmark=benchmark, answers=rule)
    return list(READER.read(Log(str(path), path.stat().st_size, NOW), options))


def rows(path: Path, benchmark: str = "mine", rule: str | None = None) -> list[dict[str, Any]]:
    return [dict(entry.row) for entry in read(path, benchmark, rule) if isinstance(entry, Fact)]


def test_an_item_becomes_an_instance(tmp_path: Path) -> None:
    (row,) = rows(
        written(tmp_path, {"id": "a", "question": "2 + 2?", "answer": "4", "depth": 3, "topic": "sums"})
    )
    assert row == {
        "benchmark_id": "mine",
        "instance_id": "a",
        "source": "items",
        "holds": "solution, gold, question, axis depth",
        "gold": "4",
        "solution": "4",
        "question": "2 + 2?",
        "question_hash": keys.question_hash("2 + 2?"),
        "axes": {"depth": 3.0},
        "cluster": None,
        "instance_key": f"{keys.instance_key('mine', 'a'):016x}",
    }


def test_items_without_id_are_named_by_their_place_among_the_records(tmp_path: Path) -> None:
    path = written(tmp_path, {"question": "a"}, "", "{broken", {"question": "b"})
    assert [(row["instance_id"], row["question"]) for row in rows(path)] == [("0", "a"), ("2", "b")]


def test_the_known_keys_of_gsm8k_come_from_its_places(tmp_path: Path) -> None:
    answer = "9 * 2 = $<<9*2=18>>18\n#### 18"
    found = rows(
        written(tmp_path, {"question": "a", "answer": answer}, {"question": "b", "answer": "#### 1,000"}),
        "gsm8k",
        "gsm8k",
    )
    assert [row["instance_key"] for row in found] == ["8334c49d950e07af", "5106b33c21b6f5e5"]
    assert [(row["gold"], row["axes"]) for row in found] == [("18", {}), ("1000", {})]
    assert [row["solution"] for row in found] == [answer, "#### 1,000"], "work is counted of it"


@pytest.mark.parametrize(
    ("item", "question", "gold"),
    [
        ({"problem": "p", "target": 4}, "p", "4"),
        ({"prompt": "p", "gold": ["a", "b"], "answer": "x"}, "p", '["a", "b"]'),
        ({"puzzle": "p", "answer": True}, "p", "true"),
        ({"question": "p"}, "p", None),
        ({"answer": 4.0}, None, "4"),
        ({"problem": "p", "solution": "so 4", "answer": "4"}, "p", "4"),
        ({"problem": "p", "solution": "so 4"}, "p", "so 4"),
        ({"question": "p", "options": ["x", "y"], "answer": "B", "answer_index": 1}, "p", "B"),
        ({"question": "p", "choices": ["x", "y"], "answer_index": 1}, "p", "y"),
        ({"question": "p", "options": ["x", "y"]}, "p", None),
    ],
)
def test_fields_have_other_names_too(
    item: dict[str, Any], question: str | None, gold: str | None, tmp_path: Path
) -> None:
    (row,) = rows(written(tmp_path, item))
    assert (row["question"], row["gold"], row["axes"]) == (question, gold, {})


GRID = {"header": ["House", "Name"], "rows": [["1", "Bob"], ["2", "Eve"]]}
HOUSES = '{"House 1": {"Name": "Bob"}, "House 2": {"Name": "Eve"}}'
BLUE = '{"answer": "B", "options": {"A": "red", "B": "blue"}}'
COLOURS = ["red", "blue"]


@pytest.mark.parametrize(
    ("rule", "item", "gold"),
    [
        ("zebralogic", {"puzzle": "p", "solution": GRID}, HOUSES),
        ("zebralogic", {"puzzle": "p", "solution": json.dumps(GRID)}, HOUSES),
        ("multiple_choice", {"question": "p", "options": COLOURS, "answer": "B", "answer_index": 1}, BLUE),
        ("multiple_choice", {"question": "p", "options": COLOURS, "answer": "blue"}, BLUE),
        ("multiple_choice", {"question": "p", "choices": COLOURS, "answer": 1}, BLUE),
        ("multiple_choice", {"question": "p", "options": '["red", "blue"]', "answer_index": 1}, BLUE),
        ("multiple_choice", {"question": "p", "answer": "(b)"}, "B"),
        ("proofwriter", {"question": "p", "options": ["True", "False"], "answer_index": 1}, "False"),
    ],
)
def test_gold_is_what_the_rule_of_the_benchmark_makes_of_the_item(
    rule: str, item: dict[str, Any], gold: str, tmp_path: Path
) -> None:
    (row,) = rows(written(tmp_path, item), "of any name", rule)
    assert (row["gold"], row["question"], row["axes"]) == (gold, "p", {})


@pytest.mark.parametrize(
    "item",
    [
        {"question": "p", "options": COLOURS, "answer": "A", "answer_index": 1},
        {"question": "p", "options": COLOURS, "answer": "C"},
        {"question": "p", "options": COLOURS, "answer_index": 2},
        {"question": "p", "options": "red, blue", "answer": "A"},
        {"question": "p", "options": ["0", "1"], "answer": 1},
    ],
)
def test_an_item_whose_right_option_cannot_be_told_is_refused(item: dict[str, Any], tmp_path: Path) -> None:
    (entry,) = read(written(tmp_path, item), rule="multiple_choice")
    assert isinstance(entry, Rejected)
    assert "the rule multiple_choice finds no answer" in entry.detail


def test_items_of_mmlu_pro_are_named_by_their_question_id(tmp_path: Path) -> None:
    item = {"question_id": 70, "question": "p", "options": COLOURS, "answer": "B", "answer_index": 1}
    (row,) = rows(written(tmp_path, item), "mmlu_pro", "multiple_choice")
    assert (row["instance_id"], row["axes"]) == ("70", {})


def test_the_rule_is_that_of_conf_under_any_name_of_the_benchmark(tmp_path: Path) -> None:
    path = written(tmp_path, {"puzzle": "p", "solution": GRID})
    options = commands.options_of(settings.load(), benchmark="zebra-grid")
    (entry,) = READER.read(Log(str(path), path.stat().st_size, NOW), options)
    assert isinstance(entry, Fact)
    assert entry.row["gold"] == HOUSES


def test_an_unknown_rule_is_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="found gsm9k"):
        READER.read(Log(str(tmp_path / "missing"), 0, NOW), Options(benchmark="mine", answers="gsm9k"))


def test_axes_are_the_finite_numbers_beside_the_known_fields(tmp_path: Path) -> None:
    item = '{"id": 7, "question": "q", "N": 20, "rho": 0.5, "huge": 1e999, "odd": NaN, "flag": true, "text": "3"}'
    (row,) = rows(written(tmp_path, item))
    assert (row["instance_id"], row["axes"]) == ("7", {"N": 20.0, "rho": 0.5})


@pytest.mark.parametrize(
    ("item", "reason", "detail"),
    [
        ({"id": None, "question": "q"}, "invalid_record", "instance id: found None"),
        ({"id": True, "question": "q"}, "invalid_record", "instance id: found True"),
        ({"id": 1.5, "question": "q"}, "invalid_record", "instance id: found 1.5"),
        ({"id": "a", "question": 5}, "invalid_record", "question: found 5"),
        ({"id": "a"}, "invalid_record", "found neither question nor answer"),
        ([1], "wrong_type", "list"),
        ('{"id": "a"', "invalid_json", "JSON"),
    ],
)
def test_an_item_that_is_none_is_refused_alone(item: Any, reason: str, detail: str, tmp_path: Path) -> None:
    first, second, third = read(
        written(tmp_path, {"id": "b", "question": "q"}, item, {"id": "c", "question": "q"})
    )
    assert isinstance(first, Fact)
    assert isinstance(second, Rejected)
    assert isinstance(third, Fact)
    assert second.reason == reason
    assert detail in second.detail


def test_an_id_stands_once(tmp_path: Path) -> None:
    entries = read(written(tmp_path, {"id": 7, "question": "a"}, {"id": "7", "question": "b"}))
    assert [type(entry) for entry in entries] == [Fact, Rejected]


def test_an_answer_without_a_number_is_no_item_of_gsm8k(tmp_path: Path) -> None:
    (entry,) = read(written(tmp_path, {"question": "q", "answer": "many"}), "gsm8k", "gsm8k")
    assert isinstance(entry, Rejected)
    assert "the rule gsm8k finds no answer" in entry.detail


def test_the_benchmark_must_be_named_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="add --benchmark NAME"):
        READER.read(Log(str(tmp_path / "missing.jsonl"), 0, NOW), Options())


def test_items_are_never_detected(tmp_path: Path) -> None:
    path = written(tmp_path, {"question": "q", "answer": "4"})
    assert READER.detect(Log(str(path), path.stat().st_size, NOW)) == 0
    assert reader_named("items") is READER


def test_the_test_set_of_gsm8k_is_staged_whole(tmp_path: Path) -> None:
    path = SHARED / "gsm8k" / "test.jsonl.gz"
    if not path.is_file():
        pytest.skip("no shared data")
    item = staged_rows.Item(
        uri=str(path),
        size=path.stat().st_size,
        modified=NOW,
        format_name="items",
        team="t",
        options=Options(benchmark="gsm8k", answers="gsm8k"),
    )
    table = staged_rows.of_kind(staging.stage(item), "instances")
    assert table.num_rows == 1319
    assert table.column("instance_id").to_pylist()[:2] == ["0", "1"]
    assert table.column("gold").to_pylist()[:4] == ["18", "3", "70000", "540"]
    assert len(set(table.column("instance_key").to_pylist())) == 1319


def test_an_item_says_which_facts_it_holds(tmp_path: Path) -> None:
    path = written(tmp_path, {"id": "a", "question": "q"}, {"id": "b", "answer": "4", "depth": 2})
    assert [row["holds"] for row in rows(path)] == ["question", "solution, gold, axis depth"]


def test_compressed_items_are_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, {"question": "q", "answer": "4"})
    plain = rows(path)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert rows(path) == plain


def test_a_number_beyond_the_range_of_a_float_is_no_axis(tmp_path: Path) -> None:
    (row,) = rows(written(tmp_path, {"id": "a", "question": "2 + 2?", "depth": 3, "size": 10**400}))
    assert row["axes"] == {"depth": 3.0}
