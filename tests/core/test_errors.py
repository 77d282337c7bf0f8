"""Error texts: what, where, found, allowed, remedy."""

from __future__ import annotations

import pytest

from effspark import errors


def test_a_problem_says_what_where_found_allowed_and_remedy_in_this_order() -> None:
    text = errors.problem("WHAT", where="WHERE", found="FOUND", allowed="ALLOWED", remedy="REMEDY")
    assert text == "WHAT (WHERE): found FOUND; allowed: ALLOWED; REMEDY"


def test_all_problems_stand_under_one_headline() -> None:
    assert errors.all_problems("two", iter(["a", "b"])) == "two\n  - a\n  - b"
    assert errors.all_problems("none", []) == "none"


@pytest.mark.parametrize("name", ["SettingsError", "SchemaError", "LogError", "LakeError"])
def test_one_base_catches_every_error_of_effspark(name: str) -> None:
    kind = getattr(errors, name)
    assert kind.__mro__[1] is errors.EffsparkError
    assert not issubclass(errors.EffsparkError, (ValueError, OSError))
