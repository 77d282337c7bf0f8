"""How is JSON read that Python wrote, with its bare NaN and Infinity?

    text of one record  ->  record of a declared type, or the reason why not

Strict JSON is read as fast as ever; only a text that strict JSON refuses and that holds such a token is read
again. Knows nothing of what a record means.
"""

from __future__ import annotations

import json
import re
from typing import TypeVar

import msgspec

from effspark.errors import problem
from effspark.readers import Rejected
from effspark.readers.jsonl import decoded, whole_characters

Record = TypeVar("Record")
_ONLY_PYTHON = re.compile(r"[:,\[]\s*-?(NaN|Infinity)\s*[,\]}]")


def python_decoded(text: str, kind: type[Record], *, offset: int) -> Record | Rejected:
    """Record of type `kind` in a JSON text that stands at `offset` (bytes), or the rejection of it.

    >>> python_decoded('{"acc": NaN, "n": 1}', dict, offset=0)
    {'acc': nan, 'n': 1}
    >>> python_decoded('{"acc": NaN', dict, offset=7).reason
    'invalid_json'
    """
    found = decoded(text, kind, offset=offset)
    if not isinstance(found, Rejected) or found.reason != "invalid_json" or not _ONLY_PYTHON.search(text):
        return found
    try:
        value = json.loads(whole_characters(text))
    except (ValueError, RecursionError):  # broken beyond such tokens: the first finding stands
        return found
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        detail = problem(
            "a field of another type",
            where=f"byte {offset}",
            found=str(error),
            allowed="a whole record with the types of its format",
            remedy="fix the log, or describe it with --mapping",
        )
        return Rejected(offset, "wrong_type", detail, text)
