"""What is said of a check: a row a file, and what is alike once."""

from __future__ import annotations

import json

import pytest

from effspark import show_check
from effspark.errors import LogError

Capture = pytest.CaptureFixture[str]

WEIRD = {"finish_reason_raw": "weird", "runs": 3, "source_uri": "a"}
REFUSED = {"reason": "invalid_record", "records": 1, "offset": 80, "detail": "id: found null"}
CHECKED = {
    "source_uri": "a[1].jsonl", "reader": "mapper", "records": 1200, "mapped": 1199, "not_selected": 0,
    "quarantined": 1, "runs": 1199, "reasons": "1 invalid_record", "left_out": [], "refused": [REFUSED],
    "unknown_stops": [WEIRD],
}  # fmt: skip


def test_a_check_refuses_what_a_load_would_refuse() -> None:
    unknown = {"reader": "unknown", "refused": [{"detail": "unknown log format (a)"}]}
    show_check.some_known([CHECKED, unknown])
    with pytest.raises(LogError, match=r"^unknown log format \(a\)$"):
        show_check.some_known([unknown])
    with pytest.raises(LogError, match=r"\(a\)\n\(2 files, none of a known format\)"):
        show_check.some_known([unknown, unknown])


def test_a_check_prints_counts_and_what_would_be_refused(capsys: Capture) -> None:
    show_check.print_checked([CHECKED])
    out = capsys.readouterr().out
    assert "a[1].jsonl" in out
    assert "1,200" in out
    assert "1 invalid_record (a[1].jsonl, byte 80): id: found null" in out
    assert "a stop reason that is not known (a): found 'weird' on 3 runs" in out
    show_check.print_checked([CHECKED], as_json=True)
    assert json.loads(capsys.readouterr().out) == [CHECKED]


def test_a_check_says_why_records_were_not_selected(capsys: Capture) -> None:
    left_out = [{"reason": "filter loose", "records": 8}, {"reason": "a log without samples", "records": 1}]
    show_check.print_checked([{**CHECKED, "not_selected": 9, "left_out": left_out}])
    told = [line.strip() for line in capsys.readouterr().out.splitlines() if "not selected (" in line]
    assert told == [
        "not selected (a[1].jsonl): filter loose (8 records)",
        "not selected (a[1].jsonl): a log without samples (1 record)",
    ]


def test_what_is_alike_in_many_files_is_told_once(capsys: Capture) -> None:
    beside = {"reason": "companion of scenario_state.json", "records": 1}
    rows = [
        {
            **CHECKED,
            "source_uri": name,
            "left_out": [beside],
            "unknown_stops": [{**WEIRD, "source_uri": name}],
        }
        for name in ("a", "b", "c")
    ]
    show_check.print_checked([*rows, {**rows[0], "source_uri": "d", "reader": "zeroeval"}])
    kinds = ("not selected (", "3 invalid", "1 invalid", "a stop reason")
    told = [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip().startswith(kinds)]
    assert len(told) == 4
    assert told[0] == "not selected (4 files, the first a): companion of scenario_state.json (4 records)"
    assert told[1] == "3 invalid_record in 3 files, the first (a, byte 80): id: found null"
    assert told[2] == "1 invalid_record (d, byte 80): id: found null"
    assert told[3].startswith("a stop reason that is not known (a and 2 more): found 'weird' on 12 runs; ")


def test_a_check_of_many_files_ends_with_their_sum(capsys: Capture) -> None:
    show_check.print_checked([CHECKED, {**CHECKED, "source_uri": "b", "refused": []}])
    sums = [line.split() for line in capsys.readouterr().out.splitlines() if "2 files" in line]
    assert sums == [["2,400", "2,398", "0", "2", "2,398", "2", "files"]]


def test_a_check_without_trouble_ends_with_its_table(capsys: Capture) -> None:
    show_check.print_checked([{**CHECKED, "refused": [], "unknown_stops": []}])
    assert capsys.readouterr().out.rstrip().endswith("a[1].jsonl")
