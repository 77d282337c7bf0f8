"""Who reads a file, and how? The named format, else the reader that is most sure of the content, else the mapping.

    file, options, name of a format or `auto`  ->  reader (null where none knows it, and why) and options for the file

A folder may mix formats. Decided where the file is opened: in its task. Source: architecture.md section 5.7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from effspark.errors import LogError, SettingsError
from effspark.readers import MAPPER, Options, Prepares, detect, reader_named
from effspark.readers.crashes import READER_FAILED, crashes
from effspark.readers.files import Log
from effspark.wording import counted

AUTO = "auto"
"""Stands for the format that the content shows."""
UNKNOWN_READER = "unknown"
"""Reader name of a file that no reader knows: it becomes one quarantined record."""
UNKNOWN_FORMAT = "unknown_format"
"""Reason of that record, where nothing else is wrong with the file."""
UNFIT_MAPPING = "unfit_mapping"
"""Reason where a mapping is given, which does not fit the file."""


class Choice(NamedTuple):
    """The reader chosen for a file (null where there is none, and `why` and `reason` say so), and how it is to read."""

    reader: str | None
    why: str | None
    options: Options
    reason: str = UNKNOWN_FORMAT


def choose(log: Log, options: Options, *, format_name: str = AUTO) -> Choice:
    """Reader of a file: the named one, else by content; a file that none knows is for the mapping, if one is given.

    Raises
    ------
    SettingsError
        There is no format of that name, or the mapping does not fit the file that it is named for.
    """
    if format_name != AUTO:
        return _prepared(log, reader_named(format_name).name, options)
    try:
        name = detect(log).name
    except LogError as error:
        if error.reason == READER_FAILED:
            return Choice(None, str(error), options, READER_FAILED)
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
        return Choice(None, why, options)
    try:
        return _prepared(log, MAPPER, options)
    except SettingsError as error:
        return Choice(None, str(error), options, UNFIT_MAPPING)


def _prepared(log: Log, name: str, options: Options) -> Choice:
    reader = reader_named(name)
    if not isinstance(reader, Prepares):
        return Choice(name, None, options)
    try:
        with crashes(name, log.uri):
            return Choice(name, None, reader.options_for(log, options))
    except LogError as error:
        if error.reason == READER_FAILED:
            return Choice(None, str(error), options, READER_FAILED)
        raise


def refuse_if_unusable(counts: Iterable[Mapping[str, Any]]) -> None:
    """Refuse to go on where the settings do not fit a file, or where no reader knows any of the files.

    Parameters
    ----------
    counts
        Rows of `counts`, of all items of a load.

    Raises
    ------
    SettingsError
        The mapping does not fit a file that it is named for.
    LogError
        No reader knows any of the files.
    """
    rows = sorted(counts, key=lambda row: str(row["source_uri"]))
    faults = [row["fault"] for row in rows if row["fault"] is not None]
    if faults:
        raise SettingsError(faults[0])
    refuse_if_all_unknown([(row["reader"], row["why"] or "") for row in rows])


def refuse_if_all_unknown(files: Sequence[tuple[str, str]]) -> None:
    """Refuse to go on where no reader knows any of the files.

    Parameters
    ----------
    files
        Reader of each, and why it is unknown.

    Raises
    ------
    LogError
        The reason for the first file, and how many files there are.

    >>> refuse_if_all_unknown([("unknown", "unknown log format (a)"), ("mapper", "")])
    >>> refuse_if_all_unknown([("unknown", "unknown log format (a)")])
    Traceback (most recent call last):
    effspark.errors.LogError: unknown log format (a)
    """
    if files and all(reader == UNKNOWN_READER for reader, _ in files):
        more = f"\n({counted(len(files), 'file')}, none of a known format)" if len(files) > 1 else ""
        raise LogError(files[0][1] + more)
