"""What can go wrong: few kinds of error, each with one full sentence for the person who meets it.

The text of an error says what is wrong, where, what was found, what is allowed, and the remedy (use `problem`
to write it). Catch `EffsparkError` at the command line only; a reader turns a `LogError` into a quarantined record.
"""

from __future__ import annotations

from collections.abc import Iterable


class EffsparkError(Exception):
    """Base of every error that effspark raises on purpose."""


class SettingsError(EffsparkError):
    """A configuration value, mapping or command-line argument that cannot be used."""


class SchemaError(EffsparkError):
    """A table whose columns, types or keys differ from `schemas/`."""


class LogError(EffsparkError):
    """A log, or one record of it, that cannot become a run; `reason` names the kind of fault in quarantine.

    Where a document breaks, `offset` is the byte at which the unreadable part begins, and `raw` its start.
    """

    def __init__(
        self, text: str, *, reason: str = "invalid_record", offset: int | None = None, raw: str = ""
    ) -> None:
        super().__init__(text)
        self.reason, self.offset, self.raw = reason, offset, raw


class LakeError(EffsparkError):
    """A lake that cannot be opened, locked, read or written."""


def problem(what: str, *, where: str, found: str, allowed: str, remedy: str) -> str:
    """Write one error text: what, where, found, allowed, remedy.

    >>> problem("negative count", where="a.jsonl, byte 80", found="-3", allowed="0 and above", remedy="fix the log")
    'negative count (a.jsonl, byte 80): found -3; allowed: 0 and above; fix the log'
    """
    return f"{what} ({where}): found {found}; allowed: {allowed}; {remedy}"


def all_problems(headline: str, problems: Iterable[str]) -> str:
    """Join several problems under one headline, one a line.

    >>> print(all_problems("conf/x.yaml has 2 problems", ["a: unknown", "b: missing"]))
    conf/x.yaml has 2 problems
      - a: unknown
      - b: missing
    """
    return "\n".join([headline, *(f"  - {text}" for text in problems)])
