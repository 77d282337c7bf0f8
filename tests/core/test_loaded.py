"""Counts of a load are those of its files."""

from __future__ import annotations

from effspark.loaded import TALLY, Load


def test_totals_add_up_the_files() -> None:
    files = [dict.fromkeys(TALLY, count) for count in (1, 2)]
    assert Load("l", files, 0, []).totals == dict.fromkeys(TALLY, 3)
    assert Load("l", [], 0, []).totals == dict.fromkeys(TALLY, 0)
