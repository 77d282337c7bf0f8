"""How long does a large load take, and how much memory does a task need? Folders of full size, ingested as users do.

    a folder (load_folders.py)  ->  effspark ingest in a process of its own  ->  seconds, memory, MB/s
                                ->  the same again, nothing being opened     ->  seconds

Ends with 1 where a run is missing, a file is opened again or a worker takes more memory than a task may. Full sizes
(10,000 small files; one file of 5 GB; 200 archives of 1,000 samples) need an hour and 15 GB of disk.

    python tests/load.py [--share 0.01] [small | long | archives ...]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # the folders beside this file are no packages of that name

from tests import load_folders as folders  # noqa: E402
from tests.load_folders import Written  # noqa: E402

WORKER_BYTES = 1024 * 1024 * 1024
"""What a Python worker may take, whatever the size of the files."""
_TICK, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
_FILES, _SIZE, _ARCHIVES, _SAMPLES = 10_000, 5_000_000_000, 200, 1000


class Used(NamedTuple):
    """What a process and its children took: wall and CPU seconds, the most memory of one Python worker, the JVM's."""

    wall: float
    cpu: float
    worker: int
    jvm: int


def cases(share: float) -> dict[str, Callable[[Path], Written]]:
    """Folders by name, at a share of their full size."""
    return {
        "small": lambda folder: folders.small_files(folder, files=round(_FILES * share)),
        "long": lambda folder: folders.long_file(folder, size=round(_SIZE * share)),
        "archives": lambda folder: folders.archives(
            folder, count=max(round(_ARCHIVES * share), 2), samples=_SAMPLES
        ),
    }


def descendants(pid: int) -> dict[int, tuple[str, float, int]]:
    """Processes below one: name, CPU seconds and resident bytes."""
    parents: dict[int, int] = {}
    told: dict[int, tuple[str, float, int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = stat.read_text().split("(", 1)[1].rsplit(") ", 1)
        except OSError:  # it has ended
            continue
        fields = rest.split()
        one = int(stat.parent.name)
        parents[one] = int(fields[1])
        told[one] = (name, (int(fields[11]) + int(fields[12])) / _TICK, int(fields[21]) * _PAGE)
    found = {pid}
    while more := {one for one, parent in parents.items() if parent in found} - found:
        found |= more
    return {one: told[one] for one in found if one in told}


def watched(command: list[str]) -> tuple[str, Used]:
    """Run a command; its output, and what it took.

    A process that the JVM has just forked bears the name of a thread and the memory of the JVM: it is no worker.
    """
    began, cpu, worker, jvm = time.monotonic(), dict[int, float](), 0, 0
    with TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, cwd=ROOT)
        while process.poll() is None:
            for pid, (name, seconds, resident) in descendants(process.pid).items():
                cpu[pid] = seconds
                jvm = max(jvm, resident if name == "java" else 0)
                worker = max(worker, resident if name.startswith("python") and pid != process.pid else 0)
            time.sleep(0.2)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
        output.seek(0)
        return output.read(), Used(time.monotonic() - began, sum(cpu.values()), worker, jvm)


def load(name: str, write: Callable[[Path], Written], place: Path) -> list[str]:
    """Write a folder, ingest it twice, say what that took; what is wrong."""
    written = write(place / "logs")
    options = ["--lake", str(place / "lake"), "--team", "load", "--benchmark", "load", "--json"]
    ingest = [sys.executable, "-m", "effspark.cli", "ingest", str(place / "logs"), *options]
    first, used = watched(ingest)
    second, again = watched(ingest)
    runs, unchanged = json.loads(first)["totals"]["runs"], json.loads(second)["unchanged_files"]
    print(
        f"{name}: {written.files:,} files, {written.runs:,} runs, {written.size / 1e6:,.0f} MB: "
        f"{used.wall:.0f} s, {used.cpu:.0f} CPU s, {written.size / 1e6 / used.cpu:.1f} MB a CPU s, "
        f"worker {used.worker / 1e6:,.0f} MB, JVM {used.jvm / 1e6:,.0f} MB; again {again.wall:.0f} s",
        flush=True,
    )
    wrong = {
        f"{runs:,} runs were counted": runs != written.runs,
        f"{unchanged:,} files were not opened again": unchanged != written.files,
        f"a worker took {used.worker / 1e6:,.0f} MB": used.worker > WORKER_BYTES,
    }
    return [f"{name}: {text}" for text, found in wrong.items() if found]


def main() -> int:
    parser = argparse.ArgumentParser(description="Ingest large folders and say what that takes.")
    parser.add_argument("names", nargs="*", help="small, long, archives; default all")
    parser.add_argument("--share", type=float, default=1.0, help="share of the full sizes")
    asked = parser.parse_args()
    faults = []
    for name, write in cases(asked.share).items():
        if not asked.names or name in asked.names:
            with TemporaryDirectory(prefix="effspark-load-") as place:
                faults += load(name, write, Path(place))
    for fault in faults:
        print(f"WRONG {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
