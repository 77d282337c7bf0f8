"""Which records does a file hold that is one JSON document, and which columns does its start show?

    {"results": [{…}, {…}]}, path "results"  ->  the elements of the list, each with its byte offset
    {…},                     path "."        ->  the document itself, one record

The start of a document is looked at token by token, so that a file is known by its first 64 KiB however long its
texts are. Says nothing of what a column means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import starmap
from typing import NamedTuple

from effspark.errors import LogError, problem
from effspark.readers import Rejected, jsonl
from effspark.readers.cells import Row
from effspark.readers.files import Log
from effspark.readers.lines import KEPT_BYTES
from effspark.readers.parquet_rows import LEAF
from effspark.readers.rows import Record, Rows, parsed

WHOLE = "."
"""Path of the document itself."""
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"(?P<name>\s*:)?|\\?\Z)|[{}\[\]]', re.DOTALL)
"""A text, with the colon that makes it a name; or the rest of a text that is cut; or a bracket."""


class _Place(NamedTuple):
    """A name of an object, or the beginning of a list: the path to it, the lists it lies in, where it begins."""

    path: tuple[str, ...]
    lists: int
    begin: int
    is_list: bool


def document_rows(log: Log, path: str) -> Rows:
    """Records of a file that is one JSON document.

    Parameters
    ----------
    log
        The file.
    path
        Dotted path of the list of records, or `.` where the document is the one record.

    Raises
    ------
    LogError
        The file cannot be read, or holds no list there.
    """
    text = log.text()
    return Rows(None, False, iter([parsed(0, text)]) if path == WHOLE else _elements(text, path, log.uri))


def document_columns(start: str, path: str) -> Row:
    """Names of the first record of a document, as far as its start shows them.

    >>> document_columns('{"of": {"n": 1}, "results": [{"id": 7, "llm": "m", "output": ["cut', "results")
    {'id': '', 'llm': '', 'output': ''}
    >>> document_columns('{"id": 7, "usage": {"out": 5}}', "."), document_columns("[1]", ".")
    ({'id': '', 'usage': ''}, {})
    """
    if not start.lstrip().startswith("{"):
        return {}
    above = () if path == WHOLE else tuple(path.split("."))
    lists = 0 if path == WHOLE else 1
    found: dict[str, str] = {}
    for place in _places(start, deepest=len(above) + 2):
        if place.is_list or place.lists != lists or place.path[:-1] != above:
            continue
        if place.path[-1] in found:  # the second record begins
            break
        found[place.path[-1]] = LEAF
    return found


def _elements(text: str, path: str, where: str) -> Iterator[Record | Rejected]:
    wanted = tuple(path.split("."))
    places = _places(text, deepest=len(wanted))
    begin = next((at.begin for at in places if at.is_list and at.lists == 1 and at.path == wanted), None)
    if begin is None:
        fault = problem(
            "the document holds no list of records",
            where=where,
            found=f"{text[:40]!r}",
            allowed=f"an object with a list under {path}",
            remedy="correct `records` in the mapping, or write the log again",
        )
        raise LogError(fault, offset=0, raw=text[:KEPT_BYTES])
    before = jsonl.size_of(text[:begin])
    yield from starmap(parsed, jsonl.elements(text[begin:], where, offset=before))


def _places(text: str, *, deepest: int) -> Iterator[_Place]:
    """Names of objects and beginnings of lists that lie in at most so many brackets, in order; stops where the
    brackets do not match.
    """
    open_: list[str] = []
    names: list[str] = []
    for token in _TOKEN.finditer(text):
        mark = token[0][0]
        if mark == '"':
            if token["name"] is not None and open_[-1:] == ["{"] and len(open_) <= deepest:
                names[-1] = token[0][1 : token[0].rindex('"')]
                yield _Place(_path(open_, names), open_.count("["), token.start(), False)
        elif mark in "{[":
            if mark == "[" and len(open_) <= deepest:
                yield _Place(_path(open_, names), open_.count("[") + 1, token.start(), True)
            open_.append(mark)
            names.append("")
        elif not open_ or open_.pop() != {"}": "{", "]": "["}[mark]:
            return
        else:
            names.pop()


def _path(open_: list[str], names: list[str]) -> tuple[str, ...]:
    return tuple(name for mark, name in zip(open_, names, strict=True) if mark == "{")
