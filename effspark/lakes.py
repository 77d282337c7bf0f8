"""What does LAKE name, and is it of this version? A folder, an object-store URI, or `catalog.schema`.

The one place that tells them apart; needs neither Spark nor Delta.
"""

from __future__ import annotations

import os
import re
from enum import Enum
from pathlib import Path
from typing import Any

from effspark.errors import LakeError, SettingsError, problem

LAKE_VERSION = 2
"""Version of the tables of a lake; raised with every change of `schemas/` that a migration must apply."""
VERSION_PROPERTY = "effspark.lake_version"
"""Property of each table that holds the version of its lake."""
SCHEMES = ("file", "s3", "s3a", "gs", "abfs", "abfss", "wasbs", "hdfs", "dbfs")
"""Schemes of the URIs that can hold a lake."""

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


def filesystem_of(uri: str) -> tuple[Any, str]:
    """Filesystem of an object-store URI, and the path in it; `s3a` is Spark's name of `s3`.

    >>> filesystem_of("file:///data/lake")[1]
    '/data/lake'
    """
    from pyarrow import fs

    filesystem, inner = fs.FileSystem.from_uri(uri.replace("s3a://", "s3://", 1))
    return filesystem, inner


def is_table(path: str) -> bool:
    """Does a Delta table lie at this folder or URI?

    Raises
    ------
    LakeError
        The store cannot be reached.
    """
    if "://" not in path:
        return (Path(path) / "_delta_log").is_dir()
    import pyarrow as pa
    from pyarrow import fs

    try:
        filesystem, inner = filesystem_of(path)
        return bool(filesystem.get_file_info(f"{inner}/_delta_log").type == fs.FileType.Directory)
    except (OSError, pa.ArrowException) as error:
        raise LakeError(
            problem(
                "the lake cannot be looked at",
                where=path,
                found=str(error),
                allowed="a store that this machine can reach, with rights to list it",
                remedy="check the URI, the network and the credentials",
            )
        ) from error


def check_there(lake: str) -> None:
    """Refuse a folder or object store that no ingest has written; what a catalog holds only Spark knows.

    Raises
    ------
    LakeError
        There is no lake.
    """
    if kind_of(lake) is not LakeKind.CATALOG and not is_table(f"{lake}/loads"):
        raise LakeError(nothing_there(lake))


def nothing_there(lake: str) -> str:
    """What is said where a lake holds no table."""
    return problem(
        "no lake",
        where=lake,
        found="no table of effspark",
        allowed="a folder that `effspark ingest` has written",
        remedy="check --lake, or ingest first",
    )


def check_version(lake: str, found: str | None) -> None:
    """Refuse a lake of another version.

    Parameters
    ----------
    found
        Value of VERSION_PROPERTY of one of its tables; null where it has none.

    Raises
    ------
    LakeError
        The lake was made by another version of effspark.
    """
    version = int(found) if found and re.fullmatch("[0-9]+", found) else 0
    if version == LAKE_VERSION:
        return
    raise LakeError(
        problem(
            "the lake is of another version",
            where=lake,
            found=f"version {version}",
            allowed=f"version {LAKE_VERSION}",
            remedy="install the effspark that made it" if version > LAKE_VERSION else "choose another lake",
        )
    )


def named(lake: str | None) -> str:
    """The lake to use: the one given, else `EFFSPARK_LAKE`; a folder as an absolute path.

    Raises
    ------
    SettingsError
        Neither is given, it is a file, or a URI that holds no files.

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
    scheme, separator, _ = chosen.partition("://")
    if separator and scheme not in SCHEMES:
        raise SettingsError(
            problem(
                "no place for a lake",
                where="--lake",
                found=chosen,
                allowed=f"a folder, catalog.schema, or a URI of {', '.join(SCHEMES)}",
                remedy="name another place",
            )
        )
    if not separator and Path(chosen).is_file():
        raise SettingsError(
            problem(
                "no place for a lake",
                where="--lake",
                found=f"{chosen}, which is a file",
                allowed="a folder, new or of an earlier ingest; catalog.schema; a URI",
                remedy="name another place",
            )
        )
    if kind_of(chosen) is LakeKind.FOLDER:
        return str(Path(chosen).absolute())
    return chosen.rstrip("/")
