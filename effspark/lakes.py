"""What does LAKE name? A folder, an object-store URI, or `catalog.schema`.

The one place that tells them apart; needs neither Spark nor Delta.
"""

from __future__ import annotations

import os
import re
from enum import Enum
from pathlib import Path

from effspark.errors import SettingsError, problem

_CATALOG = re.compile(r"[A-Za-z_][\w-]*\.[A-Za-z_][\w-]*")


class LakeKind(str, Enum):
    """Where the tables of a lake lie."""

    FOLDER = "folder"
    OBJECT_STORE = "object_store"
    CATALOG = "catalog"


def kind_of(lake: str) -> LakeKind:
    """Kind of a lake by its name; an existing folder is a folder, whatever it is called.

    >>> kind_of("main.evals").value, kind_of("s3a://bucket/lake").value, kind_of("./lake").value, kind_of("L").value
    ('catalog', 'object_store', 'folder', 'folder')
    """
    if "://" in lake:
        return LakeKind.OBJECT_STORE
    if _CATALOG.fullmatch(lake) and not Path(lake).is_dir():
        return LakeKind.CATALOG
    return LakeKind.FOLDER


def is_table(path: str) -> bool:
    """Does a Delta table lie at this folder or URI?"""
    from pyarrow import fs

    if "://" not in path:
        return (Path(path) / "_delta_log").is_dir()
    filesystem, inner = fs.FileSystem.from_uri(path)
    return bool(filesystem.get_file_info(f"{inner}/_delta_log").type == fs.FileType.Directory)


def named(lake: str | None) -> str:
    """The lake to use: the one given, else `EFFSPARK_LAKE`; a folder as an absolute path.

    Raises
    ------
    SettingsError
        Neither is given.

    >>> named("s3a://bucket/lake/")
    's3a://bucket/lake'
    """
    chosen = lake or os.environ.get("EFFSPARK_LAKE")
    if not chosen:
        raise SettingsError(
            problem(
                "no lake",
                where="--lake",
                found="nothing",
                allowed="a folder, an object-store URI or catalog.schema",
                remedy="pass --lake LAKE or set EFFSPARK_LAKE",
            )
        )
    if kind_of(chosen) is LakeKind.FOLDER:
        return str(Path(chosen).absolute())
    return chosen.rstrip("/")
