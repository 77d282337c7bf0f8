"""From text to typed records: JSON lines, and the elements of one JSON list, each with its place.

    lines  ->  record of a declared type, or the reason why not   (one bad record never spoils its neighbours)

A type is a `msgspec.Struct` that names the fields a reader uses; fields it does not name are passed over. Half a
character (an escaped lone surrogate, where a text was cut inside an emoji) is read as U+FFFD, in all of JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from effspark.errors import LogError, problem
from effspark.readers import Rejected
from effspark.readers.files import Log
from effspark.readers.lines import KEPT_BYTES, LONGEST_LINE, TOO_LONG, UNREADABLE, Line

Record = TypeVar("Record")
_scan = json.JSONDecoder(strict=False).raw_decode
_BETWEEN = " \t\r\n,"
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
    "|(?P<bare>[\ud800-\udfff])",
    re.DOTALL,
)
"""An escape in a JSON text: of a whole pair of surrogates, of half a pair, or another; or half a pair unescaped."""
_INVALID = re.compile("[\udc80-\udcff]")
"""What stands in `Log.text` for a byte that is no UTF-8."""
_HALVES = re.compile(r"\\u[dD][89a-fA-F]|" "[\ud800-\udfff]")


def records(log: Log, kind: type[Record]) -> Iterator[tuple[Line, Record | Rejected]]:
    """Every line of a log, and its record of type `kind` or the rejection of it; likewise of an unreadable rest."""
    for line in log.lines():
        if line.text is None:
            yield line, refused(line)
        else:
            yield line, _read(line.text, kind, line.offset)


def refused(line: Line) -> Rejected:
    """Rejection of a line that is too long or no valid text, or of the rest of a file.

    >>> refused(Line(80, None, b"ab", "line_too_long: over 9 bytes")).reason
    'line_too_long'
    """
    reason, _, found = (line.fault or "").partition(": ")
    raw = line.raw.decode("utf-8", "backslashreplace")
    if reason == UNREADABLE:
        return Rejected(line.offset, reason, found, raw)
    is_long = reason == TOO_LONG
    detail = problem(
        "a line that cannot be read",
        where=f"byte {line.offset}",
        found=f"{reason} ({found})",
        allowed=f"a line of up to {LONGEST_LINE:,} bytes" if is_long else "UTF-8 text of one record",
        remedy="write the record without its longest texts" if is_long else "write the record again",
    )
    return Rejected(line.offset, reason, detail, raw)


def decoded(text: str, kind: type[Record], *, offset: int) -> Record | Rejected:
    """Record of type `kind` in a JSON text that stands at `offset` (bytes), or the rejection of it.

    >>> decoded('{"a": 1}', dict, offset=0)
    {'a': 1}
    >>> decoded('{"a": ', dict, offset=0).reason, decoded("[1]", dict, offset=0).reason
    ('invalid_json', 'wrong_type')
    """
    spoilt = with_invalid_bytes(text, offset)
    return _read(text, kind, offset) if spoilt is None else spoilt


def _read(text: str, kind: type[Record], offset: int) -> Record | Rejected:
    try:
        return loaded(text, kind)
    except msgspec.ValidationError as error:
        return _rejected("wrong_type", "a field of another type", str(error), text, offset)
    except (msgspec.DecodeError, RecursionError) as error:
        return no_json(text, str(error), offset)


_END = 20
"""Characters of a record's end that a message shows."""


def no_json(text: str, fault: str, offset: int) -> Rejected:
    """Rejection of a text that is no JSON; one that begins as an object and has no end was cut while it was written.

    Parameters
    ----------
    fault
        What the parser says.

    >>> no_json('{"id": "a", "tok', "", 0).detail[:51]
    'a JSON record without its end (byte 0): found a tex'
    """
    if text.lstrip().startswith("{") and not text.rstrip().endswith("}"):
        found = f"a text that ends in {text.rstrip()[-_END:]!r} ({fault})"
        return _rejected("invalid_json", "a JSON record without its end", found, text, offset)
    return _rejected("invalid_json", "no valid JSON", fault, text, offset)


