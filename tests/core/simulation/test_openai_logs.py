from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from effspark.simulation.draws import runs_of
from effspark.simulation.openai_logs import custom_id, labels, logs, mended
from effspark.simulation.plan import LATE, Fault

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "logs" / "openai_batch" / "error_file.jsonl"


def test_each_request_is_answered_or_failed_once_in_an_order_of_its_own() -> None:
    runs = runs_of("birch-o4-heron-chains", count=24, seed=1)
    asked, output, errors = (
        [json.loads(line)["custom_id"] for line in file.content.splitlines()] for file in logs(runs, seed=1)
    )
    assert sorted(output + errors) == sorted(asked) == sorted(custom_id(run) for run in runs)
    assert len(errors) == 4
    assert output != [name for name in asked if name in output]


@pytest.mark.skipif(not REAL.exists(), reason="the shared samples of real logs are absent")
def test_both_shapes_of_real_failures_occur() -> None:
    real = [json.loads(line) for line in REAL.read_text("utf-8").splitlines()]
    runs = [run for seed in (1, 2, 3) for run in runs_of("birch-o4-heron-chains", count=24, seed=seed)]
    own = [json.loads(line) for line in logs(runs, seed=1)[2].content.splitlines()]
    shapes = {(row["response"] is None, row["error"] is None) for row in own}
    assert shapes == {(row["response"] is None, row["error"] is None) for row in real}
    assert {frozenset(row) for row in own} == {frozenset(real[0])}


def test_broken_records_are_of_each_kind_and_the_half_written_one_is_last() -> None:
    runs = runs_of("birch-lumen-mini-gsm8k", count=24, seed=1)
    lines = logs(runs, seed=1)[1].content.split(b"\n")
    faults = Counter[str]()
    for place, line in enumerate(lines):
        try:
            json.loads(line.decode())
        except UnicodeDecodeError:
            faults["invalid_utf8"] += 1
        except json.JSONDecodeError:
            faults["half_written"] += 1
            assert place == len(lines) - 1
    assert faults == {"invalid_utf8": 2, "half_written": 1}


def test_the_mended_file_repeats_whole_lines_and_mends_the_others() -> None:
    runs = runs_of("birch-lumen-mini-gsm8k", count=24, seed=1)
    first, late = logs(runs, seed=1)[1], mended(runs, seed=1)
    assert (late.path, late.at) == (first.path, LATE)
    before, after = first.content.splitlines(), late.content.splitlines()
    assert len(before) == len(after) == 48
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 3
    assert sorted(json.loads(line)["custom_id"] for line in after) == sorted(custom_id(run) for run in runs)


def test_ids_and_counts_break_where_planned() -> None:
    runs = runs_of("birch-lumen-pro-gsm8k", count=24, seed=1)
    rows = [json.loads(line) for line in logs(runs, seed=1)[1].content.splitlines()]
    assert sum(row["custom_id"] is None for row in rows) == 1
    usages = [row["response"]["body"]["usage"] for row in rows]
    assert sum(isinstance(usage["completion_tokens"], str) for usage in usages if usage) == 2


def test_labels_name_each_request_once_and_judge_what_was_answered() -> None:
    runs = runs_of("birch-lumen-pro-chains", count=24, seed=1)
    first, late = (labels(runs, late=late) for late in (False, True))
    assert len(late) == 15
    assert sorted(row["custom_id"] for row in first + late) == sorted(custom_id(run) for run in runs)
    by_name = {row["custom_id"]: row for row in first + late}
    for run in runs:
        row = by_name[custom_id(run)]
        assert (row["instance"], row["gold"], row["correct"]) == (
            run.instance.name,
            run.instance.gold,
            run.labelled,
        )
    failed = [run for run in runs_of("birch-o4-heron-chains", count=24, seed=1) if run.fault is Fault.ERROR]
    assert [row["correct"] for row in labels(failed, late=False)] == [None] * 4
