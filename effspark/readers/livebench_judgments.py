"""LiveBench judgments: what scores did the harness give the answers of model_answer/<model>.jsonl?

    {question_id, model, score, tstamp}  ->  label of the first choice of that model's answer

The answers themselves are read by the mapping `livebench`. The file is appended to: of several judgments of one
answer the newest counts, whatever the case of the model's name. A score below 1 is no success, and -1 is none.
Source: formats.md section 2.9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from effspark.errors import problem
from effspark.readers import FIELDS, Carries, Entry, Fact, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.cells import text_of
from effspark.readers.files import Log
from effspark.readers.jsonl import records
from effspark.readers.labels import target_of
from effspark.readers.lines import Line
from effspark.readers.mappings import missing
from effspark.readers.rows import columns
from effspark.runs import keys
from effspark.runs.record import is_correct

BENCHMARK = "live_bench"
_COLUMNS = ("question_id", "task", "model", "score", "turn", "tstamp", "category")


class _Judgment(msgspec.Struct):
    question_id: str | int
    model: str
    score: float | None
    tstamp: float = 0.0


class LiveBenchJudgments:
    """Reader of ground_truth_judgment.jsonl."""

    name = "livebench_judgments"
    version = 1
    reads = Reads.FILE
    title = "LiveBench ground_truth_judgment.jsonl (verdicts of model_answer/<model>.jsonl)"
    trap = (
        "The file is appended to: of several judgments of one answer the newest counts, and a score of -1 "
        "is none."
    )
    carries: Mapping[str, Carries] = {**dict.fromkeys(FIELDS, Carries.ABSENT), "verdict": Carries.YES}

    def detect(self, log: Log) -> float:
        """Confidence by the fields of the first lines."""
        seen = columns(log) if log.head.lstrip().startswith(b"{") else []
        return 0.95 if seen and not missing(seen, _COLUMNS) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:  # noqa: ARG002
        """One entry a line: a label, a judgment that is none or no longer counts, or a rejection.

        Raises
        ------
        LogError
            The rest of the file cannot be read.
        """
        found = list(records(log, _Judgment))
        newest: dict[str, tuple[float, int]] = {}
        for line, judgment in found:
            if not isinstance(judgment, Rejected):
                name, at = run_id(judgment.question_id, judgment.model), (judgment.tstamp, line.offset)
                newest[name] = max(newest.get(name, at), at)
        for line, judgment in found:
            yield judgment if isinstance(judgment, Rejected) else _entry(line, judgment, newest)


READER: Reader = LiveBenchJudgments()


def run_id(question: str | int, model: str) -> str:
    """Name of the judged run that both files can give (`record_id` of the mapping).

    >>> run_id("ab12", "GPT-4o")
    'ab12/gpt-4o'
    """
    return f"{question}/{model.lower()}"


def _entry(line: Line, judgment: _Judgment, newest: Mapping[str, tuple[float, int]]) -> Entry:
    custom_id = run_id(judgment.question_id, judgment.model)
    if newest[custom_id][1] != line.offset:
        return NotSelected(line.offset, "judged again")
    if judgment.score is None or judgment.score == -1:
        return NotSelected(line.offset, "not scored")
    if not 0 <= judgment.score <= 1:
        detail = problem(
            "not a score",
            where=f"score, of {custom_id}",
            found=f"{judgment.score!r}",
            allowed="a number from 0 to 1, or -1 for none",
            remedy="judge the answer again",
        )
        return Rejected(line.offset, "invalid_value", detail, line.text or "")
    instance = keys.instance_id(judgment.question_id)
    row: dict[str, Any] = {
        "target": target_of(custom_id=custom_id, benchmark=BENCHMARK, instance=instance),
        "custom_id": custom_id,
        "benchmark_id": BENCHMARK,
        "instance_id": instance,
        "gold": None,
        "correct": is_correct(judgment.score),
    }
    return Fact(line.offset, "labels", row, text_of(line.text))
