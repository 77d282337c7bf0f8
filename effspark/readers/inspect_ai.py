"""Inspect AI logs: `.eval` archives and `.json` documents of all layouts and versions since 0.3.

    header (eval, plan, stats) + one sample  ->  one run: attempt = epoch, eval run = task_id

Source: formats.md sections 2.1 and 4. A retried log keeps task_id and epoch, so its runs replace those of the log it
repeats; `log_version` is the latest stamp of completion, edit, invalidation, rescoring or update, so a corrected log
wins. Journal, summaries and reductions repeat the samples and are no records.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping

import zstandard

from effspark.errors import LogError
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reads, Rejected
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.inspect_archive import (
    HEADERS,
    ZIP_MAGIC,
    Stored,
    first_member,
    header_and_samples,
    opened,
    zip_header,
)
from effspark.readers.inspect_header import task_of
from effspark.readers.inspect_run import run_of

_HEADER_NAMES = (b"created", b"task", b"task_id")


def looks_like_header(start: bytes) -> bool:
    """Does a JSON text begin like an Inspect log: an object that leads with `eval`, which leads with its task?

    >>> looks_like_header(b'{"version": 2, "eval": {"created": "2026-01-01T", "task": "gsm8k", "task_id": "T", "task_v')
    True
    >>> looks_like_header(b'{"eval": {"task": "gsm8k"}}')
    False
    """
    first = re.match(rb'\s*\{\s*"(version|status|eval)"\s*:', start)
    spec = re.search(rb'"eval"\s*:\s*\{', start)
    if first is None or spec is None:
        return False
    return all(re.search(rb'"%s"\s*:\s*"' % name, start[spec.end() :]) for name in _HEADER_NAMES)


class InspectReader:
    """Reader of Inspect AI logs."""

    name = "inspect_ai"
    version = 2
    reads = Reads.FILE
    title = "Inspect AI logs (.eval, .json)"
    trap = (
        "Usage stands under each model's name: summed over the names it counts the grader's tokens as the "
        "model's. Google counts before 0.3.245 and Grok's until today lack reasoning; Anthropic's of 0.3.75 "
        "to 0.3.87 hold it twice."
    )
    carries: Mapping[str, Carries] = {
        "verdict": Carries.YES,
        "stop": Carries.YES,
        "tokens": Carries.YES,
        "reasoning": Carries.YES,
        "repeat": Carries.YES,
        "trace": Carries.YES,
        "gold": Carries.YES,
        "latency": Carries.YES,
        "cost": Carries.YES,
    }

    def detect(self, log: Log) -> float:
        """Certain of a zip or document whose header is that of Inspect, by content alone."""
        if not log.head.startswith(ZIP_MAGIC):
            return float(looks_like_header(log.head))
        try:
            name, start = first_member(log.head)
            if name in HEADERS and looks_like_header(start):
                return 1.0
            return float(looks_like_header(zip_header(opened(log))))
        except (LogError, zlib.error, zstandard.ZstdError):
            return 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a sample.

        Raises
        ------
        LogError
            The container is damaged, or there is no header.
        """
        header, samples = header_and_samples(log)
        task = task_of(header, options)
        is_empty = True
        for stored in samples:
            is_empty = False
            if not isinstance(stored, Stored):
                yield stored
                continue
            raw = stored.data[:HEAD_BYTES].decode("utf-8", "replace")
            try:
                run = run_of(stored, task)
            except LogError as error:
                yield Rejected(stored.offset, "invalid_record", str(error), raw)
                continue
            yield Mapped(stored.offset, (run,), raw)
        if is_empty:
            yield NotSelected(0, "a log without samples")


READER = InspectReader()
