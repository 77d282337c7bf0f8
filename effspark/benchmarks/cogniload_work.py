r"""CogniLoad: how many conditions and updates must be followed to know what became of the person of interest?

    k, m = condition, update clauses of a statement;  needle <=> when it applies, all its conditions hold for the person
    W_poi = sum k + sum m of needles      W_needle = sum k + m of needles      W_poi_N, W_poi_2N = W_poi + N, W_poi + 2N

Everything is read from the puzzle: each person's first state, the numbered statements, and the question, which names
the person of interest. A statement that is a needle changes the person's state at once, so the statements are played in
order. The generator's own lists are not used, since they also hold what it rejected. Source: paper appendices B.4 and
B.5, definitions.md section 4.

>>> puzzle = '''Ann is wearing a red hat and has blue colored hair.
... Bob has green colored hair.
... 1. The people wearing a red hat and having blue hair color their hair to gray and change into a black hat
... 2. The people having green hair listen to rock music
...
... What color hat is Ann wearing?'''
>>> WORK.measure(Item(puzzle)).work
{'W_poi': 5, 'W_needle': 4, 'W_poi_N': 7, 'W_poi_2N': 9}
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from effspark.benchmarks.work import Item, Measured, uncountable

_CLAUSE = re.compile(
    r"""
    (?:(?P<condition>wearing|having|located|which\ most\ recently\ (?:ate|read|watched|listened\ to))
      |(?P<first>is\ wearing|has|is\ located|last\ (?:ate|read|watched|listened\ to))
      |(?P<update>put\ on|change\ into|color\ their|eat|read|watch|listen\ to|move))
    \ (?:(?:in|at|to)\ )?(?:(?:an?|the)\ )?
    (?:(?P<hair>hair)\ to\ (?P<color>[\w-]+)
      |(?P<value>[\w-]+)(?:\ (?:colored\ )?(?P<thing>hat|shirt|pant|socks|gloves|underwear|hair|movie|book|music))?)
    """,
    re.X,
)
_JOIN = re.compile(
    r" and |(?<!recently) (?=(?:put on|change into|color their|eat|read|watch|listen to|move) )"
)
_STATEMENT = re.compile(r"(\d+)\. The people (.+?)\.?")
_ALLOWED = "people's states, statements numbered from 1 and a question that names one of the people"
_OF_VERB = {"ate": "food", "eat": "food", "located": "place", "move": "place"}
"""Property of a verb whose clause names only the value."""

State = Mapping[str, str]
"""Value by property."""


class Statement(NamedTuple):
    """Conditions, and updates in order, each as (property, value)."""

    conditions: tuple[tuple[str, str], ...]
    updates: tuple[tuple[str, str], ...]


class Puzzle(NamedTuple):
    """First states by person, statements in order, and the person that the question names."""

    people: dict[str, dict[str, str]]
    statements: tuple[Statement, ...]
    asked: str


class CogniLoadWork:
    """Native work of CogniLoad (module docstring)."""

    name = "cogniload"
    scales = ("W_poi", "W_needle", "W_poi_N", "W_poi_2N")

    def measure(self, item: Item) -> Measured:
        r"""Work of a puzzle from its text; axes: statements, needles among them, people.

        Raises
        ------
        LogError
            The text is no puzzle, or a statement of it cannot be read whole.

        >>> WORK.measure(Item("Ann last ate a taco.\n1. The people which most recently ate taco eat a egg\n\n"
        ...                   "What did Ann most recently eat?")).axes
        {'statements': 1.0, 'needles': 1.0, 'people': 1.0}
        """
        puzzle = parse(item.question or "")
        is_needle = needles(puzzle.people[puzzle.asked], puzzle.statements)
        counts = [(len(one.conditions), len(one.updates)) for one in puzzle.statements]
        count = len(counts)
        poi = sum(k for k, _ in counts) + sum(
            m for (_, m), needle in zip(counts, is_needle, strict=True) if needle
        )
        work = {
            "W_poi": poi,
            "W_needle": sum(k + m for (k, m), needle in zip(counts, is_needle, strict=True) if needle),
            "W_poi_N": poi + count,
            "W_poi_2N": poi + 2 * count,
        }
        axes = {"statements": count, "needles": sum(is_needle), "people": len(puzzle.people)}
        return Measured(work, {name: float(value) for name, value in axes.items()})


WORK = CogniLoadWork()


def needles(state: State, statements: Sequence[Statement]) -> list[bool]:
    """Which statements apply to a person who begins in this state?

    >>> red = Statement((("hat", "red"),), (("hat", "blue"),))
    >>> needles({"hat": "red"}, [red, red])
    [True, False]
    """
    now, found = dict(state), []
    for statement in statements:
        holds = all(now.get(name) == value for name, value in statement.conditions)
        found.append(holds)
        if holds:
            now.update(statement.updates)
    return found


def parse(text: str) -> Puzzle:
    r"""Puzzle that a text holds.

    Raises
    ------
    LogError
        There is none, or a statement cannot be read whole.

    >>> parse("Ann has red colored hair.\n1. The people having red hair move to the pier\nWhere is Ann?")
    Puzzle(people={'Ann': {'hair': 'red'}},
           statements=(Statement(conditions=(('hair', 'red'),), updates=(('place', 'pier'),)),), asked='Ann')
    """
    people: dict[str, dict[str, str]] = {}
    statements: list[Statement] = []
    question = ""
    for line in filter(None, map(str.strip, text.splitlines())):
        numbered = _STATEMENT.fullmatch(line)
        if numbered is not None and int(numbered[1]) == len(statements) + 1:
            statements.append(_statement(numbered[2]))
        elif statements:
            question = question or (line if line.endswith("?") else "")
        elif (found := _first_state(line)) is not None:
            people[found[0]] = found[1]
    asked = [name for name in people if re.search(rf"\b{re.escape(name)}\b", question)]
    if len(asked) != 1:
        raise uncountable(WORK.name, found=question or text[-80:], allowed=_ALLOWED)
    return Puzzle(people, tuple(statements), asked[0])


def _statement(text: str) -> Statement:
    clauses = [_CLAUSE.fullmatch(part) for part in _JOIN.split(text)]
    known = [clause for clause in clauses if clause is not None]
    kinds = [_kind(clause) for clause in known]
    conditions = kinds.count("condition")
    if len(known) < len(clauses) or kinds[conditions:] != ["update"] * (len(kinds) - conditions):
        raise uncountable(WORK.name, found=text, allowed="conditions, then updates, each a known clause")
    read = [_read(clause) for clause in known]
    return Statement(tuple(read[:conditions]), tuple(read[conditions:]))


def _first_state(line: str) -> tuple[str, dict[str, str]] | None:
    """Name and first state of a person; null where a line tells none."""
    name, _, rest = line.rstrip(".").partition(" ")
    clauses = [_CLAUSE.fullmatch(part) for part in rest.split(" and ")]
    read = [_read(clause) for clause in clauses if clause is not None and clause["first"]]
    return (name, dict(read)) if len(read) == len(clauses) else None


def _kind(clause: re.Match[str]) -> str:
    return next(kind for kind in ("condition", "first", "update") if clause[kind])


def _read(clause: re.Match[str]) -> tuple[str, str]:
    """Property and value of a clause."""
    if clause["hair"]:
        return "hair", clause["color"]
    verb = clause[_kind(clause)].split()[-1]
    return clause["thing"] or _OF_VERB.get(verb, verb), clause["value"]
