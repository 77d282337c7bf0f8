"""Operators and functions of expressions: null goes through, nothing is guessed, nothing grows without end."""

from __future__ import annotations

import ast

import pytest

from effspark.errors import LogError
from effspark.readers.functions import FUNCTIONS, OPERATORS


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"coalesce"}))
def test_null_goes_through_every_function(name: str) -> None:
    assert FUNCTIONS[name](None) is None


@pytest.mark.parametrize(
    "node", [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Lt, ast.GtE]
)
def test_null_goes_through_arithmetic_and_order(node: type[ast.AST]) -> None:
    assert OPERATORS[node](None, 2) is OPERATORS[node](2, None) is None


def test_a_text_is_no_number() -> None:
    with pytest.raises(TypeError, match="a text and a value of another type"):
        OPERATORS[ast.Eq]("7", 7)
    with pytest.raises(TypeError, match="has no remainder"):
        OPERATORS[ast.Mod]("%99d", 7)
    assert (OPERATORS[ast.Mod](7, 4), OPERATORS[ast.In](7, [6, 7]), OPERATORS[ast.NotEq](None, 7)) == (
        3,
        True,
        True,
    )


@pytest.mark.parametrize(
    ("node", "left", "right"),
    [(ast.Mult, 10**150, 10**150), (ast.Add, 10**300 - 1, 1), (ast.Sub, -(10**300) + 1, 1)],
)
def test_no_whole_number_outgrows_its_digits(node: type[ast.AST], left: int, right: int) -> None:
    assert OPERATORS[node](left, 0) is not None
    with pytest.raises(OverflowError, match="300 digits"):
        OPERATORS[node](left, right)


def test_a_moment_beyond_the_calendar_is_a_fault() -> None:
    assert FUNCTIONS["epoch_milliseconds"](1000).isoformat() == "1970-01-01T00:00:01+00:00"
    with pytest.raises(OverflowError):
        FUNCTIONS["epoch_seconds"](1e18)
    with pytest.raises(LogError):
        FUNCTIONS["epoch_seconds"](10**400)
