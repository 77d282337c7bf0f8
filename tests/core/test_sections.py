"""Sections of the settings: frozen, of declared names and ranges."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from effspark import sections
from effspark.analyses.diagnosis import PAPER
from effspark.sections import Benchmark, DiagnosisSettings, ReportSettings, ResamplingSettings


def test_a_section_is_frozen_and_knows_its_names() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        ReportSettings().least_coverage = 0.5  # type: ignore[misc]
    with pytest.raises(ValidationError, match="Extra inputs"):
        ReportSettings(coverage=0.5)  # type: ignore[call-arg]


@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_a_share_is_from_0_to_1(value: float) -> None:
    with pytest.raises(ValidationError):
        ResamplingSettings(most_undefined=value)


def test_defaults_of_the_diagnosis_are_those_of_the_paper() -> None:
    assert DiagnosisSettings().model_dump() == PAPER.__dict__


def test_an_instance_is_excluded_once_and_by_its_text() -> None:
    one = {"instance": 7, "reason": "wrong", "source": "errata", "date": "2026-01-01"}
    (found,) = Benchmark.model_validate({"exclusions": [one]}).exclusions
    assert found.instance == "7"
    with pytest.raises(ValidationError, match="instances that stand twice: 7"):
        Benchmark.model_validate({"exclusions": [one, one]})


def test_every_section_says_what_it_is() -> None:
    kinds = [
        kind
        for kind in vars(sections).values()
        if isinstance(kind, type) and issubclass(kind, sections.Section)
    ]
    assert all(kind.__doc__ for kind in kinds)
