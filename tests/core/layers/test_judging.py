"""Verdicts of labels and of the benchmarks' own rules, and each run beside every scorer of its eval run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark import tables
from effspark.layers import judging
from effspark.layers.features import INPUT
from tests.core.runs.naming import PLACE, Row, frame, item, label, later, named_frame, run

RULES = {"gsm8k": "gsm8k"}


def verdict(run_key: str, scorer: str = "s", correct: bool | None = True) -> Row:
    return {
        "run_key": run_key,
        "scorer": scorer,
        "correct": correct,
        "score_kind": "binary",
        "source": "log",
    } | PLACE


def trace(run_key: str, **texts: str | None) -> Row:
    return {"run_key": run_key} | PLACE | texts


def rescored(runs: Sequence[Row], traces: Sequence[Row], **options: Any) -> dict[str, bool]:
    """Verdicts of the rule of gsm8k, by run_key; the gold answer is 18 unless the items say otherwise."""
    options.setdefault("instances", [item(gold="18")])
    answers = judging.to_rescore(named_frame(runs, **options), frame("traces", traces), RULES)
    assert set(answers.to_arrow().column_names) == set(judging.TO_RESCORE.names)
    found = judging.rescored(
        answers.to_arrow().select(judging.TO_RESCORE.names).cast(judging.TO_RESCORE), RULES
    )
    tables.checked("verdicts", found)
    assert set(found["scorer"].to_pylist()) <= {"rescored:gsm8k"}
    return dict(zip(found["run_key"].to_pylist(), found["correct"].to_pylist(), strict=True))


def test_answers_are_judged_by_the_rule_of_their_benchmark() -> None:
    runs = [run("right"), run("wrong"), run("other", benchmark_id="arith")]
    traces = [trace("right", answer="It is 18."), trace("wrong", answer="17"), trace("other", answer="18")]
    assert rescored(runs, traces) == {"right": True, "wrong": False}


def test_a_rescored_verdict_keeps_the_place_of_its_run_and_the_answer_it_read() -> None:
    answers = judging.to_rescore(
        named_frame([run(log_version=later(3), source_offset=7)], instances=[item(gold="18")]),
        frame("traces", [trace("r", answer="It is $18.") | {"log_version": later(3), "source_offset": 7}]),
        RULES,
    )
    (found,) = judging.rescored(answers.to_arrow(), RULES).to_pylist()
    assert (found["extracted_answer"], found["source"], found["score_kind"]) == ("18", "rescored", "binary")
    assert (found["log_version"], found["source_offset"]) == (later(3), 7)


BLUE = '{"answer": "B", "options": {"A": "17", "B": "18"}}'


def verdict_of(rule: str, answer: str, gold: str) -> tuple[str, bool]:
    row = run(benchmark_id="asked")
    named = named_frame([row], instances=[item(benchmark_id="asked", gold=gold)])
    answers = judging.to_rescore(named, frame("traces", [trace("r", answer=answer)]), {"asked": rule})
    (found,) = judging.rescored(answers.to_arrow(), {"asked": rule}).to_pylist()
    return found["extracted_answer"], found["correct"]


def test_a_choice_is_judged_by_letter_or_text_and_a_rule_without_options_by_the_text_of_the_right_one() -> (
    None
):
    assert verdict_of("multiple_choice", "Answer: 18", BLUE) == ("B", True)
    assert verdict_of("multiple_choice", "(A)", BLUE) == ("A", False)
    assert verdict_of("gsm8k", "It is 18.", BLUE) == ("18", True)
    assert verdict_of("gsm8k", "It is 17.", BLUE) == ("17", False)


def test_a_graded_rule_leaves_its_share_as_the_raw_score() -> None:
    houses = {"House 1": {"Name": "Ada", "Pet": "cat"}, "House 2": {"Name": "Bob", "Pet": "dog"}}
    answer = {**houses, "House 2": {"Name": "Bob", "Pet": "cow"}}
    runs = [run(benchmark_id="zebralogic")]
    golds = [item(benchmark_id="zebralogic", gold=json.dumps({"solution": houses}))]
    texts = [trace("r", answer=json.dumps({"solution": answer}))]
    answers = judging.to_rescore(
        named_frame(runs, instances=golds), frame("traces", texts), {"zebralogic": "zebralogic"}
    )
    (found,) = judging.rescored(answers.to_arrow(), {"zebralogic": "zebralogic"}).to_pylist()
    assert (found["correct"], found["score_raw"], found["score_kind"]) == (False, "0.75", "fractional")


def test_without_a_gold_answer_nothing_is_judged() -> None:
    assert rescored([run()], [trace("r", answer="18")], instances=[]) == {}


def test_one_gold_answer_that_the_rule_cannot_read_leaves_the_other_runs_judged() -> None:
    items = [item(gold="18"), item(source="team", instance_id="x", gold="see the appendix")]
    runs = [run("good"), run("bad", instance_id="x")]
    traces = [trace("good", answer="18"), trace("bad", answer="18")]
    assert rescored(runs, traces, instances=items) == {"good": True}


def test_a_log_that_shows_no_text_gets_no_verdict_even_for_cut_runs() -> None:
    """Else a verdict for the cut ones alone would make the rule the scorer of the whole eval run."""
    runs = [run("done"), run("cut", stop_class="length", truncated=True)]
    assert rescored(runs, []) == {}


def test_a_run_cut_inside_its_reasoning_has_no_answer_and_is_wrong() -> None:
    runs = [
        run("cut", stop_class="length", truncated=True),
        run("open", truncated=None),
        run("done", truncated=False),
    ]
    traces = [trace(name, reasoning="9 * 2 is 18") for name in ("cut", "open", "done")]
    assert rescored(runs, traces) == {"cut": False}


def test_labels_become_verdicts_of_the_scorer_label() -> None:
    labels = [
        label(correct=False, labels_version=later(1), source_sha256="l", source_offset=9),
        label(custom_id="q", instance_id="1", gold="1"),
    ]
    runs = [run("a"), run("b", instance_id="1"), run("c", instance_id="1", source_record_id="q")]
    found = judging.label_verdicts(named_frame(runs, labels=labels)).to_arrow()
    (row,) = tables.checked("verdicts", found).to_pylist()
    assert (row["run_key"], row["scorer"], row["correct"], row["source"]) == ("a", "label", False, "label")
    assert (row["log_version"], row["source_sha256"], row["source_offset"]) == (later(1), "l", 9)


def beside(runs: Sequence[Row], verdicts: Sequence[Row], teams: dict[str, str] | None = None) -> list[Row]:
    of_runs = teams or {row["run_key"]: "t" for row in runs}
    table = pa.table(
        {
            "run_key": pa.array(list(of_runs), pa.string()),
            "teams": pa.array(list(of_runs.values()), pa.string()),
        }
    )
    found = judging.moment_input(
        named_frame(runs), frame("verdicts", verdicts), nw.from_native(table)
    ).to_arrow()
    assert found.cast(INPUT).schema == INPUT
    rows: list[Row] = found.to_pylist()
    return sorted(rows, key=lambda row: (row["run_key"], row["scorer"]))


def test_each_run_stands_once_without_and_once_beside_every_scorer() -> None:
    runs = [run("1"), run("2", instance_id="1")]
    found = beside(runs, [verdict("1"), verdict("2", correct=False), verdict("1", "judge", correct=False)])
    assert [(row["run_key"], row["scorer"], row["correct"]) for row in found] == [
        ("1", "", None),
        ("1", "judge", False),
        ("1", "s", True),
        ("2", "", None),
        ("2", "judge", None),
        ("2", "s", False),
    ]


def test_a_run_without_a_verdict_is_beside_the_scorers_of_its_eval_run() -> None:
    runs = [run("1"), run("cut", stop_class="length", truncated=True), run("else", eval_run_id="e2")]
    found = beside(runs, [verdict("1")])
    assert [(row["run_key"], row["scorer"]) for row in found if row["scorer"]] == [("1", "s"), ("cut", "s")]


def test_a_scorer_whose_verdicts_are_all_null_has_judged_nothing() -> None:
    runs = [run("1"), run("2"), run("else", eval_run_id="e2")]
    silent = [verdict(key, "silent", None) for key in ("1", "2")]
    found = beside(runs, [*silent, verdict("1"), verdict("else", "silent")])
    assert [(row["run_key"], row["scorer"]) for row in found if row["scorer"]] == [
        ("1", "s"), ("2", "s"), ("else", "silent"),
    ]  # fmt: skip


def test_a_budget_that_changes_inside_an_eval_run_hides_no_run_from_its_scorer() -> None:
    """Budgets make configurations; a cut or failed run under a budget of its own is still a failure."""
    runs = [
        run("1", config_id="c512"),
        run("cut", config_id="c64", stop_class="length", truncated=True),
        run("failed", config_id="c32", status="error"),
        run("another model", config_id="d", family_id="g"),
    ]
    found = beside(runs, [verdict("1")])
    assert [row["run_key"] for row in found if row["scorer"] == "s"] == ["1", "cut", "failed"]


def test_verdicts_and_texts_of_a_record_that_lost_to_a_later_one_are_passed_over() -> None:
    runs = [run("1", log_version=later(2)), run("2", log_version=later(2))]
    old, new = verdict("1", "old"), verdict("1", "new") | {"log_version": later(2)}
    label_of_any = verdict("2", "label") | {"source": "label", "log_version": later(1)}
    found = beside(runs, [old, new, label_of_any])
    assert {row["scorer"] for row in found} == {"", "new", "label"}
    assert rescored(runs, [trace("1", answer="18"), trace("2", answer="18") | {"log_version": later(2)}]) == {
        "2": True
    }


def test_scorers_of_another_benchmark_of_the_eval_run_stay_there() -> None:
    runs = [run("1"), run("2", benchmark_id="arith")]
    found = beside(runs, [verdict("1", "a"), verdict("2", "b")])
    assert {(row["benchmark_id"], row["scorer"]) for row in found if row["scorer"]} == {
        ("gsm8k", "a"),
        ("arith", "b"),
    }


def test_moments_are_fed_canonical_names_and_all_teams() -> None:
    (found,) = beside([run(benchmark_version=None)], [], teams={"r": "a,b"})
    assert (found["benchmark_id"], found["benchmark_version"], found["instance_id"]) == ("gsm8k", "", "0")
    assert found["teams"] == "a,b"


run_keys = st.sampled_from("1234")
some_runs = st.lists(
    st.builds(
        run, run_keys, eval_run_id=st.sampled_from("ef"), config_id=st.sampled_from("cd"),
        benchmark_id=st.sampled_from(["gsm8k", "arith"]),
    ),
    max_size=4, unique_by=lambda row: row["run_key"],
)  # fmt: skip
some_verdicts = st.lists(
    st.builds(verdict, run_keys, st.sampled_from(["s", "judge"]), st.none() | st.booleans()),
    max_size=6, unique_by=lambda row: (row["run_key"], row["scorer"]),
)  # fmt: skip


@settings(max_examples=20)
@given(some_runs, some_verdicts)
def test_joins_never_multiply_runs_and_no_verdict_is_lost(runs: list[Row], verdicts: list[Row]) -> None:
    found = beside(runs, verdicts)
    counted = Counter((row["run_key"], row["scorer"]) for row in found)
    assert set(counted.values()) <= {1}
    assert {key for key, scorer in counted if scorer == ""} == {row["run_key"] for row in runs}
    said = {(row["run_key"], row["scorer"]): row["correct"] for row in verdicts if row["correct"] is not None}
    known = {row["run_key"] for row in runs}
    kept = {(row["run_key"], row["scorer"]): row["correct"] for row in found if row["correct"] is not None}
    assert kept == {place: correct for place, correct in said.items() if place[0] in known}


@pytest.mark.parametrize("rules", [{}, RULES])
def test_no_runs_give_no_answers_and_no_input(rules: dict[str, str]) -> None:
    empty = named_frame([])
    assert judging.to_rescore(empty, frame("traces", []), rules).to_arrow().num_rows == 0
    assert beside([], []) == []
