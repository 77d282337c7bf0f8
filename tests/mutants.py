"""Would the tests notice? Plants the faults of faults_table.py one at a time; each must turn its named test red.

    copy of the project + one fault  ->  its test  ->  killed | SURVIVED

Works in temporary copies, two faults at a time; the checkout is never changed. Every fault must still apply, every
named test must pass without a fault (a skipped test is no pass), and no module of effspark may come from outside the
copy: this file is also a pytest plugin, which checks that at the end of each run. Exits 1 where any of that does not
hold.

    python tests/mutants.py [--without-spark] [PART OF A NAME ...]
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # the folders beside this file are no packages of that name

from tests import faults_spark, faults_table  # noqa: E402
from tests.faults_table import Fault  # noqa: E402

if TYPE_CHECKING:
    import pytest

FAULTS: Sequence[Fault] = (*faults_table.FAULTS, *faults_spark.FAULTS)
COPIED = ("effspark", "conf", "docs", "schemas", "jobs", "tests", "pyproject.toml")
"""What a test can need of the project."""
AT_ONCE = 2
SECONDS, TIMED_OUT = 300, "from pytest-timeout"
"""A test that takes longer, and how pytest tells it: a busy machine kills no fault."""
PASSED, FAILED, FOREIGN = 0, 1, 3
"""Exit codes of pytest; FOREIGN is given by this plugin."""

KILLED, SURVIVED, STALE, UNUSABLE, BROKEN = "killed", "SURVIVED", "STALE", "UNUSABLE", "BROKEN"
"""The test is red, as it must be; it is green; the fault does not apply; the test is red or absent without the fault;
pytest could not run the test with it."""


class Verdict(NamedTuple):
    """What became of a fault; `told` is what to read where it was not killed."""

    fault: Fault
    word: str
    told: str = ""

    def line(self) -> str:
        """One line of the result."""
        return f"{self.word}  {self.fault.name}  {'by' if self.word == KILLED else 'under'} {self.fault.test}"


def judged(root: Path, faults: Sequence[Fault]) -> Iterator[Verdict]:
    """Verdict on each fault, as they come: those that cannot be planted, then the others in their order.

    Parameters
    ----------
    root
        Project to copy; it is not changed.
    """
    stale = {fault: why for fault in faults if (why := misfit(root, fault))}
    yield from (Verdict(fault, STALE, why) for fault, why in stale.items())
    with TemporaryDirectory(prefix="mutants-") as work:
        first = copied(root, Path(work, "0"))
        fitting = [fault for fault in faults if fault not in stale]
        passing, told = passing_tests(first, sorted({fault.test for fault in fitting}))
        unusable = [fault for fault in fitting if fault.test not in passing]
        yield from (Verdict(fault, UNUSABLE, told) for fault in unusable[:1])  # tell it once
        yield from (Verdict(fault, UNUSABLE) for fault in unusable[1:])
        sound = [fault for fault in fitting if fault.test in passing]
        free: SimpleQueue[Path] = SimpleQueue()
        free.put(first)
        for place in range(1, AT_ONCE):
            free.put(Path(shutil.copytree(first, Path(work, str(place)), symlinks=True)))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            light = [fault for fault in sound if not fault.spark]
            yield from pool.map(lambda fault: tried(free, fault), light)
        yield from (tried(free, fault) for fault in sound if fault.spark)


def misfit(root: Path, fault: Fault) -> str | None:
    """Why a fault cannot be planted, or null."""
    file = root / fault.file
    if not file.is_file():
        return f"{fault.file} is gone"
    text = file.read_text("utf-8")
    if (times := text.count(fault.old)) != 1:
        return f"{fault.file} holds the text {times} times: {fault.old!r}"
    if file.suffix == ".py":
        try:
            compile(text.replace(fault.old, fault.new), fault.file, "exec")
        except SyntaxError as error:
            return f"{fault.file} is no Python with it: {error}"
    return None


def copied(root: Path, folder: Path) -> Path:
    """Copy of what tests need, without bytecode; the jobs lie where the package looks for them first."""
    folder.mkdir()
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif (root / name).exists():
            shutil.copy2(root / name, folder / name)
    if (folder / "jobs").is_dir():
        (folder / "effspark" / "jobs").symlink_to(Path("..", "jobs"))
    return folder


def passing_tests(folder: Path, tests: Sequence[str]) -> tuple[set[str], str]:
    """Those of the tests that pass without a fault, all in one process; and what pytest said."""
    if not tests:
        return set(), ""
    code, told = run_tests(folder, tests, bytecode=True)
    lines = [line.removeprefix("PASSED ") for line in told.splitlines() if line.startswith("PASSED ")]
    if code not in (PASSED, FAILED):
        return set(), told
    failed = [line.split(" ")[1] for line in told.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return {test for test in tests if is_among(test, lines) and not is_among(test, failed)}, told


def is_among(test: str, nodes: Collection[str]) -> bool:
    """Is the test, or one of its parametrised cases, among the nodes?"""
    return any(node == test or node.startswith(f"{test}[") for node in nodes)


def tried(free: SimpleQueue[Path], fault: Fault) -> Verdict:
    """Plant a fault in a free copy, run its test, mend the copy."""
    folder = free.get()
    with planted(folder, fault):
        code, told = run_tests(folder, [fault.test], bytecode=False)
    free.put(folder)
    word = BROKEN if TIMED_OUT in told else {PASSED: SURVIVED, FAILED: KILLED}.get(code, BROKEN)
    return Verdict(fault, word, "" if word == KILLED else told)


@contextmanager
def planted(folder: Path, fault: Fault) -> Iterator[None]:
    """The copy with the fault in it."""
    file = folder / fault.file
    sound = file.read_text("utf-8")
    # Bytecode is known by second and size only: a fault of the same length would not be seen.
    Path(cache_from_source(str(file))).unlink(missing_ok=True)
    file.write_text(sound.replace(fault.old, fault.new), "utf-8")
    try:
        yield
    finally:
        file.write_text(sound, "utf-8")


def run_tests(folder: Path, tests: Sequence[str], *, bytecode: bool) -> tuple[int, str]:
    """Exit code and words of pytest in a copy; `bytecode` says whether to leave some for the runs that follow."""
    options = ["-q", "-rfEp", "--no-header", "-p", "no:cacheprovider", "-p", "tests.mutants"]
    options += [f"--timeout={SECONDS}", *([] if bytecode else ["-x"])]
    environment = {
        "EFFSPARK_JARS": str(ROOT / ".venv" / "jars"),
        **os.environ,
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "" if bytecode else "1",
    }
    command = [sys.executable, "-m", "pytest", *options, *tests]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    return done.returncode, done.stdout + done.stderr


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Refuse a run that tested a module from outside the copy."""
    root = session.config.rootpath.resolve()
    files = {
        Path(file).resolve()
        for name, module in list(sys.modules.items())
        if name.split(".")[0] == "effspark" and (file := getattr(module, "__file__", None))
    }
    foreign = sorted(str(file) for file in files if not file.is_relative_to(root))
    if foreign:
        print("\nnot of the copy:", *foreign, sep="\n")
        session.exitstatus = FOREIGN


def main(argv: Sequence[str] | None = None) -> int:
    """Judge the faults of the table; 1 where one of them was not killed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help="only faults whose name holds one of these")
    parser.add_argument("--without-spark", action="store_true", help="only faults that need no JVM")
    asked = parser.parse_args(argv)
    faults = [
        fault
        for fault in FAULTS
        if not (asked.without_spark and fault.spark)
        and (not asked.parts or any(part in fault.name for part in asked.parts))
    ]
    killed = 0
    for verdict in judged(ROOT, faults):
        print(verdict.line(), flush=True)
        killed += verdict.word == KILLED
        if verdict.told:
            print(verdict.told, file=sys.stderr, flush=True)
    print(f"{killed} passed, {len(faults) - killed} failed")
    return 0 if faults and killed == len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
