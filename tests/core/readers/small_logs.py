"""Small logs for tests of readers: files written on the spot, and the samples of other formats."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from effspark.readers import Entry, Mapped, Options, Reader, staged_rows, staging
from effspark.readers.files import Log
from effspark.runs.record import LoggedRun

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def log_of(path: Path) -> Log:
    return Log(str(path), path.stat().st_size, NOW)


def document(path: Path, value: Any) -> Path:
    """A file that is one JSON document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")
    return path


def lines(path: Path, *values: Any) -> Path:
    """A file of JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values), "utf-8")
    return path


def entries(reader: Reader, path: Path, **options: Any) -> list[Entry]:
    return list(reader.read(log_of(path), Options(**options)))


def runs(reader: Reader, path: Path, **options: Any) -> list[LoggedRun]:
    """Runs of all records that became runs."""
    return [
        run for entry in entries(reader, path, **options) if isinstance(entry, Mapped) for run in entry.runs
    ]


def staged(reader: Reader, path: Path, table: str = "runs", **options: Any) -> list[dict[str, Any]]:
    """Rows of a table that a file becomes."""
    item = staged_rows.Item(
        uri=str(path), size=1, modified=NOW, format_name=reader.name, team="t", options=Options(**options)
    )
    rows: list[dict[str, Any]] = staged_rows.of_kind(staging.stage(item), table).to_pylist()
    return rows


def claimed(reader: Reader, samples: Path) -> list[str]:
    """Sample logs that a reader says it knows, by path."""
    folder = samples / "logs"
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path.relative_to(folder).as_posix() for path in files if reader.detect(log_of(path)) > 0]
