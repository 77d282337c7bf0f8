"""How does a number stand in a gold table that may be undefined? Null with a reason, never 0."""

from __future__ import annotations

import math
from typing import Any


def known(value: float) -> float | None:
    """A number, null where it is NaN.

    >>> known(0.5), known(float("nan"))
    (0.5, None)
    """
    return None if math.isnan(value) else float(value)


def told(value: float, reason: str | None) -> dict[str, Any]:
    """Columns `value` and `reason`: the reason only where the number is undefined.

    >>> told(0.5, "no_tokens"), told(float("nan"), "no_tokens")
    ({'value': 0.5, 'reason': None}, {'value': None, 'reason': 'no_tokens'})
    """
    return {"value": known(value), "reason": reason if math.isnan(value) else None}
