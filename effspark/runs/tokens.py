"""Which T? Normalises the three conventions of token usage to *all generated tokens including reasoning*.

    reported input, output, reasoning, total  ->  T, source, convention, flags        (formats.md section 3)

A null stays null: missing usage is never 0, and a reported 0 beside a non-empty text is missing. Counts that their own
total contradicts give no T.
Does not decide whether a run was cut (stops.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from typing import Any, NamedTuple

from effspark.errors import LogError
from effspark.runs.values import made_at_once

MOST_TOKENS = 10**9
"""A count above this is a fault of the log, not a run."""


class TokenSource(str, Enum):
    """Who counted T."""

    PROVIDER = "provider"
    SERVER = "server"
    TOKEN_IDS = "token_ids"
    TOKENIZER = "tokenizer"
    CHARS = "chars"
    NONE = "none"


COUNTED = (TokenSource.PROVIDER, TokenSource.SERVER, TokenSource.TOKEN_IDS)
"""Sources that counted what was generated; the others estimate it."""


class TokenConvention(str, Enum):
    """How reasoning stands to the reported output count."""

    INCLUSIVE = "inclusive"
    ADDITIVE = "additive"
    ASSUMED = "assumed"
    GAP_FOLDED = "gap_folded"
    CONFLICT = "conflict"
    VISIBLE_ONLY = "visible_only"
    UNKNOWN = "unknown"


@made_at_once
@dataclass(frozen=True, kw_only=True)
class Usage:
    """Token counts as one log reports them (all in tokens; null where absent).

    `output` is the count the log calls output or completion. `additive` says that the format itself defines
    reasoning to stand beside it (Gemini, Langfuse). `token_ids` is the number of generated ids where the engine
    logs them. `source` is who counted.
    """

    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    total: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    additive: bool = False
    token_ids: int | None = None
    source: TokenSource = TokenSource.PROVIDER


PIECE = 100_000
"""Characters of a text that are tokenised at once."""


class Tokens(NamedTuple):
    """T and how it is known."""

    output: int | None
    reasoning: int | None
    source: TokenSource
    convention: TokenConvention
    flags: tuple[str, ...]


def count(value: Any, field: str) -> int | None:
    """One reported count: a whole number from 0 to 10^9, or null.

    Integral floats are taken (CSV writers make them); text, booleans, fractions, negative and huge numbers raise.

    Raises
    ------
    LogError
        The value is not a count.

    >>> count(12, "output_tokens"), count(64.0, "output_tokens"), count(None, "output_tokens")
    (12, 64, None)
    """
    if type(value) is int and 0 <= value <= MOST_TOKENS:
        return value
    if value is None or (isinstance(value, float) and value != value):
        return None
    known = isinstance(value, (int, float)) and not isinstance(value, bool)
    if known and 0 <= value <= MOST_TOKENS and value == int(value):
        return int(value)
    raise LogError(
        f"{field}: found {value!r:.80}; allowed: a whole number from 0 to {MOST_TOKENS:,} or nothing; "
        "fix the log or map another field"
    )


def normalise(
    usage: Usage,
    *,
    text: str | None,
    estimate_text: str | None = None,
    shown: tuple[str | None, str | None] = (None, None),
) -> Tokens:
    """Apply the first test of formats.md section 3 that holds.

    Parameters
    ----------
    usage
        Counts as reported.
    text
        All generated text that the log shows (to tell a true 0 from a missing count).
    estimate_text
        The whole trace, where the log shows it whole and an estimate by tokenizer is allowed; else null.
    shown
        Text of the reasoning and of the answer: where they are counted apart, a text without a count makes T unknown.

    >>> normalise(Usage(input=98, output=330, reasoning=256, total=428), text="18")[:4]
    (330, 256, <TokenSource.PROVIDER: 'provider'>, <TokenConvention.INCLUSIVE: 'inclusive'>)
    >>> normalise(Usage(output=7, reasoning=64), text="18").output
    71
    >>> normalise(Usage(output=0), text="some text")[0::4]
    (None, ('zero_usage',))
    """
    usage, flags = _without_false_zero(usage, text, shown)
    output, reasoning = usage.output, usage.reasoning
    if usage.additive and _part_uncounted(usage, shown):
        output, flags = None, (*flags, "part_uncounted")
    elif usage.additive and (output is not None or reasoning):
        added = (output or 0) + (reasoning or 0)
        flags += () if _explained(usage, added) else ("conflict",)
        return Tokens(added, reasoning, usage.source, TokenConvention.ADDITIVE, flags)
    if output is not None:
        return _of_reported(usage, output, flags)
    if usage.token_ids is not None:
        flags += _above(reasoning, usage.token_ids)
        return Tokens(usage.token_ids, reasoning, TokenSource.TOKEN_IDS, TokenConvention.INCLUSIVE, flags)
    if estimate_text is not None:
        return Tokens(estimate(estimate_text), None, TokenSource.TOKENIZER, TokenConvention.INCLUSIVE, flags)
    return Tokens(None, reasoning, TokenSource.NONE, TokenConvention.UNKNOWN, flags)


def _of_reported(usage: Usage, output: int, flags: tuple[str, ...]) -> Tokens:
    """T of an output count: by its total where there is one, which contradicts it where no reading adds up to it."""
    reasoning = usage.reasoning or 0
    counted, convention, more = output, TokenConvention.ASSUMED, _above(reasoning, output)
    if usage.total is not None:
        if _explained(usage, output):
            convention = TokenConvention.INCLUSIVE
        elif reasoning and _explained(usage, output + reasoning):
            counted, convention, more = output + reasoning, TokenConvention.ADDITIVE, ()
        elif usage.reasoning is None and usage.input is not None and usage.total > usage.input + output:
            counted = usage.total - usage.input
            convention, more = TokenConvention.GAP_FOLDED, ("gap_folded",)
        else:
            unknown = TokenSource.NONE, TokenConvention.UNKNOWN
            return Tokens(None, usage.reasoning, *unknown, (*flags, "conflict"))
    elif reasoning > output:
        counted, convention = output + reasoning, TokenConvention.CONFLICT
    return Tokens(counted, usage.reasoning, usage.source, convention, flags + more)


def _explained(usage: Usage, output: int) -> bool:
    """Is a total the sum of the input and so many tokens, give or take one? Of a total alone nobody knows."""
    if usage.total is None:
        return True
    return usage.input is not None and abs(usage.input + output - usage.total) <= 1


def _above(reasoning: int | None, output: int) -> tuple[str, ...]:
    return ("conflict",) if (reasoning or 0) > output else ()


def _part_uncounted(usage: Usage, shown: tuple[str | None, str | None]) -> bool:
    """Is there an answer or a reasoning that its count leaves out? A total may say that one count holds both."""
    thought, answer = shown
    if answer and usage.reasoning and not usage.output:
        return True
    whole = usage.total is not None and usage.total == (usage.input or 0) + (usage.output or 0)
    return bool(thought and usage.output and not usage.reasoning) and not whole


def _without_false_zero(
    usage: Usage, text: str | None, shown: tuple[str | None, str | None]
) -> tuple[Usage, tuple[str, ...]]:
    """Counts without a 0 beside a text that was generated. Where the text is a reasoning that is counted, an output of
    0 is true.
    """
    if not text:
        return usage, ()
    thought, answer = shown
    all_input = usage.total is not None and usage.total == usage.input
    is_thought = bool(usage.reasoning and (usage.additive or (thought and not answer))) and not all_input
    if usage.output == 0 and not is_thought:
        reasoning, ids = usage.reasoning or None, usage.token_ids or None
        return replace(usage, output=None, reasoning=reasoning, total=None, token_ids=ids), ("zero_usage",)
    if usage.output is None and usage.token_ids == 0:
        return replace(usage, token_ids=None), ("zero_usage",)
    return (usage, ()) if usage.total != 0 else (replace(usage, total=None), ())


@cache
def _encoding() -> Any:
    import bpe_openai

    return bpe_openai.get_encoding("o200k_base")


def estimate(text: str) -> int:
    """Number of o200k_base tokens of a text, counted offline; a text of over PIECE characters in pieces.

    The tokenizer refuses more than about 1 MB at once. A token cannot cross the end of a piece, so each piece may
    count one token too many: 1 in 20,000 at the most.

    >>> estimate("The answer is 18."), estimate("word " * 40_000)
    (6, 40002)
    """
    pieces = (text[start : start + PIECE] for start in range(0, len(text), PIECE))
    return sum(len(_encoding().encode_ordinary(piece)) for piece in pieces)


def hides_trace(model: str, patterns: Iterable[str]) -> bool:
    """Does this model keep its reasoning to itself, so that its text cannot be counted? (`patterns`: conf)

    >>> hides_trace("openai/o1-mini-2024-09-12", [r"(^|/)o[134](-|$)"]), hides_trace("gpt-4o", [r"(^|/)o[134](-|$)"])
    (True, False)
    """
    return _hides_trace(model, tuple(patterns))


@lru_cache(maxsize=1024)
def _hides_trace(model: str, patterns: tuple[str, ...]) -> bool:
    return any(re.search(pattern, model, re.IGNORECASE) for pattern in patterns)
