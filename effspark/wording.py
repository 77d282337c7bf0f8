"""How do numbers and lists read in a sentence?"""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """A number and what it counts.

    >>> counted(1, "file"), counted(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def some(names: Sequence[str], most: int) -> str:
    """All names, or so many of them that with the number of the others there are `most` parts.

    >>> some("abc", 3), some("abcd", 3)
    ('a, b, c', 'a, b and 2 more')
    """
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
