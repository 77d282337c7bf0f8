"""What does one JSON object hold, and where does each value stand?

    {"config": {...}, "results": [...]}  ->  name: byte offset and text of each member

For logs that are one document: the members a reader needs are found without building the others, and the records
of a list keep their place in the file. Records themselves are typed by jsonl.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import starmap
from typing import NamedTuple, TypeVar

from effspark.errors import LogError
from effspark.readers import Rejected
from effspark.readers.jsonl import broken, elements, size_of
from effspark.readers.lines import KEPT_BYTES
from effspark.readers.python_json import python_decoded

Value = TypeVar("Value")
_scan = json.JSONDecoder(strict=False).raw_decode
_ink = re.compile(r"[^ \t\r\n]")


class Member(NamedTuple):
    """One value: byte offset of its first character in the UTF-8 of the document, and its text."""

    offset: int
    text: str


def members(text: str, where: str, *, offset: int = 0) -> dict[str, Member]:
    """Members of one JSON object that begins at byte `offset` of its file; of a name met twice the last.

    Raises
    ------
    LogError
        The text is no object, or is not whole.

    >>> members('{"é": 1, "results": [2]}', "a.json")["results"]
    Member(offset=21, text='[2]')
    """
    return {name: member for name, member, _ in _each(text, where, offset)}


def members_to_fault(text: str, where: str, *, into: str = "") -> tuple[dict[str, Member], LogError | None]:
    """Members that stand whole in an object before it is cut, the beginning of the list `into` too; and what cuts it.

    >>> found, fault = members_to_fault('{"a": 1, "b": [2, 3', "a.json", into="b")
    >>> found["b"], fault.offset
    (Member(offset=14, text='[2, 3'), 9)
    """
    found, fault = to_fault(_each(text, where, 0))
    return {name: member for name, member, is_whole in found if is_whole or name == into}, fault


def members_in_order(text: str, where: str) -> tuple[list[tuple[str, Member]], LogError | None]:
    """Members that stand whole in an object before it is cut, those of one name too; and what cuts it.

    >>> [(name, member.text) for name, member in members_in_order('{"0": 1, "0": 2}', "a.json")[0]]
    [('0', '1'), ('0', '2')]
    """
    found, fault = to_fault(_each(text, where, 0))
    return [(name, member) for name, member, is_whole in found if is_whole], fault


def to_fault(found: Iterator[Value]) -> tuple[list[Value], LogError | None]:
    """What a document gives before it breaks, and what breaks it: to be raised once the whole records are told."""
    told: list[Value] = []
    try:
        told.extend(found)
    except LogError as error:
        return told, error
    return told, None


def _each(text: str, where: str, offset: int) -> Iterator[tuple[str, Member, bool]]:
    """Name, member, and whether it is whole: the last may be a list that is cut."""
    place = _after_space(text, 0)
    if text[place : place + 1] != "{":
        raise broken(where, offset, repr(text[:40]), allowed="one JSON object", raw=text)
    place = _after_space(text, place + 1)
    counted, passed = place, offset + place
    while text[place : place + 1] != "}":
        start, begin = passed + size_of(text[counted:place]), place
        try:
            name, end = _scan(text, place)
            colon = _after_space(text, end)
            begin = _after_space(text, colon + 1)
            _, place = _scan(text, begin)
        except (ValueError, RecursionError) as error:
            if begin > place and text[begin : begin + 1] == "[":
                yield name, Member(passed + size_of(text[counted:begin]), text[begin:]), False
            allowed, raw = "an object that is whole", text[place : place + KEPT_BYTES]
            raise broken(where, start, str(error), allowed=allowed, raw=raw) from error
        if not isinstance(name, str) or text[colon : colon + 1] != ":":
            raise broken(
                where, start, repr(text[counted:begin]), allowed="names and values", raw=text[counted:]
            )
        passed += size_of(text[counted:begin])
        value = text[begin:place]
        yield name, Member(passed, value), True
        passed += size_of(value)
        counted, place = place, _after_space(text, place)
        if text[place : place + 1] == ",":
            place = _after_space(text, place + 1)
        elif text[place : place + 1] != "}":
            found_here, allowed = repr(text[place : place + 40]), "a comma or the end"
            raise broken(where, passed, found_here, allowed=allowed, raw=text[counted:])


def part(found: Mapping[str, Member], name: str, kind: type[Value], where: str) -> Value | None:
    """Member of an object as its type; null where there is none.

    Raises
    ------
    LogError
        It has another type.

    >>> part(members('{"seed": 7}', "a.json"), "seed", int, "a.json")
    7
    """
    member = found.get(name)
    if member is None or member.text == "null":
        return None
    value = python_decoded(member.text, kind, offset=member.offset)
    if isinstance(value, Rejected):
        raise LogError(f"{where}, {name}: {value.detail}")
    return value


def listed(member: Member, where: str) -> Iterator[Member]:
    """Elements of a member that is a list, each at its place in the file.

    Raises
    ------
    LogError
        The member is no list, or is not whole.

    >>> [element.offset for element in listed(Member(21, "[2, 3]"), "a.json")]
    [22, 25]
    """
    yield from starmap(Member, elements(member.text, where, offset=member.offset))


def _after_space(text: str, place: int) -> int:
    found = _ink.search(text, place)
    return len(text) if found is None else found.start()
