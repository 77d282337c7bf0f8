from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.benchmarks import Graded
from effspark.benchmarks.zebralogic import BENCHMARK
from effspark.errors import LogError

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data"

GOLD = {
    "House 1": {"Name": "Bob", "MusicGenre": "hip hop"},
    "House 2": {"Name": "Eve", "MusicGenre": "jazz"},
}
ROWS = {"header": ["House", "Name", "MusicGenre"], "rows": [["1", "Bob", "hip hop"], ["2", "Eve", "jazz"]]}

SHARES = {
    "zebra__Llama-3.1-405B-Inst@sambanova__5cfcdb5": (0, 0, 6),
    "zebra__Meta-Llama-3-70B-Instruct__d641d9d": (1, 6, 11),
    "zebra__Meta-Llama-3.1-405B-Instruct@hyperbolic__544988d": (8, 12, 0),
    "zebra__Meta-Llama-3.1-70B-Instruct__b4efb25": (11, 0, 0),
    "zebra__cot=True_Qwen2-72B-Instruct__943feb1": (5, 1, 5),
    "zebra__cot=True_Qwen2-72B-Instruct__dd0b382": (5, 1, 5),
    "zebra__legacy_version_cot=False_gpt-4o-2024-05-13__2a0a01b": (4, 11, 2),
    "zebra__o1-mini-2024-09-12__63e0b96": (16, 16, 10),
    "zebra__sampling_gemma-2-27b-it__f8af74c": (0, 0, 0),
}
"""Right cells of the three samples of each log; of 30, 16, 24 cells, or (24, 20, 25)."""


def share(text: str, gold: Any = GOLD) -> float:
    return BENCHMARK.share(text, json.dumps(gold))


def changed(**cells: str) -> dict[str, dict[str, str]]:
    return {"House 1": {**GOLD["House 1"], **cells}, "House 2": GOLD["House 2"]}


def test_the_rule_is_graded() -> None:
    assert isinstance(BENCHMARK, Graded)


@pytest.mark.parametrize("answer", [GOLD, ROWS, {"solution": GOLD}, {"solution": ROWS}])
def test_gold_has_one_form_whatever_form_the_item_has(answer: Any) -> None:
    gold = BENCHMARK.gold(json.dumps(answer))
    assert gold == json.dumps(GOLD)
    assert BENCHMARK.gold(gold) == gold


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"rows": [["1", "Bob"]]},
        {"header": ["House", "Name"], "rows": []},
        {"header": ["House", "Name"], "rows": [["1"]]},
        {"header": ["House", "Name"], "rows": ["1"]},
        {"header": ["House", "Name"], "rows": [["___", "___"]]},
        {"header": ["Name", "House"], "rows": [["Bob", "1"]]},
        {"header": ["House"], "rows": [["1"]]},
        {"header": [], "rows": []},
        {"House 1": {}},
        {"House 1": "Bob"},
        {"House 1": {"Name": ""}},
        {"House 1": {"Name": "Bob"}, "House 2": {"Pet": "dog"}},
        {"House 1": {"Name": None}, "House 2": {"Name": "Bob"}},
        {"solution": "Bob"},
        "Bob",
    ],
)
def test_a_grid_with_gaps_is_no_gold(answer: Any) -> None:
    assert BENCHMARK.gold(json.dumps(answer)) is None


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"reasoning": "x", "solution": GOLD}),
        f"```json\n{json.dumps({'solution': GOLD}, indent=4)}\n```",
        f"## Final answer:\n\n{json.dumps(GOLD, indent=4)}\nDone.",
        json.dumps(ROWS),
        f'{{"reasoning": "she said "no" {{", "solution": {json.dumps(GOLD)}}}',
        f'{{"reasoning": "cut", "solution": {json.dumps(GOLD)}',
        json.dumps(changed(Name="Eve")) + " No:\n" + json.dumps(GOLD),
        json.dumps({"house 1": GOLD["House 1"], "House #2": GOLD["House 2"]}),
        json.dumps({**GOLD, "House 3": {"Name": "Zoe"}}),
        json.dumps(changed(Pet="cat")),
        json.dumps(changed(MusicGenre=" Hip-Hop ")),
        json.dumps(GOLD).replace("MusicGenre", "Music genre"),
        json.dumps(GOLD).replace('"Bob"', '["BOB"]'),
    ],
)
def test_a_right_grid_is_right_wherever_it_stands(text: str) -> None:
    assert share(text) == 1.0
    assert BENCHMARK.score(text, json.dumps(ROWS)).correct


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (json.dumps(changed(Name="Eve")), 0.75),
        (json.dumps({"House 1": GOLD["House 2"], "House 2": GOLD["House 1"]}), 0.0),
        (json.dumps({"House 1": GOLD["House 1"]}), 0.5),
        ('{"solution": {"House 1": {"Name": "Bob", "MusicGenre": "hip hop"}, "House 2": {"Name": "Ev', 0.5),
        (json.dumps(GOLD) + ' or "House 1": {"Name": "Bob"}', 0.25),
        (json.dumps(changed(Name="Bob Smith")), 0.75),
        (json.dumps(GOLD).replace('"Bob"', '["Bob", "Eve"]'), 0.75),
        (json.dumps(GOLD).replace('"Bob"', "null"), 0.75),
        (json.dumps(GOLD).replace('"Bob"', '{"a": "Bob"}'), 0.75),
        (json.dumps({"House 1": {"Name": "___"}, "House 2": {"Name": "Eve"}}), 0.25),
    ],
)
def test_cells_are_right_one_by_one(text: str, right: float) -> None:
    assert share(text) == right
    assert BENCHMARK.score(text, json.dumps(GOLD)).correct is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Bob",
        "{}",
        '{"solution": null}',
        '{"solution": {}}',
        '{"House 1": "Bob"}',
        '{"House 1": {"Name": "_"}}',
    ],
)
def test_a_text_without_a_filled_cell_has_no_answer(text: str) -> None:
    assert BENCHMARK.score(text, json.dumps(GOLD)) == (None, False)
    assert share(text) == 0.0


