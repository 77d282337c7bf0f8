"""Under which output budgets were the models of a benchmark run? One sentence, since E0 depends on it.

Source: definitions.md section 2. Does not bring models to a common budget.
"""

from __future__ import annotations

from collections.abc import Mapping

from effspark.wording import counted, some

UNKNOWN = "unknown"
NAMED = 3
"""Models of one budget that a sentence names at most."""


def told(budgets: Mapping[str, str | None]) -> list[str]:
    """Output budgets by model; nothing where none is known.

    Parameters
    ----------
    budgets
        Name of each model -> tokens as text, `varies`, or null.

    >>> told({"a": "512", "b": None})
    ['output budgets differ, and each model is reported under its own (512 tokens: a; unknown: b)']
    >>> told({"a": "512"})
    ['output budget of all models: 512 tokens']
    """
    models: dict[str, list[str]] = {}
    for name, budget in sorted(budgets.items()):
        models.setdefault(budget or UNKNOWN, []).append(name)
    if set(models) <= {UNKNOWN}:
        return []
    mix = sorted(models, key=lambda text: (len(text), text))
    if len(mix) == 1:
        return [f"output budget of all models: {_tokens(mix[0])}"]
    each = "; ".join(f"{_tokens(budget)}: {some(models[budget], NAMED)}" for budget in mix)
    return [f"output budgets differ, and each model is reported under its own ({each})"]


def _tokens(budget: str) -> str:
    return counted(int(budget), "token") if budget.isdecimal() else budget
