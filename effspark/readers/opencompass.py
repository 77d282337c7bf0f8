"""OpenCompass: which runs does a predictions file hold?

    <data set>.json        {"0": {origin_prompt, prediction, gold, res_length, ...}, "1": ...}
    tmp_<data set>.jsonl   {idx, origin_prompt, prediction, ...}, while it is written

Model, data set and run stand in the path alone, and the verdicts in another file (opencompass_files.py). A list
of predictions is k repeats; a chat of several rounds, which looks alike, is refused. Lengths are a recount of the
text by a local tokenizer, and are not read where the model keeps its reasoning to itself. There is no stop
reason. The tool drops a gold answer that is empty or 0. Source: formats.md section 2.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from effspark.errors import LogError, problem
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.cells import text_of
from effspark.readers.configurations import NAME_MODEL, NO_MODEL
from effspark.readers.files import Log
from effspark.readers.heads import cut_line, first_records
from effspark.readers.jsonl import refused
from effspark.readers.members import members_in_order
from effspark.readers.opencompass_files import (
    MOST_DIGITS,
    Detail,
    Place,
    details_of,
    place_of,
    predictions_of,
)
from effspark.readers.python_json import python_decoded
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict, Visibility
from effspark.runs.tokens import TokenSource, Usage, hides_trace

_DOCUMENT = re.compile(rb'\s*\{\s*"\d+"\s*:\s*\{')
_LINE = ("idx", "origin_prompt", "prediction")
_CARRIES = {
    "verdict": Carries.DERIVABLE,
    "stop": Carries.ABSENT,
    "tokens": Carries.DERIVABLE,
    "reasoning": Carries.ABSENT,
    "repeat": Carries.YES,
    "trace": Carries.YES,
    "gold": Carries.YES,
    "latency": Carries.ABSENT,
    "cost": Carries.ABSENT,
}


class _Record(msgspec.Struct):
    origin_prompt: Any = None
    prediction: Any = None
    gold: Any = None
    res_length: Any = None
    all_input_length: Any = None
    idx: Any = None


class _Found(NamedTuple):
    """A record where it stands: its number in the file, its byte offset, its text."""

    number: Any
    offset: int
    text: str


class _Known(NamedTuple):
    """What the records of a file have in common, what was said of each item, and which file beside is unreadable."""

    fields: Mapping[str, Any]
    first: int
    details: Mapping[int, Detail]
    hides: bool
    lacking: str | None


class OpenCompass:
    """Reader of OpenCompass predictions."""

    name = "opencompass"
    version = 2
    reads = Reads.FILE
    companions = 3
    title = "OpenCompass outputs/<time>/predictions/<model>/<data set>.json, with results"
    trap = (
        "Shards count from 0 again, and a reasoning that was cut becomes the prediction where the content "
        "is empty."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the numbered records of a document or the names of the first lines; for a results file
        by the predictions that it was made of.
        """
        head = log.head
        if _DOCUMENT.match(head) and b'"origin_prompt"' in head:
            return 0.95 if b'"prediction"' in head else 0.7
        if any(all(name in row for name in _LINE) for row in first_records(log, dict[str, msgspec.Raw])):
            return 0.95
        if b'"idx"' in cut_line(log) and b'"origin_prompt"' in cut_line(log):
            return 0.6
        return 0.6 if predictions_of(log.uri) is not None else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a record: its k runs, a record that is not selected, or a rejection."""
        if predictions_of(log.uri) is not None:
            yield NotSelected(0, "results of an evaluator")
            return
        place, details, lacking = Place(), {}, None
        try:
            place = place_of(log.uri)
            details = dict(details_of(log.uri, place))
        except LogError as error:
            lacking = str(error)
        model = place.model or options.model or ""
        if not model and lacking is None:
            yield from (_no_model(found) for found in _records(log))
            return
        fields = {
            "configuration": Configuration(request_model=model),
            "benchmark_id": place.benchmark or options.benchmark or "",
            "eval_run_id": place.run,
        }
        hides = hides_trace(model, options.hidden_trace_models)
        known = _Known(fields, place.first, details, hides, lacking)
        for found in _records(log):
            yield _entry(found, known) if isinstance(found, _Found) else found


READER: Reader = OpenCompass()


def _records(log: Log) -> Iterator[_Found | NotSelected | Rejected]:
    """Records of a file; of those of one number the last counts, as in any JSON object."""
    if _DOCUMENT.match(log.head):
        found, fault = members_in_order(log.text(), log.uri)
        last = {name: member.offset for name, member in found}
        for name, member in found:
            if last[name] == member.offset:
                yield _Found(name, member.offset, member.text)
            else:
                yield NotSelected(member.offset, "record of a number that stands again")
        if fault is not None:
            raise fault
        return
    for line in log.lines():
        yield refused(line) if line.text is None else _Found(None, line.offset, line.text)


def _no_model(found: _Found | NotSelected | Rejected) -> NotSelected | Rejected:
    if not isinstance(found, _Found):
        return found
    text = problem(
        "no model",
        where=f"item at byte {found.offset}",
        found="a file outside the folders of the tool, which alone name model and data set",
        allowed="outputs/<time>/predictions/<model>/<data set>.json",
        remedy=f"keep the folders, or {NAME_MODEL} and the data set with --benchmark NAME",
    )
    return Rejected(found.offset, NO_MODEL, text, found.text)


def _entry(found: _Found, known: _Known) -> Entry:
    said: Any = python_decoded(found.text, dict, offset=found.offset)
    if isinstance(said, Rejected):
        return said
    record = msgspec.convert({name: said.get(name) for name in _Record.__struct_fields__}, _Record)
    if "choices" in said or any(name.startswith("label: ") for name in said):
        return NotSelected(found.offset, "scored by likelihood: nothing was generated")
    if _is_chat(record):
        detail = "prediction: found a chat of several rounds; allowed: one answer or k repeats of one; leave it out"
        return Rejected(found.offset, "several_rounds", detail, found.text)
    number = record.idx if found.number is None else found.number
    if not isinstance(number, (int, str)) or not str(number).isdecimal() or len(str(number)) > MOST_DIGITS:
        detail = f"idx: found {number!r:.80}; allowed: the number of an item; write the file again"
        return Rejected(found.offset, "invalid_record", detail, found.text)
    texts = _texts(record.prediction)
    if not texts:
        detail = (
            f"prediction: found {record.prediction!r:.80}; allowed: a text or a list of texts; run it again"
        )
        return Rejected(found.offset, "invalid_record", detail, found.text)
    if known.lacking is not None:
        return Rejected(found.offset, "unreadable_companion", known.lacking, found.text)
    item = known.first + int(number)
    runs = (_run(record, item, place, texts, known) for place in range(len(texts)))
    return Mapped(found.offset, tuple(runs), found.text)


def _is_chat(record: _Record) -> bool:
    """Does each prediction answer a prompt of its own?"""
    prompts = record.origin_prompt
    return isinstance(prompts, list) and bool(prompts) and all(isinstance(one, list) for one in prompts)


def _texts(prediction: Any) -> list[str]:
    """Predictions of a record; none where one of them is no text."""
    listed = prediction if isinstance(prediction, list) else [prediction]
    found = [one.get("prediction") if isinstance(one, dict) else one for one in listed]
    texts = [text for text in found if isinstance(text, str)]
    return texts if len(texts) == len(found) else []


def _run(record: _Record, item: int, place: int, texts: list[str], known: _Known) -> LoggedRun:
    text, lengths = texts[place], record.res_length
    length = lengths[place] if isinstance(lengths, list) and len(lengths) == len(texts) else lengths
    detail = known.details.get(item)
    correct, extracted = (None, None) if detail is None else detail.of(place, len(texts))
    verdict = LoggedVerdict(
        scorer=READER.name,
        raw=text_of(correct),
        value=None if correct is None else float(correct),
        extracted_answer=text_of(extracted),
    )
    shown = Visibility.HIDDEN if known.hides else Visibility.FULL if text else Visibility.NONE
    return LoggedRun(
        **known.fields,
        instance_id=item,
        attempt=str(place),
        usage=Usage(
            input=record.all_input_length or None,
            output=None if known.hides or isinstance(length, list) else length or None,
            source=TokenSource.TOKENIZER,
        ),
        prompt=_prompt(record.origin_prompt),
        answer=text,
        trace_visibility=shown,
        estimable=shown is Visibility.FULL,
        gold=text_of(record.gold),
        verdicts=() if correct is None else (verdict,),
    )


def _prompt(origin: Any) -> str | None:
    """Prompt as one text: what each role says, in order."""
    if isinstance(origin, list) and all(isinstance(said, dict) for said in origin):
        texts = [said.get("content") if said.get("prompt") is None else said["prompt"] for said in origin]
        return "\n".join(text for text in texts if isinstance(text, str) and text) or None
    return text_of(origin)
