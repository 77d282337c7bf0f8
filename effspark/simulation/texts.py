"""What does a run leave in its log as text? Prompt, reasoning and answer that agree with its end and verdict.

A completed run states its answer once inside its work, then goes on, and gives it at the end; a cut run circles
until the budget ends and gives none, unless the log labels it correct; a run without usage shows no text. Numbers
occur only as answers, so every rule that looks for one finds the planted verdict. Counts of tokens: words.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from effspark.simulation import words
from effspark.simulation.draws import End, Run
from effspark.simulation.instances import GSM8K, PLACES
from effspark.simulation.models import Trace
from effspark.simulation.seeds import generator

REFUSAL = "I cannot help with this request."
_OPENING = "Let us see."
_AROUND = 20
"""Tokens kept for what stands around the work."""


class Written(NamedTuple):
    """Generated text of a run (null: the log shows none) and the answer that it gives (null: it gives none)."""

    reasoning: str | None
    answer: str
    given: str | None


def prompt(run: Run) -> str:
    """Prompt of a run: the question and how to answer.

    It names no numbers but those of the question.

    >>> from effspark.simulation.draws import runs_of
    >>> prompt(runs_of("aurora-wren-flash-gsm8k", count=1, seed=1)[0])[-29:]
    "a last line as 'ANSWER: ...'."
    """
    return f"{run.instance.question}\n\nThink step by step, then give the answer on a last line as 'ANSWER: ...'."


def written(run: Run, *, seed: int) -> Written:
    """Text of a run as a chat log shows it.

    >>> from effspark.simulation.draws import runs_of
    >>> run = runs_of("birch-lumen-pro-gsm8k", count=1, seed=1)[0]
    >>> text = written(run, seed=1)
    >>> text.reasoning, text.answer == f"The answer is {run.instance.gold}."
    (None, True)
    """
    rng = generator(seed, "text", *run.names)
    trace, given = run.eval_run.planted.trace, _given(run, rng)
    if run.usage_missing:
        return Written(None, "", None)
    if run.end is End.REFUSED:
        return Written(None, REFUSAL, None)
    if trace is Trace.HIDDEN:
        return Written(None, "" if given is None else f"The answer is {given}.", given)
    work = _OPENING + _work(run, rng, given, length=max(0, run.tokens - _AROUND))
    final = "" if given is None or run.end is End.CUT else f"ANSWER: {given}"
    if trace is Trace.OPEN:
        return Written(work, final or ("" if given is None else f"The answer is {given}."), given)
    return Written(None, f"{work}\n\n{final}" if final else work, given)


def json_written(run: Run, *, seed: int) -> Written:
    """Text of a run that was asked for JSON, of exactly T tokens where the answer has one to three digits.

    >>> from effspark.simulation.draws import runs_of
    >>> json_written(runs_of("cedar-plover-7b-gsm8k", count=1, seed=1)[0], seed=1).answer.splitlines()[1][:30]
    '    "reasoning": "Let us see. '
    """
    rng = generator(seed, "text", *run.names)
    given = _given(run, rng)
    if run.eval_run.planted.trace is Trace.HIDDEN:
        return Written(None, words.framed("", given or ""), given)
    if run.end is End.CUT or given is None:
        return Written(
            None, words.open_frame(_work(run, rng, None, length=run.tokens - words.OPEN_FRAME_TOKENS)), None
        )
    length = run.tokens - words.FRAME_TOKENS - words.STATEMENT_TOKENS
    return Written(None, words.framed(_work(run, rng, given, length=length), given), given)


def _work(run: Run, rng: np.random.Generator, given: str | None, *, length: int) -> str:
    """Reasoning of `length` tokens, and a sentence with the answer somewhere in its second half."""
    repetition = run.eval_run.planted.repetition
    first = round(length * rng.uniform(0.5, 0.9))
    begin = words.passage(rng, first, repetition=repetition)
    middle = "" if given is None else words.statement(given)
    if run.end is End.CUT:
        return begin + middle + words.loop(rng, length - first)
    return begin + middle + words.passage(rng, length - first, repetition=repetition)


def _given(run: Run, rng: np.random.Generator) -> str | None:
    """Answer that the text gives: right, wrong, or none."""
    if run.labelled:
        return run.instance.gold
    if run.end is not End.COMPLETED:
        return None
    if run.instance.benchmark == GSM8K:
        gold, distance = int(run.instance.gold), int(rng.integers(1, 10))
        return str(gold + distance if gold < 500 else gold - distance)
    others = [place for place in PLACES if place != run.instance.gold]
    return others[int(rng.integers(len(others)))]
