"""ZebraLogic's work: the shared vector, real puzzles of two logs, and clues whose types are known."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.benchmarks.work import Item
from effspark.benchmarks.zebralogic_work import WORK, Clue, clue_types
from effspark.errors import LogError

VECTORS = Path(__file__).resolve().parents[1] / "vectors"

CLUES = {
    "Eric is in the first house.": Clue.POSITION,
    "The cat lover lives in house 2.": Clue.POSITION,
    "Bob is not in the third house.": Clue.NOT_POSITION,
    "Bob is directly left of Eve.": Clue.IMMEDIATE,
    "Bob is immediately to the right of Eve.": Clue.IMMEDIATE,
    "Bob is somewhere to the left of Eve.": Clue.ORDER,
    "Bob and Eve are next to each other.": Clue.ADJACENT,
    "There is one house between Bob and Eve.": Clue.DISTANCE,
    "There are two houses between Bob and Eve.": Clue.DISTANCE,
    "Bob is the person who loves houses.": Clue.EQUALITY,
}


def puzzle(clues: list[str], *, houses: int = 3, features: int = 2, mark: str = "## Clues:") -> str:
    listed = "\n".join(f" - Feature {place}: `a`, `b`" for place in range(features))
    numbered = "\n".join(f"{place}. {clue}" for place, clue in enumerate(clues, 1))
    return f"There are {houses} houses, numbered 1 to {houses}.\n{listed}\n\n{mark}\n{numbered}\n\n# Instruction\n"


def test_the_zebra_vector_passes() -> None:
    vector = json.loads((VECTORS / "zebra_workloads.json").read_text())
    expected, text = vector["expected"], vector["input"]["puzzle"]
    assert WORK.measure(Item(text)).work == {name: expected[name] for name in WORK.scales}
    assert [kind.value for kind in clue_types(text)] == expected["types"]


@given(
    st.lists(st.sampled_from(list(CLUES)), min_size=1, max_size=12),
    st.integers(2, 6),
    st.integers(1, 6),
    st.sampled_from(["## Clues:", ""]),
)
def test_work_equals_the_obvious_count(clues: list[str], houses: int, features: int, mark: str) -> None:
    example = puzzle(["Eric is in the first house."] * 3, houses=9, features=9)
    text = example + puzzle(clues, houses=houses, features=features, mark=mark)
    weighted = 0
    for clue in clues:
        weighted += 1 if CLUES[clue] is Clue.POSITION else 2
    measured = WORK.measure(Item(text))
    assert measured.work == {
        "W_atom": len(clues),
        "W_weighted": weighted,
        "W_grid": len(clues) + houses * features,
    }
    assert measured.axes == {"houses": houses, "features": features, "clues": len(clues)}
    assert clue_types(puzzle(clues)) == [CLUES[clue] for clue in clues]


def prompts(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(folder.glob("zebra__*.json")):
        records: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
        found |= {one["session_id"]: one["chat_history"][0] for one in records if one.get("chat_history")}
    return found


def test_the_puzzles_of_the_sample_logs_have_the_size_of_their_names(samples: Path) -> None:
    found = prompts(samples / "logs" / "zeroeval")
    assert len(found) >= 6
    for name, prompt in found.items():
        houses, features = name.split("-")[2].split("x")
        axes = WORK.measure(Item(prompt)).axes
        assert (axes["houses"], axes["features"]) == (int(houses), int(features)), name
    kinds = Counter(clue_types(found["lgp-test-5x6-16"].rpartition("## Clues:")[2]))
    assert kinds == {Clue.EQUALITY: 9, Clue.DISTANCE: 3, Clue.ADJACENT: 1, Clue.ORDER: 2, Clue.IMMEDIATE: 2}


@pytest.mark.parametrize(
    "text",
    [
        "1. Bob is Eve.",
        "There are 3 houses.\n1. Bob is Eve.",
        "There are 3 houses.\n - Name: `Bob`\n2. Bob is Eve.",
    ],
    ids=["no houses", "no features", "no first clue"],
)
def test_a_text_that_is_no_puzzle_has_no_work(text: str) -> None:
    with pytest.raises(LogError, match="houses, listed features and numbered clues"):
        WORK.measure(Item(text))