def with_invalid_bytes(text: str, offset: int) -> Rejected | None:
    r"""Rejection of a text that stands at `offset` (bytes) and holds bytes that are no UTF-8; null of any other.

    >>> with_invalid_bytes('"caf\udce9"', 80).reason, with_invalid_bytes('"café"', 80)
    ('invalid_utf8', None)
    """
    found = None if text.isascii() else _INVALID.search(text)
    if found is None:
        return None
    byte = text[found.start()].encode("utf-8", "surrogateescape")
    place = offset + size_of(text[: found.start()])
    return _rejected("invalid_utf8", "a byte that is no UTF-8", f"{byte!r} at byte {place}", text, offset)


def size_of(text: str) -> int:
    """Bytes of a part of `Log.text`, those that are no UTF-8 included."""
    return len(text.encode("utf-8", "surrogateescape"))


def loaded(text: str, kind: type[Record]) -> Record:
    r"""Record of type `kind` in a JSON text.

    Raises
    ------
    msgspec.ValidationError
        It is of another type.
    msgspec.DecodeError
        It is no JSON.

    >>> loaded(r'["cut \ud83d"]', list) == ["cut \N{REPLACEMENT CHARACTER}"]
    True
    """
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeEncodeError):
        mended = whole_characters(text)
        if mended == text:
            raise
        return msgspec.json.decode(mended, type=kind)


def whole_characters(text: str) -> str:
    r"""A JSON text in which U+FFFD stands for each half of a character, every byte offset unchanged.

    >>> whole_characters(r'"cut \ud83d, whole \ud83d\ude00, no escape: \\ud83d"')
    '"cut \\ufffd, whole \\ud83d\\ude00, no escape: \\\\ud83d"'
    """
    if (text.isascii() and r"\u" not in text) or _HALVES.search(text) is None:
        return text
    return _ESCAPE.sub(_whole, text)


def _whole(escape: re.Match[str]) -> str:
    if escape["bare"]:
        return "\N{REPLACEMENT CHARACTER}"
    return r"\ufffd" if escape["half"] else escape[0]


def elements(text: str, where: str, *, offset: int = 0) -> Iterator[tuple[int, str]]:
    """Elements of one JSON list, which begins at byte `offset` of its file: byte offset and text of each.

    Raises
    ------
    LogError
        The text is no list, or ends or breaks inside it; the elements before have been yielded, and the error holds
        place and start of the broken one.

    >>> list(elements('[{"é": 1}, 2]', "a.json"))
    [(1, '{"é": 1}'), (12, '2')]
    """
    place = _after_space(text, 0, " \t\r\n")
    if text[place : place + 1] != "[":
        raise broken(where, offset, f"{text[:40]!r}", allowed="one JSON list", raw=text)
    place, offset = place + 1, offset + place + 1
    while True:
        begin = _after_space(text, place, _BETWEEN)
        offset += begin - place
        if text[begin : begin + 1] == "]":
            return
        try:
            _, place = _scan(text, begin)
        except (ValueError, RecursionError) as error:
            raise broken(
                where,
                offset,
                str(error),
                allowed="a list that is whole",
                raw=text[begin : begin + KEPT_BYTES],
            ) from error
        element = text[begin:place]
        yield offset, element
        offset += size_of(element)


def _rejected(reason: str, what: str, found: str, text: str, offset: int) -> Rejected:
    detail = problem(
        what,
        where=f"byte {offset}",
        found=found,
        allowed="a whole record with the types of its format",
        remedy="fix the log, or describe it with --mapping",
    )
    return Rejected(offset, reason, detail, text)


def broken(where: str, offset: int, found: str, *, allowed: str, raw: str) -> LogError:
    """Error of a document that breaks at a byte of its file; `raw` is what begins there."""
    text = problem(
        "the rest of the file cannot be read",
        where=f"{where}, byte {offset}",
        found=found,
        allowed=allowed,
        remedy="write the log again, or choose another --format",
    )
    return LogError(text, offset=offset, raw=raw[:KEPT_BYTES])


def _after_space(text: str, place: int, space: str) -> int:
    while place < len(text) and text[place] in space:
        place += 1
    return place
