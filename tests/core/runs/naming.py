"""How the tests of this folder write what `named_runs` takes: runs, labels, instances and aliases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

import narwhals as nw

from effspark import tables
from effspark.runs import names

Row = dict[str, Any]

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
PLACE: Row = {
    "log_version": NOW,
    "reader_version": 1,
    "mapping_version": 0,
    "source_sha256": "f",
    "source_offset": 0,
    "source_answer": 0,
}


def later(days: int) -> datetime:
    return NOW + timedelta(days=days)


def run(run_key: str = "r", **changes: Any) -> Row:
    row = {
        "run_key": run_key,
        "eval_run_id": "e",
        "eval_run_logged": True,
        "config_id": "c",
        "family_id": "f",
        "benchmark_id": "gsm8k",
        "instance_id": "0",
        "status": "ok",
        "stop_class": "stop",
        "truncation_source": "reported",
        "token_source": "provider",
    }
    return row | PLACE | changes


def label(*, custom_id: str | None = None, **changes: Any) -> Row:
    row: Row = {"custom_id": custom_id, "benchmark_id": "gsm8k", "instance_id": "0"}
    row |= {"labels_version": NOW, "source_sha256": "l", "source_uri": "l.csv", "source_offset": 0} | changes
    target = (
        f"custom_id:{custom_id}" if custom_id else f"instance:{row['benchmark_id']}\x1f{row['instance_id']}"
    )
    return row | {"target": target}


def item(**changes: Any) -> Row:
    """An item of the benchmark; with another source, an instance as a team's log shows it."""
    row = {"benchmark_id": "gsm8k", "instance_id": "0", "source": "items", "axes": {}, "instance_key": "-"}
    return row | PLACE | changes


def frame(table: str, rows: Sequence[Row]) -> Any:
    return nw.from_native(tables.from_rows(table, list(rows)))


def aliases(**kinds: Mapping[str, str]) -> Any:
    rows = [
        {"kind": kind, "raw": raw, "canonical": canonical, "version": 1}
        for kind, pairs in kinds.items()
        for raw, canonical in pairs.items()
    ]
    return frame("aliases", rows)


def named_frame(
    runs: Sequence[Row],
    *,
    labels: Sequence[Row] = (),
    instances: Sequence[Row] = (),
    benchmarks: Mapping[str, str] | None = None,
) -> Any:
    return names.named_runs(
        frame("runs", runs),
        labels=frame("labels", labels),
        instances=frame("instances", instances),
        aliases=aliases(benchmark=benchmarks or {}),
    )


def named(*args: Any, **options: Any) -> list[Row]:
    """Named runs, by run_key."""
    rows: list[Row] = named_frame(*args, **options).to_arrow().to_pylist()
    return sorted(rows, key=lambda row: str(row["run_key"]))
