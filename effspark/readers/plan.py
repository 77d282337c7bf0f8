"""Which files, read by whom, in which pieces? From paths to the items of work.

    paths  ->  files  ->  reader of each (by content)  ->  items: whole files, or ranges of large line files

A folder may mix formats. A file that no reader knows becomes an item too, so that it is counted and quarantined.
Source: architecture.md section 5.7.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pyarrow import fs

from effspark.errors import LogError, SettingsError, problem
from effspark.readers import MAPPER, Options, Prepares, Reads, SeesLines, detect, reader_named
from effspark.readers.files import Log
from effspark.readers.places import failures, files_below, filesystem_of, modified_of
from effspark.readers.staged_rows import Item
from effspark.readers.staging import UNKNOWN_READER

RANGE_BYTES = 64 * 1024 * 1024
"""Line files above this are read in ranges of this size (a multiple of the 16 MiB of the hash)."""


class Choice(NamedTuple):
    """A file, the reader chosen for it (null where none knows it, and `why` says so), and how that is to read it."""

    log: Log
    reader: str | None
    why: str | None
    options: Options


def files(paths: Iterable[str]) -> list[Log]:
    """Files under the paths, by name; hidden ones and links that lead out of a folder are left out.

    Raises
    ------
    LogError
        A path does not exist, or a folder holds no file.
    """
    found: dict[str, Log] = {}
    for path in paths:
        here = _files_of(path)
        if not here:
            raise LogError(
                problem(
                    "nothing to read",
                    where=path,
                    found="an empty folder",
                    allowed="log files, or folders of them",
                    remedy="check the path",
                )
            )
        found.update((log.uri, log) for log in here)
    return [found[uri] for uri in sorted(found)]


def _files_of(path: str) -> list[Log]:
    if "://" in path:
        filesystem, inner = filesystem_of(path)
        prefix = path[: len(path) - len(inner)] if path.endswith(inner) else path.split("://")[0] + "://"
    else:
        filesystem, inner = filesystem_of(path)
        inner, prefix = str(Path(inner).absolute()), ""
    with failures(path):
        info = filesystem.get_file_info(inner)
    if info.type == fs.FileType.File:
        return [_log(prefix, info)]
    if info.type != fs.FileType.Directory:
        nothing = info.type == fs.FileType.NotFound
        raise LogError(
            problem(
                "no such file or folder",
                where=path,
                found="nothing" if nothing else "a pipe or a device",
                allowed="log files, or folders of them",
                remedy="check the path",
            )
        )
    infos = files_below(inner, filesystem, where=path)
    return [_log(prefix, info) for info in infos if _belongs(info, inner, local=not prefix)]


def _belongs(info: Any, folder: str, *, local: bool) -> bool:
    inside = str(info.path)[len(folder) :].strip("/")
    if any(part.startswith((".", "_")) for part in inside.split("/")):
        return False
    return not local or Path(info.path).resolve().is_relative_to(Path(folder).resolve())


def _log(prefix: str, info: Any) -> Log:
    return Log(prefix + info.path, int(info.size), modified_of(info))


def choose(logs: Sequence[Log], options: Options, *, format_name: str = "auto") -> list[Choice]:
    """Reader of each file: the named one, else by content; a file that none knows is for the mapping, if one is given.

    Raises
    ------
    SettingsError
        A mapping does not fit a file it is chosen for.
    """
    return [_settled(log, options, format_name) for log in logs]


def _settled(log: Log, options: Options, format_name: str) -> Choice:
    if format_name != "auto":
        return _prepared(log, reader_named(format_name).name, options)
    try:
        name = detect(log).name
    except LogError as error:
        return _by_mapping(log, options, _damage(log) or str(error))
    return _prepared(log, name, options)


def _damage(log: Log) -> str | None:
    """What is wrong with a file that no reader knows, where its content cannot be read whole."""
    try:
        return log.damage
    except LogError as error:
        return str(error)


def _by_mapping(log: Log, options: Options, why: str) -> Choice:
    """A file that no reader knows is read by the mapping, if one is given and fits it."""
    if options.mapping is None:
        return Choice(log, None, why, options)
    try:
        return _prepared(log, MAPPER, options)
    except SettingsError as error:
        return Choice(log, None, str(error), options)


def _prepared(log: Log, name: str, options: Options) -> Choice:
    reader = reader_named(name)
    fitted = reader.options_for(log, options) if isinstance(reader, Prepares) else options
    return Choice(log, name, None, fitted)


def some_known(choices: Sequence[Choice]) -> None:
    """Refuse to go on where no reader knows any of the files.

    Raises
    ------
    LogError
        The first reason, and how many files there are.
    """
    if all(choice.reader is None for choice in choices):
        more = f"\n({len(choices)} files, none of a known format)" if len(choices) > 1 else ""
        raise LogError((choices[0].why or "") + more)


def items(choices: Sequence[Choice], *, team: str) -> list[Item]:
    """Items of work for the chosen files, in order."""
    planned: list[Item] = []
    for choice in choices:
        item = Item(
            uri=choice.log.uri,
            size=choice.log.size,
            modified=choice.log.modified,
            reader=choice.reader or UNKNOWN_READER,
            why=choice.why,
            team=team,
            options=choice.options,
        )
        planned += _ranges(item, choice.log) if _splits(choice) else [item]
    return planned


def _splits(choice: Choice) -> bool:
    if choice.reader is None or choice.log.size <= RANGE_BYTES or not choice.log.is_splittable:
        return False
    reader = reader_named(choice.reader)
    seen = isinstance(reader, SeesLines) and reader.is_lines(choice.log, choice.options)
    return seen or reader.reads is Reads.LINES


def _ranges(item: Item, log: Log) -> list[Item]:
    sha256 = log.sha256()
    starts = range(0, log.size, RANGE_BYTES)
    return [
        replace(item, start=start, end=min(start + RANGE_BYTES, log.size), source_sha256=sha256)
        for start in starts
    ]
