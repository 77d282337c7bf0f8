"""How numbers read in a sentence."""

from __future__ import annotations

import pytest

from effspark.wording import counted


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs"), (12345, "12,345 runs")]
)
def test_one_is_one_and_all_others_are_many(number: int, text: str) -> None:
    assert counted(number, "run") == text
