"""Would the checks of checks.py change or refuse any value of many records? Judged column by column.

    records of one kind  ->  is each value of each field of its declared type, with nothing to mend?

A no may be wrong, a yes never is: where the answer is no, checks.py looks at each value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import datetime, timezone
from functools import cache, partial
from operator import attrgetter
from typing import Any, cast

from effspark.runs import keys, tokens

Judge = Callable[[list[Any], set[type]], bool]
"""Are the values of a column, which are of these types, sound?"""


def are_sound(items: Sequence[Any]) -> bool:
    """Would `checks.checked` hand back each of these dataclasses, all of one kind, as it is?

    >>> are_sound([tokens.Usage(output=64), tokens.Usage()]), are_sound([tokens.Usage(output=64.0)])
    (True, False)
    """
    for value_of, are_fine in _judges(cast(Any, type(items[0]))) if items else ():
        values = [*map(value_of, items)]
        types = {*map(type, values)}
        if types != _NOTHING and not are_fine(values, types):
            return False
    return True


def are_texts(values: Sequence[str | None]) -> bool:
    r"""Can a table hold these texts as they are?

    >>> are_texts(["é", None]), are_texts(["cut \ud83d"])
    (True, False)
    """
    given = [*filter(None, values)]
    return all(map(str.isascii, given)) or keys.SURROGATE.search("".join(given)) is None


@cache
def _judges(kind: type[Any]) -> tuple[tuple[Callable[[Any], Any], Judge], ...]:
    """How to get the value of each field that has a check, and to judge many of it."""
    found = []
    for column in fields(kind):
        judge = _are_integers if column.name == "seed" else JUDGES.get(str(column.type))
        if judge is not None:
            found.append((attrgetter(column.name), judge))
    return tuple(found)


def _are_texts(values: list[Any], types: set[type]) -> bool:
    return types <= _MAYBE_TEXT and are_texts(values)


def _are_counts(values: list[Any], types: set[type]) -> bool:
    if not types <= _MAYBE_INT:
        return False
    given: list[int] = [0, *filter(None, values)]
    return min(given) == 0 and max(given) <= tokens.MOST_TOKENS


def _are_integers(values: list[Any], types: set[type]) -> bool:
    return types <= _MAYBE_INT and all(abs(one) < 2**63 for one in values if one is not None)


def _are_numbers(values: list[Any], types: set[type]) -> bool:
    return types <= _MAYBE_FLOAT and all(
        one is None or (math.isfinite(one) and (one != 0 or math.copysign(1, one) > 0)) for one in values
    )


def _are_moments(values: list[Any], types: set[type]) -> bool:
    return types <= _MAYBE_TIME and all(one is None or one.tzinfo is timezone.utc for one in values)


def _are_maps_of(values: list[Any], types: set[type], are_fine: Judge) -> bool:
    if not types <= _MAPS:
        return False
    names = [name for one in values for name in one]
    held = [value for one in values for value in one.values()]
    return None not in held and _are_texts(names, {*map(type, names)}) and are_fine(held, {*map(type, held)})


_NOTHING, _MAPS = {type(None)}, {dict}
_MAYBE_TEXT, _MAYBE_INT, _MAYBE_FLOAT, _MAYBE_TIME = (
    {kind, type(None)} for kind in (str, int, float, datetime)
)
JUDGES: dict[str, Judge] = {
    "str": _are_texts,
    "str | None": _are_texts,
    "int | None": _are_counts,
    "float | None": _are_numbers,
    "datetime | None": _are_moments,
    "Mapping[str, float]": partial(_are_maps_of, are_fine=_are_numbers),
    "Mapping[str, str]": partial(_are_maps_of, are_fine=_are_texts),
}
"""By declared type; the types are those that checks.py checks."""
