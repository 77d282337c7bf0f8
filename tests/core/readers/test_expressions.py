"""Expressions of a mapping: what they may say, and what a null and a text do in them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers.expressions import Expression, faults

ROW = {
    "a": 6, "b": 4, "none": None, "text": "12.5", "flag": "True", "name": "o1-mini", "a b": 3,
    "usage": {"out": 9, "items": [1, 2], "get": 5}, "choices": [{"stop": "length"}], "raw": '{"n": [7]}',
}  # fmt: skip


def value(source: str) -> Any:
    assert faults(source) == []
    return Expression(source).value(ROW)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("a - b", 2), ("a * b + 1", 25), ("a / b", 1.5), ("a // b", 1), ("a % b", 2), ("-a", -6),
        ("usage.out - a", 3), ("usage.items[1]", 2), ("usage.get", 5), ("usage.items[9]", None),
        ("usage.items[-1]", 2),
        ("choices[0].stop", "length"), ("choices[0].gone.far", None), ("json(raw).n[0]", 7),
        ("column('a b')", 3),
        ("'long' if a > b else 'short'", "long"), ("name in ('o1-mini', 'o3')", True),
        ("'mini' in name", True),
        ("name not in ['o3']", True), ("name == 'o1-mini' and a != 7", True), ("not a == 6", False),
        ("4 <= b < 5", True),
        ("number(text) * 2", 25.0), ("boolean(flag)", True), ("whole(text)", None), ("whole('42.0')", 42),
        ("whole(a)", 6), ("text(a) + '/' + text(none)", None), ("text(a) + '/' + name", "6/o1-mini"),
        ("lower('A')", "a"), ("split(name, '-')[0]", "o1"), ("len(name)", 7), ("round(2.567, 1)", 2.6),
        ("abs(-a)", 6),
        ("min(a, b)", 4), ("max(a, b)", 6), ("coalesce(none, gone, b)", 4), ("coalesce(none, 0)", 0),
        ("epoch_seconds(0)", datetime(1970, 1, 1, tzinfo=timezone.utc)),
        ("epoch_milliseconds('1500')", datetime(1970, 1, 1, 0, 0, 1, 500000, tzinfo=timezone.utc)),
        ("seconds_between('2026-01-01 00:00:00', '2026-01-01T01:00:00.5+00:00')", 3600.5),
        ("digest('18')", "4ec9599fc203d176"), ("digest(a) == digest('6')", True),
        ("timestamp('2026-01-01T00:00:00Z')", datetime(2026, 1, 1, tzinfo=timezone.utc)),
    ],
)  # fmt: skip
def test_expressions_say_what_they_say(source: str, found: Any) -> None:
    assert value(source) == found


@pytest.mark.parametrize(
    "source",
    [
        "none + 1", "1 - none", "none * 2", "none / 2", "-none", "none > 1", "1 <= none", "gone - a",
        "usage.gone + 1",
        "number(none)", "max(a, none)", "len(none)", "round(none)", "whole(none)", "lower(gone)",
        "json(none)",
        "'x' in none", "'x' not in none", "none.a.b", "none[0]", "usage.out.deep", "epoch_seconds(none)",
        "digest(none)", "seconds_between(none, '2026-01-01')",
    ],
)  # fmt: skip
def test_null_goes_through_and_never_becomes_0(source: str) -> None:
    assert value(source) is None


def test_null_chooses_the_other_branch_and_can_be_asked_for() -> None:
    assert value("1 if none > 1 else 2") == 2
    assert value("none is None and a is not None and gone == None") is True


@pytest.mark.parametrize(
    "source",
    ["text == 12.5", "text != 12", "12 in (text, 'b')", "text > 1", "a + text", "number(name)", "a / 0",
    "len(a)",
     "lower(a)", "json(name)", "'6' == a", "epoch_seconds(1e300)", "min(a, text)"],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_a_fault_with_expression_and_values(source: str) -> None:
    with pytest.raises(LogError, match="an expression cannot be evaluated") as caught:
        value(source)
    assert f"(expression {source})" in str(caught.value)
    assert (
        any(repr(ROW[name]) in str(caught.value) for name in ("a", "text", "name") if name in source)
        or "1e" in source
    )


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("", "not an expression"), ("a +", "not an expression"), ("a; b", "not an expression"),
        ("a = 1", "not an expression"),
        ("__import__('os')", "unknown function __import__"), ("open('x')", "unknown function open"),
        ("name.upper()", "unknown function name.upper"), ("(lambda: 1)()", "Lambda is not allowed"),
        ("[x for x in usage]", "ListComp is not allowed"), ("f'{a}'", "JoinedStr is not allowed"),
        ("2 ** 9", "Pow is not allowed"),
        ("a << 2", "LShift is not allowed"), ("{'a': 1}", "Dict is not allowed"), ("round(a, ndigits=1)",
        "only plain arguments"),
        ("max(*usage.items)", "Starred is not allowed"), ("column(name)", "allowed is one name in quotes"),
        ("(a := 1)", "NamedExpr is not allowed"), ("usage.items[0:1]", "Slice is not allowed"),
    ],
)  # fmt: skip
def test_what_an_expression_may_not_say_is_told_before_any_record(source: str, told: str) -> None:
    assert told in "; ".join(faults(source))


def test_no_attribute_of_an_object_is_in_reach() -> None:
    for source in ("name.__class__", "a.real", "usage.keys", "choices.append", "name.format"):
        assert value(source) is None


@pytest.mark.parametrize(
    ("source", "columns"),
    [
        ("usage.out - coalesce(usage.hidden, 0)", {"usage.out", "usage.hidden"}),
        ("choices[0].stop", {"choices"}),
        ("json(raw).n + column('a b')", {"raw", "a b"}), ("a if b else 'c'", {"a", "b"}), ("True", set()),
        ("usage.items[a]", {"usage.items", "a"}), ("max(len, 1)", {"len"}),
    ],
)  # fmt: skip
def test_an_expression_knows_the_columns_it_needs(source: str, columns: set[str]) -> None:
    assert Expression(source).columns == columns


def test_a_long_trace_may_be_put_together() -> None:
    long = "x" * 200_000
    assert len(Expression("a + b").value({"a": long, "b": long})) == 400_000


@pytest.mark.parametrize(
    ("source", "row"),
    [
        ("json(x)", {"x": "[" * 100_000}),
        ("x * x", {"x": 10**4000}),
        ("[x * x]", {"x": 10**4000}),
        ("x + x", {"x": 9 * 10**4299}),
        ("abs(x)", {"x": 10**400}),
        ("text(x * x)", {"x": 10**4000}),
        ("x % 3", {"x": "%9999999999d"}),
        ("-x", {"x": "a" * 100_000}),
    ],
)
def test_what_cannot_be_written_down_is_a_short_fault_of_the_record(source: str, row: dict[str, Any]) -> None:
    with pytest.raises(LogError, match="an expression cannot be evaluated") as caught:
        Expression(source).value(row)
    assert len(str(caught.value)) < 600
