"""Which rows does a mapping see in a file, and which runs does one of them stand for?

    records: results          the file is one JSON document, and its records are the list `results` (`.`: it is one)
    each: [output, tokens]    one record is k runs: the i-th has the i-th elements as each.output, each.tokens, and
                              its place and the number of runs as each.place, each.count
    from_path: regex          named groups found in the path of the file, as from_path.<group>

Lists of `each` run side by side: one that is not as long as the others rejects the record, since nothing says which
element belongs to which run; an absent, null or empty list is null in every run. Source: formats.md section 2.9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from effspark.errors import LogError, problem
from effspark.readers import Rejected
from effspark.readers.cells import Row
from effspark.readers.documents import document_rows
from effspark.readers.files import Log
from effspark.readers.mappings import PLACES, Mapping
from effspark.readers.rows import Rows, rows

EACH, FROM_PATH = "each", "from_path"
"""Names under which a row shows the elements of a run, and what the path of its file says."""


def mapped_rows(log: Log, mapping: Mapping) -> Rows:
    """Records of a file as a mapping sees them, with what the path says.

    Raises
    ------
    LogError
        The file is damaged, or holds no list where the mapping says.
    """
    found = rows(log) if mapping.records is None else document_rows(log, mapping.records)
    if mapping.from_path is None:
        return found
    said = {FROM_PATH: path_columns(log.uri, mapping.from_path)}
    return replace(
        found,
        header=None if found.header is None else {**found.header, **said},
        records=(
            entry if isinstance(entry, Rejected) else entry._replace(row={**entry.row, **said})
            for entry in found.records
        ),
    )


def path_columns(uri: str, pattern: str) -> dict[str, str | None]:
    """What the named groups of a pattern find in a path; all null where it is not found.

    >>> path_columns("a/outputs/aime_2025/openai/o9/3.json", r"(?P<solver>[^/]+/[^/]+)/[^/]+$")
    {'solver': 'openai/o9'}
    >>> path_columns("3.json", r"(?P<solver>[^/]+/[^/]+)/[^/]+$")
    {'solver': None}
    """
    expression = re.compile(pattern)
    found = expression.search(uri)
    return dict.fromkeys(expression.groupindex) if found is None else found.groupdict()


def spread(row: Row, each: Sequence[str]) -> list[Row]:
    """Rows of the k runs of a record; the record itself where the mapping names no lists.

    Raises
    ------
    LogError
        A column is no list, the lists differ in length, or there is none.

    >>> [found["each"] for found in spread({"text": ["a", "b"], "T": None}, ["text", "T"])]
    [{'place': 0, 'count': 2, 'text': 'a', 'T': None}, {'place': 1, 'count': 2, 'text': 'b', 'T': None}]
    >>> spread({"text": ["a", "b"], "T": [1]}, ["text", "T"])
    Traceback (most recent call last):
    effspark.errors.LogError: the lists of a record do not run side by side (each): found text 2, T 1; \
allowed: lists of one length; mend the record, or leave the list out of `each`
    """
    if not each:
        return [row]
    faults = [name for name in each if row.get(name) is not None and not isinstance(row[name], list)]
    if faults:
        shown = ", ".join(f"{name} {row[name]!r:.40}" for name in faults)
        raise LogError(_fault("a column of `each` is no list", shown, "a list, or nothing"))
    lengths = {name: len(row[name]) for name in each if row.get(name)}
    if len(set(lengths.values())) != 1:
        shown = ", ".join(f"{name} {length}" for name, length in lengths.items()) or "no element"
        what = "the lists of a record do not run side by side" if lengths else "a record holds no run"
        raise LogError(_fault(what, shown, "lists of one length"))
    count = next(iter(lengths.values()))
    return [{**row, EACH: _element(row, lengths, each, place, count)} for place in range(count)]


def shown(row: Row, each: Sequence[str]) -> Row:
    """A record as its first run shows it, whatever is wrong with its lists: what columns can be asked of.

    >>> shown({"text": [{"a": 1}], "T": 5}, ["text", "T"])["each"]
    {'place': 0, 'count': 1, 'text': {'a': 1}, 'T': None}
    """
    if not each:
        return row
    some = {name: 1 for name in each if isinstance(row.get(name), list) and row[name]}
    return {**row, EACH: _element(row, some, each, 0, 1)}


def _element(
    row: Row, lengths: MappingOf[str, int], each: Sequence[str], place: int, count: int
) -> dict[str, Any]:
    found = {name: row[name][place] if name in lengths else None for name in each if name in row}
    return {**dict(zip(PLACES, (place, count), strict=True)), **found}


def _fault(what: str, found: str, allowed: str) -> str:
    remedy = "mend the record, or leave the list out of `each`"
    return problem(what, where="each", found=found, allowed=allowed, remedy=remedy)
