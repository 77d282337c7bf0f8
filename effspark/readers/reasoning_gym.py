"""reasoning-gym: which runs does a result file of one generated data set hold, and whose are they?

    <run>/<category>/<data set>.json  {name, category, config, results: [{question, completions: [...]}]}
    <run>/summary.json                model and settings of the run
    <run>/results.json                all data sets again, with the settings      (where it was asked for)
    older: one document a data set, with its model and one answer an item; a list of them as summary

An item bears no id: its place in the data set and the hash of its question name it. Each completion is a run with
a score of its own; best and mean scores are no runs. Only what the model said aloud is logged, never tokens: the
text is the whole trace where it shows thinking between tags, else T stays unknown. Source: formats.md section 2.9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from effspark.errors import LogError, problem
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.cells import Kind, text_of, typed
from effspark.readers.companions import file_at, parent
from effspark.readers.configurations import NAME_MODEL, NO_MODEL
from effspark.readers.files import Log
from effspark.readers.members import Member, listed, members, part
from effspark.readers.python_json import python_decoded
from effspark.runs import keys
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict, ScoreKind, Status, Visibility

_KNOWN = (
    (b'"average_mean_score"', b'"category"', b'"results"'),
    (b'"dataset_name"', b'"average_score"', b'"total_examples"', b'"results"'),
    (b'"categories"', b'"git_hash"', b'"duration_seconds"', b'"datasets"'),
    (b'"dataset_best_scores"', b'"total_datasets"'),
    (b'"completed_datasets"', b'"last_updated"'),
)
"""Names in the head of each kind of file: a data set, an older one, all of a run, its summary, its checkpoint."""
_SUMMARY = "summary.json"
_SIZES = ("size", "seed")
_CARRIES = {
    "verdict": Carries.YES,
    "stop": Carries.ABSENT,
    "tokens": Carries.ABSENT,
    "reasoning": Carries.ABSENT,
    "repeat": Carries.YES,
    "trace": Carries.DERIVABLE,
    "gold": Carries.YES,
    "latency": Carries.ABSENT,
    "cost": Carries.ABSENT,
}
_NOTHING = "completions: found none; allowed: an answer or an error; run the model on this item again"


class _Setup(msgspec.Struct):
    """How the model of a run was asked."""

    model: str | None = None
    provider: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    timestamp: str | None = None
    git_hash: str | None = None


class _Completion(msgspec.Struct):
    model_answer: Any = None
    full_model_response: str | None = None
    score: float | None = None
    error: str | None = None


class _Item(_Completion):
    """One item; an older one is its own completion."""

    question: str | None = None
    expected_answer: Any = None
    completions: list[_Completion] | None = None
    metadata: Any = None


class _Set(NamedTuple):
    """Fields that all runs on a data set have in common, its items, and what is wrong with a summary of its run."""

    fields: Mapping[str, Any]
    items: Member
    unreadable: str


class ReasoningGym:
    """Reader of reasoning-gym results."""

    name = "reasoning_gym"
    version = 1
    reads = Reads.FILE
    companions = 2
    title = "reasoning-gym <run>/<category>/<data set>.json, with summary.json"
    trap = (
        "Scores are graded from 0 to 1: only a full score is a success. A result file does not always name "
        "its model, and never tokens."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the names at the start of a document."""
        head = log.head
        if not head.lstrip().startswith((b"{", b"[")):
            return 0.0
        return 0.95 if any(all(name in head for name in names) for names in _KNOWN) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry an item: the runs of its completions, or a rejection. A summary is not selected."""
        text, none = log.text(), True
        for found in _sets(text, log, options):
            none = False
            for place, element in enumerate(listed(found.items, log.uri)):
                item = python_decoded(element.text, _Item, offset=element.offset)
                yield item if isinstance(item, Rejected) else _entry(place, element, item, found)
        if none:
            yield NotSelected(0, "summary of a run")


READER: Reader = ReasoningGym()


def _sets(text: str, log: Log, options: Options) -> Iterator[_Set]:
    """Data sets of a file, of any kind."""
    if text.lstrip().startswith("["):
        for element in listed(Member(0, text), log.uri):
            yield from _set(members(element.text, log.uri, offset=element.offset), None, log, options)
        return
    top = members(text, log.uri)
    setup = part(top, "metadata", _Setup, log.uri) if "categories" in top else None
    for category in listed(top["categories"], log.uri) if "categories" in top else ():
        inner = members(category.text, log.uri, offset=category.offset)
        for element in listed(inner.get("datasets", Member(0, "[]")), log.uri):
            yield from _set(members(element.text, log.uri, offset=element.offset), setup, log, options)
    yield from _set(top, None, log, options)


def _set(found: Mapping[str, Member], setup: _Setup | None, log: Log, options: Options) -> Iterator[_Set]:
    if "results" not in found:
        return
    name = part(found, "name", str, log.uri) or part(found, "dataset_name", str, log.uri)
    config: dict[str, Any] = part(found, "config", dict, log.uri) or {}
    category = part(found, "category", str, log.uri)
    system_prompt = part(found, "system_prompt", str, log.uri)
    if setup is None and "model" in found:
        model, provider = (part(found, one, str, log.uri) for one in ("model", "provider"))
        setup = _Setup(model=model, provider=provider)
    unreadable: list[str] = []
    setup = setup or _summary_of(log, unreadable) or _Setup(model=None if unreadable else options.model)
    configuration = Configuration(
        request_model=setup.model or "",
        provider_route=setup.provider,
        temperature=setup.temperature,
        output_budget_tokens=setup.max_tokens,
    )
    asked = (name, configuration.config_id, config, system_prompt, setup.top_p)
    fields = {
        "configuration": configuration,
        "benchmark_id": name or options.benchmark or "",
        "benchmark_version": setup.git_hash if setup.git_hash != "unknown" else None,
        "eval_run_id": keys.digest("eval_run", READER.name, *asked),
        "started_at": typed(setup.timestamp, Kind.TIMESTAMP, where="timestamp", cells=False),
        "axes": _numbers(config),
        "tags": {} if category is None else {"category": category},
    }
    yield _Set(fields, found["results"], "; ".join(unreadable))


def _summary_of(log: Log, unreadable: list[str]) -> _Setup | None:
    """Settings in the summary of the run: above the folder of the category, else beside the file; or what ails it."""
    for levels in (2, 1):
        try:
            other = file_at(f"{parent(log.uri, levels)}/{_SUMMARY}")
            setup = None if other is None else python_decoded(other.text(), _Setup, offset=0)
        except LogError as error:
            unreadable.append(str(error))
            continue
        if isinstance(setup, _Setup) and setup.model:
            return setup
    return None


def _entry(place: int, element: Member, item: _Item, of: _Set) -> Entry:
    if not of.fields["configuration"].request_model:
        return Rejected(element.offset, NO_MODEL, _no_model(place, of.unreadable), element.text)
    known = {
        **of.fields,
        "instance_id": f"{place}-{keys.question_hash(item.question or '')[:12]}",
        "question": item.question,
        "gold": text_of(item.expected_answer),
        "axes": {**of.fields["axes"], **_difficulty(item.metadata)},
    }
    failed = [] if item.error is None else [_Completion(error=item.error)]
    made = ([item] if item.completions is None else item.completions) or failed
    if not made:
        return Rejected(element.offset, "invalid_record", _NOTHING, element.text)
    runs = tuple(_run(known, number, one) for number, one in enumerate(made))
    return Mapped(element.offset, runs, element.text)


def _run(known: Mapping[str, Any], number: int, made: _Completion) -> LoggedRun:
    """Run of a completion. An error beside a text is the scorer's, and nobody judged the text."""
    answer = made.full_model_response
    thinks = any(mark in (answer or "") for mark in ("<think>", "</think>"))
    shown = Visibility.FULL if thinks else Visibility.HIDDEN if answer else Visibility.NONE
    verdict = LoggedVerdict(
        scorer=READER.name,
        raw=text_of(made.score),
        value=made.score,
        kind=ScoreKind.FRACTIONAL,
        extracted_answer=text_of(made.model_answer),
    )
    return LoggedRun(
        **known,
        attempt=str(number),
        answer=answer,
        trace_visibility=shown,
        estimable=thinks,
        status=Status.ERROR if made.error is not None and answer is None else Status.OK,
        error_type="evaluator_error" if made.error is not None and answer is not None else None,
        error_message=made.error,
        verdicts=() if made.error is not None or made.score is None else (verdict,),
    )


def _difficulty(metadata: Any) -> dict[str, float]:
    """Numbers that an item says of its own difficulty, where its metadata was saved."""
    found = metadata.get("difficulty") if isinstance(metadata, dict) else None
    return _numbers(found) if isinstance(found, dict) else {}


def _numbers(config: Mapping[str, Any]) -> dict[str, float]:
    told = {
        name: value for name, value in config.items() if name not in _SIZES and not isinstance(value, bool)
    }
    return {name: value for name, value in told.items() if isinstance(value, (int, float))}


def _no_model(place: int, unreadable: str) -> str:
    return problem(
        "no model",
        where=f"item {place}",
        found=unreadable or "a data set whose run has no summary.json that names its model",
        allowed="a summary.json above the folder of the category, or a model that the user names",
        remedy=f"put the summary.json of the run there and load both again, or {NAME_MODEL}",
    )
