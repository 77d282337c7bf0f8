"""OckBench: what do its result files and its caches say of a run?

    results   one JSON document {config, results: [...], summary, timestamp}
    cache     JSON lines: a header with the identity of the run, then a row for each attempt at a problem

Both hold the same rows, so a run is named alike in both (ockbench_settings.py); the attempt is what was
generated. In a cache the last row of a problem counts; the rows before it were retried. The tool writes 0 where
a provider gave no count. Its counts are normalised already; where old versions added reasoning a second time
the total tells. Reasoning itself is logged only where it stands in the text. Source: formats.md section 2.9.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from effspark.errors import LogError
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.cells import Kind, text_of, typed
from effspark.readers.files import Log
from effspark.readers.jsonl import decoded, records
from effspark.readers.members import Member, listed, members, part
from effspark.readers.ockbench_settings import NAME, Config, Identity, of_identity, run_fields
from effspark.runs.record import LoggedRun, LoggedVerdict, Status, Visibility
from effspark.runs.stops import StopClass, stop_class
from effspark.runs.tokens import Usage, hides_trace

_HEADER = b'"__ockbench_cache__"'
_NAMES = (b'"dataset_path"', b'"evaluator_type"', b'"problem_id"', b'"formatted_prompt"')
_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d.*")
_CUT_OR_REFUSED = (StopClass.LENGTH, StopClass.CONTEXT, StopClass.REFUSAL)
_FAILED = ("error", "exception")
_CARRIES = {
    "verdict": Carries.YES,
    "stop": Carries.YES,
    "tokens": Carries.YES,
    "reasoning": Carries.YES,
    "repeat": Carries.ABSENT,
    "trace": Carries.DERIVABLE,
    "gold": Carries.YES,
    "latency": Carries.YES,
    "cost": Carries.ABSENT,
}


class _Counts(msgspec.Struct):
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    answer_tokens_estimated: bool | None = None
    unattributed_tokens: int | None = None


class _Row(_Counts):
    """One problem. The oldest rows hold the counts themselves, later ones under `tokens`."""

    problem_id: Any = None
    question: str | None = None
    formatted_prompt: str | None = None
    ground_truth: Any = None
    model_response: str | None = None
    extracted_answer: Any = None
    correct: bool | None = None
    tokens: _Counts | None = None
    latency: float | None = None
    error: str | None = None
    evaluator_error: str | None = None
    extraction_method: str | None = None
    finish_reason: str | None = None


class _Header(msgspec.Struct):
    schema_version: str | None = None
    identity: Identity = Identity()


class _Known(NamedTuple):
    """What the rows of a file have in common: fields of a run, and the evaluator that judged it."""

    fields: Mapping[str, Any]
    scorer: str
    hides: bool


class OckBench:
    """Reader of OckBench result files and caches."""

    name = NAME
    version = 1
    reads = Reads.FILE
    title = "OckBench results (.json) and caches (.jsonl)"
    trap = (
        "In a cache the last row of a problem counts, those before it were retried; 0 tokens mean that the "
        "provider gave no count."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the header of a cache, or by the settings and the first row of a result file."""
        head = log.head
        if not head.lstrip().startswith(b"{"):
            return 0.0
        return 0.95 if _is_cache(log) or all(name in head for name in _NAMES) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a row: a run, a row that is not selected, or a rejection."""
        return _cache(log, options) if _is_cache(log) else _results(log, options)


READER: Reader = OckBench()


def _is_cache(log: Log) -> bool:
    return _HEADER in log.head.lstrip().split(b"\n", 1)[0]


def _results(log: Log, options: Options) -> Iterator[Entry]:
    parts = members(log.text(), log.uri)
    config = part(parts, "config", Config, log.uri)
    if config is None or "results" not in parts:
        found = ", ".join(parts) or "nothing"
        raise LogError(
            f"{log.uri}: found {found}; allowed: a document with config and results; write it again"
        )
    named = part(parts, "dataset_name", str, log.uri)
    config = msgspec.structs.replace(config, dataset_name=named or config.dataset_name)
    version, ended = (part(parts, name, object, log.uri) for name in ("schema_version", "timestamp"))
    known = _known(config, options, version, ended)
    for element in listed(parts["results"], log.uri):
        row = decoded(element.text, _Row, offset=element.offset)
        yield row if isinstance(row, Rejected) else _entry(element.offset, element.text, row, known)


def _cache(log: Log, options: Options) -> Iterator[Entry]:
    """Rows of a cache. All are looked through first, since the last of a problem decides for it."""
    (first, *lines) = list(records(log, msgspec.Raw))
    header = part({"header": Member(0, first[0].text or "")}, "header", _Header, log.uri) or _Header()
    known = _known(of_identity(header.identity), options, header.schema_version)
    yield NotSelected(first[0].offset, "header of the cache")
    rows = [
        (line, row if isinstance(row, Rejected) else decoded(line.text or "", _Row, offset=line.offset))
        for line, row in lines
    ]
    wanted = Counter(str(row.problem_id) for _, row in rows if isinstance(row, _Row))
    met: Counter[str] = Counter()
    for line, row in rows:
        if isinstance(row, Rejected):
            yield row
            continue
        met[str(row.problem_id)] += 1
        tries = met[str(row.problem_id)]
        if tries < wanted[str(row.problem_id)]:
            yield NotSelected(line.offset, "a later row of the same problem replaces it")
        else:
            yield _entry(line.offset, line.text or "", row, known, retries=tries - 1)


def _known(config: Config, options: Options, version: Any, ended: Any = None) -> _Known:
    odd = ended is not None and not (isinstance(ended, str) and _ISO.fullmatch(ended))
    fields = {
        **run_fields(config, options),
        "log_version": None if odd else typed(ended, Kind.TIMESTAMP, where="timestamp", cells=False),
        "format_version": text_of(version),
        "quality_flags": ("odd_time",) if odd else (),
    }
    hides = hides_trace(config.model or "", options.hidden_trace_models)
    return _Known(fields, config.evaluator_type or NAME, hides)


def _entry(offset: int, text: str, row: _Row, known: _Known, *, retries: int = 0) -> Entry:
    """Run of a row. An error after an answer is the evaluator's: the run is whole, and nobody judged it."""
    usage, flags = _usage(row.tokens or row)
    answer = row.model_response
    unjudged = row.evaluator_error or (row.error if answer and row.extraction_method not in _FAILED else None)
    cut = stop_class(row.finish_reason) in _CUT_OR_REFUSED
    failed = row.error is not None and unjudged is None and not cut
    verdict = LoggedVerdict(
        scorer=known.scorer,
        raw=text_of(row.correct),
        value=None if row.correct is None else float(row.correct),
        extracted_answer=text_of(row.extracted_answer),
    )
    run = LoggedRun(
        **{**known.fields, "quality_flags": (*known.fields["quality_flags"], *flags)},
        **_shown(answer, usage, hides=known.hides),
        instance_id=row.problem_id,
        usage=usage,
        finish_reason=row.finish_reason,
        status=Status.ERROR if failed else Status.OK,
        error_type="evaluator_error" if unjudged else None,
        error_message=unjudged or row.error,
        prompt=row.formatted_prompt,
        answer=answer,
        question=row.question,
        gold=text_of(row.ground_truth),
        verdicts=() if failed or unjudged or row.correct is None else (verdict,),
        latency_seconds=row.latency or None,
        latency_kind="wall" if row.latency else None,
        n_retries=retries,
    )
    return Mapped(offset, (run,), text)


