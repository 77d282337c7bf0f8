"""What value does a record hold under a name, as a declared type? A wrong value is a fault, never a guess.

    record, column or dotted path  ->  cell or JSON value
    value, declared type           ->  value | null, else LogError

Text cells (CSV) are parsed: "7.0" is the count 7, an empty cell or "nan" is null, "812 tok" is a fault. Typed
values (JSONL, Parquet, expressions) must have the type: the text "812" is no count. Source: formats.md
sections 5 and 7.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from effspark.errors import LogError, problem
from effspark.runs import checks, keys, tokens
from effspark.runs.record import ScoreKind

Row = Mapping[str, Any]


class Kind(str, Enum):
    """Type that a mapped field is declared to have."""

    COUNT = "count"
    INTEGER = "integer"
    NUMBER = "number"
    AMOUNT = "amount"
    TEXT = "text"
    IDENTIFIER = "identifier"
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"


ALLOWED = {
    Kind.COUNT: f"a whole number from 0 to {tokens.MOST_TOKENS:,}",
    Kind.INTEGER: "a whole number",
    Kind.NUMBER: "a finite number",
    Kind.AMOUNT: "a finite number from 0",
    Kind.TEXT: "a text, number or boolean",
    Kind.IDENTIFIER: "a whole number or a non-empty text",
    Kind.BOOLEAN: "true or false",
    Kind.TIMESTAMP: "an ISO 8601 time (UTC where it names no zone)",
}
"""What each type allows, for messages."""

_NULLS = frozenset({"nan", "none", "null"})
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,6})?", re.ASCII)
_MOST_DIGITS, _MOST = 19, 10**300
_TRUE, _FALSE = frozenset({"true", "yes", "1", "1.0"}), frozenset({"false", "no", "0", "0.0"})
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_REMEDY = "mend the log, or map another column or an expression"


def lookup(row: Row, path: str) -> Any:
    """Value of a column, or of a nested field by its dotted path; null where there is none.

    >>> lookup({"usage": {"out": 7}, "a.b": 1}, "usage.out"), lookup({"a.b": 1}, "a.b"), lookup({}, "a.b")
    (7, 1, None)
    """
    if path in row:
        return row[path]
    value: Any = row
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def present(row: Row, path: str) -> bool:
    """Has the record the column, be it null? Below a null nothing can be told, so it counts as present.

    >>> present({"a": {"b": None}}, "a.b"), present({"a": None}, "a.b"), present({"a": 1}, "a.b")
    (True, True, False)
    """
    if path in row:
        return True
    value: Any = row
    for part in path.split("."):
        if not isinstance(value, Mapping):
            return value is None
        if part not in value:
            return False
        value = value[part]
    return True


def typed(value: Any, kind: Kind | type[Enum], *, where: str, cells: bool) -> Any:
    """The value in its declared type, null where there is none.

    Parameters
    ----------
    value
        Cell, JSON value or result of an expression.
    kind
        Declared type, or the enum of a closed set.
    where
        Place named in the error.
    cells
        Texts are cells of a text file and are parsed.

    Raises
    ------
    LogError
        The value has another type.

    >>> [typed(cell, Kind.COUNT, where="column T", cells=True) for cell in ("7.0", "nan", "")]
    [7, None, None]
    >>> typed("812", Kind.COUNT, where="column T", cells=False)
    Traceback (most recent call last):
    effspark.errors.LogError: not a count (column T): found '812'; allowed: a whole number from 0 \
to 1,000,000,000; mend the log, or map another column or an expression
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if not isinstance(kind, Kind):
        return _choice(value, kind, where)
    if kind is Kind.IDENTIFIER:
        return value
    if kind is Kind.TEXT:
        return _text(value, where)
    if isinstance(value, str) and (cells or kind is Kind.TIMESTAMP):
        if value.strip().lower() in _NULLS or not value.strip():
            return None
        value = _parsed(value.strip(), kind)
    if not _fits(value, kind):
        raise LogError(_misfit(value, kind.value, ALLOWED[kind], where))
    return _converted(value, kind)


