"""Logged runs, checked: many at once as each alone, and nothing that only looks sound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.runs.checked import all_checked, checked
from effspark.runs.record import LoggedRun, LoggedVerdict
from effspark.runs.tokens import Usage
from tests.core.runs.logged import MODEL, RUN


def configured(**changes: Any) -> LoggedRun:
    return replace(RUN, configuration=replace(MODEL, **changes))


def told(found: Sequence[LoggedRun] | LogError) -> Any:
    return str(found) if isinstance(found, LogError) else [*found]


def test_sound_runs_are_handed_back_as_they_are() -> None:
    judged = replace(RUN, verdicts=(LoggedVerdict(scorer="s", raw="0", value=0.0),), tags={"a": "é"})
    (found,) = all_checked([(RUN, judged)])
    assert not isinstance(found, LogError)
    assert found[0] is RUN
    assert found[1] is judged


def test_a_bad_record_among_good_ones_is_refused_alone_and_whole() -> None:
    bad = replace(RUN, usage=Usage(output=-1))
    found = [told(runs) for runs in all_checked([(RUN,), (RUN, bad), (replace(RUN, instance_id=7),)])]
    assert (found[0], found[2]) == ([RUN], [replace(RUN, instance_id="7")])
    assert found[1].startswith("output_tokens: found -1")


def test_no_records_are_no_faults() -> None:
    assert [*all_checked([])] == []


def test_no_zero_is_negative() -> None:
    """Else the id of a configuration would depend on which of the two was met first."""
    runs = [[configured(temperature=temperature)] for temperature in (-0.0, 0.0, -0.0)]
    for found in all_checked(runs):
        assert not isinstance(found, LogError)
        assert str(found[0].configuration.temperature) == "0.0"


@pytest.mark.parametrize("temperature", [True, [0.5], {"value": 0.5}, "0.5"])
def test_what_equals_a_sound_value_is_judged_by_its_own_type(temperature: Any) -> None:
    assert checked(configured(temperature=1)).configuration.temperature == 1.0
    with pytest.raises(LogError, match="temperature: found "):
        checked(configured(temperature=temperature))


@pytest.mark.parametrize("name", ["", " ", "\t\n"])
def test_a_blank_name_is_no_model(name: str) -> None:
    with pytest.raises(LogError, match="model: found nothing; allowed: a name"):
        checked(configured(request_model=name))
