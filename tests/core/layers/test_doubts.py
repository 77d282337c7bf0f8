"""What a report says of quality flags, and of which models."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import yaml

from effspark import tables
from effspark.layers import doubts
from tests.core.layers.reports import logged, report
from tests.core.layers.rows import Row, eval_run

ROOT = Path(__file__).resolve().parents[3]
DOUBLE = doubts.FLAGS["reasoning_may_be_counted_twice"]


def said(*rows: Row, **names: str) -> list[str]:
    shown = names or {row["model_id"]: row["model_id"] for row in rows}
    found = doubts.told("b", shown, tables.from_rows("eval_runs", list(rows)))
    assert all(text.startswith("b: ") for text in found)
    return [text.removeprefix("b: ") for text in found]


def flagged(model: str, *flags: str, runs: int = 10, **more: Any) -> Row:
    return eval_run(model, runs=runs, quality_flags=list(flags), **more)


def test_of_runs_without_flags_nothing_is_said() -> None:
    assert said(flagged("m"), flagged("n")) == []


def test_a_flag_is_told_in_plain_words_with_the_models_and_their_share() -> None:
    rows = flagged("m", "stop_at_cap=1"), flagged("n", "stop_at_cap=5", runs=2_000), flagged("o")
    assert said(*rows) == [
        "the answer is said to have ended by itself, and fills the whole budget: it may have been cut: "
        "m (1 of 10 runs), n (5 of 2,000 runs)"
    ]


def test_the_eval_runs_of_a_model_are_added_and_other_benchmarks_and_models_left_out() -> None:
    rows = [
        flagged("m", "odd_time=1"),
        flagged("m", "odd_time=2", eval_run_id="f"),
        flagged("m", "odd_time=4", benchmark_id="other"),
        flagged("n", "odd_time=4"),
    ]
    assert said(*rows, m="m") == ["a time in the log cannot be read: m (3 of 20 runs)"]


def test_the_flag_of_most_runs_comes_first_and_of_many_the_rest_is_named() -> None:
    counts = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7}
    found = said(flagged("m", *(f"{flag}={count}" for flag, count in counts.items())))
    assert found[0] == "the log or its mapping flags runs g: m (7 of 10 runs)"
    assert len(found) == doubts.SHOWN + 1
    assert (
        found[-1] == "runs with other quality flags: b (2), a (1); quality_flags of the table runs has each"
    )


def test_of_many_models_those_of_the_largest_share_are_named() -> None:
    rows = [flagged(name, f"odd_time={count}") for count, name in enumerate("mnopq", start=1)]
    assert said(*rows)[0].endswith(": q (5 of 10 runs), p (4 of 10 runs) and 3 more")


def test_what_another_note_tells_is_not_told_again() -> None:
    assert said(flagged("m", *(f"{flag}=3" for flag in doubts.TOLD_ELSEWHERE))) == []


def test_a_report_says_which_models_have_runs_in_doubt() -> None:
    runs = [logged(model, str(place)) for model in "mn" for place in range(2)]
    found = report(runs, m={"quality_flags": ["reasoning_may_be_counted_twice=2"], "runs": 2})
    assert found.warnings == [f"b: {DOUBLE}: m (2 of 2 runs)"]


def answered(*names: str, **more: Any) -> Row:
    return eval_run("i", model="a/m", response_models=list(names), **more)


SEVERAL = "answers under one name come from several models, which are reported as one: m "


def test_several_checkpoints_under_one_name_are_told_with_their_runs() -> None:
    inside = [answered("m-2=3", "m-1=1", "m-4=1", "m-3=1")]
    across = [answered("m-1=1"), answered("m-2=1000", eval_run_id="f")]
    routed = [answered("m=2", "a/n=1")]
    assert said(*inside, i="m") == [f"{SEVERAL}(m-2: 3 runs, m-1: 1 run and 2 more)"]
    assert said(*across, i="m") == [f"{SEVERAL}(m-2: 1,000 runs, m-1: 1 run)"]
    assert said(*routed, i="m") == [f"{SEVERAL}(m: 2 runs, a/n: 1 run)"]


def test_one_checkpoint_beside_the_name_itself_is_no_news() -> None:
    assert said(answered("m-1=3"), answered("m=2", eval_run_id="f"), answered(eval_run_id="g"), i="m") == []
    assert said(answered("a/m=3", "M=1"), i="m") == []


def test_every_flag_of_the_golden_logs_and_of_the_recipes_has_its_words() -> None:
    known = {*doubts.FLAGS, *doubts.TOLD_ELSEWHERE}
    met: set[str] = set()
    for path in (ROOT / "tests" / "golden" / "runs").glob("*/expected_runs.csv"):
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                met.update(filter(None, (row.get("quality_flags") or "").split("|")))
    for path in (ROOT / "conf" / "mappings").glob("*.yaml"):
        met.update(yaml.safe_load(path.read_text("utf-8")).get("flags", {}))
    assert {"usage_of_n_choices", "output_may_exclude_reasoning"} <= met <= known
