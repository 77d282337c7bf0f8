"""Is there a file where the place of a log says that one may be?

    URI  ->  the file there as a log, or nothing

For companions in another folder than the log itself (`Log.siblings` lists those of its own). Knows nothing of
what they hold.
"""

from __future__ import annotations

from pyarrow import fs

from effspark.readers.files import Log
from effspark.readers.places import info_of, modified_of


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
