"""Is a JSON log one document, one list, or one document a line? Its documents, each with its place.

    log  ->  (byte offset, text) of each document | the rejection of a line that cannot be read

One document that is written over many lines is told from documents that stand one a line by the lines that begin
at the margin: only the latter are whole there. What a document means is for its reader to say.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from effspark.errors import LogError
from effspark.readers import Rejected
from effspark.readers.files import HEAD_BYTES, Log
from effspark.readers.jsonl import elements, loaded, refused
from effspark.readers.lines import UNREADABLE

_FIRST_LINES = 5
_MARK = 3


def documents(log: Log) -> Iterator[tuple[int, str] | Rejected]:
    """Documents of a log in order, or the rejection of a line or of what cannot be read behind them.

    Raises
    ------
    LogError
        The file cannot be read at all.
    """
    if one_a_line(log.head):
        for line in log.lines():
            yield refused(line) if line.text is None else (line.offset, line.text)
        return
    text = log.text()
    if text.lstrip().startswith("["):
        try:
            yield from elements(text, log.uri)
        except LogError as error:  # the documents before the fault are whole: their traces are kept
            yield Rejected(error.offset or 0, UNREADABLE, str(error), error.raw)
    elif text.strip():
        yield 0, text


def one_a_line(head: bytes) -> bool:
    r"""Do documents stand one a line? So they do where one of the first lines is a whole object.

    >>> one_a_line(b'{"a": 1}\n{"a": 2}\n'), one_a_line(b'{\n  "a": {}\n}\n'), one_a_line(b'[{"a": 1},\n{"a": 2}]')
    (True, False, False)
    """
    start = head.lstrip()
    if start.startswith(b"["):
        return False
    lines = start.split(b"\n", _FIRST_LINES)
    if len(lines) == 1 and len(head) >= HEAD_BYTES - _MARK:
        return True
    return any(_is_object(line) for line in lines[:_FIRST_LINES])


def _is_object(line: bytes) -> bool:
    if not line.startswith(b"{"):
        return False
    try:
        return bool(loaded(line.decode(), dict[str, msgspec.Raw]))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):  # no whole object
        return False
