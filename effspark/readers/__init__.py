"""Log formats: what a reader is, which readers there are, and which one reads a file.

One format is one module here and one golden folder under `tests/golden`. A reader only says what stands in the log
(`LoggedRun`); what it means is decided once for all formats in `effspark.runs`. Readers of other packages register
through the entry-point group `effspark.readers` (installed.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from effspark.errors import LogError, SettingsError, problem
from effspark.readers.crashes import crashes
from effspark.readers.files import Log
from effspark.runs.record import LoggedRun

READERS = (
    "inspect_ai", "openai_batch", "openai_live", "anthropic_batch", "gemini_batch", "lm_eval", "otel",
    "langfuse", "helm", "lighteval", "zeroeval", "reasoning_gym", "nemo_skills", "ockbench", "promptfoo",
    "opencompass", "mlflow", "every_eval_ever", "lrm_evaluations", "livebench_judgments", "openai_evals",
    "simple_evals", "mapper",
)  # fmt: skip
"""Modules of this package that hold a `READER` of logs, in the order of formats.md section 6."""
MAPPER = "mapper"
"""Name of the reader that reads by a declared mapping."""
COMPANIONS = ("items", "labels")
"""Modules that read what comes beside logs; chosen by the command (`--instances`, `--labels`), never detected."""


class Reads(str, Enum):
    """What one task of a reader takes: a range of lines, or a whole file."""

    LINES = "lines"
    FILE = "file"


class Carries(str, Enum):
    """Does a format hold a field?"""

    YES = "yes"
    DERIVABLE = "derivable"
    ABSENT = "absent"


FIELDS = ("verdict", "stop", "tokens", "reasoning", "repeat", "trace", "gold", "latency", "cost")
"""What a reader declares of its format in `carries`."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the user says about the logs.

    `benchmark` and `model` name it where a log does not (an alias renames one); `answers` is the rule that its items
    follow; `mapping` declares what columns mean;
    `hidden_trace_models` are patterns of models known to hide their reasoning; `filters` names, for a task of
    lm-evaluation-harness, the filter whose scores are its verdict (default: the first of the task).
    """

    benchmark: str | None = None
    model: str | None = None
    answers: str | None = None
    mapping: Mapping[str, Any] | None = None
    hidden_trace_models: tuple[str, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict)

    def identity(self) -> list[Any]:
        """What, beside the mapping, decides how a file is read."""
        return [self.benchmark, self.model, self.answers, [*self.hidden_trace_models], {**self.filters}]


@dataclass(frozen=True)
class Mapped:
    """One record that became runs (k repeats in one record are k runs). `record` is its text or parsed value."""

    offset: int
    runs: tuple[LoggedRun, ...]
    record: Any


@dataclass(frozen=True)
class Fact:
    """One record that became a row of `instances` or `labels`; staging adds where it stands."""

    offset: int
    table: str
    row: Mapping[str, Any]
    record: Any


@dataclass(frozen=True)
class NotSelected:
    """`count` records that are no runs on purpose: companions, summaries, filters not chosen."""

    offset: int
    reason: str
    count: int = 1


@dataclass(frozen=True)
class Rejected:
    """One record that should be a run and cannot be: it goes to quarantine with its raw text."""

    offset: int
    reason: str
    detail: str
    raw: str


Entry = Mapped | Fact | NotSelected | Rejected


@runtime_checkable
class Reader(Protocol):
    """A log format.

    `detect` returns a confidence from 0 (not mine) to 1 (certain), judged by content. `read` yields one entry for
    each record; it raises `LogError` only where the rest of the file cannot be read. `trap` says in one or two
    sentences what would be got wrong by reading the format as it looks.
    """

    name: str
    version: int
    reads: Reads
    title: str
    trap: str
    carries: Mapping[str, Carries]

    def detect(self, log: Log) -> float:
        """Confidence that this reader reads the log."""

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """Entries of the log, in order."""


@runtime_checkable
class Prepares(Protocol):
    """A reader that completes the options for a log before the work begins, and refuses what cannot fit."""

    def options_for(self, log: Log, options: Options) -> Options:
        """Options to read the log with."""


@runtime_checkable
class SeesLines(Protocol):
    """A reader of whole files that knows some of them to be lines, each a record: large ones are read in ranges."""

    def is_lines(self, log: Log, options: Options) -> bool:
        """Can any range of the log's lines be read by itself?"""


@runtime_checkable
class HasCompanions(Protocol):
    """A reader that looks at other files than the log. They lie below the folder that is `companions` levels up."""

    companions: int


@cache
def registry() -> dict[str, Reader]:
    """All readers by name: the shipped ones, then those of other packages.

    Raises
    ------
    SettingsError
        One of another package cannot be used.

    >>> list(registry())[:2]
    ['inspect_ai', 'openai_batch']
    """
    from effspark.readers.installed import installed

    found: dict[str, Reader] = {}
    for module in READERS:
        reader: Reader = import_module(f"effspark.readers.{module}").READER
        found[reader.name] = reader
    return {**found, **installed(found)}


def reader_named(name: str) -> Reader:
    """Reader of logs or companions of a name.

    Raises
    ------
    SettingsError
        There is none of that name.
    """
    if name in READERS or name in COMPANIONS:
        shipped: Reader = import_module(f"effspark.readers.{name}").READER
        return shipped
    readers = registry()
    if name not in readers:
        raise SettingsError(
            problem(
                "unknown format",
                where="--format",
                found=name,
                allowed=", ".join(["auto", *readers]),
                remedy="choose one of them",
            )
        )
    return readers[name]


def detect(log: Log) -> Reader:
    """Reader that is most confident of a log.

    Raises
    ------
    LogError
        No reader knows it, two are equally sure, or one failed (reason `reader_failed`).
    """
    ranked = sorted(
        ((_confidence(reader, log), reader) for reader in registry().values()), key=lambda pair: -pair[0]
    )
    best = ranked[0][0]
    if best <= 0:
        raise LogError(
            problem(
                "unknown log format",
                where=log.uri,
                found=log.describe(),
                allowed="the formats that `effspark formats` lists",
                remedy="name it with --format, or describe it with --mapping",
            )
        )
    sure = [reader for confidence, reader in ranked if confidence == best]
    if len(sure) > 1:
        names = [reader.name for reader in sure]
        raise LogError(
            problem(
                "two readers claim this log" if len(sure) == 2 else f"{len(sure)} readers claim this log",
                where=log.uri,
                found=" and ".join(names),
                allowed="one reader a file",
                remedy=f"choose with {' or '.join(f'--format {name}' for name in names)}",
            )
        )
    return sure[0]


def _confidence(reader: Reader, log: Log) -> float:
    with crashes(reader.name, log.uri):
        return float(reader.detect(log))