def score(value: Any, kind: ScoreKind, *, where: str, cells: bool) -> float | None:
    """A score as a number from 0 to 1, null where there is none.

    Raises
    ------
    LogError
        A binary score is not 0 or 1, a fraction lies outside 0 to 1, or a letter is none of C, P, I, N.

    >>> score("True", ScoreKind.BINARY, where="", cells=True), score("P", ScoreKind.LETTER, where="", cells=False)
    (1.0, 0.5)
    >>> score(85, ScoreKind.FRACTIONAL, where="column score", cells=False)
    Traceback (most recent call last):
    effspark.errors.LogError: not a fractional score (column score): found 85; allowed: a number from 0 \
to 1; mend the log, or map another column or an expression
    """
    if kind is ScoreKind.BINARY:
        flag = typed(value, Kind.BOOLEAN, where=where, cells=cells)
        return None if flag is None else float(flag)
    if kind is ScoreKind.FRACTIONAL:
        number = typed(value, Kind.NUMBER, where=where, cells=cells)
        if number is None or 0 <= number <= 1:
            return number  # type: ignore[no-any-return]
        raise LogError(_misfit(value, "fractional score", "a number from 0 to 1", where))
    letter = typed(value, Kind.TEXT, where=where, cells=cells)
    if letter is None or letter.strip().upper() in _LETTERS:
        return None if letter is None else _LETTERS[letter.strip().upper()]
    raise LogError(_misfit(value, "letter score", ", ".join(_LETTERS), where))


def text_of(value: Any) -> str | None:
    """A logged value as text: a text as it is, a whole number without its fraction, else JSON.

    Raises
    ------
    LogError
        It is nested too deep to be written.

    >>> text_of("a"), text_of(3.0), text_of(Decimal("1.50")), text_of(True), text_of({"a": [1]}), text_of(None)
    ('a', '3', '1.50', 'true', '{"a": [1]}', None)
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (float, Decimal)) and value % 1 == 0:
        value = int(value)
    return str(value) if isinstance(value, Decimal) else keys.written(value, keys.of_any)


def text_digest(value: Any) -> str:
    """Start of the SHA-256 of a value as text: what names a long text in an id.

    >>> text_digest("18"), text_digest(18) == text_digest("18")
    ('4ec9599fc203d176', True)
    """
    return hashlib.sha256((text_of(value) or "").encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _choice(value: Any, kind: type[Enum], where: str) -> Enum:
    allowed = [member.value for member in kind]
    if isinstance(value, str) and value.strip().lower() in allowed:
        return kind(value.strip().lower())
    raise LogError(_misfit(value, kind.__name__.lower(), ", ".join(allowed), where))


def _text(value: Any, where: str) -> str | None:
    if isinstance(value, (str, bool, int, float, Decimal)):
        return text_of(value) or None
    if isinstance(value, datetime):
        return value.isoformat()
    raise LogError(_misfit(value, "text", ALLOWED[Kind.TEXT], where))


def _parsed(text: str, kind: Kind) -> Any:
    """Value that a text cell spells; the text itself where it spells none of the type."""
    if kind is Kind.BOOLEAN:
        lowered = text.lower()
        return lowered in _TRUE if lowered in _TRUE | _FALSE else text
    if kind is Kind.TIMESTAMP:
        try:
            return datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text))
        except ValueError:
            return text
    if not _NUMBER.fullmatch(text):
        return text
    exact = Decimal(text)
    whole = exact.adjusted() < _MOST_DIGITS and exact == exact.to_integral_value()
    return int(exact) if whole and kind in (Kind.COUNT, Kind.INTEGER) else float(text)


def _fits(value: Any, kind: Kind) -> bool:
    if kind is Kind.TIMESTAMP:
        return isinstance(value, datetime) and checks.utc(value) is not None
    if kind is Kind.BOOLEAN:
        return isinstance(value, bool) or (isinstance(value, (int, float)) and value in (0, 1))
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)) or not -_MOST < value < _MOST:
        return False
    if kind is Kind.NUMBER:
        return True
    if kind is Kind.AMOUNT:
        return bool(value >= 0)
    whole = int(value)
    least, most = (0, tokens.MOST_TOKENS) if kind is Kind.COUNT else (-(2**63), 2**63 - 1)
    return bool(value == whole) and least <= whole <= most


def _converted(value: Any, kind: Kind) -> Any:
    if kind is Kind.TIMESTAMP:
        return checks.utc(value)
    if kind is Kind.BOOLEAN:
        return bool(value)
    return int(value) if kind in (Kind.COUNT, Kind.INTEGER) else float(value)


def _misfit(value: Any, kind: str, allowed: str, where: str) -> str:
    return problem(f"not a {kind}", where=where, found=f"{value!r:.80}", allowed=allowed, remedy=_REMEDY)
