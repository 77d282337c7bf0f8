"""Counts of a load are those of its files."""

from __future__ import annotations

from effspark.loaded import TALLY, Load


def test_totals_add_up_the_files() -> None:
    files = [dict.fromkeys(TALLY, count) for count in (1, 2)]
    assert Load("l", files, [], []).totals == dict.fromkeys(TALLY, 3)
    assert Load("l", [], [], []).totals == dict.fromkeys(TALLY, 0)


def test_what_an_unchanged_file_held_counts_as_rejected_still() -> None:
    bad = dict.fromkeys(TALLY, 0) | {"records": 4, "quarantined": 2}
    assert Load("", [], [bad], []).rejected == 0.5
    assert Load("l", [bad | {"quarantined": 0}], [bad], []).rejected == 0.25
    assert Load("", [], [], []).rejected == 0.0
