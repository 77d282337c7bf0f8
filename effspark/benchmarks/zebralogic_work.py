r"""ZebraLogic: how many clues must be combined, and over how large a grid?

    W_atom = numbered clues      W_weighted = sum of 1 for a clue of type position, 2 for any other
    W_grid = W_atom + houses * features

Clues are typed by their words: `position` and `not_position` name a house, `immediate` is directly left or right,
`order` somewhere left or right, `adjacent` next to each other, `distance` k houses between, `equality` all that is
left. Source: paper appendices B.1 and B.6, definitions.md section 4. Where a prompt shows an example first, the last
puzzle counts.

>>> puzzle = '''There are 2 houses, numbered 1 to 2 from left to right.
...  - Each person has a unique name: `Eric`, `Arnold`
...  - Each has a pet: `cat`, `dog`
... ## Clues:
... 1. Eric is in the first house.
... 2. The dog owner is somewhere to the right of Eric.'''
>>> WORK.measure(Item(puzzle))
Measured(work={'W_atom': 2, 'W_weighted': 3, 'W_grid': 6}, axes={'houses': 2.0, 'features': 2.0, 'clues': 2.0})
"""

from __future__ import annotations

import re
from enum import Enum

from effspark.benchmarks.work import Item, Measured, uncountable


class Clue(str, Enum):
    """Type of a clue, in the order in which the words that mark it are looked for."""

    DISTANCE = "distance"
    ADJACENT = "adjacent"
    IMMEDIATE = "immediate"
    ORDER = "order"
    NOT_POSITION = "not_position"
    POSITION = "position"
    EQUALITY = "equality"


_MARKS = {
    Clue.DISTANCE: r"\bthere (?:is|are) \w+ houses? between\b",
    Clue.ADJACENT: r"\bnext to (?:each other|one another)\b",
    Clue.IMMEDIATE: r"\b(?:directly|immediately)(?: to the)? (?:left|right) of\b",
    Clue.ORDER: r"\bsomewhere to the (?:left|right) of\b",
    Clue.NOT_POSITION: r"\bnot in (?:the \w+ house|house \d+)",
    Clue.POSITION: r"\bin (?:the \w+ house|house \d+)",
}
_TYPES = [(kind, re.compile(mark, re.I)) for kind, mark in _MARKS.items()]
_HOUSES = re.compile(r"\bThere are (\d+) houses\b")
_FEATURE = re.compile(r"^\s*-\s[^:\n]+:\s*\S", re.M)
_CLUE = re.compile(r"^\s*(\d+)\.\s+(\S.*)$", re.M)
_UNARY = Clue.POSITION


class ZebraLogicWork:
    """Native work of ZebraLogic (module docstring)."""

    name = "zebralogic"
    scales = ("W_atom", "W_weighted", "W_grid")

    def measure(self, item: Item) -> Measured:
        r"""Work of a puzzle from its text; axes: houses, features, clues.

        Raises
        ------
        LogError
            The text names no houses, no features or no clues.

        >>> WORK.measure(Item("There are 3 houses.\n - Name: `A`, `B`, `C`\n1. A is not in the third house.")).work
        {'W_atom': 1, 'W_weighted': 2, 'W_grid': 4}
        """
        text = item.question or ""
        last = list(_HOUSES.finditer(text))[-1:]
        body = text[last[0].end() :] if last else ""
        kinds = clue_types(body)
        features = len(_FEATURE.findall(body[: first.start()])) if (first := _CLUE.search(body)) else 0
        if not kinds or not features:
            raise uncountable(
                self.name, found=text[:80], allowed="houses, listed features and numbered clues"
            )
        houses, count = int(last[0][1]), len(kinds)
        return Measured(
            {
                "W_atom": count,
                "W_weighted": sum(1 if kind is _UNARY else 2 for kind in kinds),
                "W_grid": count + houses * features,
            },
            {"houses": float(houses), "features": float(features), "clues": float(count)},
        )


WORK = ZebraLogicWork()


def clue_types(text: str) -> list[Clue]:
    r"""Types of the clues of a puzzle, which are numbered from 1 without a gap.

    >>> clue_types("1. Bob is Eve.\n2. There are two houses between Bob and Eve.\n4. Bob is in the first house.")
    [<Clue.EQUALITY: 'equality'>, <Clue.DISTANCE: 'distance'>]
    """
    found: list[Clue] = []
    for numbered in _CLUE.finditer(text):
        if int(numbered[1]) != len(found) + 1:
            break
        clue = numbered[2]
        found.append(next((kind for kind, mark in _TYPES if mark.search(clue)), Clue.EQUALITY))
    return found
