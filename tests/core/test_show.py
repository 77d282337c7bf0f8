"""What stands on the terminal: results on stdout, messages on stderr, names as they are."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from effspark import show
from effspark.errors import LogError
from effspark.laptop import Gathered
from effspark.readers.staged_rows import COUNTS
from tests.core.layers.reports import logged, report

Capture = pytest.CaptureFixture[str]


def test_the_table_shows_each_model_then_its_reasons_and_notes(capsys: Capture) -> None:
    given_runs = [
        logged("m", "1"),
        logged("m", "2", correct=False),
        logged("n", "1", verdicts={}),
        logged("n", "2", verdicts={}),
    ]
    found = report(given_runs, m={"output_budget": "512"}, n={"output_budget": "64"})
    show.print_report(found)
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("b (judged by s)")
    assert "n: nobody has judged the answers" in out
    assert "note: output budgets differ (64, 512 tokens)" in out
    assert out.rstrip().endswith(f"report {found.report_id}")


def test_names_are_printed_as_they_are_not_as_markup_or_emoji(capsys: Capture) -> None:
    name = "m [beta] [/x] :warning:"
    show.print_report(report([logged("c", "1", benchmark_id="b [v2]")], c={"model": name}))
    out = capsys.readouterr().out
    assert name in out
    assert "b [v2] (judged by s)" in out


def test_lines_that_come_in_pipes_are_wide_enough_for_the_table(capsys: Capture) -> None:
    show.print_report(
        report([logged("c", "1", "length"), logged("c", "2", "refusal")], c={"model": "m" * 60})
    )
    assert "m" * 60 in capsys.readouterr().out


TROUBLED = [
    logged("m" * 30, "1"),
    logged("m" * 30, "2", "length"),
    logged("n", "1"),
    logged("n", "2", "refusal"),
    logged("n", "3", status="error"),
]


@pytest.mark.parametrize("width", [80, 140])
def test_no_name_or_number_is_lost_on_a_narrow_terminal(
    width: int, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"COLUMNS": str(width), "FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    show.print_report(report(TROUBLED))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert max(len(line) for line in lines) <= width
    assert "…" not in "".join(lines)
    assert sum(line.startswith("rank") for line in lines) == (2 if width == 80 else 1)
    shown = "".join(lines)
    assert all(text in shown for text in ("finished", "accuracy", "100.0 %", "cut", "refused", "m" * 16))
    assert "errors 1; E0 10.000; E0 at least" in " ".join(shown.split()) or width == 140
    assert "accuracy, errors as failures 66.7 %" in " ".join(shown.split()) or width == 140


def test_json_holds_every_metric_with_whole_ranks_and_nulls(capsys: Capture) -> None:
    found = report([logged("m", "1", "length")])
    show.print_report(found, as_json=True)
    document = json.loads(capsys.readouterr().out)
    (model,) = document["models"]
    assert (document["report_id"], document["warnings"]) == (found.report_id, found.warnings)
    assert (model["rank"], model["E0"], model["r_logic"]) == (1, 0.0, None)
    assert type(model["rank"]) is int


TOTALS = {"records": 5, "mapped": 3, "not_selected": 0, "merged": 1, "quarantined": 1, "runs": 3}


def test_a_load_prints_its_sum_on_stdout_and_its_warnings_on_stderr(capsys: Capture) -> None:
    refused = [
        {**refusal("a.jsonl", 7, "no_instance"), "records": 2, "files": 2},
        {**refusal("c.bin", 0, "unknown_format"), "records": 1, "files": 1},
    ]
    show.print_load([], TOTALS, refused, unchanged=2)
    out, err = capsys.readouterr()
    assert out == show.sum_line(TOTALS) + "\n"
    assert err.splitlines() == [
        "unchanged since the last load, not opened: 2 files",
        "warning: 2 no_instance in 2 files, the first (a.jsonl, byte 7): [a.jsonl] no id",
        "warning: 1 unknown_format (c.bin, byte 0): [c.bin] no id",
    ]


def test_a_load_without_trouble_says_nothing_on_stderr(capsys: Capture) -> None:
    show.print_load([{"source_uri": "a", "quarantined": 0}], TOTALS, [], unchanged=0)
    assert capsys.readouterr().err == ""


def test_a_load_as_json_is_one_document(capsys: Capture) -> None:
    loaded = {"source_uri": "a", "quarantined": 0, "loaded_at": datetime(2026, 1, 1, tzinfo=timezone.utc)}
    show.print_load([loaded], TOTALS, [], unchanged=0, as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert (document["totals"], document["unchanged_files"], document["refused"]) == (TOTALS, 0, [])
    assert document["files"][0]["loaded_at"].startswith("2026-01-01")


def gathered(*refused: dict[str, Any]) -> Gathered:
    counts = {
        "team": "t",
        "source_uri": "a",
        "source_sha256": "f",
        "records": 1 + len(refused),
        "mapped": 1,
        "not_selected": 0,
        "quarantined": len(refused),
        "runs": 1,
        "reasons": "",
    }
    found = {"quarantine": pa.Table.from_pylist(list(refused)), "runs": pa.table({"run_key": []})}
    return Gathered(found, pa.Table.from_pylist([counts], COUNTS), {})


def refusal(uri: str, offset: int, reason: str) -> dict[str, Any]:
    return {"source_uri": uri, "source_offset": offset, "reason": reason, "detail": f"[{uri}] no id"}


def test_what_quick_read_is_said_on_stderr_with_the_first_refusal_of_each_reason(capsys: Capture) -> None:
    inside = str(Path.cwd() / "a")
    show.print_gathered(
        gathered(
            refusal(inside, 7, "odd"), refusal("b", 9, "odd"), refusal("b", 0, "half"), refusal("c", 5, "odd")
        )
    )
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "5 records = 1 mapped + 0 not selected + 0 merged + 4 quarantined; 1 runs emitted",
        "warning: 3 odd in 3 files, the first (a, byte 7): [a] no id",
        "warning: 1 half (b, byte 0): [b] no id",
    ]


def test_a_report_of_nothing_is_refused() -> None:
    with pytest.raises(LogError, match=r"nothing to report \(a and 1 more\)"):
        show.some_runs(gathered(), ["a", "b"])


def test_a_check_refuses_what_a_load_would_refuse() -> None:
    unknown = {"reader": "unknown", "refused": [{"detail": "unknown log format (a)"}]}
    show.some_known([CHECKED, unknown])
    with pytest.raises(LogError, match=r"^unknown log format \(a\)$"):
        show.some_known([unknown])
    with pytest.raises(LogError, match=r"\(a\)\n\(2 files, none of a known format\)"):
        show.some_known([unknown, unknown])


CHECKED = {
    "source_uri": "a[1].jsonl", "reader": "mapper", "records": 1200, "mapped": 1199, "not_selected": 0,
    "quarantined": 1, "runs": 1199, "reasons": "1 invalid_record",
    "refused": [{"reason": "invalid_record", "offset": 80, "detail": "id: found null"}],
}  # fmt: skip


def test_a_check_prints_counts_and_what_would_be_refused(capsys: Capture) -> None:
    show.print_checked([CHECKED])
    out = capsys.readouterr().out
    assert "a[1].jsonl" in out
    assert "1,200" in out
    assert "invalid_record (a[1].jsonl, byte 80): id: found null" in out
    show.print_checked([CHECKED], as_json=True)
    assert json.loads(capsys.readouterr().out) == [CHECKED]


def test_a_check_says_why_records_were_not_selected(capsys: Capture) -> None:
    reasons = "1 invalid_record, 8 filter not chosen; 2 a log without samples"
    show.print_checked([{**CHECKED, "not_selected": 10, "reasons": reasons}])
    told = [line.strip() for line in capsys.readouterr().out.splitlines() if "not selected (" in line]
    assert told == [
        "not selected (a[1].jsonl): 8 filter not chosen", "not selected (a[1].jsonl): 2 a log without samples"
    ]  # fmt: skip


def test_a_check_of_many_files_ends_with_their_sum(capsys: Capture) -> None:
    show.print_checked([CHECKED, {**CHECKED, "source_uri": "b", "refused": []}])
    sums = [line.split() for line in capsys.readouterr().out.splitlines() if "2 files" in line]
    assert sums == [["2,400", "2,398", "0", "2", "2,398", "2", "files"]]


def test_eval_runs_that_may_be_one_are_a_line_each_on_stderr(capsys: Capture) -> None:
    pair = {"benchmark": "sums", "model": "m", "source_format": "every_eval_ever", "eval_run_id": "e7"}
    pair |= {"other_format": "inspect_ai", "other_eval_run_id": "i7"}
    show.print_odd([], [{**pair, "compared": 1200, "same_tokens": 1100, "same_text": 0}])
    assert capsys.readouterr().err == (
        "warning: sums: m may have been read twice, from every_eval_ever (eval run e7) and inspect_ai (eval run i7): "
        "tokens agree on 1,100 of 1,200 instances compared, texts on 0\n"
    )


def test_labels_and_runs_that_met_nothing_are_a_line_each_on_stderr(capsys: Capture) -> None:
    show.print_odd(
        [
            {
                "unmatched": "run without item",
                "benchmark": "sums",
                "rows": 1,
                "example": "a:7",
            },
            {"unmatched": "label without run", "benchmark": "sums", "rows": 1200, "example": "custom_id:a:7"},
            {
                "unmatched": "label without run",
                "benchmark": "gsm8k",
                "rows": 2,
                "example": "instance:gsm\x1f9",
            },
            {"unmatched": "run without label", "benchmark": "sums", "rows": 3, "example": "7"},
        ],
        [],
    )
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "warning: gsm8k: 2 labels met no run, for example instance gsm 9",
        "warning: sums: 1,200 labels met no run, for example custom_id a:7",
        "warning: sums: 1 run met no item of the benchmark, for example instance a:7",
        "warning: sums: 3 runs met no label, for example instance 7",
    ]