def _usage(counts: _Counts) -> tuple[Usage, tuple[str, ...]]:
    """Counts as the provider reported them, and what the tool did to them. All 0 is no count."""
    given, answer, reasoning = counts.prompt_tokens, counts.answer_tokens, counts.reasoning_tokens
    visible = counts.completion_tokens if answer is None else answer
    output = visible if counts.output_tokens is None else counts.output_tokens
    if not output and not reasoning and not counts.total_tokens:
        return Usage(), ()
    if reasoning and given is not None and visible is not None and counts.total_tokens == given + visible:
        output = visible
    flags = ["reasoning_estimated"] if counts.answer_tokens_estimated else []
    flags += ["gap_folded"] if counts.unattributed_tokens else []
    return Usage(input=given, output=output, reasoning=reasoning or None, total=counts.total_tokens), tuple(
        flags
    )


def _shown(answer: str | None, usage: Usage, *, hides: bool) -> dict[str, Any]:
    """How much of the generated text the log shows."""
    thinks = "<think>" in (answer or "") or "</think>" in (answer or "")
    if not thinks and (usage.reasoning or hides):
        return {"trace_visibility": Visibility.HIDDEN}
    return {"trace_visibility": Visibility.FULL if answer else Visibility.NONE, "estimable": bool(answer)}
