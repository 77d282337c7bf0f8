"""promptfoo: which rows does a result file hold, and how were its providers configured?

    results.json    {evalId, results: {timestamp, results: [rows], ...}, config, metadata}; old files
                    {results: [rows]}
    results.jsonl   the rows alone

A repeat bears no label (`--repeat` adds tests): the answers of one model to one prompt and instance are numbered
by their test, else by their place. Prompts are kept apart as eval runs. Settings of a provider stand in the
configuration of the file, not in its rows. A .jsonl holds the same rows as the .json of its evaluation, without
evaluation, time and settings: it is not selected where that stands beside it; elsewhere the ids of the rows make its
runs those of the .json, which outranks it whenever it comes. Source: formats.md section 2.10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from effspark.errors import LogError
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.cells import Kind, text_of, typed
from effspark.readers.companions import beside
from effspark.readers.files import Log
from effspark.readers.jsonl import decoded, records
from effspark.readers.members import Member, listed, members, part
from effspark.readers.openai_batch import UNLABELLED, UNTIMED
from effspark.readers.promptfoo_rows import Place, place_of, provider_of, run_of
from effspark.readers.promptfoo_shapes import ResultRow

_ROW = (b'"vars"', b'"success"', b'"latencyMs"', b'"namedScores"')
_TOP = (b'"evalId"', b'"results"', b'"prompts"', b'"version"')
_CARRIES = {
    "verdict": Carries.YES,
    "stop": Carries.YES,
    "tokens": Carries.YES,
    "reasoning": Carries.YES,
    "repeat": Carries.DERIVABLE,
    "trace": Carries.DERIVABLE,
    "gold": Carries.DERIVABLE,
    "latency": Carries.YES,
    "cost": Carries.YES,
}
_Found = tuple[int, str, ResultRow | Rejected]


class _Config(msgspec.Struct):
    description: str | None = None
    providers: Any = None


class _Metadata(msgspec.Struct, rename="camel"):
    promptfoo_version: str | None = None
    exported_at: str | None = None


class Promptfoo:
    """Reader of promptfoo results."""

    name = "promptfoo"
    version = 1
    reads = Reads.FILE
    companions = 1
    title = "promptfoo results (.json, .jsonl)"
    trap = (
        "Repeats bear no label and look like more tests; cached and failed rows have 0 tokens, which means "
        "unknown."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the names of the first row; lower where only the start of the document can be seen."""
        head = log.head
        if not head.lstrip().startswith(b"{"):
            return 0.0
        if all(name in head for name in _ROW):
            return 0.95
        return 0.7 if all(name in head for name in _TOP) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a row: a run, a row that is not selected, or a rejection."""
        return _document(log, options) if _is_document(log) else _lines(log, options)


READER: Reader = Promptfoo()


def _is_document(log: Log) -> bool:
    """Is the file one document, not lines? Its first line is then no whole object, or holds the results."""
    first = next(iter(log.lines()), None)
    row = None if first is None else decoded(first.text or "", dict[str, msgspec.Raw], offset=0)
    return not isinstance(row, dict) or "results" in row


def _document(log: Log, options: Options) -> Iterator[Entry]:
    top = members(log.text(), log.uri)
    rows = top.get("results", Member(0, ""))
    inner = members(rows.text, log.uri, offset=rows.offset) if rows.text.startswith("{") else {}
    config = part(top, "config", _Config, log.uri) or _Config()
    metadata = part(top, "metadata", _Metadata, log.uri) or _Metadata()
    started, version = part(inner, "timestamp", str, log.uri), part(inner, "version", int, log.uri)
    known = {
        "started_at": typed(started, Kind.TIMESTAMP, where="timestamp", cells=False),
        "log_version": typed(
            metadata.exported_at or started, Kind.TIMESTAMP, where="exportedAt", cells=False
        ),
        "format_version": metadata.promptfoo_version or text_of(version),
        "tags": {"description": config.description} if config.description else {},
    }
    found: list[_Found] = [
        (at, text, decoded(text, ResultRow, offset=at))
        for at, text in listed(inner.get("results", rows), log.uri)
    ]
    yield from _entries(found, known, part(top, "evalId", str, log.uri), _settings(config.providers), options)


def _lines(log: Log, options: Options) -> Iterator[Entry]:
    found: list[_Found] = [(line.offset, line.text or "", row) for line, row in records(log, ResultRow)]
    first = next((row.id for _, _, row in found if isinstance(row, ResultRow) and row.id), None)
    if first is not None and _stands_in_a_document(first, log):
        for offset, _, _ in found:
            yield NotSelected(offset, "the same row stands in a .json file beside")
    else:
        yield from _entries(found, {"log_version": UNTIMED}, None, {}, options)


def _stands_in_a_document(row_id: str, log: Log) -> bool:
    """Does a document beside hold a row? One that cannot be read holds none."""
    documents = [other for other in beside(log).logs if READER.detect(other) and _is_document(other)]
    return any(f'"{row_id}"' in _shown(other) for other in documents)


def _shown(log: Log) -> str:
    try:
        return log.text()
    except LogError:  # it is refused where it is read itself
        return ""


def _entries(
    found: list[_Found],
    known: Mapping[str, Any],
    evaluation: str | None,
    settings: Mapping[str, Mapping[str, Any]],
    options: Options,
) -> Iterator[Entry]:
    """Entries of rows. The repeats of one model, prompt and instance are numbered by their tests."""
    attempts = _attempts([row for _, _, row in found])
    benchmark = options.benchmark or UNLABELLED
    for number, (offset, text, row) in enumerate(found):
        if isinstance(row, Rejected):
            yield row
            continue
        place, provider = place_of(row), provider_of(row)
        fields = {
            **known,
            "benchmark_id": benchmark,
            "eval_run_id": f"{evaluation or benchmark}/{place.prompt[:12]}",
            "attempt": str(attempts[number]),
            "tags": {**known.get("tags", {}), **({"provider_id": provider.id} if provider.id else {})},
        }
        asked = settings.get(provider.label or "") or settings.get(provider.id or "") or {}
        yield Mapped(offset, (run_of(row, fields, asked, options.hidden_trace_models),), text)


def _attempts(rows: list[ResultRow | Rejected]) -> dict[int, int]:
    """Number of each row among those of its place, by their tests, else in the order of the file."""
    groups: dict[Place, list[tuple[int, int]]] = {}
    for number, row in enumerate(rows):
        if isinstance(row, ResultRow):
            test = number if row.test_idx is None else row.test_idx
            groups.setdefault(place_of(row)._replace(instance=str(place_of(row).instance)), []).append(
                (test, number)
            )
    return {number: place for group in groups.values() for place, (_, number) in enumerate(sorted(group))}


def _settings(providers: Any) -> dict[str, dict[str, Any]]:
    """Configuration of each provider by its label, and by its id where one provider alone has it."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in providers if isinstance(providers, list) else [providers]:
        if not isinstance(one, dict):
            continue
        nested = next(iter(one.items())) if len(one) == 1 and "id" not in one else None
        name, said = nested if nested and isinstance(nested[1], dict) else (one.get("id"), one)
        config = said.get("config")
        for key in {str(key) for key in (said.get("label"), said.get("id"), name) if key is not None}:
            found.setdefault(key, []).append(config if isinstance(config, dict) else {})
    return {name: configs[0] for name, configs in found.items() if len(configs) == 1}
