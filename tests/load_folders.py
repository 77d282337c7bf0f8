"""Folders as large teams have them, of any size: many small files, one long file of lines, many archives.

Every record is a run of its own, so what a load must count is known. Used small by tests/spark/test_load.py and whole
by tests/load.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from effspark.simulation.archive import Method, packed
from tests.core.readers.inspect_logs import golden, header_of

STAMP = datetime(2026, 3, 2, 9)
TEXT = "so we add the apples of the first basket to those of the second and carry one; "


class Written(NamedTuple):
    """A folder: how many files, runs and bytes it holds."""

    files: int
    runs: int
    size: int


def _answer(custom_id: str, length: int) -> str:
    """A line of an OpenAI batch whose text has `length` characters."""
    body = {
        "model": "gpt-4o-mini-2024-07-18",
        "created": 1770000000,
        "choices": [
            {
                "message": {"role": "assistant", "content": (TEXT * (length // len(TEXT) + 1))[:length]},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 20, "completion_tokens": 100, "total_tokens": 120},
    }
    return json.dumps({"custom_id": custom_id, "response": {"status_code": 200, "body": body}}) + "\n"


def small_files(folder: Path, *, files: int, lines: int = 3, length: int = 800) -> Written:
    """Many batches of a few answers, a folder of them for every hundred."""
    for number in range(files):
        path = folder / f"{number // 100:04}" / f"{number:06}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(_answer(f"f{number}-{line}", length) for line in range(lines)))
    return _written(folder, files * lines)


def long_file(folder: Path, *, size: int, length: int = 4000) -> Written:
    """One file of lines, of at least `size` bytes."""
    folder.mkdir(parents=True)
    done = runs = 0
    with (folder / "long.jsonl").open("w") as out:
        while done < size:
            done += out.write(_answer(f"l{runs}", length))
            runs += 1
    return _written(folder, runs)


def archives(folder: Path, *, count: int, samples: int, length: int = 4000) -> Written:
    """Archives of Inspect, each an eval run of its own."""
    folder.mkdir(parents=True)
    for number in range(count):
        document = golden()
        document["eval"] |= {"task_id": f"task{number}", "run_id": f"run{number}", "eval_id": f"eval{number}"}
        members = packed(_members(document, samples, length), method=Method.DEFLATE, at=STAMP)
        (folder / f"{number:04}.eval").write_bytes(members)
    return _written(folder, count * samples)


def _members(document: dict[str, object], samples: int, length: int) -> Iterator[tuple[str, bytes]]:
    first = golden()["samples"][0]
    text = (TEXT * (length // len(TEXT) + 1))[:length]
    for number in range(samples):
        sample = {**first, "id": f"s{number}", "epoch": 1, "uuid": f"u{number}", "notes": text}
        yield f"samples/s{number}_epoch_1.json", json.dumps(sample).encode()
    yield "header.json", json.dumps(header_of(document)).encode()


def _written(folder: Path, runs: int) -> Written:
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return Written(len(sizes), runs, sum(sizes))
