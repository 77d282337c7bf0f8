"""Diagnosis: the shared vector from the paper's tables, and each threshold from both sides."""

from __future__ import annotations

import math

import pytest

from effspark.analyses.diagnosis import Diagnosis, Kind, Profile, Thresholds, diagnose
from tests.core.pool.loops import vector

NAN = math.nan
REFERENCE = Profile(1.0, 0.8, 20.0, 0.4, 6.0)


def test_the_vector_of_the_papers_models_passes() -> None:
    given, expected = vector("diagnose")
    reference = Profile(*(given["reference"][name] for name in ("r_ctx", "r_logic", "VO")))
    for model, values in given["models"].items():
        found = diagnose(Profile(*map(float, values)), reference)
        wanted = expected[model]
        assert found.primary.value == wanted["primary"], model
        assert [flag.value for flag in found.flags] == wanted["flags"], model
        terms = {kind.value: term for kind, term in found.terms.items()}
        told = {name: float(term) for name, term in wanted["terms"].items()}
        assert terms == pytest.approx(told, rel=1e-12, nan_ok=True), model


def found(**changes: float) -> Diagnosis:
    return diagnose(REFERENCE._replace(**changes), REFERENCE)


@pytest.mark.parametrize(
    ("changes", "flags"),
    [
        ({}, ()),
        ({"r_ctx": 0.9}, ()),
        ({"r_ctx": 0.8999}, (Kind.CONTEXT,)),
        ({"overhead": 59.99}, ()),
        ({"overhead": 60.0}, (Kind.VERBOSITY,)),
        ({"r_logic": 0.4001}, ()),
        ({"r_logic": 0.4}, (Kind.LOGIC,)),
        ({"signal_share": 0.2}, ()),
        ({"signal_share": 0.1999}, (Kind.REDUNDANCY,)),
        ({"r_ctx": 0.5, "overhead": 99.0, "r_logic": 0.1}, (Kind.CONTEXT, Kind.VERBOSITY, Kind.LOGIC)),
        ({"r_ctx": NAN, "overhead": NAN, "r_logic": NAN, "signal_share": NAN}, ()),
    ],
)
def test_flags_begin_where_the_definitions_say(changes: dict[str, float], flags: tuple[Kind, ...]) -> None:
    assert found(**changes).flags == flags


def test_a_thin_signal_counts_only_with_more_of_it_than_the_reference() -> None:
    low = REFERENCE._replace(signal_share=0.2)
    assert diagnose(low._replace(signal_share=0.14, signal_overhead=6.0), low).flags == ()
    assert diagnose(low._replace(signal_share=0.14, signal_overhead=6.1), low).flags == (Kind.REDUNDANCY,)
    assert diagnose(low._replace(signal_share=0.15, signal_overhead=6.1), low).flags == ()


@pytest.mark.parametrize(
    ("changes", "primary"),
    [
        ({}, Kind.BALANCED),
        ({"r_ctx": 0.85, "r_logic": 0.72}, Kind.CONTEXT),
        ({"r_ctx": 0.85, "r_logic": 0.71}, Kind.CONTEXT),
        ({"r_ctx": 0.85, "r_logic": 0.6}, Kind.LOGIC),
        ({"r_ctx": 0.85, "overhead": 200.0}, Kind.CONTEXT),
        ({"r_ctx": 0.91, "overhead": 22.0}, Kind.BALANCED),
        ({"overhead": 22.2}, Kind.VERBOSITY),
        ({"r_logic": 0.5, "overhead": 30.0}, Kind.LOGIC),
        ({"r_ctx": 0.0, "r_logic": NAN}, Kind.CONTEXT),
        ({"r_logic": 0.0}, Kind.LOGIC),
        ({"overhead": NAN}, Kind.BALANCED),
        ({"signal_share": 0.01}, Kind.BALANCED),
    ],
)
def test_the_primary_limit_follows_the_largest_loss(changes: dict[str, float], primary: Kind) -> None:
    assert found(**changes).primary is primary


def test_thresholds_are_the_callers_to_set() -> None:
    strict = Thresholds(least_completion=1.0, least_term=-0.01)
    assert diagnose(REFERENCE._replace(r_ctx=0.98), REFERENCE, thresholds=strict).primary is Kind.CONTEXT


def test_the_reference_itself_is_balanced() -> None:
    own = diagnose(REFERENCE, REFERENCE)
    assert (own.primary, own.flags, set(own.terms.values())) == (Kind.BALANCED, (), {0.0})
