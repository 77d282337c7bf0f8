"""Are the values of a record of their declared types? Checked once for all readers, before anything is computed.

    value as a reader found it, declared type  ->  the value in that type, or a fault in words

Whole floats become counts, numbers become floats and NaN becomes null, so that 64.0 and 64, or temperature 1 and
1.0, are one; lone surrogates (a character cut in half) become U+FFFD, since no table can hold them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime, timezone
from functools import cache
from typing import Any, TypeVar, cast

from effspark.errors import LogError
from effspark.runs import keys, tokens
from effspark.runs.values import with_values

Value = TypeVar("Value")
_REMEDY = "fix the log or map another field"
_TOKEN_COUNTS = ("input", "output", "reasoning", "total", "cache_read", "cache_write")


def checked(item: Value, faults: list[str]) -> Value:
    """A dataclass with every field in its declared type; what cannot be so is added to `faults`.

    >>> faults = []
    >>> checked(tokens.Usage(output=64.0, total=True), faults).output
    64
    >>> faults
    ['total_tokens: found True; allowed: a whole number from 0 to 1,000,000,000 or nothing; \
fix the log or map another field']
    """
    changed: dict[str, Any] = {}
    for name, shown, check in _plan(cast(Any, type(item))):
        old = getattr(item, name)
        if old is None:
            continue
        try:
            new = check(old, shown)
        except LogError as error:
            faults.append(str(error))
            continue
        if new is not old:
            changed[name] = new
    return with_values(item, changed) if changed else item


def text(value: Any, name: str) -> str:
    r"""A text that a table can hold.

    Raises
    ------
    LogError
        The value is no text.

    >>> ascii(text("cut \ud83d", "answer"))
    "'cut \\ufffd'"
    """
    if not isinstance(value, str):
        raise LogError(_fault(name, value, "a text"))
    if value.isascii() or keys.SURROGATE.search(value) is None:
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def finite(value: Any) -> float | None:
    """A number as a float where it is finite; null for anything else, and beyond the range of a float.

    >>> finite(2), finite(10**400), finite(float("nan")), finite(True), finite("2")
    (2.0, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # a whole number of 309 digits or more
        return None


def number(value: Any, name: str) -> float | None:
    """A finite number; NaN is null.

    Raises
    ------
    LogError
        The value is no number, or infinite.

    >>> number(1, "temperature"), number(float("nan"), "temperature")
    (1.0, None)
    """
    if isinstance(value, float) and math.isnan(value):
        return None
    found = finite(value)
    if found is None:
        raise LogError(_fault(name, value, "a finite number"))
    return found or 0.0  # -0.0 becomes 0.0: they are one temperature, and so one configuration


def integer(value: Any, name: str) -> int:
    """A whole number of at most 64 bits.

    Raises
    ------
    LogError
        The value is another.

    >>> integer(-1.0, "seed")
    -1
    """
    if (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) < 2**63
        and value == int(value)
    ):
        return int(value)
    raise LogError(_fault(name, value, "a whole number of at most 64 bits"))


def moment(value: Any, name: str) -> datetime:
    """A time that names its zone, in UTC.

    Raises
    ------
    LogError
        The value is no time, names no zone, or lies outside the years of UTC.
    """
    if isinstance(value, datetime) and value.tzinfo is timezone.utc:
        return value
    found = utc(value) if isinstance(value, datetime) and value.tzinfo is not None else None
    if found is None:
        raise LogError(_fault(name, value, "a time with its zone, from year 1 to 9999 in UTC"))
    return found


def utc(when: datetime) -> datetime | None:
    """A time in UTC, which one without a zone is; null where UTC has no such year.

    >>> utc(datetime(1, 1, 1)).isoformat(), utc(datetime.fromisoformat("0001-01-01T00:00:00+14:00"))
    ('0001-01-01T00:00:00+00:00', None)
    """
    if when.tzinfo is None:
        return when.replace(tzinfo=timezone.utc)
    try:
        return when.astimezone(timezone.utc)
    except OverflowError:  # before year 1 or after year 9999
        return None


def _numbers(value: Any, name: str) -> Mapping[str, float]:
    found = {
        text(key, name): None if one is None else number(one, f"{name}.{key}") for key, one in value.items()
    }
    return {key: one for key, one in found.items() if one is not None}


def _texts(value: Any, name: str) -> Mapping[str, str]:
    return {text(key, name): text(one, f"{name}.{key}") for key, one in value.items() if one is not None}


def _fault(name: str, value: Any, allowed: str) -> str:
    return f"{name}: found {value!r:.80}; allowed: {allowed} or nothing; {_REMEDY}"


Check = Callable[[Any, str], Any]


@cache
def _plan(kind: type[Any]) -> tuple[tuple[str, str, Check], ...]:
    """Name, name shown and check of each field that has one."""
    planned = []
    for column in fields(kind):
        check = integer if column.name == "seed" else CHECKS.get(str(column.type))
        shown = f"{column.name}_tokens" if column.name in _TOKEN_COUNTS else column.name
        if check is not None:
            planned.append((column.name, shown, check))
    return tuple(planned)


CHECKS: dict[str, Check] = {
    "str": text,
    "str | None": text,
    "int | None": tokens.count,
    "float | None": number,
    "datetime | None": moment,
    "Mapping[str, float]": _numbers,
    "Mapping[str, str]": _texts,
}
"""By declared type."""
