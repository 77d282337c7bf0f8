"""NeMo-Skills: which run is one line of its output files, and whose?

    <model>/eval-results/<benchmark>/output-rs<seed>.jsonl : {generation, num_generated_tokens, ...} + columns of
    the data set  ->  one run

A line names neither model nor benchmark. The benchmark is the folder that the tool writes to. The model is what
the user says, else the folder above `eval-results`, which is then flagged. Without an id an instance is the hash
of its question. Repeats are the seeds in the file names. A file that is still being written (`-async`) holds the
same lines in another order. A generation that did not fit the context is logged as an empty text of 0 tokens;
no such 0 is a count. Source: formats.md section 2.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.cells import text_of
from effspark.readers.files import Log
from effspark.readers.heads import cut_line, first_records
from effspark.readers.jsonl import refused
from effspark.readers.openai_bodies import time_of
from effspark.readers.python_json import python_decoded
from effspark.runs import keys
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict, ScoreKind, Status, Visibility
from effspark.runs.tokens import TokenSource, Usage, hides_trace

_STATISTICS = ("num_generated_tokens", "generation_time", "generation_start_time")
_ANSWERS = ("predicted_answer", "expected_answer")
_RESULTS = "eval-results"
_FILE = re.compile(r"output(?:-(rs(\d+)|greedy))?(?:_chunk_\d+)?\.jsonl")
_IDS = ("id", "task_id", "problem_id", "unique_id", "question_id")
_LABELS = ("subset_for_metrics", "subject", "level", "difficulty", "category", "type")
_SCORES = ("symbolic_correct", "is_correct", "is_correct-plus")
_JUDGEMENT = re.compile(r"(?:judgement\**\s*:\W*|^\W*(?=\w+\W*$))(yes|no)\b", re.IGNORECASE)
_MADE = re.compile("_|num_|generation_|interleaved_")
_OVERFLOW = "context_window_exceeded"
_CARRIES = {
    "verdict": Carries.YES,
    "stop": Carries.YES,
    "tokens": Carries.YES,
    "reasoning": Carries.YES,
    "repeat": Carries.DERIVABLE,
    "trace": Carries.YES,
    "gold": Carries.YES,
    "latency": Carries.YES,
    "cost": Carries.ABSENT,
}


class _Row(msgspec.Struct):
    """What the tool adds to a row of the data set."""

    generation: str | None = None
    reasoning_content: str | None = None
    full_generation: str | None = msgspec.field(name="_full_generation", default=None)
    num_generated_tokens: Any = None
    num_reasoning_tokens: Any = None
    num_input_tokens: Any = None
    finish_reason: str | None = None
    generation_time: float | None = None
    generation_start_time: float | None = None
    predicted_answer: Any = None
    expected_answer: Any = None
    judgement: str | None = None
    error: Any = None
    detailed_error: str | None = None
    problem: str | None = None
    question: str | None = None


class NemoSkills:
    """Reader of NeMo-Skills output files."""

    name = "nemo_skills"
    version = 1
    reads = Reads.LINES
    title = "NeMo-Skills eval-results/<benchmark>/output*.jsonl"
    trap = (
        "The repeat is the seed in the file's name; a prompt that did not fit is logged as an empty text of "
        "0 tokens."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the names of the first lines; lower without statistics, or where a line is long."""
        found = first_records(log, dict[str, msgspec.Raw])
        made = [row for row in found if "generation" in row]
        if any(name in row for row in made for name in _STATISTICS):
            return 0.95
        if any(all(name in row for name in _ANSWERS) for row in made):
            return 0.8
        start = cut_line(log)
        named = b'"num_generated_tokens"' in start and b'"generation' in start
        return 0.6 if named or _is_summary(log) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a line: a run or a rejection. The summary beside the results is not selected."""
        if _is_summary(log):
            if log.start == 0:
                yield NotSelected(0, "summary of the metrics")
            return
        known = _known(log.uri, options)
        for line in log.lines():
            yield refused(line) if line.text is None else _entry(line.offset, line.text, known, options)


READER: Reader = NemoSkills()


def _is_summary(log: Log) -> bool:
    """Is it the metrics file of a benchmark: {benchmark: {aggregation: {num_entries, avg_tokens, ...}}}?"""
    head = log.head
    return head.lstrip().startswith(b"{") and b'"num_entries"' in head and b'"avg_tokens"' in head


def _known(uri: str, options: Options) -> dict[str, Any]:
    """Fields that the folders and the name of a file say, and what the user says."""
    *folders, name = uri.split("/")
    model = benchmark = None
    if len(folders) >= 2 and folders[-2] == _RESULTS:
        benchmark = folders[-1]
        model = folders[-3] if len(folders) >= 3 else None
    found = _FILE.match(name)
    seed = found[2] if found is not None else None
    return {
        "configuration": Configuration(request_model=options.model or model or ""),
        "benchmark_id": benchmark or options.benchmark or "",
        "attempt": found[1] or "output" if found is not None else None,
        "seed": None if seed is None else int(seed),
        "quality_flags": ("model_from_path",) if model and not options.model else (),
    }


def _entry(offset: int, text: str, known: Mapping[str, Any], options: Options) -> Entry:
    columns = python_decoded(text, dict, offset=offset)
    row = python_decoded(text, _Row, offset=offset)
    if isinstance(columns, Rejected):
        return columns
    if isinstance(row, Rejected):
        return row
    question = row.problem if row.problem is not None else row.question
    overflow = row.error == _OVERFLOW
    answer = row.generation if row.full_generation is None else row.full_generation
    failed = row.error is not None and not overflow and not answer
    usage = Usage(
        input=row.num_input_tokens,
        output=row.num_generated_tokens or None,
        reasoning=row.num_reasoning_tokens,
        source=TokenSource.SERVER,
    )
    hides = hides_trace(known["configuration"].request_model, options.hidden_trace_models)
    run = LoggedRun(
        **known,
        **_shown(answer, row.reasoning_content, usage, hides=hides),
        instance_id=_instance(columns, question),
        usage=usage,
        finish_reason=_OVERFLOW if overflow else row.finish_reason,
        status=Status.ERROR if failed else Status.OK,
        error_type=text_of(row.error),
        error_message=row.detailed_error,
        answer=answer,
        reasoning=row.reasoning_content or None,
        question=question,
        gold=text_of(row.expected_answer),
        verdicts=() if failed else tuple(_verdicts(columns, row)),
        latency_seconds=row.generation_time,
        latency_kind=None if row.generation_time is None else "wall",
        started_at=time_of(row.generation_start_time),
        axes={name: value for name, value in columns.items() if _is_axis(name, value)},
        tags={name: columns[name] for name in _LABELS if isinstance(columns.get(name), str)},
    )
    return Mapped(offset, (run,), text)


def _instance(columns: Mapping[str, Any], question: str | None) -> Any:
    named = next((columns[name] for name in _IDS if columns.get(name) is not None), None)
    return keys.question_hash(question)[:16] if named is None and question else named


def _shown(answer: str | None, reasoning: str | None, usage: Usage, *, hides: bool) -> dict[str, Any]:
    """How much of the generated text the log shows: reasoning stands beside it, or in it between tags."""
    shown = bool(reasoning) or "</think>" in (answer or "") or "<think>" in (answer or "")
    if not shown and (usage.reasoning or hides):
        return {"trace_visibility": Visibility.HIDDEN}
    whole = bool(answer or reasoning)
    return {
        "trace_visibility": Visibility.FULL if whole else Visibility.NONE,
        "estimable": whole and not hides,
    }


def _verdicts(columns: Mapping[str, Any], row: _Row) -> Iterator[LoggedVerdict]:
    """Verdicts of the graders, each under the name of its column; of a judge by its last word."""
    extracted = text_of(row.predicted_answer)
    for name in _SCORES:
        score = columns.get(name)
        if isinstance(score, (bool, int, float)):
            flag = isinstance(score, bool)
            yield LoggedVerdict(
                scorer=name,
                raw=text_of(score),
                value=float(score) if flag else score,
                kind=ScoreKind.BINARY if flag else ScoreKind.FRACTIONAL,
                extracted_answer=extracted,
            )
    if row.judgement is not None:
        found = _JUDGEMENT.findall(row.judgement)
        yield LoggedVerdict(
            scorer="judgement",
            raw=found[-1] if found else row.judgement,
            value=float(found[-1].lower() == "yes") if found else None,
            extracted_answer=extracted,
        )


def _is_axis(name: str, value: Any) -> bool:
    """Is it a number of the data set, not one that names the instance or that the tool adds?"""
    if name in _IDS or name in _SCORES or name in _ANSWERS or _MADE.match(name):
        return False
    return isinstance(value, (int, float)) and not isinstance(value, bool)
