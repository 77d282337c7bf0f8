"""Who may write to a lake on this machine? One job at a time: an OS file lock beside the lake.

Delta on a local path locks within one JVM only; two jobs would lose commits. Lakes in a catalog or an object store
have their own concurrency control and take no lock. Source: architecture.md section 5.8.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from effspark.errors import LakeError, problem
from effspark.lakes import LakeKind, kind_of


@contextmanager
def one_writer(lake: str) -> Iterator[None]:
    """Hold the lock of a local lake. A folder that is made for it goes again where nothing was written.

    Raises
    ------
    LakeError
        Another process holds it, or the folder cannot be written.
    """
    if kind_of(lake) is not LakeKind.FOLDER:
        yield
        return
    folder = Path(lake)
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder.with_name(folder.name + ".lock"))
        lock.acquire(timeout=0)
    except Timeout as error:
        raise LakeError(
            problem(
                "the lake is locked",
                where=lake,
                found="another effspark job that writes to it",
                allowed="one writer at a time on a local lake",
                remedy="wait for that job to end and run again",
            )
        ) from error
    except OSError as error:
        raise LakeError(
            problem(
                "the lake cannot be written",
                where=lake,
                found=str(error),
                allowed=f"a folder that this user may write, and beside it its lock, {folder.name}.lock",
                remedy="choose another --lake or mend the rights",
            )
        ) from error
    try:
        yield
    finally:
        if is_new:
            _remove_empty(folder)
        lock.release()


def _remove_empty(folder: Path) -> None:
    """Remove a folder that holds nothing but empty folders."""
    for inner in folder.iterdir():
        if inner.is_dir():
            _remove_empty(inner)
    if not any(folder.iterdir()):
        folder.rmdir()
