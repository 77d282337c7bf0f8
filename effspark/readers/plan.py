"""Which files, in which pieces? From paths to the items of work.

    paths  ->  files  ->  items: whole files, or ranges of large line files

Who reads a file is seen where it is opened (choosing.py): in its task, but for large files, which are cut by their
content. Source: architecture.md section 5.7.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pyarrow import fs

from effspark.errors import LogError, problem
from effspark.readers import Options, Reads, SeesLines, reader_named, skips
from effspark.readers.choosing import AUTO, Choice, choose
from effspark.readers.crashes import READER_FAILED, crashes
from effspark.readers.files import Log
from effspark.readers.places import failures, files_below, filesystem_of, modified_of
from effspark.readers.skips import Skip
from effspark.readers.staged_rows import Item

RANGE_BYTES = 64 * 1024 * 1024
"""Line files above this are read in ranges of this size (a multiple of the 16 MiB of the hash)."""


class Listing(NamedTuple):
    """Files to read, by name, and what is said of those under the paths that are not read: a sentence a folder."""

    logs: list[Log]
    skipped: list[str]


class _Place(NamedTuple):
    """What lies under one path: files to read, and those that are not, by the reason; `folder` as they name it."""

    folder: str
    logs: list[Log]
    skipped: dict[Skip, list[str]]


def files(paths: Iterable[str], *, but: Collection[str] = ()) -> list[Log]:
    """Files under the paths, by name; hidden ones and links that lead out of a folder are left out.

    Parameters
    ----------
    but
        URIs of files that are read as something else, say as labels.

    Raises
    ------
    LogError
        A path does not exist, or a folder holds no file that is read.
    """
    return listed(paths, but=but).logs


def listed(paths: Iterable[str], *, but: Collection[str] = ()) -> Listing:
    """The same, and what is said of the files that are not read though they lie there.

    Raises
    ------
    LogError
        A path does not exist, or a folder holds no file that is read.
    """
    found: dict[str, Log] = {}
    places: dict[str, _Place] = {}
    for path in paths:
        here = places[path] = _place_of(path)
        if not here.logs:
            silent = skips.told(here.folder, here.skipped)
            raise LogError(
                problem(
                    "nothing to read",
                    where=path,
                    found=f"only what is not read: {silent}" if silent else "an empty folder",
                    allowed="log files, or folders of them",
                    remedy="name such a file itself, or the folder that a link leads to"
                    if silent
                    else "check the path",
                )
            )
        found.update((log.uri, log) for log in here.logs)
    told = [_told(path, place, found) for path, place in places.items()]
    return Listing([found[uri] for uri in sorted(found) if uri not in but], [*filter(None, told)])


def _told(path: str, place: _Place, read: Mapping[str, Log]) -> str:
    """What is said of a folder's files that no path names."""
    left = {skip: [uri for uri in uris if uri not in read] for skip, uris in place.skipped.items()}
    what = skips.told(place.folder, left)
    return f"not read ({path}): {what}; name such a file itself to read it" if what else ""


def _place_of(path: str) -> _Place:
    if "://" in path:
        filesystem, inner = filesystem_of(path)
        prefix = path[: len(path) - len(inner)] if path.endswith(inner) else path.split("://")[0] + "://"
    else:
        filesystem, inner = filesystem_of(path)
        path_here = Path(inner).absolute()
        inner, prefix = str(path_here.resolve() if ".." in path_here.parts else path_here), ""
    with failures(path):
        info = filesystem.get_file_info(inner)
    if info.type == fs.FileType.File:
        return _Place(prefix + inner, [_log(prefix, info)], {})
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
    return _parted(files_below(inner, filesystem, where=path), inner, prefix)


def _parted(infos: Sequence[Any], folder: str, prefix: str) -> _Place:
    """Files of a folder, apart by whether they are read."""
    local, logs = not prefix, []
    skipped: dict[Skip, list[str]] = {}
    for info in infos:
        skip = skips.skip_of(str(info.path), folder, local=local)
        if skip is None:
            logs.append(_log(prefix, info))
        else:
            skipped.setdefault(skip, []).append(prefix + info.path)
    if local:
        for skip, path in skips.links_without_file(folder, {str(info.path) for info in infos}):
            skipped.setdefault(skip, []).append(path)
    return _Place(prefix + folder, logs, {skip: sorted(paths) for skip, paths in skipped.items()})


def _log(prefix: str, info: Any) -> Log:
    return Log(prefix + info.path, int(info.size), modified_of(info))


def items(
    logs: Sequence[Log],
    options: Options,
    *,
    team: str,
    format_name: str = AUTO,
    hash_of: Callable[[Log], str] = Log.sha256,
) -> list[Item]:
    """Items of work for the files, in order. None is opened but the large ones, which may be cut into ranges.

    Parameters
    ----------
    hash_of
        How a large file that is cut is hashed.

    Raises
    ------
    SettingsError
        There is no format of that name, or the mapping does not fit a large file.
    """
    if format_name != AUTO:
        reader_named(format_name)
    planned: list[Item] = []
    for log in logs:
        item = Item(
            uri=log.uri,
            size=log.size,
            modified=log.modified,
            format_name=format_name,
            team=team,
            options=options,
        )
        planned += [item] if log.size <= RANGE_BYTES else _of_large(item, log, hash_of)
    return planned


def _of_large(item: Item, log: Log, hash_of: Callable[[Log], str]) -> list[Item]:
    choice = choose(log, item.options, format_name=item.format_name)
    chosen = replace(item, choice=choice)
    return _ranges(replace(chosen, source_sha256=hash_of(log))) if _splits(log, choice) else [chosen]


def _splits(log: Log, choice: Choice) -> bool:
    if choice.reader is None or not log.is_splittable:
        return False
    reader = reader_named(choice.reader)
    if reader.reads is Reads.LINES or not isinstance(reader, SeesLines):
        return reader.reads is Reads.LINES
    try:
        with crashes(reader.name, log.uri):
            return reader.is_lines(log, choice.options)
    except LogError as error:
        if error.reason == READER_FAILED:  # in its task it may tell more
            return False
        raise


def _ranges(item: Item) -> list[Item]:
    starts = range(0, item.size, RANGE_BYTES)
    return [replace(item, start=start, end=min(start + RANGE_BYTES, item.size)) for start in starts]


def refuse_two_kinds(given: Iterable[tuple[str, str]]) -> None:
    """Refuse a file that is given as two kinds at once, say as items and as labels: its records would count twice.

    Parameters
    ----------
    given
        URI and kind of each file.

    Raises
    ------
    LogError
        The first such file, with its kinds.

    >>> refuse_two_kinds([("a", "log"), ("b", "items"), ("a", "log")])
    """
    kinds: dict[str, str] = {}
    for uri, kind in given:
        other = kinds.setdefault(uri, kind)
        if other != kind:
            raise LogError(
                problem(
                    "one file is given as two kinds",
                    where=uri,
                    found=f"{other} and {kind}",
                    allowed="one kind a file",
                    remedy="name it once, or make two files of it",
                )
            )
