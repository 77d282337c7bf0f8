"""Which files of a folder are not read, and why? Hidden ones, and links that lead elsewhere.

    what lies below a folder  ->  the reason against each file  ->  one sentence a folder

Tools keep files of their own under names that begin with . or _, and a link that leads out of a folder may bring in
what nobody meant. A file that is named itself is read, whatever its name and place.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from enum import Enum
from pathlib import Path

from effspark.wording import counted


class Skip(str, Enum):
    """Why a file is not read; links are told of local folders alone."""

    HIDDEN = "hidden"
    OUTSIDE = "outside"
    FOLDER = "folder"
    NOWHERE = "nowhere"


_WORDS = {
    Skip.HIDDEN: ("file", "under a name that begins with . or _"),
    Skip.OUTSIDE: ("link", "out of the folder"),
    Skip.FOLDER: ("link", "to a folder"),
    Skip.NOWHERE: ("link", "to nothing that can be read"),
}
"""What is skipped, and how it reads in a sentence."""


def skip_of(path: str, folder: str, *, local: bool) -> Skip | None:
    """Why a file below a folder is not read; null where it is.

    >>> skip_of("a/_temporary/b.jsonl", "a", local=False).value, skip_of("a/b.jsonl", "a", local=False)
    ('hidden', None)
    """
    inside = path[len(folder) :].strip("/")
    if any(part.startswith((".", "_")) for part in inside.split("/")):
        return Skip.HIDDEN
    if local and not Path(path).resolve().is_relative_to(Path(folder).resolve()):
        return Skip.OUTSIDE
    return None


def links_without_file(folder: str, files: Set[str]) -> Iterator[tuple[Skip, str]]:
    """Links below a local folder that lead to a folder, which is not entered, or to none of the files.

    Parameters
    ----------
    files
        Paths of all files below the folder, hidden ones too.
    """
    for here, folders, names in os.walk(folder):
        for skip, entries in ((Skip.FOLDER, folders), (Skip.NOWHERE, names)):
            paths = [str(Path(here) / name) for name in entries]
            links = [path for path in paths if path not in files and Path(path).is_symlink()]
            yield from ((skip_of(path, folder, local=False) or skip, path) for path in links)


def told(folder: str, skipped: Mapping[Skip, Sequence[str]]) -> str:
    """How many files of a folder are not read, why, and the first of each kind; nothing where all are.

    >>> told("logs", {Skip.HIDDEN: ["logs/_a", "logs/.b"], Skip.OUTSIDE: ["logs/c"]})
    '2 files under a name that begins with . or _ (_a, …), 1 link out of the folder (c)'
    """
    parts = []
    for skip, (noun, which) in _WORDS.items():
        paths = skipped.get(skip, ())
        if paths:
            first = paths[0][len(folder) :].strip("/") or paths[0]
            parts.append(f"{counted(len(paths), noun)} {which} ({first}{', …' if len(paths) > 1 else ''})")
    return ", ".join(parts)
