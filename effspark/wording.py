"""How does a number read in a sentence?"""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number and what it counts.

    >>> counted(1, "file"), counted(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
