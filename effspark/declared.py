"""How is YAML read that a user writes: a settings file, a mapping, the value of one setting?

    text  ->  plain values, or one kind of error: a value that is none (2026-13-45), half a character, brackets without
              end, a tag that builds objects

Knows nothing of what may stand there.
"""

from __future__ import annotations

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
