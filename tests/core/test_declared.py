"""YAML that a user writes."""

from __future__ import annotations

import pytest

from effspark.declared import from_yaml


def test_values_are_plain() -> None:
    assert from_yaml("a: [1, .nan_, 'x', null]\nb: \"\\U0001F600\"") == {
        "a": [1, ".nan_", "x", None],
        "b": "\U0001f600",
    }
    assert from_yaml("") is None


@pytest.mark.parametrize(
    "text",
    [
        "2026-13-45",
        "[" * 500,
        '"\\ud800"',
        "*a",
        "!!python/object:os.system {}",
        "a: b: c",
        "\x00",
        "{[1]: 2}",
    ],
)
def test_whatever_is_no_value_is_one_kind_of_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_yaml(text)
