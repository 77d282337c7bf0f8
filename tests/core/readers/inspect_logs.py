"""Logs as Inspect writes them, from one document: both layouts of its archives, and the rows that a log becomes."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from effspark.readers import Options, staged_rows, staging
from effspark.readers.files import Log

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "runs" / "inspect_json" / "logs"
MODIFIED = datetime(2026, 1, 1, tzinfo=timezone.utc)


def golden() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(next(GOLDEN.glob("*.json")).read_text("utf-8"))
    return found


def header_of(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != "samples"}


def whole_members(document: Mapping[str, Any]) -> dict[str, Any]:
    """The layout of one member a sample, as the tool writes it."""
    members: dict[str, Any] = {
        "_journal/start.json": {name: document[name] for name in ("version", "eval", "plan")}
    }
    for sample in document["samples"]:
        members[f"samples/{sample['id']}_epoch_{sample['epoch']}.json"] = sample
    summaries = [{"id": sample["id"], "epoch": sample["epoch"]} for sample in document["samples"]]
    return members | {
        "_journal/summaries/1.json": summaries,
        "summaries.json": summaries,
        "reductions.json": [],
        "header.json": header_of(document),
    }


def chunked_members(document: Mapping[str, Any], size: int = 1) -> dict[str, Any]:
    """The newer layout: a shell a sample beside numbered chunks of `size` items; long texts are attachments."""
    members: dict[str, Any] = {"_journal/start.json": header_of(document)}
    for sample in document["samples"]:
        prefix = f"samples/{sample['id']}_epoch_{sample['epoch']}".replace(".", "")
        apart = ("messages", "events", "attachments", "metadata")
        shell = {name: value for name, value in sample.items() if name not in apart}
        messages = [{"role": "user", "content": "of an earlier turn"}, *sample.get("messages", [])]
        texts = [sample["input"]]
        members[f"{prefix}/sample.json"] = {
            **shell,
            "epoch": sample["epoch"],
            "input": "attachment://0",
            "message_refs": [[1, len(messages)]],
        }
        members[f"{prefix}/metadata.json"] = sample.get("metadata", {})
        members[f"{prefix}/skeleton.json"] = {"spans": []}
        members[f"{prefix}/events/stats.json"] = {}
        parts = (("messages", messages), ("events", sample.get("events", [])), ("attachments", texts))
        for part, items in parts:
            for start in range(0, len(items), size):
                members[f"{prefix}/{part}/{start}.json"] = items[start : start + size]
    return members | {"header.json": header_of(document)}


def zipped(members: Mapping[str, Any], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression=method) as archive:
        for name, value in members.items():
            archive.writestr(name, json.dumps(value))
    return target.getvalue()


def stored(folder: Path, name: str, data: bytes) -> Log:
    path = folder / name
    path.write_bytes(data)
    return Log(str(path), len(data), MODIFIED)


def rows_of(log: Log, **options: Any) -> dict[str, list[dict[str, Any]]]:
    item = staged_rows.Item(
        uri=log.uri,
        size=log.size,
        modified=MODIFIED,
        format_name="inspect_ai",
        team="t",
        options=Options(**options),
    )
    batches = list(staging.stage(item))
    return {kind: staged_rows.of_kind(iter(batches), kind).to_pylist() for kind in staged_rows.KINDS}
