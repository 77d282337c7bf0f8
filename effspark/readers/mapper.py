"""Rows of a team's own file as runs, by a mapping that says which column is which field.

    CSV, JSON lines, a JSON list or Parquet; one row  ->  one LoggedRun (or the k of `each`), or NotSelected
    (`where`), or Rejected

A column that the mapping names and no record has stops the load before any run is made; a wrong value rejects its
row alone. Says nothing of tokens, stops or keys. Source: formats.md sections 5 and 6; the mapping: mappings.py.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from typing import Any

from effspark import readers
from effspark.errors import LogError, SettingsError, problem
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reads, Rejected, mappings
from effspark.readers.cells import Row
from effspark.readers.documents import WHOLE, document_columns
from effspark.readers.expressions import Expression
from effspark.readers.files import Log
from effspark.readers.mapped_rows import FROM_PATH, mapped_rows, path_columns, shown, spread
from effspark.readers.mapped_runs import Plan, planned, source_of
from effspark.readers.rows import Record, columns, is_jsonl
from effspark.resources import folder

RECORDS_FOR_COLUMNS = 1000
"""In JSON a record may lack a column: so many are asked before a column counts as missing."""
RECIPE_CONFIDENCE = 0.9
_SHOWN_COLUMNS = 60


class MapperReader:
    """CSV, JSON lines, JSON lists and Parquet, read by a declared mapping."""

    name = "mapper"
    version = 1
    reads = Reads.FILE
    title = "CSV, JSONL or Parquet by a mapping: --mapping FILE, or a shipped recipe"
    trap = (
        "A column named tokens may hold the visible tokens alone, or reasoning beside them: the mapping "
        "must say which, and 0 beside a text is taken for missing."
    )
    carries: Mapping[str, Carries] = dict.fromkeys(readers.FIELDS, Carries.DERIVABLE)

    def detect(self, log: Log) -> float:
        """Confidence that a shipped mapping fits; a mapping of one's own is chosen, never detected."""
        return RECIPE_CONFIDENCE if recipe_of(log) is not None else 0.0

    def options_for(self, log: Log, options: Options) -> Options:
        """The options with the shipped mapping that fits the log, where none is given.

        Raises
        ------
        SettingsError
            There is no mapping for the log, or it cannot be used, or names a column that the log does not have.
        """
        try:
            chosen = options if options.mapping is not None else replace(options, mapping=recipe_of(log))
            mapping = _mapping(log, chosen)
            if not _is_companion(log, mapping):
                _check_columns(mapping, _shown(log, mapping), log)
        except LogError:  # a damaged file is no fault of the mapping: reading it will tell
            return options
        return chosen

    def is_lines(self, log: Log, options: Options) -> bool:
        """Is every record a line? So it is in JSON lines."""
        return is_jsonl(log) and _mapping(log, options).records is None

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a record.

        Raises
        ------
        SettingsError
            There is no mapping, or it cannot be used, or names a column that the log does not have.
        LogError
            The rest of the file cannot be read.
        """
        if options.mapping is None:
            recipe_of(log)  # a damaged file says so
        mapping = _mapping(log, options)
        if _is_companion(log, mapping):
            yield NotSelected(0, "companion")
            return
        found = mapped_rows(log, mapping)
        first = list(islice(found.records, RECORDS_FOR_COLUMNS))
        if log.end is None:  # of a file in ranges the start was looked at before it was cut
            whole = [entry.row for entry in first if isinstance(entry, Record)]
            _check_columns(mapping, [found.header] if found.header else whole, log)
        plan = planned(
            mapping,
            cells=found.cells,
            benchmark=options.benchmark,
            hidden_trace_models=options.hidden_trace_models,
        )
        for record in chain(first, found.records):
            yield record if isinstance(record, Rejected) else _entry(plan, record, mapping.each)


READER = MapperReader()


@cache
def recipes() -> tuple[dict[str, Any], ...]:
    """Shipped mappings, by file name.

    >>> [recipe["name"] for recipe in recipes()][:2]
    ['litellm_spend_log', 'livebench']
    """
    return tuple(mappings.load_mapping(path) for path in sorted((folder("conf") / "mappings").glob("*.yaml")))


def recipe_of(log: Log) -> dict[str, Any] | None:
    """The shipped mapping whose `detect` columns, or those of a companion, the log has all, the most of them; null
    where none fits.

    Raises
    ------
    LogError
        The file is damaged.
    """
    rows, document = _seen(log)
    companion = _first(rows, document)
    known = []
    for recipe in recipes():
        detect, records = recipe.get("detect", {}), recipe.get("records")
        seen = rows if records is None else [document_columns(document, records)]
        beside = [(wanted, companion) for wanted in detect.get("companions", ())]
        known += [
            (len(wanted), recipe)
            for wanted, has in [(detect.get("columns", ()), seen), *beside]
            if wanted and has and not mappings.missing(has, wanted)
        ]
    return max(known, key=lambda pair: pair[0])[1] if known else None


def _seen(log: Log) -> tuple[list[Row], str]:
    """Columns that the start of a log shows in rows, and that start where it may be that of one document."""
    start = log.head.lstrip()
    return columns(log), start.decode("utf-8", "replace") if start.startswith(b"{") else ""


def _first(rows: list[Row], document: str) -> list[Row]:
    """What a companion shows: its rows, else the names of the one document it is."""
    return rows or [document_columns(document, WHOLE)]


def _is_companion(log: Log, mapping: mappings.Mapping) -> bool:
    """Does the mapping know the log as a file beside its logs, and not as one of them?"""
    if mapping.detect is None or not mapping.detect.companions:
        return False
    rows, document = _seen(log)
    seen = rows if mapping.records is None else [document_columns(document, mapping.records)]
    beside = _first(rows, document)
    return bool(mappings.missing(seen, mapping.detect.columns)) and any(
        not mappings.missing(beside, wanted) for wanted in mapping.detect.companions
    )


def _mapping(log: Log, options: Options) -> mappings.Mapping:
    """The mapping of the options, checked."""
    if options.mapping is None:
        text = problem(
            "no mapping fits this log",
            where=log.uri,
            found=log.describe(),
            allowed=f"a mapping of your own, or a file of the recipes {', '.join(r['name'] for r in recipes())}",
            remedy="describe the log with --mapping FILE",
        )
        raise SettingsError(text)
    return usable(options.mapping, options.benchmark)


def usable(given: Mapping[str, Any], benchmark: str | None) -> mappings.Mapping:
    """A mapping, checked, if something says the benchmark: it, or the command.

    Raises
    ------
    SettingsError
        All its problems.

    >>> usable({"name": "own", "version": 1, "model": "m", "instance": "i"}, "gsm8k").name
    'own'
    """
    mapping = mappings.checked_mapping(given, str(given.get("file", "mapping")))
    if "benchmark" in mapping.fields or mapping.default_benchmark or benchmark:
        return mapping
    text = problem(
        "the benchmark is not named",
        where=mapping.file or mapping.name,
        found="no benchmark",
        allowed="a column, {value: name} or {expr: …}",
        remedy="add benchmark to the mapping, or pass --benchmark NAME",
    )
    raise SettingsError(text)


def _shown(log: Log, mapping: mappings.Mapping) -> list[Row]:
    """What the log shows of its columns: its header, or its first records."""
    if not log.head.lstrip().startswith((b"{", b"[")):
        said = {} if mapping.from_path is None else {FROM_PATH: path_columns(log.uri, mapping.from_path)}
        return [{**row, **said} for row in columns(log)]
    first = islice(mapped_rows(log, mapping).records, RECORDS_FOR_COLUMNS)
    return [entry.row for entry in first if isinstance(entry, Record)]


def _check_columns(mapping: mappings.Mapping, whole: Sequence[Row], log: Log) -> None:
    """Has the log every column that the mapping names and does not call optional?"""
    sources = [source_of(spec, cells=False) for spec in mapping.specs() if not spec.optional]
    named = {column for source in sources for column in source.columns}
    if mapping.where is not None:
        named |= Expression(mapping.where).columns
    absent = (
        mappings.missing([shown(row, mapping.each) for row in whole], sorted(named)) if any(whole) else []
    )
    if not absent:
        return
    known = list(dict.fromkeys(name for row in whole for name in row))
    near = sorted({found for name in absent for found in difflib.get_close_matches(name, known, n=1)})
    text = problem(
        f"the mapping names columns that no record has: {', '.join(absent)}",
        where=f"{mapping.file or mapping.name}, for {log.uri}",
        found=f"the columns {', '.join(known[:_SHOWN_COLUMNS])}",
        allowed="columns of the log",
        remedy=f"correct the mapping{' (near: ' + ', '.join(near) + ')' if near else ''}, "
        "or mark what not every log has as optional: true",
    )
    raise SettingsError(text)


def _entry(plan: Plan, record: Record, each: Sequence[str]) -> Entry:
    try:
        if not plan.selects(record.row):
            return NotSelected(record.offset, "not met by `where` of the mapping")
        return Mapped(record.offset, tuple(plan.run(row) for row in spread(record.row, each)), record.raw)
    except LogError as error:
        return Rejected(record.offset, "invalid_value", str(error), _raw(record))


def _raw(record: Record) -> str:
    if isinstance(record.raw, str):
        return record.raw
    return json.dumps(record.raw, default=str, ensure_ascii=False)
