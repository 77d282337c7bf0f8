"""Numbers of gold tables: null has a reason, a number has none, infinite ones stay."""

from __future__ import annotations

import math

import numpy as np

from effspark.gold.undefined import known, told


def test_only_what_is_undefined_is_null() -> None:
    assert [known(value) for value in (0.0, -math.inf, math.nan)] == [0.0, -math.inf, None]
    assert type(known(np.float64(1))) is float


def test_a_reason_stands_beside_null_alone() -> None:
    assert told(1.0, "why") == {"value": 1.0, "reason": None}
    assert told(math.nan, "why") == {"value": None, "reason": "why"}
