"""What is said of what was read: sums on stdout, what is odd on stderr."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from effspark import show_load
from effspark.errors import LogError
from effspark.laptop import Gathered
from effspark.loaded import Load
from effspark.readers.staged_rows import COUNTS

Capture = pytest.CaptureFixture[str]


TOTALS = {"records": 5, "mapped": 3, "not_selected": 0, "merged": 1, "quarantined": 1, "runs": 3}
FILE = {"source_uri": "a", "team": "blue", "loaded_at": datetime(2026, 1, 1, tzinfo=timezone.utc)}
WEIRD = {"finish_reason_raw": "weird", "runs": 3, "source_uri": "a"}


def load(**said: Any) -> Load:
    return Load(**{"load_id": "l", "files": [FILE | TOTALS], "skipped": [], "refused": [], **said})


def test_a_load_prints_its_sum_on_stdout_and_its_warnings_on_stderr(capsys: Capture) -> None:
    refused = [
        {**refusal("a.jsonl", 7, "no_instance"), "records": 2, "files": 2},
        {**refusal("c.bin", 0, "unknown_format"), "records": 1, "files": 1},
    ]
    show_load.print_load(load(refused=refused, skipped=[FILE, FILE]))
    out, err = capsys.readouterr()
    assert out == show_load.sum_line(TOTALS) + "\n"
    assert err.splitlines() == [
        "unchanged since the last load, not opened: 2 files",
        "warning: 2 no_instance in 2 files, the first (a.jsonl, byte 7): [a.jsonl] no id",
        "warning: 1 unknown_format (c.bin, byte 0): [c.bin] no id",
    ]


def test_a_load_without_trouble_says_nothing_on_stderr(capsys: Capture) -> None:
    show_load.print_load(load())
    assert capsys.readouterr().err == ""


def test_a_load_tells_what_is_to_be_read_again_and_which_stop_reasons_no_rule_knows(capsys: Capture) -> None:
    show_load.print_load(load(again=[FILE], replaced=[FILE], unknown_stops=[WEIRD]))
    told = capsys.readouterr().err.splitlines()
    assert [text[: text.index(":", 9)] for text in told[:1]] == [
        "warning: a stop reason that is not known (a)"
    ]
    assert "found 'weird' on 3 runs; allowed: stop, length, " in told[0]
    assert told[1] == (
        "warning: records of a (team blue) were last given by another file, which no longer gives them: "
        "ingest a again to have them back"
    )
    assert told[2].startswith(
        "warning: a has changed and is read in another way (team blue): what it held before"
    )


def test_a_gate_that_fails_says_what_share_was_found_and_what_is_allowed(capsys: Capture) -> None:
    assert not show_load.too_many_rejected(load(), 0.2)
    assert capsys.readouterr().err == ""
    assert show_load.too_many_rejected(load(files=[], skipped=[FILE | TOTALS]), 0.1)
    assert "found 20.00% of their records; allowed: 10.00% (--max-rejected)" in capsys.readouterr().err


def test_a_load_as_json_is_one_document(capsys: Capture) -> None:
    show_load.print_load(load(), as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert (document["totals"], document["unchanged_files"], document["refused"]) == (TOTALS, 0, [])
    assert document["unknown_stops"] == []
    assert document["files"][0]["loaded_at"].startswith("2026-01-01")


def gathered(*refused: dict[str, Any], runs: int = 1) -> Gathered:
    counts = {
        "team": "t",
        "source_uri": "a",
        "source_sha256": "f",
        "records": 1 + len(refused),
        "mapped": 1,
        "not_selected": 0,
        "quarantined": len(refused),
        "runs": 1,
        "strange_stops": 1,
        "reasons": "",
    }
    run = {"run_key": ["k"], "source_uri": ["a"], "stop_class": ["unknown"], "finish_reason_raw": ["weird"]}
    found = {"quarantine": pa.Table.from_pylist(list(refused)), "runs": pa.table(run).slice(0, runs)}
    return Gathered(found, pa.Table.from_pylist([counts], COUNTS), {})


def refusal(uri: str, offset: int, reason: str) -> dict[str, Any]:
    return {"source_uri": uri, "source_offset": offset, "reason": reason, "detail": f"[{uri}] no id"}


def test_what_quick_read_is_said_on_stderr_with_the_first_refusal_of_each_reason(capsys: Capture) -> None:
    inside = str(Path.cwd() / "a")
    show_load.print_gathered(
        gathered(
            refusal(inside, 7, "odd"), refusal("b", 9, "odd"), refusal("b", 0, "half"), refusal("c", 5, "odd")
        )
    )
    out, err = capsys.readouterr()
    assert out == ""
    *told, stop = err.splitlines()
    assert stop.startswith("warning: a stop reason that is not known (a): found 'weird' on 1 run; allowed: ")
    assert told == [
        "5 records = 1 mapped + 0 not selected + 0 merged + 4 quarantined; 1 run emitted",
        "warning: 3 odd in 3 files, the first (a, byte 7): [a] no id",
        "warning: 1 half (b, byte 0): [b] no id",
    ]


def test_a_report_of_nothing_is_refused() -> None:
    with pytest.raises(LogError, match=r"nothing to report \(a and 1 more\)"):
        show_load.some_runs(gathered(runs=0), ["a", "b"])


def test_eval_runs_that_may_be_one_are_a_line_each_on_stderr(capsys: Capture) -> None:
    pair = {"benchmark": "sums", "model": "m", "source_format": "every_eval_ever", "eval_run_id": "e7"}
    pair |= {"other_format": "inspect_ai", "other_eval_run_id": "i7"}
    show_load.print_odd([], [{**pair, "compared": 1200, "same_tokens": 1100, "same_text": 0}])
    assert capsys.readouterr().err == (
        "warning: sums: m may have been read twice, from every_eval_ever (eval run e7) and inspect_ai (eval run i7): "
        "tokens agree on 1,100 of 1,200 instances compared, texts on 0\n"
    )


def test_labels_runs_and_exclusions_that_met_nothing_are_a_line_each_on_stderr(capsys: Capture) -> None:
    met_nothing = [
        ("run without item", "sums", 1, "a:7", "a:7"),
        ("label without run", "sums", 1200, "custom_id:a:7", "custom_id:b"),
        ("label without run", "gsm8k", 2, "instance:gsm\x1f8", "instance:gsm\x1f9"),
        ("run without label", "sums", 3, "7", "7"),
        *(("excluded instance without run", "sums", 1, name, name) for name in "edcba"),
        *(("excluded instance without run", "gsm8k", 1, name, name) for name in "fedcba"),
    ]
    names = ("unmatched", "benchmark", "rows", "example", "last")
    show_load.print_odd([dict(zip(names, row, strict=True)) for row in met_nothing], [])
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "warning: gsm8k: 6 excluded instances met no run, for example a, b, c, d, e",
        "warning: gsm8k: 2 labels met no run: instance gsm 8, instance gsm 9",
        "warning: sums: 5 excluded instances met no run: a, b, c, d, e",
        "warning: sums: 1,200 labels met no run, for example custom_id a:7, custom_id b",
        "warning: sums: 1 run met no item of the benchmark: instance a:7",
        "warning: sums: 3 runs met no label, for example instance 7",
    ]
