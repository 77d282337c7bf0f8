"""Values of declared types: what is taken as it is, what is made whole, what is a fault."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.runs import checks
from effspark.runs.values import made_at_once


@made_at_once
@dataclass(frozen=True, kw_only=True)
class Logged:
    name: str
    output: int | None = None
    seed: int | None = None
    seconds: float | None = None
    at: datetime | None = None
    axes: dict[str, Any] = field(default_factory=dict)
    anything: Any = None


def test_a_record_of_right_types_is_handed_back_unchanged() -> None:
    record = Logged(
        name="a", output=7, seed=-1, seconds=2.5, at=datetime(2026, 1, 1, tzinfo=timezone.utc), anything=[1]
    )
    faults: list[str] = []
    assert checks.checked(record, faults) is record
    assert faults == []


def test_counts_numbers_and_nan_are_made_whole() -> None:
    loose: Any = Logged(name="a", output=7.0, seconds=2)
    found = checks.checked(loose, [])
    assert (repr(found.output), repr(found.seconds)) == ("7", "2.0")
    assert checks.checked(Logged(name="a", seconds=float("nan")), []).seconds is None


def test_every_fault_is_told_by_the_name_of_its_field() -> None:
    bad: Any = Logged(name=5, output="7", seed=1.5, seconds=True, at="now")
    faults: list[str] = []
    checks.checked(bad, faults)
    assert [fault.split("; allowed")[0] for fault in faults] == [
        "name: found 5", "output_tokens: found '7'", "seed: found 1.5", "seconds: found True",
        "at: found 'now'",
    ]  # fmt: skip


@pytest.mark.parametrize("value", [float("inf"), "1", True, None, [1]])
def test_only_finite_numbers_are_numbers(value: object) -> None:
    with pytest.raises(LogError, match=r"^x: found .*; allowed: a finite number"):
        checks.number(value, "x")


@pytest.mark.parametrize(("value", "found"), [(-(2**63) + 1, -(2**63) + 1), (3.0, 3)])
def test_whole_numbers_of_64_bits_are_integers(value: float, found: int) -> None:
    assert checks.integer(value, "x") == found


@pytest.mark.parametrize("value", [2**63, 0.5, True, "1", float("nan")])
def test_anything_else_is_no_integer(value: object) -> None:
    with pytest.raises(LogError, match="whole number of at most 64 bits"):
        checks.integer(value, "x")


def test_a_time_must_name_its_zone() -> None:
    with pytest.raises(LogError, match="a time with its zone"):
        checks.moment(datetime(2026, 1, 1), "x")


def test_pairs_of_surrogates_become_their_character_and_lone_ones_a_mark() -> None:
    assert checks.text("\ud83d\ude00 \ud83d", "x") == "\U0001f600 \ufffd"


@pytest.mark.parametrize("value", [10**309, -(10**400)])
def test_a_whole_number_beyond_the_range_of_a_float_is_no_number(value: int) -> None:
    assert checks.finite(value) is None
    with pytest.raises(LogError, match=r"^x: found -?1000.*; allowed: a finite number"):
        checks.number(value, "x")


def test_a_time_is_kept_in_utc_and_one_outside_its_years_is_a_fault() -> None:
    east = datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert checks.moment(east, "at").isoformat() == "2026-01-01T00:00:00+00:00"
    with pytest.raises(LogError, match=r"^at: found .*; allowed: a time with its zone, from year 1 to 9999"):
        checks.moment(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))), "at")
