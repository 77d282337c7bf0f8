"""Where do schemas, conf and jobs lie? In the installed package, or beside it in a plain checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from effspark.errors import SettingsError, problem

PACKAGE = Path(__file__).resolve().parent


@cache
def folder(name: str) -> Path:
    """Folder of the project's own data: `schemas`, `conf` or `jobs`.

    Raises
    ------
    SettingsError
        The installation is incomplete.

    >>> folder("schemas").name
    'schemas'
    """
    for candidate in (PACKAGE / name, PACKAGE.parent / name):
        if candidate.is_dir():
            return candidate
    text = problem(
        f"the folder {name} is missing",
        where=str(PACKAGE),
        found="an incomplete installation",
        allowed="the folder inside the package or beside it",
        remedy="install effspark again from its wheel",
    )
    raise SettingsError(text)
