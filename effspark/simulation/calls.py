"""When was a run called, how long did it take and what did it cost? Facts beside T, fixed functions of the run.

    start = eval run's start + 1 h / 4 · (attempt - 1) + 5 s · place;  seconds = 0.35 + T/90;  USD = price · tokens

Nothing here is drawn, and nothing here is part of the planted estimates.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from effspark.simulation.draws import Run
from effspark.simulation.texts import prompt

CACHED_TOKENS = 16
"""Part of every input that comes from a cache."""
_USD_IN, _USD_OUT = 0.5e-6, 2e-6


def started_at(run: Run) -> datetime:
    """Start of the call, UTC.

    >>> from effspark.simulation.draws import runs_of
    >>> run = runs_of("birch-lumen-pro-gsm8k", count=1, seed=1)[0]
    >>> started_at(run).isoformat()
    '2026-03-02T17:00:00+00:00'
    """
    offset = timedelta(minutes=15 * (run.attempt - 1), seconds=5 * run.instance.place)
    return run.eval_run.started + offset


def latency_seconds(run: Run) -> float:
    """Seconds that the call took.

    >>> from effspark.simulation.draws import runs_of
    >>> run = runs_of("birch-lumen-pro-gsm8k", count=1, seed=1)[0]
    >>> latency_seconds(run) == round(0.35 + run.tokens / 90, 3)
    True
    """
    return round(0.35 + run.tokens / 90, 3)


def completed_at(run: Run) -> datetime:
    """End of the call, UTC.

    >>> from effspark.simulation.draws import runs_of
    >>> run = runs_of("birch-lumen-pro-gsm8k", count=1, seed=1)[0]
    >>> (completed_at(run) - started_at(run)).total_seconds() == latency_seconds(run)
    True
    """
    return started_at(run) + timedelta(seconds=latency_seconds(run))


def input_tokens(run: Run) -> int:
    """Tokens of the prompt, cached ones included.

    >>> from effspark.simulation.draws import runs_of
    >>> run = runs_of("birch-lumen-pro-gsm8k", count=1, seed=1)[0]
    >>> input_tokens(run) - len(prompt(run)) // 4
    16
    """
    return CACHED_TOKENS + len(prompt(run)) // 4


def reasoning_tokens(run: Run) -> int | None:
    """Part of T that is reasoning; null where the model does not reason apart.

    >>> from effspark.simulation.draws import runs_of
    >>> run = runs_of("birch-lumen-pro-gsm8k", count=1, seed=1)[0]
    >>> reasoning_tokens(run) == round(0.9 * run.tokens)
    True
    """
    share = run.eval_run.planted.reasoning_share
    return round(share * run.tokens) if share else None


def cost_usd(run: Run) -> float:
    """Price of the call in USD.

    >>> from effspark.simulation.draws import runs_of
    >>> run = runs_of("birch-lumen-pro-gsm8k", count=1, seed=1)[0]
    >>> cost_usd(run) == round(0.5e-6 * input_tokens(run) + 2e-6 * run.tokens, 9)
    True
    """
    return round(_USD_IN * input_tokens(run) + _USD_OUT * run.tokens, 9)
