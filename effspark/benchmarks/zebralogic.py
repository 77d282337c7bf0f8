r"""ZebraLogic: how many cells of the grid does a text fill right, and are all of them right?

    share = right cells / cells of the gold grid;  correct <=> share = 1

The declared rule. The answer is the last grid of the text:

1. its JSON object, or the field `solution` of it, where that is a grid;
2. else the houses that stand in the text as `"House 1": {...}`, from the last house on that comes a second
   time. So a grid counts that stands in prose, behind a broken string, or in an object never closed; of a grid
   that is cut, the houses that are whole.

A grid is `{"House 1": {"Name": "Bob", ...}, ...}` or `{"header": ["House", "Name", ...], "rows": [["1", "Bob",
...], ...]}`. Gold grids have either form, alone or under `solution`; one with an empty, blanked (`___`) or
missing cell is none. Names of attributes are compared by their letters and digits, cells without case, hyphens
and repeated space ("Hip-Hop" is "hip hop"); a list of one value is that value. Houses and attributes that the
gold grid does not have change nothing. Cells are never moved: a right value in a wrong house is wrong.

>>> gold = '{"House 1": {"Name": "Bob", "Pet": "cat"}, "House 2": {"Name": "Eve", "Pet": "dog"}}'
>>> text = 'So: {"solution": {"House 1": {"Name": "bob", "Pet": "dog"}, "House 2": {"Name": "Eve", "Pet": "Dog"}}}'
>>> BENCHMARK.share(text, gold), BENCHMARK.score(text, gold).correct, BENCHMARK.score(gold, gold).correct
(0.75, False, True)

ZeroEval, whose format this is, reads the last object that is whole, and cells without case. Its cell accuracy
is the sum of right cells over the sum of cells: with grids of several sizes not the mean of the shares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from effspark.benchmarks import Scored
from effspark.benchmarks.answers import object_in
from effspark.errors import LogError, problem

Grid = Mapping[str, Mapping[str, str]]
"""Cells by house number and name of the attribute, as written."""

_HOUSE = re.compile(r" ?house[ _]?#?(\d{1,3}) ?", re.I)
_HOUSE_IN_TEXT = re.compile(rf'"{_HOUSE.pattern}"\s*:\s*(\{{[^{{}}]*\}})', re.I)
_CLOSED = re.compile("}")
_FIRST_COLUMN = "house"


class ZebraLogic:
    """The rule of ZebraLogic grids (module docstring)."""

    name = "zebralogic"
    scorer = "rescored:zebralogic"

    def gold(self, answer: str) -> str | None:
        """Right grid of an item by houses, as JSON; null where the item has none, or one with blanks.

        >>> BENCHMARK.gold('{"header": ["House", "Name"], "rows": [["1", "Bob"], ["2", "Eve"]]}')
        '{"House 1": {"Name": "Bob"}, "House 2": {"Name": "Eve"}}'
        >>> BENCHMARK.gold('{"header": ["House", "Name"], "rows": [["___", "___"]]}') is None
        True
        """
        grid = _gold(answer)
        return None if grid is None else _written(grid)

    def score(self, answer: str, gold: str) -> Scored:
        """Grid of a generated text, and whether it holds all cells of the gold grid.

        Raises
        ------
        LogError
            `gold` is no grid.

        >>> BENCHMARK.score('{"House 1": {"Name": "Bob"}}', '{"House 1": {"Name": "Eve"}}')
        Scored(extracted='{"House 1": {"Name": "Bob"}}', correct=False)
        """
        right, given = _asked(gold), _given(answer)
        if given is None:
            return Scored(None, False)
        return Scored(_written(given), _right_cells(given, right) == _cells(right))

    def share(self, answer: str, gold: str) -> float:
        """Share of the gold grid's cells that a generated text fills right, 0 to 1; 0 where it has no grid.

        Raises
        ------
        LogError
            `gold` is no grid.

        >>> BENCHMARK.share('{"House 1": {"Name": "Bob"}}', '{"House 1": {"Name": "Bob", "Pet": "cat"}}')
        0.5
        """
        right, given = _asked(gold), _given(answer)
        return 0.0 if given is None else float(Fraction(_right_cells(given, right), _cells(right)))

    def turns(self, text: str, gold: str) -> Iterator[int]:  # noqa: ARG002 - of every rule
        """Places where the answer may become right, whatever the gold grid: an object closes.

        >>> list(BENCHMARK.turns('{"House 1": {"Name": "Bob"}}', "-"))
        [26, 27]
        """
        return (found.start() for found in _CLOSED.finditer(text))


BENCHMARK = ZebraLogic()


def _asked(gold: str) -> Grid:
    grid = _gold(gold)
    if grid is None:
        raise LogError(
            problem(
                "no gold grid",
                where=BENCHMARK.name,
                found=f"{gold!r:.80}",
                allowed="JSON by houses, or with header and rows, every cell filled",
                remedy="mend the benchmark's items or labels",
            )
        )
    return grid


def _gold(answer: str) -> Grid | None:
    grid = _of_object(object_in(answer))
    if grid is None or not all(_filled(cell) for house in grid.values() for cell in house.values()):
        return None
    names = [{_key(name) for name in house} for house in grid.values()]
    return grid if names[0] and all(one == names[0] for one in names) else None


def _given(text: str) -> Grid | None:
    """Last grid of a text; null where that has no filled cell."""
    grid = _of_object(object_in(text)) or _of_houses(text)
    return grid if any(_filled(cell) for house in grid.values() for cell in house.values()) else None


def _of_houses(text: str) -> Grid:
    """Whole houses of a text, from the last on that comes a second time."""
    grid: dict[str, Mapping[str, str]] = {}
    for house in _HOUSE_IN_TEXT.finditer(text):
        number, cells = str(int(house[1])), object_in(house[2])
        if number in grid:
            grid = {}
        grid[number] = _row(cells or {})
    return grid


def _of_object(found: Mapping[str, Any] | None) -> Grid | None:
    """Grid of a JSON object in either form, alone or under `solution`."""
    if found is None:
        return None
    found = found["solution"] if isinstance(found.get("solution"), dict) else found
    header, rows = found.get("header"), found.get("rows")
    if isinstance(header, list) and isinstance(rows, list):
        return _of_rows([str(name) for name in header], rows)
    houses = {match[1]: value for name, value in found.items() if (match := _HOUSE.fullmatch(name))}
    if not all(isinstance(house, dict) for house in houses.values()):
        return None
    return {str(int(number)): _row(house) for number, house in houses.items()} or None


def _of_rows(header: list[str], rows: list[Any]) -> Grid | None:
    """Grid of a table whose first column, `House`, numbers the houses from 1."""
    if not header or _key(header[0]) != _FIRST_COLUMN:
        return None
    if not rows or not all(isinstance(row, list) and len(row) == len(header) for row in rows):
        return None
    names = header[1:]
    return {
        str(place): _row(dict(zip(names, row[1:], strict=True))) for place, row in enumerate(rows, start=1)
    }


def _row(cells: Mapping[str, Any]) -> dict[str, str]:
    """Cells of one house as texts; those that hold no single value are left out."""
    row = {}
    for name, value in cells.items():
        one = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(one, str):
            row[name] = one
    return row


def _right_cells(given: Grid, right: Grid) -> int:
    count = 0
    for number, house in right.items():
        cells = {_key(name): _plain(cell) for name, cell in given.get(number, {}).items()}
        count += sum(cells.get(_key(name)) == _plain(cell) for name, cell in house.items())
    return count


def _cells(grid: Grid) -> int:
    return sum(len(house) for house in grid.values())


def _key(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _filled(cell: str) -> bool:
    return bool(cell.strip("_ "))


def _plain(cell: str) -> str:
    return " ".join(cell.casefold().replace("-", " ").split())


def _written(grid: Grid) -> str:
    return json.dumps({f"House {number}": dict(house) for number, house in grid.items()})
