"""What can an expression of a mapping do with values? Its operators and functions, each of one value or two.

    values of a record  ->  value, null where one of them is, or what Python raises where they do not fit

Null goes through arithmetic and order comparisons, a text is never compared with a number, and no whole number grows
beyond what can be written. Knows nothing of columns.
"""

from __future__ import annotations

import ast
import json
import operator
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any

import simpleeval

from effspark.readers.cells import Kind, text_digest, text_of, typed

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MOST = 10**300
"""No float holds what is far beyond, and few digits more can be written."""


def _through_null(function: Callable[..., Any]) -> Callable[..., Any]:
    def result(*arguments: Any) -> Any:
        found = None if any(argument is None for argument in arguments) else function(*arguments)
        if isinstance(found, int) and not -_MOST < found < _MOST:
            raise OverflowError("a whole number of more than 300 digits")
        return found

    return result


def _remainder(left: Any, right: Any) -> Any:
    if isinstance(left, str):
        raise TypeError(f"{left!r:.40} is a text, which has no remainder")
    return left % right


def _equal(left: Any, right: Any) -> bool:
    if left is not None and right is not None and isinstance(left, str) is not isinstance(right, str):
        raise TypeError(f"{left!r:.40} is compared with {right!r:.40}: a text and a value of another type")
    return bool(left == right)


def _among(item: Any, container: Any) -> bool | None:
    if container is None:
        return None
    if isinstance(container, (list, tuple)):
        return any(_equal(item, member) for member in container)
    return bool(operator.contains(container, item))


def _not_among(item: Any, container: Any) -> bool | None:
    found = _among(item, container)
    return None if found is None else not found


def _cell(kind: Kind, value: Any) -> Any:
    return typed(value, kind, where=f"{kind.value}(…)", cells=True)


def _epoch(unit: int, value: Any) -> datetime:
    return _EPOCH + timedelta(seconds=_cell(Kind.NUMBER, value) / unit)


def _whole(value: Any) -> int | None:
    number = _cell(Kind.NUMBER, value)
    return int(number) if number is not None and number.is_integer() else None


def _seconds_between(start: Any, end: Any) -> float:
    first, last = (_cell(Kind.TIMESTAMP, value) for value in (start, end))
    return float((last - first).total_seconds())


_THROUGH_NULL = (
    ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.USub, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
)  # fmt: skip
OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    **{node: _through_null(simpleeval.DEFAULT_OPERATORS[node]) for node in _THROUGH_NULL},
    ast.Add: _through_null(operator.add),
    ast.Mod: _through_null(_remainder),
    ast.Not: operator.not_,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.Eq: _equal,
    ast.NotEq: lambda left, right: not _equal(left, right),
    ast.In: _among,
    ast.NotIn: _not_among,
}
"""Operators of expressions."""
_OF_KNOWN_VALUES: dict[str, Callable[..., Any]] = {
    "number": partial(_cell, Kind.NUMBER),
    "boolean": partial(_cell, Kind.BOOLEAN),
    "timestamp": partial(_cell, Kind.TIMESTAMP),
    "epoch_seconds": partial(_epoch, 1),
    "epoch_milliseconds": partial(_epoch, 1000),
    "whole": _whole,
    "digest": text_digest,
    "seconds_between": _seconds_between,
    "json": json.loads,
    "lower": str.lower,
    "split": str.split,
    "len": len,
    "abs": abs,
    "round": round,
    "min": min,
    "max": max,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "coalesce": lambda *values: next((value for value in values if value is not None), None),
    "text": text_of,
    **{name: _through_null(function) for name, function in _OF_KNOWN_VALUES.items()},
}
"""Functions of expressions: `whole` is a number where it is whole, else null; `digest` is the start of the SHA-256 of
a text; the rest do what they are called."""
