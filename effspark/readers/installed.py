"""Which readers do other packages bring, and can each be used? The entry-point group `effspark.readers`.

    entry points  ->  readers by name, or all that is wrong with any of them

Whose files one that cannot be used would read, nobody can tell: so it stops the command until it is mended or
uninstalled. What a reader must have is `Reader`; how to write one: docs/readers.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from effspark.errors import SettingsError, all_problems
from effspark.readers import COMPANIONS, FIELDS, Carries, Reader, Reads
from effspark.readers.choosing import AUTO, UNKNOWN_READER
from effspark.readers.crashes import shown

GROUP = "effspark.readers"
"""Entry points of this group are readers."""
_RESERVED = (*COMPANIONS, AUTO, UNKNOWN_READER)


def installed(shipped: Collection[str]) -> dict[str, Reader]:
    """Readers of other packages, by name.

    Parameters
    ----------
    shipped
        Names that are taken.

    Raises
    ------
    SettingsError
        All that is wrong with them, by entry point.

    >>> "mapper" in installed(["mapper"])
    False
    """
    found: dict[str, Reader] = {}
    told: list[str] = []
    for entry in entry_points(group=GROUP):
        try:
            reader = entry.load()
            wrong = faults(reader, taken=[*_RESERVED, *shipped, *found])
        except Exception as error:  # whatever the package does when it is imported
            wrong = [f"found {shown(error)}; allowed: a reader that can be loaded"]
        told += [f"{_place(entry)}: {fault}; mend it or uninstall {_package(entry)}" for fault in wrong]
        if not wrong:
            found[reader.name] = reader
    if told:
        raise SettingsError(all_problems("readers of other packages cannot be used (docs/readers.md)", told))
    return found


def faults(reader: Any, *, taken: Collection[str] = ()) -> list[str]:
    """What is wrong with a reader: members that it lacks, and those that are none.

    >>> class Acme:
    ...     name, version, reads, title, trap = "acme", "1", Reads.FILE, "Acme logs", "None."
    ...     carries = dict.fromkeys(FIELDS, Carries.ABSENT)
    ...     def detect(self, log): return 0.0
    >>> faults(Acme())
    ["version: found '1'; allowed: a whole number from 1", 'read: missing; allowed: a method of (log, options)']
    """
    if isinstance(reader, type):
        return [f"found the class {reader.__name__}; allowed: an object of it, {reader.__name__}()"]
    told = []
    for name, (allowed, fits) in _MEMBERS.items():
        if not hasattr(reader, name):
            told.append(f"{name}: missing; allowed: {allowed}")
        elif not fits(getattr(reader, name)):
            told.append(f"{name}: found {getattr(reader, name)!r:.80}; allowed: {allowed}")
    told += [
        f"{name}: found {getattr(reader, name)!r:.80}; allowed: {allowed}"
        for name, (allowed, fits) in _MORE.items()
        if hasattr(reader, name) and not fits(getattr(reader, name))
    ]
    if not told and reader.name in taken:
        told.append(f"two readers are called {reader.name}: allowed: one reader a name")
    return told


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _whole(least: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**31


def _says_all(carries: Any) -> bool:
    if not isinstance(carries, Mapping) or set(carries) != set(FIELDS):
        return False
    return all(isinstance(value, Carries) for value in carries.values())


def _takes(count: int) -> Callable[[Any], bool]:
    """Can it be called with so many arguments?"""

    def fits(member: Any) -> bool:
        try:
            inspect.signature(member).bind(*range(count))
        except (TypeError, ValueError):
            return False
        return True

    return fits


_MEMBERS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "name": ("a text", _is_text),
    "version": ("a whole number from 1", _whole(1)),
    "reads": ("Reads.LINES or Reads.FILE", lambda value: isinstance(value, Reads)),
    "title": ("a text", _is_text),
    "trap": ("a text", _is_text),
    "carries": (f"one of Carries for each of {', '.join(FIELDS)}", _says_all),
    "detect": ("a method of (log)", _takes(1)),
    "read": ("a method of (log, options)", _takes(2)),
}
"""What every reader has."""
_MORE: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "options_for": ("a method of (log, options)", _takes(2)),
    "is_lines": ("a method of (log, options)", _takes(2)),
    "companions": ("a whole number from 0", _whole(0)),
}
"""What a reader may have."""


def _package(entry: EntryPoint) -> str:
    return "its package" if entry.dist is None else entry.dist.name


def _place(entry: EntryPoint) -> str:
    version = "" if entry.dist is None else f" {entry.dist.version}"
    return f"{_package(entry)}{version}, entry point {entry.name} = {entry.value}"
