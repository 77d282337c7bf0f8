"""Which files lie beside a log, or where its place says that one may be? And which of them can be read?

    log  ->  the other files of its folder, and what is wrong with those that cannot be read
    URI  ->  the file there as a log, or nothing

A companion that cannot be read spoils no record that does without it. Knows nothing of what companions hold.
"""

from __future__ import annotations

from collections.abc import Callable
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
    found = Beside([], [])
    try:
        siblings = log.siblings()
    except LogError as error:
        return Beside([], [str(error)])
    for one in siblings:
        if not may_be(one.uri.rpartition("/")[2]):
            continue
        try:
            damage = one.damage
        except LogError as error:
            found.unreadable.append(str(error))
            continue
        found.logs.append(one)
        if damage is not None:
            found.unreadable.append(damage)
    return found


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
