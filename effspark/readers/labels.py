"""Labels: verdicts and names that come apart from the logs, and may come later.

    custom_id and/or benchmark + instance, correct and/or gold  ->  row of `labels`

A label is for the batch record of its custom_id, else for the instance it names. It gives them the names of
benchmark and instance that logs of raw prompts lack, the right answer, and a verdict; it never changes what
identifies a run. CSV, JSON lines, a JSON list or Parquet. Chosen with `--labels`, never detected.
Source: formats.md section 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from effspark.errors import LogError
from effspark.readers import FIELDS, Carries, Entry, Fact, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.cells import Kind, Row, text_of, typed
from effspark.readers.files import Log
from effspark.readers.rows import Record, rows
from effspark.runs import keys

UNIT_SEPARATOR = "\x1f"
_LETTERS = {"C": True, "I": False}


class Labels:
    """Reader of labels files."""

    name = "labels"
    version = 1
    reads = Reads.FILE
    title = "labels: custom_id or benchmark + instance, with correct or gold (CSV, JSON lines, Parquet)"
    trap = "A label is for every record of its custom_id: batches that use an id again all get it."
    carries: Mapping[str, Carries] = {
        **dict.fromkeys(FIELDS, Carries.ABSENT),
        "verdict": Carries.YES,
        "gold": Carries.YES,
    }

    def detect(self, log: Log) -> float:  # noqa: ARG002
        """Labels are named by the command, never detected."""
        return 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a label; one that says the same again is not selected, one that says otherwise is rejected."""
        seen: dict[str, Mapping[str, Any]] = {}
        for record in rows(log).records:
            if isinstance(record, Rejected):
                yield record
                continue
            try:
                label = _label(record.row, options)
                first = seen.setdefault(label["target"], label)
                if first != label:
                    raise LogError(
                        f"{_shown(label['target'])}: found a second label that differs; "
                        "allowed: one label a target; remove one"
                    )
            except LogError as error:
                yield _rejected(record, error)
                continue
            if first is label:
                yield Fact(record.offset, "labels", label, record.raw)
            else:
                yield NotSelected(record.offset, "label given twice")


READER: Reader = Labels()


def target_of(*, custom_id: str | None, benchmark: str, instance: str) -> str:
    r"""What a label is for: a batch record, else an instance.

    >>> target_of(custom_id="q-1", benchmark="gsm8k", instance="0")
    'custom_id:q-1'
    >>> target_of(custom_id=None, benchmark="gsm8k", instance="0")
    'instance:gsm8k\x1f0'
    """
    if custom_id is not None:
        return f"custom_id:{custom_id}"
    return f"instance:{benchmark}{UNIT_SEPARATOR}{instance}"


def _label(row: Row, options: Options) -> dict[str, Any]:
    """Row of `labels`. A custom_id alone names its own instance, in the benchmark of the command."""
    custom_id = None if row.get("custom_id") is None else keys.instance_id(row["custom_id"])
    instance = custom_id if row.get("instance") is None else keys.instance_id(row["instance"])
    benchmark = typed(row.get("benchmark"), Kind.TEXT, where="column benchmark", cells=True)
    benchmark = benchmark or options.benchmark
    if instance is None or benchmark is None:
        raise LogError(
            f"target: found custom_id {custom_id!r:.80}, instance {row.get('instance')!r:.80}, benchmark "
            f"{benchmark!r:.80}; allowed: a benchmark, and custom_id or instance; add the columns, or pass "
            "--benchmark NAME"
        )
    correct, gold = _correct(row.get("correct")), text_of(row.get("gold"))
    if correct is None and gold is None:
        raise LogError("label: found neither correct nor gold; allowed: one of them or both; add the column")
    return {
        "target": target_of(custom_id=custom_id, benchmark=benchmark, instance=instance),
        "custom_id": custom_id,
        "benchmark_id": benchmark,
        "instance_id": instance,
        "gold": gold,
        "correct": correct,
    }


def _correct(value: Any) -> bool | None:
    """A verdict: true, yes, 1 or C; false, no, 0 or I."""
    if isinstance(value, str) and value.strip().upper() in _LETTERS:
        return _LETTERS[value.strip().upper()]
    verdict: bool | None = typed(value, Kind.BOOLEAN, where="column correct", cells=True)
    return verdict


def _shown(target: str) -> str:
    return target.replace(UNIT_SEPARATOR, " ")


def _rejected(record: Record, error: LogError) -> Rejected:
    return Rejected(record.offset, "invalid_record", str(error), text_of(record.raw) or "")
