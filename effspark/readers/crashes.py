"""What is told where the code of a reader fails, and not the log?

    any exception in a reader but one of effspark  ->  LogError with the reason `reader_failed`, which names the reader

The file, or what is left of it, is quarantined, and the load goes on. Shipped readers raise nothing else than errors of
effspark (`tests/core/readers/test_rubbish.py` tries); those of other packages may. Memory that runs out is no fault of
a reader, and passes through.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath

from effspark.errors import EffsparkError, LogError, problem

READER_FAILED = "reader_failed"
"""Reason of what is quarantined since its reader failed."""


@contextmanager
def crashes(reader: str, uri: str) -> Iterator[None]:
    """Whatever fails inside, as one kind of error.

    Raises
    ------
    LogError
        The reader failed: its name, and what it raised where.

    >>> with crashes("acme", "a.log"):
    ...     {}["id"]
    Traceback (most recent call last):
    effspark.errors.LogError: a reader failed (acme, reading a.log): found KeyError: 'id' \
(<doctest effspark.readers.crashes.crashes[0]>, line 2); allowed: entries, or a LogError where the rest cannot be \
read; mend the reader, raise its version and read the file again with --format acme
    """
    try:
        yield
    except (EffsparkError, MemoryError):
        raise
    except Exception as error:
        text = problem(
            "a reader failed",
            where=f"{reader}, reading {uri}",
            found=f"{shown(error)} ({_place(error)})",
            allowed="entries, or a LogError where the rest cannot be read",
            remedy=f"mend the reader, raise its version and read the file again with --format {reader}",
        )
        raise LogError(text, reason=READER_FAILED) from error


def shown(error: BaseException) -> str:
    r"""An exception in one line: its type and the start of what it says.

    >>> shown(ValueError("no\n  number")), shown(StopIteration())
    ('ValueError: no number', 'StopIteration')
    """
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said:.300}" if said else type(error).__name__


def _place(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{PurePath(last.filename).name}, line {last.lineno}"
