"""How is YAML read that a user writes: a settings file, a mapping, the value of one setting?

    text  ->  plain values, or one kind of error: a value that is none (2026-13-45), half a character, brackets without
              end, a tag that builds objects

Knows nothing of what may stand there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml


def from_yaml(text: str) -> Any:
    """Values of a YAML text.

    Raises
    ------
    ValueError
        It is no YAML, or holds a value that is none or that cannot be written down.

    >>> from_yaml("report: {least_coverage: 0.9}")
    {'report': {'least_coverage': 0.9}}
    >>> from_yaml("at: 2026-13-45")
    Traceback (most recent call last):
    ValueError: month must be in 1..12
    """
    try:
        for token in yaml.scan(text):
            if isinstance(token, yaml.ScalarToken):
                token.value.encode()
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(str(error)) from error


_PLAIN = {
    "valid number, unable to parse string as a number": "number",
    "valid integer, unable to parse string as an integer": "whole number",
    "a valid boolean, unable to interpret input": "true or false",
    "valid tuple": "list",
    "valid list": "list",
    "valid dictionary": "mapping of names to values",
}
"""What pydantic calls a kind of value, and what YAML calls it."""


def fault_of(fault: Mapping[str, Any]) -> str:
    """What was found and what is allowed, of a fault that pydantic tells.

    >>> fault_of({"msg": "Input should be a valid tuple", "input": "output"})
    "found 'output'; allowed: a list"
    >>> fault_of({"msg": "Input should be a valid number, unable to parse string as a number", "input": "much"})
    "found 'much'; allowed: a number"
    >>> fault_of({"msg": "Field required", "input": {}})
    'Field required (found {})'
    """
    said, shown = str(fault["msg"]), f"{fault['input']!r:.60}"
    if not said.startswith("Input should be "):
        return f"{said} (found {shown})"
    said = said.removeprefix("Input should be ")
    for theirs, ours in _PLAIN.items():
        said = re.sub(f"{theirs}( or instance of \\w+)?", ours, said)
    return f"found {shown}; allowed: {said}"
