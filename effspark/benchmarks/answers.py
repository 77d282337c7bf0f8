"""Where in a generated text does the answer stand?

    text  ->  the JSON object it holds  ->  a field of it

Models asked for JSON wrap it in prose and code fences, leave line breaks inside strings, forget to escape a
quote, or stop half-way. The object is read leniently, and one field can be salvaged where the object cannot
be read. What the field means is for the benchmark to say.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any


def object_in(text: str) -> dict[str, Any] | None:
    r"""JSON object of a text: what stands between its first and its last brace; null where that is none.

    Control characters inside strings are allowed: many models write line breaks there. Numbers stay as
    written, as text.

    >>> object_in('Here it is:\n```json\n{"reasoning": "9\n* 2", "answer": 18.50}\n```')["answer"]
    '18.50'
    >>> object_in('{"reasoning": "she said "no"", "answer": "18"}') is None
    True
    """
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or end < begin:
        return None
    try:
        found = json.loads(text[begin : end + 1], strict=False, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):  # no JSON, or brackets without end: the text holds no object
        return None
    return found if isinstance(found, dict) else None


def field_in(text: str, name: str) -> str | None:
    r"""Field of the JSON object of a text; where that cannot be read, the last complete value of that name.

    A field that is no text is given as JSON. Null where the text has no such field.

    >>> field_in('{"answer": 18}', "answer"), field_in('{"answer": null}', "answer")
    ('18', 'null')
    >>> field_in('{"reasoning": "a "b"", "answer": "18"}', "answer")
    '18'
    >>> field_in('{"reasoning": "x", "answer": "1', "answer") is None
    True
    """
    found = object_in(text)
    if found is not None and name in found:
        value = found[name]
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    values = _values(name).findall(text)
    return (values[-1][0] or values[-1][1]) if values else None


@cache
def _values(name: str) -> re.Pattern[str]:
    """A field with a closed string, or with a bare word that something follows."""
    return re.compile(rf'"{re.escape(name)}"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",{{}}\[\]]+)(?=[\s,}}]))')
