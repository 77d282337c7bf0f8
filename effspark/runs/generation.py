"""What was generated: tokens, stop, truncation and the facts beside them, as columns of `runs`.

Calls the rules of tokens.py and stops.py on one logged run. Source: formats.md sections 3 to 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from effspark.runs import keys, stops, tokens
from effspark.runs.record import LoggedRun, Status, Visibility
from effspark.runs.stops import StopClass, Truncation, TruncationSource
from effspark.runs.tokens import TokenConvention, Tokens, TokenSource
from effspark.runs.values import made_at_once

LEAST_TOKENS = 64
"""Fewer tokens, or characters, tell nothing of how many characters a token has."""
HIDDEN_CHARACTERS = 1.1
"""So many visible characters a token have models that hide their reasoning, at the most; open traces 3.1 to 3.8."""
MOST_CHARACTERS = 16
"""A text of more characters a token was counted by its blocks, not by its tokens."""
_GENERATION, _TRACE = keys.Beginning("generation"), keys.Beginning("trace")


@made_at_once
@dataclass(frozen=True, kw_only=True)
class Generation:
    """Columns of `runs` that are decided from several facts of a run."""

    status: Status
    stop_class: StopClass
    truncated: bool | None
    truncation_source: TruncationSource
    output_tokens: int | None
    reasoning_tokens: int | None
    visible_tokens: int | None
    total_tokens: int | None
    censored: bool
    t_lower_bound: int | None
    token_source: TokenSource
    token_convention: TokenConvention
    quality_flags: Sequence[str]


def of_generation(logged: LoggedRun) -> Generation:
    """What is decided of one run.

    >>> from effspark.runs.record import Configuration
    >>> from effspark.runs.tokens import Usage
    >>> made = LoggedRun(configuration=Configuration(request_model="m", output_budget_tokens=512), benchmark_id="b",
    ...     instance_id=1, usage=Usage(output=512), finish_reason="length")
    >>> decided = of_generation(made)
    >>> decided.stop_class.value, decided.truncated, decided.output_tokens
    ('length', True, 512)
    """
    text, usage, status = generated(logged), logged.usage, logged.status
    counted = tokens.normalise(
        usage,
        text=text,
        estimate_text=text if logged.estimable and text else None,
        shown=(logged.reasoning, logged.answer),
    )
    stop = stops.stop_class(logged.finish_reason, agent_limit=logged.agent_limit)
    if stop is StopClass.UNKNOWN and (status is Status.ERROR or status is Status.CANCELLED):
        stop = StopClass.ERROR
    cut = _cut(logged, stop, counted, text)
    output, budget = counted.output, logged.configuration.output_budget_tokens
    censored = bool(cut.truncated) and output is None
    whole = logged.trace_visibility is Visibility.FULL and stop is not StopClass.TOOL
    odd = *_over(counted, budget), *_of_text(counted, text, whole=whole)
    flags = {*logged.quality_flags, *counted.flags, *cut.flags, *odd}
    return Generation(
        status=Status.ERROR if stop is StopClass.ERROR and status is Status.OK else status,
        stop_class=stop,
        truncated=cut.truncated,
        truncation_source=cut.source,
        output_tokens=output,
        reasoning_tokens=counted.reasoning,
        visible_tokens=_difference(output, counted.reasoning),
        total_tokens=None if usage.input is None or output is None else usage.input + output,
        censored=censored,
        t_lower_bound=budget if censored else None,
        token_source=counted.source,
        token_convention=counted.convention,
        quality_flags=sorted(flags),
    )


def _cut(logged: LoggedRun, stop: StopClass, counted: Tokens, text: str | None) -> Truncation:
    return stops.truncation(
        stop,
        tokens=counted.output,
        budget=logged.configuration.output_budget_tokens,
        counted=counted.source in tokens.COUNTED,
        least_tokens=logged.usage.output if counted.convention is TokenConvention.CONFLICT else None,
        ends_open=stop is StopClass.UNKNOWN and text is not None and stops.ends_open(text),
    )


def _over(counted: Tokens, budget: int | None) -> tuple[str, ...]:
    over = counted.output is not None and budget is not None and counted.output > budget + 1
    return ("t_over_budget",) if over and counted.source in tokens.COUNTED else ()


def _of_text(counted: Tokens, text: str | None, *, whole: bool) -> tuple[str, ...]:
    """Does T fit the text? One that is told to be whole may be a part, and one may be longer than so few tokens are."""
    made = counted.output
    if not text or not made or counted.source not in tokens.COUNTED:
        return ()
    if whole and made >= LEAST_TOKENS and len(text) <= HIDDEN_CHARACTERS * made:
        return ("hidden_trace",)
    return ("text_over_t",) if len(text) > max(MOST_CHARACTERS * made, LEAST_TOKENS) else ()


def _difference(whole: int | None, part: int | None) -> int | None:
    return None if whole is None or part is None or part > whole else whole - part


def generated(logged: LoggedRun) -> str | None:
    """Trace of a run; null where the log shows none."""
    return trace_of(logged.reasoning, logged.answer)


def trace_of(reasoning: str | None, answer: str | None) -> str | None:
    r"""Trace of definitions.md section 1: reasoning, newline, answer; either part alone where there is one.

    >>> trace_of("a", "b"), trace_of(None, "b"), trace_of("", None)
    ('a\nb', 'b', None)
    """
    return f"{reasoning}\n{answer}" if reasoning and answer else reasoning or answer or None


def hashes(logged: LoggedRun) -> tuple[str, str]:
    """Hash of what was generated, and of its text alone; never of verdicts, scores, times or place.

    The first is over text and T. The second is the first where the log shows no text.
    """
    usage, said = logged.usage, keys.members(logged.reasoning, logged.answer)
    whole = _GENERATION.digest(said, keys.members(usage.output, usage.reasoning, usage.token_ids))
    return whole, _TRACE.digest(said) if logged.reasoning or logged.answer else whole
