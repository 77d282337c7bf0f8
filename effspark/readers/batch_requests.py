"""What was asked for under a custom_id? From the files of requests that lie beside the results of a batch.

    log of results  ->  request files of its folder  ->  custom_id -> what its requests ask for, each once

A result that failed names no model; its request does. Read when first asked for. Knows nothing of a provider's rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from effspark.readers import Rejected
from effspark.readers.companions import Beside, beside
from effspark.readers.files import Log
from effspark.readers.jsonl import records
from effspark.readers.lines import UNREADABLE


class BatchRow(Protocol):
    """One row of a batch file."""

    custom_id: Any


Row = TypeVar("Row", bound=BatchRow)
Asked = TypeVar("Asked")


class Requests(Generic[Row, Asked]):
    """Requests beside a log.

    Parameters
    ----------
    log
        The results.
    kind
        Type of a row.
    may_hold
        May a file hold requests?
    asked
        What a row asks for; null where it is no request, or names no model.
    """

    def __init__(
        self, log: Log, kind: type[Row], may_hold: Callable[[Log], bool], asked: Callable[[Row], Asked | None]
    ) -> None:
        self._log, self._kind = log, kind
        self._may_hold, self._asked = may_hold, asked

    def of(self, custom_id: Any) -> list[Asked]:
        """What the requests of one custom_id ask for, what they have in common once."""
        return list(self._found.get(str(custom_id), {}).values())

    def told(self, found: str) -> str:
        """What was found, with the files beside that may have held more."""
        return self._beside.told(found)

    @cached_property
    def _beside(self) -> Beside:
        return beside(self._log)

    @cached_property
    def _found(self) -> dict[str, dict[str, Asked]]:
        found: dict[str, dict[str, Asked]] = {}
        for sibling in filter(self._may_hold, self._beside.logs):
            for _, row in records(sibling, self._kind):
                if isinstance(row, Rejected):
                    self._beside.unreadable.extend([row.detail] if row.reason == UNREADABLE else [])
                elif (asked := self._asked(row)) is not None:
                    # by its text, in which true is not 1: which file is read first decides nothing
                    found.setdefault(str(row.custom_id), {}).setdefault(repr(asked), asked)
        return found
