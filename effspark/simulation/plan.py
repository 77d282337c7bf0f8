"""Who logs what? The eval runs of three teams, the format of each, and the faults planted in its log.

Faults strike runs by place, chosen before and apart from their outcome: they take runs away and bend no
expectation. aurora logs with Inspect, birch with provider batches, cedar with ZeroEval and a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import NamedTuple

from effspark.simulation.instances import CHAINS, GSM8K
from effspark.simulation.models import Model
from effspark.simulation.planted import MODELS

FIRST_START = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)
"""Start of the first eval run; each next one starts an hour later."""
LATE = FIRST_START + timedelta(days=3)
"""When mended files, late labels and the edited log were written."""
RETRY_DELAY = timedelta(minutes=40)
"""How long after the start of an eval run its failed runs were run again."""
SHORT_SHARE = 3
"""An eval run marked `short` covers one in so many instances."""


class Format(str, Enum):
    """Format of a log."""

    INSPECT_EVAL = "inspect_eval"
    INSPECT_JSON = "inspect_json"
    CHAT = "chat"
    RESPONSES = "responses"
    ZEROEVAL = "zeroeval"
    CSV = "csv"


class Fault(str, Enum):
    """What happened to one run or its record, whatever its outcome."""

    ERROR = "error"
    ERROR_WITH_TOKENS = "error_with_tokens"
    CANCELLED = "cancelled"
    RETRIED = "retried"
    INVALIDATED = "invalidated"
    EXCLUDED = "excluded"
    UNSCORED = "unscored"
    UNKNOWN_STOP = "unknown_stop"
    EDITED = "edited"
    LATE_LABEL = "late_label"
    HALF_WRITTEN = "half_written"
    INVALID_UTF8 = "invalid_utf8"
    TEXT_COUNT = "text_count"
    NEGATIVE_COUNT = "negative_count"
    NULL_ID = "null_id"


MENDED = frozenset({Fault.HALF_WRITTEN, Fault.INVALID_UTF8})
"""Broken records that a later file of the same name holds whole."""
BROKEN = frozenset({*MENDED, Fault.TEXT_COUNT, Fault.NEGATIVE_COUNT, Fault.NULL_ID})
"""Records that cannot become runs."""


@dataclass(frozen=True, kw_only=True)
class EvalRun:
    """One eval run: `attempts` runs of a model on each instance of a benchmark, in one log of one team.

    `request_model` is the model as that log spells it; `tool` the version of the tool that wrote it.
    """

    name: str
    team: str
    format: Format
    model: str
    benchmark: str
    attempts: int = 1
    request_model: str | None = None
    tool: str = ""
    short: bool = False
    faults: Mapping[Fault, int] = field(default_factory=dict)

    @property
    def planted(self) -> Model:
        """The planted model behind it."""
        return MODELS[self.model]

    @property
    def spelling(self) -> str:
        """Model as the log spells it."""
        return self.request_model or self.planted.name

    @property
    def started(self) -> datetime:
        """Start of the eval run."""
        return FIRST_START + timedelta(hours=_ORDER[self.name])


_DEFLATE, _ZSTD = "0.3.199", "0.3.285"
"""Versions of Inspect before and after its archives turned from deflate to zstd."""

EVAL_RUNS: tuple[EvalRun, ...] = (
    EvalRun(
        name="aurora-kestrel-70b-gsm8k", team="aurora", format=Format.INSPECT_EVAL, tool=_DEFLATE,
        model="kestrel-70b", benchmark=GSM8K, attempts=2, faults={Fault.INVALIDATED: 3, Fault.EXCLUDED: 2},
    ),
    EvalRun(
        name="aurora-kestrel-70b-chains", team="aurora", format=Format.INSPECT_EVAL, tool=_ZSTD,
        model="kestrel-70b", benchmark=CHAINS, attempts=2, faults={Fault.EDITED: 3, Fault.UNSCORED: 3},
    ),
    EvalRun(
        name="aurora-kestrel-8b-gsm8k", team="aurora", format=Format.INSPECT_EVAL, tool=_DEFLATE,
        model="kestrel-8b", benchmark=GSM8K, attempts=2,
        faults={Fault.ERROR: 2, Fault.ERROR_WITH_TOKENS: 2, Fault.UNKNOWN_STOP: 5},
    ),
    EvalRun(
        name="aurora-kestrel-8b-chains", team="aurora", format=Format.INSPECT_EVAL, tool=_ZSTD,
        model="kestrel-8b", benchmark=CHAINS, attempts=2, faults={Fault.RETRIED: 5, Fault.ERROR: 2},
    ),
    EvalRun(
        name="aurora-kestrel-8b-short-gsm8k", team="aurora", format=Format.INSPECT_EVAL, tool=_ZSTD,
        model="kestrel-8b-short", benchmark=GSM8K, attempts=2,
    ),
    EvalRun(
        name="aurora-wren-flash-gsm8k", team="aurora", format=Format.INSPECT_JSON, tool=_ZSTD,
        model="wren-flash", benchmark=GSM8K,
    ),
    EvalRun(
        name="aurora-wren-flash-chains", team="aurora", format=Format.INSPECT_EVAL, tool=_ZSTD,
        model="wren-flash", benchmark=CHAINS, attempts=2,
    ),
    EvalRun(
        name="aurora-lumen-pro-gsm8k", team="aurora", format=Format.INSPECT_EVAL, tool=_ZSTD,
        model="lumen-pro", benchmark=GSM8K, request_model="openai/lumen-pro",
    ),
    EvalRun(
        name="birch-lumen-pro-gsm8k", team="birch", format=Format.CHAT, model="lumen-pro", benchmark=GSM8K,
        request_model="lumen-pro-2026-02-01", attempts=2,
        faults={Fault.ERROR: 3, Fault.TEXT_COUNT: 2, Fault.NULL_ID: 1},
    ),
    EvalRun(
        name="birch-lumen-pro-chains", team="birch", format=Format.CHAT, model="lumen-pro", benchmark=CHAINS,
        request_model="lumen-pro-2026-02-01", attempts=2, faults={Fault.LATE_LABEL: 15},
    ),
    EvalRun(
        name="birch-lumen-mini-gsm8k", team="birch", format=Format.RESPONSES, model="lumen-mini",
        benchmark=GSM8K, attempts=2, faults={Fault.HALF_WRITTEN: 1, Fault.INVALID_UTF8: 2},
    ),
    EvalRun(
        name="birch-o4-heron-gsm8k", team="birch", format=Format.RESPONSES, model="o4-heron", benchmark=GSM8K,
        attempts=2, faults={Fault.LATE_LABEL: 10},
    ),
    EvalRun(
        name="birch-o4-heron-chains", team="birch", format=Format.RESPONSES, model="o4-heron",
        benchmark=CHAINS, attempts=2, faults={Fault.ERROR: 4},
    ),
    EvalRun(
        name="cedar-plover-7b-gsm8k", team="cedar", format=Format.ZEROEVAL, model="plover-7b",
        benchmark=GSM8K,
    ),
    EvalRun(
        name="cedar-o4-heron-gsm8k", team="cedar", format=Format.ZEROEVAL, model="o4-heron-uncounted",
        benchmark=GSM8K, request_model="openai/o4-heron", short=True,
    ),
    EvalRun(
        name="cedar-kestrel-8b-chains", team="cedar", format=Format.CSV, model="kestrel-8b", benchmark=CHAINS,
    ),
    EvalRun(
        name="cedar-plover-7b-chains", team="cedar", format=Format.CSV, model="plover-7b", benchmark=CHAINS,
        attempts=2,
        faults={
            Fault.ERROR: 3, Fault.CANCELLED: 2, Fault.NEGATIVE_COUNT: 2, Fault.UNKNOWN_STOP: 4,
        },
    ),
    EvalRun(
        name="cedar-plover-13b-chains", team="cedar", format=Format.CSV, model="plover-13b", benchmark=CHAINS,
        attempts=2,
    ),
)  # fmt: skip
"""All eval runs. Two teams run kestrel-8b on chains, and two run lumen-pro on gsm8k under two spellings."""
_ORDER = {eval_run.name: place for place, eval_run in enumerate(EVAL_RUNS)}


class Copy(NamedTuple):
    """A log that was dropped once more: by whom, and under which name (null: converted, so that bytes differ)."""

    eval_run: str
    team: str
    name: str | None


COPIES = (
    Copy("aurora-kestrel-70b-gsm8k", "birch", "from_aurora/kestrel-70b.eval"),
    Copy("aurora-wren-flash-chains", "aurora", "kept/wren-flash-chains.eval"),
    Copy("aurora-wren-flash-gsm8k", "cedar", None),
)
"""The same file under another name and team, under another name alone, and the same runs in another file."""

MODEL_ALIASES = {
    "openai/lumen-pro": "lumen-pro",
    "lumen-pro-2026-02-01": "lumen-pro",
    "openai/o4-heron": "o4-heron",
}
"""Raw model name -> canonical name: what `conf.yaml` of the simulation declares."""
