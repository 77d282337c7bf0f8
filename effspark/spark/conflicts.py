"""What if two jobs change one table at once? Delta lets one commit, and the other begins its write again.

On a catalog or object store there is no lock of ours (lock.py): Delta's own concurrency control refuses the later
commit, and nothing of it is written. Every write here may be done again, so it is, after a pause that grows and is
drawn at random, so that two jobs do not meet once more. Source: architecture.md section 5.8.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable

from pyspark.errors import PySparkException

ATTEMPTS = 6
FIRST_PAUSE = 0.5
"""Longest first pause, seconds; it doubles with each attempt."""
CONFLICT = "DELTA_CONCURRENT"
"""How the conditions of Delta's conflicts begin."""

_log = logging.getLogger(__name__)


def retried(action: Callable[[], object], *, pause: Callable[[float], object] = time.sleep) -> None:
    """Do a write, again where another job's commit came between.

    Raises
    ------
    PySparkException
        It failed for another reason, or ATTEMPTS times.

    >>> retried(lambda: None)
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            action()
            return
        except PySparkException as error:
            if attempt == ATTEMPTS or not _is_conflict(error):
                raise
            wait = random.uniform(0, FIRST_PAUSE * 2 ** (attempt - 1))
            _log.warning("another job changed the table: attempt %d again in %.1f s", attempt + 1, wait)
            pause(wait)


def _is_conflict(error: PySparkException) -> bool:
    return (error.getCondition() or str(error).lstrip("[")).startswith(CONFLICT)
