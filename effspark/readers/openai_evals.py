"""openai/evals event logs: what did each sample cost, and was it right?

    spec | {run_id, sample_id, type, data} ... | final_report   ->   one run a sample

The events of a sample are joined by (run_id, sample_id): `sampling` holds text and usage, `match` and `metrics` the
verdicts. There is no finish reason, budget or time of a call. A model-graded eval logs the grader's calls beside
those of the model: where the names do not tell them apart, the run has neither T nor text. A choice of a grader
(A, B, Y, ...) has no scale in the log, so that it is kept as raw score alone. Source: formats.md section 2.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from effspark.errors import LogError
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.cells import Kind, text_of, typed
from effspark.readers.files import Log
from effspark.readers.jsonl import records
from effspark.readers.mappings import missing
from effspark.readers.openai_evals_calls import Call, of_calls
from effspark.readers.rows import columns
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict, ScoreKind, Status

_EVENT = ("run_id", "event_id", "sample_id", "type", "data")
_SPEC = ("spec.completion_fns", "spec.eval_name", "spec.run_id")
_CARRIES = {
    "verdict": Carries.YES,
    "stop": Carries.ABSENT,
    "tokens": Carries.DERIVABLE,
    "reasoning": Carries.DERIVABLE,
    "repeat": Carries.ABSENT,
    "trace": Carries.DERIVABLE,
    "gold": Carries.YES,
    "latency": Carries.ABSENT,
    "cost": Carries.ABSENT,
}


class _Spec(msgspec.Struct):
    completion_fns: list[str] = []
    eval_name: str | None = None
    base_eval: str | None = None
    split: str | None = None
    run_id: str | None = None
    run_config: dict[str, Any] = {}


class _Line(msgspec.Struct):
    """One line: the spec, an event, or the final report."""

    spec: _Spec | None = None
    run_id: str | None = None
    sample_id: str | int | None = None
    type: str | None = None
    data: dict[str, Any] = {}
    created_at: str | None = None


@dataclass
class _Sample:
    """Events of one sample, in order."""

    offset: int
    run_id: str | None
    sample_id: str | int
    events: list[_Line] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Data of the events of one type."""
        return [event.data for event in self.events if event.type == kind]


class OpenAiEvals:
    """Reader of the event logs of openai/evals."""

    name = "openai_evals"
    version = 2
    reads = Reads.FILE
    title = "openai/evals event logs (oaieval --record_path, LocalRecorder)"
    trap = (
        "A model-graded eval logs the grader's calls under the same sample_id: summed, they are taken for "
        "the model's."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the spec and the events among the first lines."""
        seen = columns(log) if log.head.lstrip().startswith(b"{") else []
        return 0.95 if seen and not (missing(seen, _SPEC) and missing(seen, _EVENT)) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a sample, and one for each line that belongs to none.

        Raises
        ------
        LogError
            The rest of the file cannot be read.
        """
        specs: dict[str | None, _Spec] = {}
        samples: dict[tuple[str | None, str], _Sample] = {}
        for line, found in records(log, _Line):
            if isinstance(found, Rejected):
                yield found
            elif found.spec is not None:
                specs[found.spec.run_id] = found.spec
                yield NotSelected(line.offset, "spec")
            elif found.sample_id is None:
                yield NotSelected(line.offset, found.type or "final report")
            else:
                key = (found.run_id, str(found.sample_id))
                sample = samples.setdefault(key, _Sample(line.offset, found.run_id, found.sample_id))
                sample.events.append(found)
                sample.texts.append(line.text or "")
        for sample in samples.values():
            yield _entry(sample, specs.get(sample.run_id, _Spec()), options)


READER: Reader = OpenAiEvals()


def _entry(sample: _Sample, spec: _Spec, options: Options) -> Entry:
    text = "\n".join(sample.texts)
    try:
        calls = [msgspec.convert(data, Call) for data in sample.of("sampling")]
        times = [moment for event in sample.events if (moment := _moment(event.created_at)) is not None]
    except (msgspec.ValidationError, LogError) as error:
        detail = f"sample {sample.sample_id}: {error}; allowed: the types of the format; mend the log"
        return Rejected(sample.offset, "invalid_record", detail, text)
    asked = spec.completion_fns[0] if spec.completion_fns else next((c.model for c in calls if c.model), None)
    graded = "modelgraded" in str(spec.run_config.get("eval_spec")) or len(spec.completion_fns) > 1
    generated = of_calls(calls, asked=asked or "", graded=graded, hidden=options.hidden_trace_models)
    match = next(iter(sample.of("match")), {})
    failed = next(iter(sample.of("error")), None)
    run = LoggedRun(
        configuration=Configuration(request_model=asked or ""),
        benchmark_id=spec.base_eval or spec.eval_name or options.benchmark or "",
        benchmark_version=_version(spec),
        split=spec.split,
        instance_id=sample.sample_id,
        eval_run_id=sample.run_id,
        attempt="0",
        gold=text_of(match.get("expected")),
        verdicts=tuple(_verdicts(sample)),
        status=Status.OK if failed is None else Status.ERROR,
        error_type=None if failed is None else text_of(failed.get("type")),
        error_message=None if failed is None else text_of(failed.get("message")),
        started_at=min(times, default=None),
        log_version=max(times, default=None),
        record_id=str(sample.sample_id),
        **generated,
    )
    return Mapped(sample.offset, (run,), text)


def _version(spec: _Spec) -> str | None:
    """Last part of an eval's name, as in gsm8k.dev.v0, where it is a version."""
    last = (spec.eval_name or "").rpartition(".")[2]
    return last if last[:1] == "v" and last[1:].isdigit() else None


def _moment(text: str | None) -> datetime | None:
    return None if text is None else typed(text, Kind.TIMESTAMP, where="created_at", cells=True)


def _verdicts(sample: _Sample) -> Iterator[LoggedVerdict]:
    """A verdict of the matches, null where they disagree, and one of each metric."""
    matches = sample.of("match")
    found = {bool(data["correct"]) for data in matches if data.get("correct") is not None}
    if matches:
        raw = [data.get("correct") for data in matches]
        yield LoggedVerdict(
            scorer="match",
            raw=text_of(raw[0] if len(raw) == 1 else raw),
            value=float(found.pop()) if len(found) == 1 else None,
            extracted_answer=text_of(matches[0].get("picked")) if len(matches) == 1 else None,
        )
    for data in sample.of("metrics"):
        for name, value in data.items():
            yield _metric(name, value)


def _metric(name: str, value: Any) -> LoggedVerdict:
    if isinstance(value, bool):
        return LoggedVerdict(scorer=name, raw=text_of(value), value=float(value))
    graded = isinstance(value, (int, float)) and 0 <= value <= 1
    return LoggedVerdict(
        scorer=name,
        raw=text_of(value),
        value=float(value) if graded else None,
        kind=ScoreKind.FRACTIONAL if graded else ScoreKind.LETTER,
    )
