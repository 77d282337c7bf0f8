"""What identifies a run, an instance, a configuration and an eval run? And which of two records of a run wins?

    run_key      = sha256(source format, eval_run_id, raw model, generation configuration, raw benchmark,
                          raw instance, attempt)                                   (architecture.md section 5.4)
                   or, where one of two exports of a result lacks eval run and settings, of its id instead
    instance_key = first 8 bytes, big-endian, of sha256(canonical benchmark | 0x1f | canonical instance)
                                                                                      (definitions.md section 6)

Keys never contain a scorer, team, alias, verdict, uuid or repeat index.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from effspark.errors import LogError

WINNER_ORDER = (
    "log_version",
    "reader_version",
    "mapping_version",
    "source_sha256",
    "source_offset",
    "source_answer",
)
"""Columns that decide which of two records with one key wins: the greatest, compared in this order."""

LABEL_ORDER = ("labels_version", "source_sha256", "source_offset")
"""The same for labels, whose version is the time of their file."""


def winner_order(table: str) -> tuple[str, ...]:
    """Columns that decide which of two records of a table wins.

    A run of one content met under two paths is settled by the path.

    >>> winner_order("runs")[-1], winner_order("labels")[0]
    ('source_uri', 'labels_version')
    """
    if table == "labels":
        return LABEL_ORDER
    if table == "run_sources":
        return ("log_version", "reader_version", "mapping_version", "generation_hash", "source_uri")
    return (*WINNER_ORDER, "source_uri") if table == "runs" else WINNER_ORDER


SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character, which no table can hold."""
_SEPARATOR = b"\x1f"
_PLAIN = frozenset({str, int, bool, type(None)})
_encode = msgspec.json.Encoder().encode
of_any = json.JSONEncoder(ensure_ascii=False, default=str).encode
"""JSON of any value: what JSON does not know is written as text."""
_plain = json.JSONEncoder(ensure_ascii=False).encode
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


def digest(*parts: Any) -> str:
    """Sha256 over a list of JSON values; null, text and number are told apart.

    Raises
    ------
    LogError
        A value is nested too deep to be written.

    >>> digest("a", None)[:8] != digest("a", "null")[:8]
    True
    """
    return hashlib.sha256(b"[" + members(*parts) + b"]").hexdigest()


class Beginning:
    """The first parts of what `digest` hashes, hashed once for all that begin alike.

    >>> Beginning("a", 1).digest(members("b")) == digest("a", 1, "b")
    True
    """

    def __init__(self, *parts: Any) -> None:
        self._begun = hashlib.sha256(b"[" + members(*parts) + b",")

    def digest(self, *rest: bytes) -> str:
        """Sha256 over the whole list; `members` has written the rest of it."""
        begun = self._begun.copy()
        begun.update(b",".join(rest) + b"]")
        return begun.hexdigest()


def members(*parts: Any) -> bytes:
    """Values as they stand between the brackets of a JSON list.

    Text, whole numbers, booleans and null by msgspec, ten times as fast as the standard library and the same to the
    byte; what it writes otherwise, or not at all, by the standard library.

    >>> members("a", None, 1.0)
    b'"a",null,1.0'
    """
    if _PLAIN.issuperset(map(type, parts)):
        try:
            return _encode(parts)[1:-1]
        except UnicodeEncodeError:  # half a character
            pass
    return ",".join(written(part, _compact) for part in parts).encode("utf-8", "surrogatepass")


def written(value: Any, encode: Callable[[Any], str] = _plain) -> str:
    """A value as JSON.

    Raises
    ------
    LogError
        It is nested too deep to be written.

    >>> written(["é", None])
    '["é", null]'
    """
    try:
        return encode(value)
    except RecursionError as error:
        raise LogError(
            "found a value of hundreds of brackets in each other; allowed: values that can be written as JSON; "
            "mend the log"
        ) from error


def instance_key(benchmark: str, instance: str) -> int:
    """Key of an instance, as an unsigned 64-bit integer.

    >>> f"{instance_key('gsm8k', '0'):016x}", f"{instance_key('gsm8k', '1'):016x}"
    ('8334c49d950e07af', '5106b33c21b6f5e5')
    """
    text = benchmark.encode("utf-8", "surrogatepass") + _SEPARATOR + instance.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def question_hash(question: str) -> str:
    r"""Sha256 of the bare question, white space folded, so that copies of an item meet.

    >>> question_hash(" What is  2+2?\n") == question_hash("What is 2+2?")
    True
    """
    return hashlib.sha256(" ".join(question.split()).encode("utf-8", "surrogatepass")).hexdigest()


def holds(axes: Mapping[str, float], **facts: str | None) -> str:
    """Which facts a source tells of an instance: the part of the key that keeps rows apart which tell others.

    The newest row of a key wins whole, so what it lacks would take away what an older one tells.

    >>> holds({"houses": 5.0}, gold="4", question=None)
    'gold, axis houses'
    """
    told = [name for name, value in facts.items() if value is not None]
    return ", ".join([*told, *(f"axis {name}" for name in sorted(axes))])


def instance_id(value: Any) -> str:
    """Raw instance id of a record: a whole number or a non-empty text; both are one space (7 is "7").

    Raises
    ------
    LogError
        The id is null, a boolean, a fraction, a list or empty.

    >>> instance_id(7), instance_id("7")
    ('7', '7')
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip():
        return value
    raise LogError(
        f"instance id: found {value!r:.80}; allowed: a whole number or a non-empty text; "
        "fix the log or map another field"
    )
