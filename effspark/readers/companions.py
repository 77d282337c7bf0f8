"""Which files lie beside a log, or where its place says that one may be? And which of them can be read?

    log  ->  the other files of its folder, and what is wrong with those that cannot be read
    URI  ->  the file there as a log, or nothing

A companion that cannot be read spoils no record that does without it. Knows nothing of what companions hold.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from pyarrow import fs

from effspark.errors import LogError
from effspark.readers.files import Log
from effspark.readers.places import info_of, modified_of

_MOST_TOLD = 3


class Beside(NamedTuple):
    """Files beside a log, and what is wrong with each of them that cannot be read, or not to its end."""

    logs: list[Log]
    unreadable: list[str]

    def told(self, found: str) -> str:
        """What was found, with the files that may have held more."""
        return "; ".join([found, *self.unreadable[:_MOST_TOLD]])


def beside(log: Log, may_be: Callable[[str], bool] = bool) -> Beside:
    """Other files of the folder of a log, of those whose name may be one that is looked for.

    >>> import datetime
    >>> found = beside(Log("/no/such/folder/a.jsonl", 9, datetime.datetime.now()))
    >>> found.logs, len(found.unreadable)
    ([], 1)
    """
    return _beside(log, lambda one: _look(one, lambda _: True), may_be)


def holders(log: Log, may_hold: Callable[[Log], bool]) -> Beside:
    """Those files beside a log that may hold what is looked for.

    Each is looked at once in a process for as long as path, size and time stay, since every log of a folder asks.

    >>> import datetime
    >>> holders(Log("/no/such/folder/a.jsonl", 9, datetime.datetime.now()), bool).logs
    []
    """
    return _beside(log, lambda one: _looked(one.uri, one.size, one.modified, may_hold))


def _beside(
    log: Log, look: Callable[[Log], tuple[bool, str | None]], may_be: Callable[[str], bool] = bool
) -> Beside:
    found = Beside([], [])
    try:
        siblings = log.siblings()
    except LogError as error:
        return Beside([], [str(error)])
    for one in siblings:
        if may_be(one.uri.rpartition("/")[2]):
            holds, damage = look(one)
            found.logs.extend([one] if holds else [])
            found.unreadable.extend([] if damage is None else [damage])
    return found


@lru_cache(maxsize=1 << 14)
def _looked(
    uri: str, size: int, modified: datetime, may_hold: Callable[[Log], bool]
) -> tuple[bool, str | None]:
    return _look(Log(uri, size, modified), may_hold)


def _look(log: Log, may_hold: Callable[[Log], bool]) -> tuple[bool, str | None]:
    """May a file hold what is looked for, and what is wrong with its start?"""
    try:
        return may_hold(log), log.damage
    except LogError as error:
        return False, str(error)


def file_at(uri: str) -> Log | None:
    """File of a URI or path, null where there is none.

    Raises
    ------
    LogError
        Nobody may look there.

    >>> file_at("/no/such/folder/summary.json") is None
    True
    """
    info = info_of(uri)
    return Log(uri, info.size, modified_of(info)) if info.type == fs.FileType.File else None


def parent(uri: str, levels: int = 1) -> str:
    """Folder of a file, or the one so many levels above it; of a bare name the current one.

    >>> parent("runs/a/b.json"), parent("runs/a/b.json", 2), parent("b.json"), parent("a/b.json", 2)
    ('runs/a', 'runs', '.', '.')
    """
    folder = uri
    for _ in range(levels):
        folder = folder.rpartition("/")[0]
    return folder or "."
