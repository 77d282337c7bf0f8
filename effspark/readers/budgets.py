"""Is the output budget a setting of a whole log, or of each of its requests?

    first records of a log  ->  do they differ in their budget?  ->  every run of it: `budget_per_request`

A budget that all requests share tells an eval run from another one where no id does; one that changes from request
to request is no part of what identifies a run. For formats whose records name their own budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from effspark.errors import LogError
from effspark.readers import Entry, Mapped
from effspark.readers.files import Log

FIRST_RECORDS = 64
"""So many records are looked at, always those at the start of the file."""


def with_budgets_told(read: Callable[[Log], Iterator[Entry]], log: Log) -> Iterator[Entry]:
    """Entries of a log, their runs marked where the budget changes from request to request.

    Parameters
    ----------
    read
        Reads the entries of a log, or of a range of it.

    Raises
    ------
    LogError
        The log breaks; the entries before have been yielded.
    """
    start = _Start(read(Log(log.uri, log.size, log.modified)))
    per_request = _differ(start.entries)
    for entry in start.all() if log.is_whole else read(log):
        if per_request and isinstance(entry, Mapped):
            entry = replace(entry, runs=tuple(replace(run, budget_per_request=True) for run in entry.runs))
        yield entry


class _Start:
    """First entries of a log, its others, and where among the first it breaks."""

    def __init__(self, entries: Iterator[Entry]) -> None:
        self._rest = entries
        self._broken: LogError | None = None
        self.entries: list[Entry] = []
        try:
            for entry in islice(entries, FIRST_RECORDS):
                self.entries.append(entry)
        except LogError as error:
            self._broken = error

    def all(self) -> Iterator[Entry]:
        """Every entry, then the error."""
        yield from self.entries
        if self._broken is not None:
            raise self._broken
        yield from self._rest


def _differ(entries: Sequence[Entry]) -> bool:
    """Does one model have several budgets?"""
    met: dict[str, int | None] = {}
    for entry in entries:
        for run in entry.runs if isinstance(entry, Mapped) else ():
            asked = run.configuration
            if met.setdefault(asked.request_model, asked.output_budget_tokens) != asked.output_budget_tokens:
                return True
    return False
