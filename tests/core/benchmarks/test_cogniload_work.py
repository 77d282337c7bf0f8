"""CogniLoad's work: the shared vector, the true counts of 280 puzzles, and puzzles played by an obvious loop."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.benchmarks.cogniload_work import WORK, Puzzle, Statement, needles, parse
from effspark.benchmarks.work import Item
from effspark.errors import LogError

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
Clause = tuple[str, str]

STATES = {
    "hat": "is wearing a {} hat",
    "socks": "is wearing {} socks",
    "hair": "has {} colored hair",
    "food": "last ate a {}",
    "book": "last read a {} book",
    "music": "last listened to {} music",
    "movie": "last watched a {} movie",
    "place": "is located at the {}",
}
CONDITIONS = {
    "hat": "wearing a {} hat",
    "socks": "wearing {} socks",
    "hair": "having {} hair",
    "food": "which most recently ate {}",
    "book": "which most recently read a {} book",
    "music": "which most recently listened to {} music",
    "movie": "which most recently watched a {} movie",
    "place": "located in the {}",
}
UPDATES = {
    "hat": "change into a {} hat",
    "socks": "put on {} socks",
    "hair": "color their hair to {}",
    "food": "eat a {}",
    "book": "read a {} book",
    "music": "listen to {} music",
    "movie": "watch a {} movie",
    "place": "move to the {}",
}
some = st.lists(
    st.tuples(st.sampled_from(list(STATES)), st.sampled_from(["red", "sci-fi", "egg"])),
    min_size=1,
    max_size=4,
)
some_statements = st.lists(
    st.builds(lambda c, u: Statement(tuple(c), tuple(u)), some, some), min_size=1, max_size=8
)
some_people = st.fixed_dictionaries({"Ann": some, "Bob-Lee": some})


def written(people: dict[str, list[Clause]], statements: list[Statement], asked: str) -> str:
    lines = ["Solve this logic puzzle. You MUST finalize your response.", ""]
    for name, states in people.items():
        lines.append(f"{name} {' and '.join(STATES[key].format(value) for key, value in states)}.")
    for place, (conditions, updates) in enumerate(statements, 1):
        held = " and ".join(CONDITIONS[key].format(value) for key, value in conditions)
        done = " and ".join(UPDATES[key].format(value) for key, value in updates)
        lines.append(f"{place}. The people {held} {done}")
    return "\n".join([*lines, "", f"Where is {asked}?"])


def test_the_cogniload_vector_passes() -> None:
    vector = json.loads((VECTORS / "cogniload_workloads.json").read_text())
    expected, text = vector["expected"], vector["input"]["puzzle"]
    assert WORK.measure(Item(text)).work == {name: expected[name] for name in WORK.scales}
    puzzle, told = parse(text), expected["parse"]
    assert puzzle.asked == told["poi"]
    assert [len(one.conditions) for one in puzzle.statements] == told["k"]
    assert [len(one.updates) for one in puzzle.statements] == told["m"]
    assert needles(puzzle.people[puzzle.asked], puzzle.statements) == told["needle"]


def test_all_sample_puzzles_have_their_true_counts(samples: Path) -> None:
    with gzip.open(samples / "cogniload" / "puzzles.jsonl.gz", "rt", encoding="utf-8") as lines:
        puzzles = [json.loads(line) for line in lines]
    assert len(puzzles) == 280
    for one in puzzles:
        puzzle, measured = parse(one["puzzle"]), WORK.measure(Item(one["puzzle"]))
        assert measured.work == {name: one[name] for name in WORK.scales}, one["instance_id"]
        assert puzzle.asked == one["person_of_interest"]
        assert [len(each.conditions) for each in puzzle.statements] == one["conditions_per_statement"]
        assert [len(each.updates) for each in puzzle.statements] == one["updates_per_statement"]
        assert needles(puzzle.people[puzzle.asked], puzzle.statements) == one["is_needle"]
        assert (measured.axes["statements"], measured.axes["needles"]) == (
            one["statements"],
            sum(one["is_needle"]),
        )


@given(some_people, some_statements, st.sampled_from(["Ann", "Bob-Lee"]))
def test_work_equals_the_obvious_play_through(
    people: dict[str, list[Clause]], statements: list[Statement], asked: str
) -> None:
    checks = needle_checks = needle_updates = 0
    state = dict(people[asked])
    for conditions, updates in statements:
        checks += len(conditions)
        if all(state.get(key) == value for key, value in conditions):
            needle_checks += len(conditions)
            needle_updates += len(updates)
            for key, value in updates:
                state[key] = value
    text = written(people, statements, asked)
    assert parse(text) == Puzzle({name: dict(one) for name, one in people.items()}, tuple(statements), asked)
    assert WORK.measure(Item(text)).work == {
        "W_poi": checks + needle_updates,
        "W_needle": needle_checks + needle_updates,
        "W_poi_N": checks + needle_updates + len(statements),
        "W_poi_2N": checks + needle_updates + 2 * len(statements),
    }


ANN = "Ann is wearing a red hat.\n"


@pytest.mark.parametrize(
    "text",
    [
        "What color hat is Ann wearing?",
        ANN + "1. The people wearing a red hat juggle\nWhere is Ann?",
        ANN + "1. The people wearing a red hat\nand a coat\n",
        ANN + "1. The people wearing a red hat move to the pier and wearing a red hat\nWhere is Ann?",
        ANN + "1. The people wearing a red hat move to the pier\nWhere is Bob?",
        ANN + "1. The people wearing a red hat move to the pier\nWhere are they",
        ANN + "Bob has red hair.\n1. The people having red hair eat a egg\nWhere are Ann and Bob?",
    ],
    ids=[
        "no statements",
        "unknown clause",
        "cut statement",
        "mixed order",
        "nobody",
        "no question",
        "two people",
    ],
)
def test_a_text_that_cannot_be_read_whole_has_no_work(text: str) -> None:
    with pytest.raises(LogError, match="no work can be counted"):
        WORK.measure(Item(text))
