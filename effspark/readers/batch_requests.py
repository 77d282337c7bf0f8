"""What was asked for under a custom_id? From the files of requests that lie beside the results of a batch.

    log of results  ->  request files of its folder  ->  custom_id -> what its requests ask for, each once

A result that failed names no model; its request does. An answer names the model that gave it (o4-mini-2025-04-16), and
most name no settings; its request says what was asked for (o4-mini, 4,096 tokens). So runs of either kind stand in the
configuration of their request, answers only where the model fits: in a folder of several models one custom_id may be
asked of each. What identifies a run is what an answer itself tells, so that no key depends on a second file. Read when
first asked for. Knows nothing of a provider's rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from effspark.readers import Rejected
from effspark.readers.companions import Beside, holders
from effspark.readers.files import Log
from effspark.readers.jsonl import records
from effspark.readers.lines import UNREADABLE
from effspark.runs.record import Configuration, LoggedRun

_SNAPSHOT = re.compile(r"-(\d{4}|\d{8}|\d{4}-\d{2}-\d{2})")
_LATEST = "-latest"


class BatchRow(Protocol):
    """One row of a batch file."""

    custom_id: Any


Row = TypeVar("Row", bound=BatchRow)
Found = TypeVar("Found")


class Requests(Generic[Row, Found]):
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
        self, log: Log, kind: type[Row], may_hold: Callable[[Log], bool], asked: Callable[[Row], Found | None]
    ) -> None:
        self._log, self._kind = log, kind
        self._may_hold, self._asked = may_hold, asked

    def of(self, custom_id: Any) -> list[Found]:
        """What the requests of one custom_id ask for, what they have in common once."""
        found = [one for asked in self._found for one in asked.get(str(custom_id), ())]
        return found if len(found) < 2 else list({repr(one): one for one in found}.values())

    def told(self, found: str) -> str:
        """What was found, with the files beside that may have held more."""
        return self._beside.told(found)

    @cached_property
    def _beside(self) -> Beside:
        return holders(self._log, self._may_hold)

    @cached_property
    def _found(self) -> list[dict[str, tuple[Found, ...]]]:
        found = []
        for sibling in self._beside.logs:
            asked, broken = _asked_in(sibling.uri, sibling.size, sibling.modified, self._kind, self._asked)
            found.append(asked)
            self._beside.unreadable.extend(broken)
        return found


@lru_cache(maxsize=8)
def _asked_in(
    uri: str, size: int, modified: datetime, kind: type[Any], asked_by: Callable[[Any], Any]
) -> tuple[dict[str, tuple[Any, ...]], tuple[str, ...]]:
    """What a file of requests asks for by custom_id, and what is wrong with it; read once for all logs beside it.

    Requests that ask for the same share it, so that an id takes little more than its text.
    """
    found: dict[str, tuple[Any, ...]] = {}
    same: dict[str, tuple[Any, ...]] = {}
    broken = []
    for _, row in records(Log(uri, size, modified), kind):
        if isinstance(row, Rejected):
            broken += [row.detail] if row.reason == UNREADABLE else []
        elif (asked := asked_by(row)) is not None:
            # by its text, in which true is not 1: which file is read first decides nothing
            one = same.setdefault(repr(asked), (asked,))
            before = found.get(str(row.custom_id), ())
            if repr(asked) not in map(repr, before):
                found[str(row.custom_id)] = (*before, asked) if before else one
    return found, tuple(broken)


class Asked(NamedTuple):
    """What a request asks for, and what an answer would repeat of that."""

    configuration: Configuration
    repeated: Configuration

    @property
    def identified_by(self) -> Configuration | None:
        """What a run without an answer is known by: what an answer would repeat, where that is less than was asked."""
        return None if self.repeated == self.configuration else self.repeated


def of_failed(asked: Sequence[Asked]) -> Asked | None:
    """What a failed row of a custom_id asked for; null where its requests, or none, leave the run unknown.

    Requests that differ only in what no answer repeats are one run, of which that is not known.

    >>> small, large = (Configuration(request_model="m", output_budget_tokens=n) for n in (512, 4096))
    >>> bare = Configuration(request_model="m")
    >>> found = of_failed([Asked(small, bare), Asked(large, bare)])
    >>> found.configuration.output_budget_tokens, of_failed([Asked(small, small), Asked(large, large)])
    (None, None)
    """
    if len({repr(one.repeated) for one in asked}) != 1:
        return None
    return asked[0] if len(asked) == 1 else Asked(asked[0].repeated, asked[0].repeated)


def as_asked(run: LoggedRun, asked: Sequence[Asked]) -> LoggedRun:
    """A run that names its model, in the configuration of its request where there is one that fits.

    >>> run = LoggedRun(configuration=Configuration(request_model="m-2025-04-16"), benchmark_id="b", instance_id=1)
    >>> request = Asked(Configuration(request_model="m", output_budget_tokens=9), Configuration(request_model="m"))
    >>> made = as_asked(run, [request])
    >>> made.configuration.request_model, made.identified_by.request_model
    ('m', 'm-2025-04-16')
    """
    if len(asked) != 1 or not is_of(run.configuration.request_model, asked[0].configuration.request_model):
        return run
    return replace(run, configuration=asked[0].configuration, identified_by=run.configuration)


def is_of(answered: str, asked: str) -> bool:
    """Is the model that answered the one that was asked for, or a snapshot of it?

    >>> is_of("o4-mini-2025-04-16", "o4-mini"), is_of("claude-3-5-haiku-20241022", "claude-3-5-haiku-latest")
    (True, True)
    >>> is_of("gpt-4o-mini", "gpt-4o"), is_of("claude-sonnet-4-5", "claude-sonnet-4")
    (False, False)
    """
    stem = asked.removesuffix(_LATEST)
    rest = answered.removeprefix(stem) if answered.startswith(stem) else None
    return answered == asked or (rest is not None and _SNAPSHOT.fullmatch(rest) is not None)
