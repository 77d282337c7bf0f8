"""The sentence on output budgets: one, several in their order, many models of one, none."""

from __future__ import annotations

import pytest

from effspark.layers import budgets


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, None),
        ({"m": None, "n": None}, None),
        ({"m": "2048", "n": "2048"}, "output budget of all models: 2,048 tokens"),
        ({"m": "varies"}, "output budget of all models: varies"),
        ({"m": "4096", "n": "512"}, "(512 tokens: n; 4,096 tokens: m)"),
        ({"m": "512", "n": None}, "(512 tokens: m; unknown: n)"),
        ({"m": "512", "n": "varies"}, "(512 tokens: m; varies: n)"),
        (dict.fromkeys("klmn", "9") | {"o": "8"}, "(8 tokens: o; 9 tokens: k, l and 2 more)"),
        (dict.fromkeys("klm", "9") | {"o": "8"}, "(8 tokens: o; 9 tokens: k, l, m)"),
    ],
)
def test_budgets_are_named_with_their_models(given: dict[str, str | None], told: str | None) -> None:
    found = budgets.told(given)
    assert len(found) == (told is not None)
    assert all(text.endswith(str(told)) for text in found)
