"""Many records judged at once: no value that the checks would change passes."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.runs import checks, soundness

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
VALUES = [
    "a", "", "é", "cut \ud83d", 0, 7, -7, 10**9, 10**9 + 1, 2**63, 7.0, 0.0, -0.0, 0.5, float("nan"), float("inf"),
    True, NOON, NOON.astimezone(), NOON.replace(tzinfo=None), {}, {"a": "b"}, {"a": 0.5}, {"a": 1}, {"a": -0.0},
    {"a": None}, {1: "b"}, {"\ud83d": "b"}, [], ["a"],
]  # fmt: skip


def test_every_check_has_its_judge() -> None:
    assert set(soundness.JUDGES) == set(checks.CHECKS)


def is_kept(declared: str, value: Any) -> bool:
    """Does the check of a type hand a value back as it is?"""
    try:
        found = checks.CHECKS[declared](value, "x")
    except (LogError, AttributeError):
        return False
    return (type(found), repr(found)) == (type(value), repr(value))


@pytest.mark.parametrize("declared", soundness.JUDGES)
def test_what_is_judged_sound_is_what_its_check_keeps(declared: str) -> None:
    judge = soundness.JUDGES[declared]
    judged = [repr(value) for value in VALUES if judge([value], {type(value)})]
    assert judged == [repr(value) for value in VALUES if is_kept(declared, value)]


@pytest.mark.parametrize("declared", soundness.JUDGES)
def test_one_odd_value_spoils_its_column(declared: str) -> None:
    judge = soundness.JUDGES[declared]
    sound = next(value for value in VALUES if judge([value], {type(value)}))
    odd = next(value for value in VALUES if type(value) is type(sound) and not is_kept(declared, value))
    assert judge([sound, sound], {type(sound)})
    assert not judge([sound, odd, sound], {type(sound)})


def test_nothing_is_sound() -> None:
    assert soundness.are_sound([])
