"""How many CPU seconds does reading cost? JSON lines beside DuckDB (P11), and Inspect archives.

    python bench/reading.py [--scale tiny] [--rounds 3] [--out bench/RESULTS.md]

Each side reads the same seeded file in a fresh process with one thread, in turn; medians of the rounds are compared.
What a side imports is imported before its time begins.
DuckDB reads the same fields with `read_json` and declared types.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SCALES = {"tiny": 0.002, "whole": 1.0}
RECORDS = {1_000: 60_000, 30_000: 4_000}
"""Characters of a record -> records of the file at whole scale."""
SAMPLES = {2_000: 4_000, 7_000: 2_000, 30_000: 1_000}
"""Characters of a sample -> samples of the archive at whole scale; samples of the public logs have 8 kB to 14 kB."""
WORDS = (
    "the",
    "of",
    "and",
    "to",
    "total",
    "apples",
    "so",
    "we",
    "add",
    "carry",
    "therefore",
    "step",
    "check",
)


class Read(NamedTuple):
    """What one side did: CPU seconds, rows, and the sum of their output tokens."""

    seconds: float
    rows: int
    tokens: int


def _text(rng: random.Random, length: int) -> str:
    return " ".join(rng.choices(WORDS, k=length // 4 + 1))[:length]


def write_lines(path: Path, *, length: int, records: int) -> None:
    """An OpenAI batch: records of about `length` characters."""
    rng = random.Random(length)
    with path.open("w") as out:
        for number in range(records):
            message = {"role": "assistant", "content": _text(rng, length - 400), "refusal": None}
            made = 100 + number % 1000
            body = {
                "id": f"chatcmpl-{number}",
                "object": "chat.completion",
                "created": 1767225600 + number,
                "model": "gpt-4o-mini-2024-07-18",
                "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 20, "completion_tokens": made, "total_tokens": 20 + made},
            }
            response = {"status_code": 200, "request_id": f"r{number}", "body": body}
            row = {"id": f"b{number}", "custom_id": f"q{number}", "response": response, "error": None}
            out.write(json.dumps(row) + "\n")


def write_archive(path: Path, *, length: int, records: int) -> None:
    """An archive of Inspect with samples of about `length` characters."""
    sys.path.insert(0, str(ROOT))
    from tests import load_folders

    made = load_folders.archives(path.parent / "made", count=1, samples=records, length=length)
    assert made.runs == records
    (file,) = (path.parent / "made").glob("*.eval")
    file.rename(path)
    file.parent.rmdir()


def effspark(path: Path) -> Read:
    """Runs of a log, as a task stages them; pyarrow imports pandas with the first list that it converts."""
    import pandas  # noqa: F401

    from effspark.laptop import planned
    from effspark.readers import Options, registry, staged_rows, staging

    registry()
    begun = time.process_time()
    batches = [
        batch for item in planned([str(path)], Options(benchmark="b")) for batch in staging.stage(item)
    ]
    seconds = time.process_time() - begun
    runs = staged_rows.of_kind(iter(batches), "runs")
    return Read(seconds, runs.num_rows, sum(runs["output_tokens"].to_pylist()))


def duckdb(path: Path) -> Read:
    """The same fields by DuckDB."""
    import duckdb as engine

    choice = "STRUCT(message STRUCT(content VARCHAR), finish_reason VARCHAR)"
    usage = "STRUCT(prompt_tokens BIGINT, completion_tokens BIGINT)"
    body = f"STRUCT(model VARCHAR, created BIGINT, choices {choice}[], usage {usage})"
    query = f"""
        SELECT custom_id, response.body.model, response.body.created, response.body.choices[1].message.content,
               response.body.choices[1].finish_reason, response.body.usage.prompt_tokens,
               response.body.usage.completion_tokens AS tokens
        FROM read_json('{path}', format = 'newline_delimited',
                       columns = {{custom_id: 'VARCHAR', response: 'STRUCT(body {body})'}})"""
    connection = engine.connect()
    connection.execute("SET threads = 1")
    begun = time.process_time()
    found = connection.sql(query).to_arrow_table()
    seconds = time.process_time() - begun
    return Read(seconds, found.num_rows, sum(found["tokens"].to_pylist()))


SIDES: dict[str, Callable[[Path], Read]] = {"effspark": effspark, "duckdb": duckdb}


def fresh(side: str, path: Path) -> Read:
    """A side in a process of its own."""
    command = [sys.executable, __file__, "--side", side, str(path)]
    told = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    return Read(*json.loads(told.stdout))


def rounds(sides: list[str], path: Path, count: int) -> dict[str, float]:
    """Median CPU seconds of each side; what they read must be the same."""
    found = [{side: fresh(side, path) for side in sides} for _ in range(count)]
    assert len({(read.rows, read.tokens) for each in found for read in each.values()}) == 1, found
    return {side: median(each[side].seconds for each in found) for side in sides}


def measured(folder: Path, *, share: float, count: int) -> list[tuple[str, ...]]:
    """Rows of the result: goal, what, effspark, peer, ratio or speed, must, aim."""
    rows: list[tuple[str, ...]] = []
    for length, records in RECORDS.items():
        path = folder / f"{length}.jsonl"
        write_lines(path, length=length, records=max(round(records * share), 10))
        took = rounds(["effspark", "duckdb"], path, count)
        must, aim = ("≥ 0.10", "≥ 0.25") if length == min(RECORDS) else ("≥ 0.25", "≥ 0.5")
        what = f"JSON lines of {length // 1000} kB, {path.stat().st_size / 1e6:.0f} MB"
        ratio = f"{took['duckdb'] / took['effspark']:.2f}× DuckDB"
        rows.append(("P11", what, f"{took['effspark']:.2f} s", f"{took['duckdb']:.2f} s", ratio, must, aim))
    for length, samples in SAMPLES.items():
        path = folder / f"{length}.eval"
        write_archive(path, length=length, records=max(round(samples * share), 10))
        seconds, size = rounds(["effspark"], path, count)["effspark"], decompressed(path)
        what = f"Inspect archive, samples of {size / max(round(samples * share), 10) / 1e3:.0f} kB, {size / 1e6:.0f} MB"
        rows.append(("", what, f"{seconds:.2f} s", "", f"{size / seconds / 1e6:.0f} MB/s", "≥ 30 MB/s", ""))
    return rows


def decompressed(path: Path) -> int:
    """Bytes of JSON in an archive."""
    import zipfile

    with zipfile.ZipFile(path) as archive:
        return sum(member.file_size for member in archive.infolist())


def markdown(rows: list[tuple[str, ...]]) -> str:
    """The result as a page."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("msgspec", "pyarrow", "duckdb"))
    head = ("goal", "what", "effspark", "peer", "found", "must", "aim")
    lines = ["| " + " | ".join(row) + " |" for row in (head, ("---",) * len(head), *rows)]
    where = f"{os.cpu_count()} cores {platform.machine()}, Python {platform.python_version()}, {packages}"
    return (
        f"# Measured\n\nCPU seconds, medians, one thread, fresh processes in turn. {where}.\n\n"
        + "\n".join(lines)
        + "\n"
    )


def main(argv: list[str] | None = None) -> None:
    """Measure, print, and write where asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", choices=SCALES, default="whole")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args(argv)
    if asked.side:
        print(json.dumps(SIDES[asked.side[0]](Path(asked.side[1]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        page = markdown(measured(Path(folder), share=SCALES[asked.scale], count=asked.rounds))
    print(page)
    if asked.out:
        asked.out.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
