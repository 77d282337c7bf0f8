"""Tiny logs for Spark tests: a CSV with a mapping, written by hand."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from effspark.loaded import Load
from effspark.readers import Options, plan
from effspark.spark.ingest import Request, ingest
from effspark.spark.store import Store

NOW = datetime(2026, 11, 1, tzinfo=timezone.utc)
HEADER = "model,id,try,tokens,cap,end,ok,logged"
MAPPING: dict[str, Any] = {
    "name": "small",
    "version": 1,
    "benchmark": {"value": "riddles"},
    "model": "model",
    "instance": "id",
    "attempt": "try",
    "output_tokens": "tokens",
    "output_budget_tokens": "cap",
    "finish_reason": "end",
    "log_version": "logged",
    "verdicts": {"exact": {"value": "ok", "kind": "binary"}},
}
ROWS = (
    "one,a,1,100,500,stop,1,2026-01-01T00:00:00Z",
    "one,b,1,500,500,length,0,2026-01-01T00:00:00Z",
    "two,a,1,50,500,stop,0,2026-01-01T00:00:00Z",
    "two,b,1,70,500,stop,1,2026-01-01T00:00:00Z",
)


def csv(folder: Path, name: str, rows: tuple[str, ...] = ROWS, *, day: int = 1) -> Path:
    """A log file whose time is a day of January 2026."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("\n".join((HEADER, *rows)) + "\n")
    stamp = datetime(2026, 1, day, tzinfo=timezone.utc).timestamp()
    os.utime(path, (stamp, stamp))
    return path


def request(
    *paths: Path, team: str = "blue", kind: str = "log", benchmark: str | None = None, **mapping: Any
) -> Request:
    """Files to ingest by the small mapping, or by a changed one."""
    changed = {name: value for name, value in {**MAPPING, **mapping}.items() if value is not None}
    declared = changed if kind == "log" else None
    format_name = "auto" if kind == "log" else kind
    options = Options(benchmark=benchmark, mapping=declared)
    return Request(plan.files([*map(str, paths)]), team, options, format_name, kind)


def load(store: Store, *paths: Path, **asked: Any) -> Load:
    """Ingest files as one `request`."""
    return ingest(store, [request(*paths, **asked)], now=NOW)


def column(store: Store, table: str, *names: str) -> list[tuple[Any, ...]]:
    """Some columns of a table, as sorted rows."""
    found = store.read(table).select(*names).collect()
    return sorted((tuple(row) for row in found), key=str)
