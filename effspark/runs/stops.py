"""Why did a run end, and was it cut? The one place that decides stop class, truncation and completion.

    finish reason, limits, status, budget  ->  stop_class, truncated (true, false, null), N (1, 0, null)

Source: definitions.md section 1 (what a class means), formats.md section 4 (decision order). Does not decide
whether an answer is right.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

NEAR_BUDGET_SHARE = 0.98
"""A provider-counted T of at least this share of the budget is read as a cut (formats.md section 4, rule 4)."""
NEAR_BUDGET_TOKENS = 8
"""... or a T that ends this close to it (Gemini stops 4 short, LM Studio 1)."""
TINY_BUDGET_TOKENS = 16
"""Up to this budget the answer itself is asked for (HELM lets one letter be generated): T near it tells nothing."""
ESTIMATE_CLEAR_SHARE = 0.7
"""Below this share of the budget an estimated T rules out a cut."""


class StopClass(str, Enum):
    """Why generation ended; the values are what the tables store."""

    STOP = "stop"
    LENGTH = "length"
    CONTEXT = "context"
    REFUSAL = "refusal"
    TOOL = "tool"
    AGENT_LIMIT = "agent_limit"
    ERROR = "error"
    PAUSE = "pause"
    UNKNOWN = "unknown"


class TruncationSource(str, Enum):
    """How `truncated` is known."""

    REPORTED = "reported"
    AGENT_LIMIT = "agent_limit"
    INFERRED_BUDGET = "inferred_budget"
    INFERRED_STATUS = "inferred_status"
    NONE = "none"


_SPELLINGS: dict[StopClass, tuple[str, ...]] = {
    StopClass.STOP: ("stop", "end_turn", "stop_sequence", "endoftext", "completed", "eos"),
    StopClass.LENGTH: (
        "length",
        "max_tokens",
        "max_output_tokens",
        "max_completion_tokens",
        "finish_reason_length",
        "token_exhaustion",
    ),
    StopClass.CONTEXT: ("model_length", "model_context_window_exceeded", "context_window_exceeded"),
    StopClass.REFUSAL: (
        "refusal",
        "content_filter",
        "content-filter",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
        "image_safety",
        "model_armor",
    ),
    StopClass.TOOL: ("tool_calls", "tool-calls", "tool_call", "tool_use", "function_call", "requires_action"),
    StopClass.ERROR: ("error", "failed", "errored", "expired", "abort", "canceled", "cancelled"),
    StopClass.PAUSE: ("pause_turn", "continuation"),
    StopClass.UNKNOWN: ("", "unknown", "other", "none", "null", "unspecified", "finish_reason_unspecified"),
}
_LAST_PART = re.compile(r"[.:]")
_CLASS_OF = {spelling: stop for stop, spellings in _SPELLINGS.items() for spelling in spellings}


class Truncation(NamedTuple):
    """Was the run cut, and how is that known? `truncated` is null where nothing tells."""

    truncated: bool | None
    source: TruncationSource
    flags: tuple[str, ...]


def stop_class(finish_reason: str | None, *, agent_limit: str | None = None) -> StopClass:
    """Class of a logged finish reason, case-insensitive; an agent's limit outranks the last call's reason.

    Of a name that says more (`FinishReason.STOP`, `incomplete:max_output_tokens`) the last part decides.

    >>> stop_class("MAX_TOKENS").value, stop_class("weird").value, stop_class("stop", agent_limit="message").value
    ('length', 'unknown', 'agent_limit')
    >>> stop_class("FinishReason.STOP").value, stop_class("incomplete:max_output_tokens").value
    ('stop', 'length')
    """
    if agent_limit is not None:
        return StopClass.AGENT_LIMIT
    if finish_reason is None:
        return StopClass.UNKNOWN
    return _class_of(finish_reason) or StopClass.UNKNOWN


def is_strange(finish_reason: str) -> bool:
    """Is a logged finish reason none that is known, nor one that says that nothing is known?

    >>> is_strange("weird"), is_strange("unknown"), is_strange("stop")
    (True, False, False)
    """
    return _class_of(finish_reason) is None


@lru_cache(maxsize=1024)
def _class_of(finish_reason: str) -> StopClass | None:
    return _CLASS_OF.get(_LAST_PART.split(finish_reason.strip().lower())[-1])


def truncation(
    stop: StopClass,
    *,
    tokens: int | None,
    budget: int | None,
    counted: bool,
    ends_open: bool = False,
    least_tokens: int | None = None,
) -> Truncation:
    """Decide whether a run was cut, in the order of formats.md section 4.

    Parameters
    ----------
    stop
        Stop class of the run.
    tokens, budget
        T and the output budget in tokens, null where unknown.
    counted
        T comes from the provider, the server or token ids (not from another tokenizer).
    ends_open
        The text ends inside a string, brace or think tag.
    least_tokens
        The smaller T that contradictory counts allow as well; a cut is inferred only where both readings agree.

    >>> truncation(StopClass.UNKNOWN, tokens=32764, budget=32768, counted=True)[:2]
    (True, <TruncationSource.INFERRED_BUDGET: 'inferred_budget'>)
    >>> truncation(StopClass.STOP, tokens=512, budget=512, counted=True).flags
    ('stop_at_cap',)
    >>> truncation(StopClass.UNKNOWN, tokens=900, budget=1000, counted=False).truncated is None
    True
    >>> truncation(StopClass.UNKNOWN, tokens=1100, least_tokens=400, budget=1000, counted=True).truncated is None
    True
    """
    if stop is StopClass.AGENT_LIMIT:
        return Truncation(True, TruncationSource.AGENT_LIMIT, ())
    if stop in (StopClass.LENGTH, StopClass.CONTEXT):
        return Truncation(True, TruncationSource.REPORTED, ())
    at_cap = tokens is not None and budget is not None and tokens >= budget
    if stop in (StopClass.STOP, StopClass.REFUSAL):
        return Truncation(False, TruncationSource.REPORTED, ("stop_at_cap",) if at_cap else ())
    suspected = ("suspected_truncation",) if ends_open else ()
    if stop is StopClass.ERROR or tokens is None or budget is None:
        return Truncation(None, TruncationSource.NONE, suspected)
    cut = _cut_by_budget(tokens, budget, counted=counted, ends_open=ends_open)
    if least_tokens is not None and cut is not _cut_by_budget(
        least_tokens, budget, counted=counted, ends_open=ends_open
    ):
        cut = None
    return Truncation(
        cut, TruncationSource.NONE if cut is None else TruncationSource.INFERRED_BUDGET, suspected
    )


def _cut_by_budget(tokens: int, budget: int, *, counted: bool, ends_open: bool) -> bool | None:
    if counted and budget <= TINY_BUDGET_TOKENS:
        return None if budget - tokens <= NEAR_BUDGET_TOKENS else False
    if counted:
        return tokens >= NEAR_BUDGET_SHARE * budget or budget - tokens <= NEAR_BUDGET_TOKENS
    if tokens < ESTIMATE_CLEAR_SHARE * budget:
        return False
    return True if ends_open else None


def completed(stop: StopClass, truncated: bool | None) -> bool | None:
    """N of a run: completed, cut, or null where neither the stop class nor an inference tells.

    Runs of class `error` are out of every layer; their N is null.

    >>> completed(StopClass.REFUSAL, False), completed(StopClass.LENGTH, True), completed(StopClass.TOOL, None)
    (True, False, None)
    """
    if stop in (StopClass.STOP, StopClass.REFUSAL):
        return True
    if stop in (StopClass.LENGTH, StopClass.CONTEXT, StopClass.AGENT_LIMIT):
        return False
    if stop is StopClass.ERROR or truncated is None:
        return None
    return not truncated


def ends_open(text: str) -> bool:
    r"""Does the text end inside an open string, brace, bracket, code fence or think tag? (formats.md section 4, rule 5)

    Braces and strings count only where the text is JSON, that is, where it begins with a brace or bracket
    (after an optional code fence). A text that ends in a closing brace or bracket is not open: models often
    leave quotes unescaped, and an unparsable answer alone says nothing of truncation.

    >>> ends_open('{"reasoning": "first we'), ends_open('<think> hmm'), ends_open("done. {x}")
    (True, True, False)
    >>> ends_open('```json\n{"answer": "4"}\n```')
    False
    """
    body = text.strip()
    if body.rfind("<think>") > body.rfind("</think>"):
        return True
    if body.startswith("```"):
        body = body.split("\n", 1)[-1].rstrip("`").rstrip() if "\n" in body else ""
    if not body.startswith(("{", "[")) or body.endswith(("}", "]")):
        return False
    return _json_depth_at_end(body) > 0


def _json_depth_at_end(body: str) -> int:
    depth, in_string, escaped = 0, False, False
    for character in body:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return 0
    return depth + in_string
