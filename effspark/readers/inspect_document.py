"""How is the JSON of an Inspect log read? Fast, with its bare NaN and Infinity, and as far as a cut file goes.

    bytes of a .json log  ->  (name, byte offset, bytes) of each top-level value, of each sample one by one
    bytes of one value    ->  Python values or a typed struct; one value  ->  text, number, time or mapping

Source: formats.md section 2.1. Knows nothing of what the values mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from effspark.errors import LogError, problem
from effspark.readers.jsonl import whole_characters
from effspark.readers.lines import KEPT_BYTES
from effspark.runs import checks

_SPACE = re.compile(r"[ \t\n\r]*")
_NAME = re.compile(rb'[\s{,]*"(?:[^"\\]|\\.)*"\s*:\s*')
_END = re.compile(rb"[\s{]*\}\s*")
_MOST_DIGITS = 400
"""A whole number of more digits is infinite as a float is."""
T = TypeVar("T")


def decoded(data: bytes, kind: type[T]) -> T:
    """A JSON document as `kind`; bare NaN and Infinity, which Inspect writes, become floats, and numbers that no
    float or integer holds infinite ones.

    Raises
    ------
    LogError
        It is no JSON, or not of this kind.

    >>> decoded(b'{"value": NaN}', dict)
    {'value': nan}
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, RecursionError) as refusal:
        try:
            if isinstance(refusal, msgspec.ValidationError) and "out of range" not in str(refusal):
                raise
            text = whole_characters(data.decode("utf-8", "surrogatepass"))
            return msgspec.convert(json.loads(text, parse_int=_whole_number), kind)
        except (ValueError, RecursionError, msgspec.ValidationError) as error:
            raise LogError(unreadable("JSON", str(error), "the JSON that Inspect writes")) from error


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def pieces(data: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Top-level values of a document with their name and byte offset; `samples` gives one piece a sample.

    The structure is found in a copy whose NaN and Infinity tokens are numbers of the same width. A name that stands
    twice gives a piece each time.

    Raises
    ------
    LogError
        The document is damaged from here on.

    >>> list(pieces(b'{"version": 2, "samples": [{"id": 1}, {"id": NaN}]}'))
    [('version', 12, b'2'), ('samples', 27, b'{"id": 1}'), ('samples', 38, b'{"id": NaN}')]
    """
    clean = data.replace(b"NaN", b"0  ").replace(b"Infinity", b"0       ")
    try:
        document = msgspec.json.decode(clean, type=dict[str, msgspec.Raw])
        samples = msgspec.json.decode(document.get("samples", b"null"), type=list[msgspec.Raw] | None) or []
    except (msgspec.DecodeError, RecursionError):
        yield from _walked(data)
        return
    places = _places(clean, document, samples)
    if places is None:
        yield from _walked(data)
        return
    for name, place, size in places:
        yield name, place, data[place : place + size]


def _places(
    clean: bytes, document: Mapping[str, msgspec.Raw], samples: list[msgspec.Raw]
) -> list[tuple[str, int, int]] | None:
    """Name, place and size of each piece; null where a name stands twice, of which the parser keeps one value."""
    found, end = [], 0
    for name, value in document.items():
        before = _NAME.match(clean, end)
        begin = before.end() if before else len(clean)
        end = begin + memoryview(value).nbytes
        if clean.find(value, begin, end) < 0:
            return None
        place = begin
        for part in samples if name == "samples" else [value]:
            place, size = clean.index(part, place), memoryview(part).nbytes
            found.append((name, place, size))
            place += size
    return found if _END.fullmatch(clean, end) else None


def _walked(data: bytes) -> Iterator[tuple[str, int, bytes]]:
    """The same of a document that is cut or partly broken: the pieces before the fault, then the fault."""
    text, scan = data.decode("utf-8", "replace"), json.JSONDecoder().raw_decode
    end = offset = place = 0
    try:
        place = _behind(text, 0, "{")
        while text[place] != "}":
            name, place = scan(text, place)
            place = _behind(text, place, ":")
            many = name == "samples" and text[place] == "["
            place = _behind(text, place, "[") if many else place
            while not (many and text[place] == "]"):
                offset += _size(text[end:place])
                _, end = scan(text, place)
                if many or name != "samples" or text[place:end] != "null":
                    yield name, offset, text[place:end].encode("utf-8", "surrogatepass")
                offset += _size(text[place:end])
                place = _comma(text, end)
                if not many:
                    break
            place = _comma(text, place + 1) if many else place
    except (ValueError, IndexError, RecursionError) as error:
        fault = unreadable(f"JSON document, byte {_size(text[:place])}", str(error), "a whole document")
        raise LogError(fault, offset=_size(text[:place]), raw=text[place : place + KEPT_BYTES]) from error


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _comma(text: str, place: int) -> int:
    """Place of the next token behind white space and, where there is one, a comma."""
    place = _space(text, place)
    return _space(text, place + 1) if text[place : place + 1] == "," else place


def _behind(text: str, place: int, mark: str) -> int:
    """Place of the next token behind a mark that must stand here."""
    place = _space(text, place)
    if text[place] != mark:
        raise ValueError(f"{text[place]!r} where {mark!r} must stand, at character {place:,}")
    return _space(text, place + 1)


def as_time(value: Any) -> datetime | None:
    """A time of a sample; one without a zone is UTC, an empty one unknown.

    Raises
    ------
    LogError
        It is no ISO time.

    >>> as_time("2026-11-29T20:34:58Z").isoformat(), as_time("")
    ('2026-11-29T20:34:58+00:00', None)
    """
    found = None if is_empty(value) else known_time(value)
    if found is None and not is_empty(value):
        raise LogError(
            f"time: found {value!r:.80}; allowed: an ISO time of a year from 1 to 9999 in UTC; fix the log"
        )
    return found


def known_time(value: Any) -> datetime | None:
    """A time of a header, which must not cost its samples: null where it is none.

    >>> known_time("2026-11-29T20:34:58").isoformat(), known_time("10000-01-01T00:00:00Z"), known_time(7)
    ('2026-11-29T20:34:58+00:00', None, None)
    """
    try:
        found = msgspec.convert(value, datetime)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return None
    return checks.utc(found)


def is_empty(value: Any) -> bool:
    """Does a log leave a time open? The tool writes null or an empty text then."""
    return value is None or value == ""


def as_mapping(value: Any) -> Mapping[str, Any]:
    """A JSON object; anything else is an empty one.

    >>> as_mapping(None), as_mapping({"a": 1})
    ({}, {'a': 1})
    """
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A JSON array; anything else is an empty one.

    >>> as_list(None), as_list([1])
    ([], [1])
    """
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str | None:
    """A non-empty text, or a number as text; anything else is unknown.

    >>> as_text("a"), as_text(2), as_text(""), as_text(True)
    ('a', '2', None, None)
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None


def as_integer(value: Any) -> int | None:
    """A whole number of 64 bits; anything else is unknown.

    >>> as_integer(-3), as_integer(1.5), as_integer(True)
    (-3, None, None)
    """
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63 else None


def as_number(value: Any) -> float | None:
    """A finite number; anything else is unknown.

    >>> as_number(2), as_number(float("nan")), as_number("2"), as_number(True)
    (2.0, None, None, None)
    """
    return checks.finite(value)


def unreadable(where: str, found: str, allowed: str) -> str:
    """Error text for what cannot be read."""
    return problem(
        "unreadable Inspect log",
        where=where,
        found=found,
        allowed=allowed,
        remedy="write or copy the log again",
    )
