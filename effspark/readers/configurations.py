"""Are the settings that a log names those of a configuration? Asked where they are needed before a run is built.

    settings as logged  ->  Configuration with every value in its declared type, or all that is wrong with them

What identifies an eval run is a hash over the configuration, so a reader needs it checked; the build of a run checks
all else (`effspark.runs.checks`).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from effspark.errors import LogError
from effspark.runs import checks
from effspark.runs.record import Configuration

NO_MODEL = "no_model"
"""Reason of refusal of records that name no model."""
NAME_MODEL = "name it for all of these files with --set readers.model=NAME"
"""Remedy where a reader takes the model from the user (`Options.model`)."""
_HERE = ("localhost", "127.0.0.1", "::1")


def configuration_of(**settings: Any) -> Configuration:
    """Configuration of settings whose types nothing has checked yet.

    Raises
    ------
    LogError
        Every setting of another type, in one text.

    >>> configuration_of(request_model="m", temperature=1, output_budget_tokens=64.0).output_budget_tokens
    64
    >>> configuration_of(request_model="m", temperature=[0.6])
    Traceback (most recent call last):
    effspark.errors.LogError: temperature: found [0.6]; allowed: a finite number or nothing; \
fix the log or map another field
    """
    faults: list[str] = []
    found = checks.checked(Configuration(**settings), faults)
    if faults:
        raise LogError("; ".join(faults))
    return found


def host_of(address: str | None) -> str | None:
    """Host that served a model, by the address logged; null for this machine, and where the address names none.

    >>> host_of("https://relay.example/v1"), host_of("http://localhost:11434"), host_of("http://[::1/v1")
    ('relay.example', None, None)
    """
    try:
        host = urlsplit(address or "").hostname
    except ValueError:  # brackets that hold no IPv6 address
        return None
    return None if host in _HERE else host
