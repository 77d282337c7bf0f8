"""What do the first lines of a log hold? What readers of JSON look at to know their own.

    head of a log  ->  records of a declared type in its first lines, or the first of one JSON list
                       start of a first line that is too long to see

Lines that are no JSON, or of another type, are passed over: they say nothing of whose the log is.
"""

from __future__ import annotations

import codecs
from itertools import islice
from typing import TypeVar

import msgspec

from effspark.errors import LogError
from effspark.readers import Rejected
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.jsonl import decoded, elements, loaded

FIRST_LINES = 5
"""So many lines are looked at; blank ones are none."""
Record = TypeVar("Record")


def first_records(log: Log, kind: type[Record]) -> list[Record]:
    r"""Records of type `kind` among the first five lines that the head shows whole.

    >>> import datetime
    >>> log = Log("a.jsonl", 9, datetime.datetime.now())
    >>> log.__dict__["_start"] = (b'{"a": 1}\nno JSON\n[2]\n{"a": 3}\n', None)
    >>> first_records(log, dict)
    [{'a': 1}, {'a': 3}]
    """
    found = []
    lines = (line for line in log.head.split(b"\n") if line.strip())
    for line in islice(lines, FIRST_LINES):
        try:
            found.append(loaded(line.decode(), kind))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):  # another shape: not a record
            continue
    return found


def is_list(log: Log) -> bool:
    """Does a log begin as one JSON list?

    >>> import datetime
    >>> log = Log("a.json", 9, datetime.datetime.now())
    >>> log.__dict__["_start"] = (b' [{"a": 1}]', None)
    >>> is_list(log)
    True
    """
    return log.head.lstrip().startswith(b"[")


def first_element(log: Log, kind: type[Record]) -> list[Record]:
    """The first element of one JSON list, where the head shows it whole and it is a record of type `kind`.

    >>> import datetime
    >>> log = Log("a.json", 9, datetime.datetime.now())
    >>> log.__dict__["_start"] = (b'[{"a": 1}, {"a": ', None)
    >>> first_element(log, dict)
    [{'a': 1}]
    """
    try:
        _, text = next(elements(log.head.decode("utf-8", "ignore"), log.uri), (0, ""))
    except LogError:  # cut, or no list: nothing to see
        return []
    record = decoded(text, kind, offset=0)
    return [] if isinstance(record, Rejected) else [record]


def cut_line(log: Log) -> bytes:
    """Start of the first line where it is longer than the head, else nothing.

    >>> import datetime
    >>> log = Log("a.jsonl", 9, datetime.datetime.now())
    >>> log.__dict__["_start"] = (b'{"a": 1}', None)
    >>> cut_line(log)
    b''
    """
    start, whole = log.head.lstrip(), len(log.head) < HEAD_BYTES - len(codecs.BOM_UTF8)
    return b"" if whole or b"\n" in start else start
