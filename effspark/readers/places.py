"""Where does a path or URI lead, and what is there? What goes wrong is one kind of error, with its place.

    path | URI  ->  filesystem and path inside it; what lies there; files below a folder

Folders of this machine are walked without following links to folders, so that no loop of links is walked round.
Knows nothing of what files hold.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
from pyarrow import fs

from effspark.errors import LogError, problem

_PATIENCE = "retry_limit_seconds"
_MOST_SECONDS = 10


def filesystem_of(uri: str) -> tuple[fs.FileSystem, str]:
    """Filesystem of a URI or path, and the path in it.

    Raises
    ------
    LogError
        The URI names none that is known here, or that can be reached.
    """
    _checked(uri)
    if "://" not in uri:
        return fs.LocalFileSystem(), uri
    try:
        filesystem, path = fs.FileSystem.from_uri(_patient(uri))
    except (OSError, pa.ArrowException) as error:
        raise LogError(
            problem(
                "a place that cannot be reached",
                where=uri,
                found=" ".join(str(error).split()),
                allowed="a path, or a URI of file, s3, gs, abfs or hdfs that this machine can reach",
                remedy="check the URI, the network and the rights",
            )
        ) from error
    return filesystem, path


def info_of(uri: str) -> fs.FileInfo:
    """What lies at a URI or path: a file, a folder, nothing, or something else.

    Raises
    ------
    LogError
        It cannot be asked for.
    """
    filesystem, path = filesystem_of(uri)
    with failures(uri):
        return filesystem.get_file_info(path)


def modified_of(info: fs.FileInfo) -> datetime:
    """Time of last change of a file, UTC, to the second."""
    return datetime.fromtimestamp(int((info.mtime_ns or 0) // 10**9), tz=timezone.utc)


def files_below(folder: str, filesystem: fs.FileSystem, *, where: str) -> list[fs.FileInfo]:
    """Files of a folder and of those in it; links that lead to no file are left out.

    Raises
    ------
    LogError
        A folder cannot be listed, or a name is not UTF-8; the error speaks of `where`.
    """
    with failures(where):
        if not isinstance(filesystem, fs.LocalFileSystem):
            infos = filesystem.get_file_info(fs.FileSelector(folder, recursive=True))
        else:
            infos = filesystem.get_file_info(list(_walked(folder)))
    return [info for info in infos if info.type == fs.FileType.File]


@contextmanager
def failures(uri: str) -> Iterator[None]:
    """What goes wrong while a file is found, opened or read, as one kind of error."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise LogError(unreadable(uri, str(error))) from error


def unreadable(uri: str, found: str) -> str:
    """Error text for a file or folder that cannot be read."""
    return problem(
        "the file cannot be read to its end",
        where=uri,
        found=found,
        allowed="a file that this user may read, plain or as a whole gzip or zstd stream",
        remedy="check path and rights, or copy the log again",
    )


def _walked(folder: str) -> Iterator[str]:
    for here, _, names in os.walk(folder, onerror=_raised):
        yield from (_checked(str(Path(here) / name)) for name in names)


def _checked(path: str) -> str:
    """The path, if there is one and its name can be written down."""
    if not path:
        raise LogError(
            problem(
                "no path",
                where="the paths given",
                found="an empty text",
                allowed="log files, or folders of them",
                remedy="name one, or . for the working directory",
            )
        )
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise LogError(
            problem(
                "a file name that is not UTF-8",
                where=ascii(path)[1:-1],
                found=ascii(path[error.start : error.end]),
                allowed="names in UTF-8",
                remedy="rename the file",
            )
        ) from error
    return path


def _raised(error: OSError) -> NoReturn:
    raise error


def _patient(uri: str) -> str:
    """The URI; of Google Cloud Storage, which else tries for a quarter of an hour, with a bound."""
    if not uri.startswith(("gs://", "gcs://")) or _PATIENCE in uri:
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}{_PATIENCE}={_MOST_SECONDS}"


def is_named(info: Any) -> bool:
    """Has a file a name that is text? Others cannot be opened here."""
    try:
        return bool(info.path)
    except UnicodeDecodeError:
        return False
