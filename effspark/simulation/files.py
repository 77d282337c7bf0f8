"""What is a file of the simulation? A path, its bytes and the time it was last written; the clock is never asked.

Readers take a file's time as the version of a log that names none, so times are part of the data.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple


class LogFile(NamedTuple):
    """One file: path below its folder, content, and the time it was last written."""

    path: PurePosixPath
    content: bytes
    at: datetime


def json_lines(rows: Iterable[Any]) -> bytes:
    r"""Rows as JSON lines.

    >>> json_lines([{"a": 1}, {"b": "é"}]).decode()
    '{"a": 1}\n{"b": "é"}\n'
    """
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def write(folder: Path, files: Iterable[LogFile]) -> list[Path]:
    """Write files below a folder with their own times; their places, in order.

    >>> import tempfile
    >>> from datetime import timezone
    >>> file = LogFile(PurePosixPath("a/b.txt"), b"x", datetime(2026, 3, 2, tzinfo=timezone.utc))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write(Path(folder), [file])[0].stat().st_mtime)
    1772409600.0
    """
    written = []
    for file in files:
        place = folder / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
        os.utime(place, (file.at.timestamp(), file.at.timestamp()))
        written.append(place)
    return written
