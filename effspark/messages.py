"""What is said to a person beside results: what is being done, warnings, files and counts in words. All to stderr.

Knows nothing of what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

PLAIN: Any = {"highlight": False, "markup": False, "emoji": False}
"""Names such as `m [beta]` or `a:x:b` are printed as they are."""

_MOST_WARNINGS = 10


def console() -> Console:
    """Console for messages: stderr."""
    return Console(stderr=True, soft_wrap=True, **PLAIN)


@contextmanager
def working(text: str) -> Iterator[None]:
    """Say on stderr what is being done: on a terminal for as long as it lasts, elsewhere in one line."""
    shown = console()
    if shown.is_terminal:
        with shown.status(Text(text)):
            yield
    else:
        shown.print(text)
        yield


def warn(texts: Sequence[str], more: str) -> None:
    """Warnings on stderr: the first few, then how many there are besides, and `more`, where to see them."""
    shown = console()
    for text in texts[:_MOST_WARNINGS]:
        shown.print(Text(f"warning: {text}", style="yellow"))
    if len(texts) > _MOST_WARNINGS:
        rest = len(texts) - _MOST_WARNINGS
        shown.print(Text(f"warning: … and {rest:,} more; {more}", style="yellow"))


def here(uri: str) -> str:
    """A path as one would type it here: relative where it lies below the working folder.

    >>> here("s3://bucket/a.jsonl"), here(str(Path.cwd() / "logs" / "a.jsonl"))
    ('s3://bucket/a.jsonl', 'logs/a.jsonl')
    """
    folder = Path.cwd()
    if "://" in uri or not Path(uri).is_relative_to(folder):
        return uri
    return str(Path(uri).relative_to(folder))