def test_the_grid_that_was_read_is_the_extracted_answer() -> None:
    text = f"So {json.dumps({'solution': ROWS})}"
    assert BENCHMARK.score(text, json.dumps(GOLD)) == (json.dumps(GOLD), True)
    assert BENCHMARK.score('"House 7": {"Name": "\\ud800"}', json.dumps(GOLD)).extracted == (
        '{"House 7": {"Name": "\\ud800"}}'
    )


@given(st.text(max_size=60), st.booleans())
def test_any_text_can_be_scored(text: str, in_grid: bool) -> None:
    answer = json.dumps({"solution": {text: {text: text}, "House 1": {text: text}}}) if in_grid else text
    scored = BENCHMARK.score(answer, json.dumps(ROWS))
    assert scored.correct is (share(answer) == 1.0)


@given(st.permutations([cell for row in ROWS["rows"] for cell in row[1:]]))
def test_the_share_counts_the_cells_in_place(cells: list[str]) -> None:
    rows = [["1", *cells[:2]], ["2", *cells[2:]]]
    right = sum(one == other for one, other in zip(cells, ["Bob", "hip hop", "Eve", "jazz"], strict=True))
    assert share(json.dumps({**ROWS, "rows": rows})) == right / 4


def test_long_texts_take_no_time() -> None:
    assert share('"House 1": {' * 5_000) == 0.0
    assert share('"House ' + "1" * 10_000 + '": {"Name": "Bob"}') == 0.0


def test_gold_without_a_grid_is_an_error() -> None:
    with pytest.raises(LogError, match=r"no gold grid \(zebralogic\): found 'many'"):
        BENCHMARK.score("{}", "many")


def test_right_cells_of_the_samples_are_those_counted_apart() -> None:
    folder = SHARED / "logs" / "zeroeval"
    if not folder.is_dir():
        pytest.skip("no shared data")
    logs = {
        path.name.split(".first")[0]: json.loads(path.read_text()) for path in folder.glob("zebra__*.json")
    }
    golds = {
        row["id"]: json.dumps(row["solution"]) for rows in logs.values() for row in rows if "solution" in row
    }
    found = {}
    for name, rows in logs.items():
        cells = [len(json.loads(golds[row["id"]])["rows"]) * int(row["size"][2]) for row in rows]
        shares = [BENCHMARK.share(row["output"][0], golds[row["id"]]) for row in rows]
        found[name] = tuple(round(one * count) for one, count in zip(shares, cells, strict=True))
    assert found == SHARES
