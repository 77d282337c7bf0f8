"""How does Inspect keep long texts out of events? It stores each once, under a hash, and refers to it.

    {"content": "a long text"}  ->  {"content": "attachment://7ac2..."}, {"7ac2...": "a long text"}

The tool hashes with another function; readers look names up and never recompute them.
"""

from __future__ import annotations

import hashlib
from typing import Any

LONGEST_INLINE = 100
"""Characters of the longest text that stays where it is."""


def condensed(events: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Events that refer to long texts, and these texts by name.

    >>> events, attachments = condensed([{"event": "info", "data": "x" * 101}])
    >>> events[0]["data"].removeprefix("attachment://") == next(iter(attachments))
    True
    """
    attachments: dict[str, str] = {}
    return [_condensed(event, attachments) for event in events], attachments


def _condensed(value: Any, attachments: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _condensed(inner, attachments) for name, inner in value.items()}
    if isinstance(value, list):
        return [_condensed(inner, attachments) for inner in value]
    if isinstance(value, str) and len(value) > LONGEST_INLINE:
        name = hashlib.sha256(value.encode()).hexdigest()[:32]
        attachments[name] = value
        return f"attachment://{name}"
    return value
