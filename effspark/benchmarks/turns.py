"""At which places of a growing text may its answer become right?

    where the prefix up to the end of a word is the first that is right, the last word of it, with the space before,
    holds such a place

A necessary condition that is cheap to see in the whole text, so that a rule need not be asked at the end of every word
of a long trace (analyses/early_stop.py). Here stands what the rules share; which words tell an answer is theirs. Says
nothing of where an answer turns wrong.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

_FIELD = re.compile(r'"answer"|\\u')
_OPEN_FIELD = re.compile(r'"answer"\s*:\s*[^\s",{}\[\]]+')
_CLOSING = re.compile(r'["}]')
_BRACE = re.compile("}")
LONGEST_STATEMENT = 500
"""Characters after a statement that belong to it."""


def without(text: str, markup: re.Pattern[str]) -> tuple[str, Callable[[int], int]]:
    """A text without its markup, and where each of the characters left stands in the text.

    >>> plain, place = without("a **b** c", re.compile(r"[*][*]"))
    >>> plain, [place(at) for at in range(5)]
    ('a b c', [0, 1, 4, 7, 8])
    """
    begins, shifts, shift = [0], [0], 0
    for found in markup.finditer(text):
        begins.append(found.start() - shift)
        shift += found.end() - found.start()
        shifts.append(shift)
    return markup.sub("", text), lambda place: place + shifts[bisect_right(begins, place) - 1]


def of_fields(text: str) -> Iterator[int]:
    """Places where the field `answer` of a JSON object may come to be or change: a string, an object or a word ends.

    >>> sorted(set(of_fields('so {"answer": 18}')))
    [4, 11, 16]
    """
    first = _FIELD.search(text)
    if first is not None:
        yield from (found.start() for found in _CLOSING.finditer(text, first.start()))
        yield from (found.end() for found in _OPEN_FIELD.finditer(text, first.start()))


def of_boxes(text: str) -> Iterator[int]:
    r"""Places where the content of the last box may change: a brace closes.

    >>> list(of_boxes("} \\boxed{7}"))
    [10]
    """
    first = text.find("\\boxed")
    if first >= 0:
        yield from (found.start() for found in _BRACE.finditer(text, first))


def of_matches(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    """First and last place of each match, and the last of its group where it has one.

    >>> list(of_matches(re.compile("B(?=( is))?"), "B is"))
    [0, 0, 3]
    """
    for found in pattern.finditer(text):
        yield from (found.start(), found.end() - 1)
        if found.lastindex:
            yield found.end(1) - 1


def of_cuts(stated: re.Pattern[str], text: str) -> Iterator[int]:
    """Places where what belongs to a statement is cut off, maybe inside a word.

    >>> list(of_cuts(re.compile("is"), "it is " + "so " * 300))
    [504]
    """
    ends = (found.end() + LONGEST_STATEMENT - 1 for found in stated.finditer(text))
    yield from (end for end in ends if end < len(text))


def of_option(text: str, option: str) -> Iterator[int]:
    """Places where the text of an option, as `choices.plain` has it, ends, and the word behind it; all where case
    changes the length.

    >>> list(of_option("it is Red wine", "red wine"))
    [10, 13]
    """
    words, folded = option.split(), text.casefold()
    if words and len(folded) != len(text):
        return iter(range(len(text)))
    if not words:
        return iter(())
    return of_matches(re.compile(rf"{re.escape(words[-1])}(?=(\S*\s+\S))?"), folded)
