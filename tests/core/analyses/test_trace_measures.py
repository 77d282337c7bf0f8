"""Measures of texts: what a row says, which runs have one, and when it is measured again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from effspark import tables
from effspark.analyses import loops, trace_measures
from effspark.layers import trace
from tests.core.runs.naming import PLACE, Row, frame, item, later, named_frame, run

RULES = {"gsm8k": "gsm8k", "proofwriter": "proofwriter"}
LOOP = "so it is 4, no, wait, let me see: " + "it is 5, no, " * 200


def whole(run_key: str = "r", *, text: str = "text", **changes: Any) -> Row:
    """A run whose trace the log shows whole."""
    return run(run_key, trace_visibility="full", generation_hash=text) | changes


def texts(run_key: str = "r", **shown: Any) -> Row:
    return {"run_key": run_key} | PLACE | shown


def asked(runs: Sequence[Row], golds: Sequence[Row] = (), rules: Mapping[str, str] = RULES) -> pa.Table:
    named = named_frame(runs, instances=golds or [item(gold="4")])
    return trace_measures.asked(trace_measures.shown(named).to_arrow().cast(trace_measures.SHOWN), rules)


def to_measure(wanted: pa.Table, known: pa.Table, traces: Sequence[Row]) -> pa.Table:
    found = trace_measures.to_measure(nw.from_native(wanted), nw.from_native(known), frame("traces", traces))
    rows: pa.Table = found.to_arrow().cast(trace_measures.INPUT)
    return rows


def measured(
    runs: Sequence[Row], traces: Sequence[Row], golds: Sequence[Row] = (), rules: Mapping[str, str] = RULES
) -> list[Row]:
    """Rows of a lake that has none yet, by run_key."""
    none = tables.schema("trace_measures").empty_table()
    found = trace_measures.measured(to_measure(asked(runs, golds, rules), none, traces))
    rows: list[Row] = tables.checked("trace_measures", found).sort_by("run_key").to_pylist()
    return rows


def test_a_row_has_the_sizes_of_the_trace_in_characters_and_bytes() -> None:
    (found,) = measured([whole()], [texts(reasoning="κ is 4.", answer="é")])
    sizes = trace.compressed("κ is 4.\né")
    assert (found["characters"], found["utf8_bytes"]) == (9, 11)
    assert [found[name] for name in sizes._fields] == [*sizes]
    assert (found["text_hash"], found["level"]) == ("text", 6)


def test_only_runs_whose_trace_is_shown_whole_and_has_text_have_a_row() -> None:
    runs = [
        whole("whole"),
        whole("half", trace_visibility="summary"),
        whole("mute"),
        whole("empty"),
        whole("asked"),
    ]
    traces = [
        texts("whole", answer="4"),
        texts("half", answer="4"),
        texts("empty", reasoning="", answer=""),
        texts("asked", prompt="2+2?"),
    ]
    assert [row["run_key"] for row in measured(runs, traces)] == ["whole"]


def test_a_text_of_another_record_than_the_run_is_not_measured() -> None:
    assert measured([whole(log_version=later(1))], [texts(answer="4")]) == []


def test_the_tail_of_a_truncated_run_is_measured_and_no_prefix_is_looked_for() -> None:
    (found,) = measured([whole(truncated=True)], [texts(prompt="it is 5, no,", reasoning=LOOP, answer="4")])
    expected = loops.tail(f"{LOOP}\n4", "it is 5, no,")
    assert found["tail_n_grams"] == expected.n_grams
    for name in ("repeated_fraction", "repeated_member_fraction", "prompt_copy"):
        assert found[name] == getattr(expected, name) > 0
    assert (found["prefix_characters"], found["extractor"]) == (None, None)


def test_what_a_tail_does_not_have_is_null_and_not_zero() -> None:
    runs = [whole("short", truncated=True), whole("bare", truncated=True), whole("done", truncated=False)]
    traces = [
        texts("short", prompt="a", reasoning="a b"),
        texts("bare", reasoning=LOOP),
        texts("done", prompt="a", answer=LOOP),
    ]
    bare, done, short = measured(runs, traces)
    assert (short["tail_n_grams"], short["repeated_fraction"], short["prompt_copy"]) == (0, None, None)
    assert bare["repeated_fraction"] > 0
    assert bare["prompt_copy"] is None
    assert [done[name] for name in ("tail_n_grams", "repeated_fraction", "prompt_copy")] == [None] * 3


def test_the_prefix_is_the_shortest_at_which_the_rule_of_the_benchmark_reads_the_gold_answer() -> None:
    (found,) = measured([whole()], [texts(reasoning="2 + 2 is 4. Or 5?", answer="The answer is 4.")])
    assert (found["prefix_characters"], found["extractor"]) == (len("2 + 2 is 4."), "gsm8k")


def test_a_right_answer_that_the_trace_overrules_has_a_rule_but_no_prefix() -> None:
    (found,) = measured([whole()], [texts(reasoning='{"answer": "5"}', answer="It is 4.")])
    assert (found["prefix_characters"], found["extractor"]) == (None, "gsm8k")


@pytest.mark.parametrize(
    ("answer", "gold", "rules"),
    [
        ("5", "4", RULES),
        ("4", "see the appendix", RULES),
        ("4", "4", {}),
        (None, "4", RULES),
        ("4", None, RULES),
    ],
)
def test_without_a_right_answer_a_gold_answer_or_a_rule_there_is_no_prefix(
    answer: str | None, gold: str | None, rules: Mapping[str, str]
) -> None:
    (found,) = measured([whole()], [texts(reasoning="It is 4.", answer=answer)], [item(gold=gold)], rules)
    assert (found["prefix_characters"], found["extractor"]) == (None, None)
    assert found["characters"] > 0


def test_a_rule_without_options_is_asked_with_the_text_of_the_right_one() -> None:
    gold = item(benchmark_id="proofwriter", gold='{"answer": "B", "options": ["True", "False"]}')
    (found,) = measured(
        [whole(benchmark_id="proofwriter")], [texts(answer="True? No, false. Yes: false.")], [gold]
    )
    assert (found["prefix_characters"], found["extractor"]) == (len("True? No, false."), "proofwriter")


def hashed(gold: str = "4", rules: Mapping[str, str] = RULES, **changes: Any) -> str:
    (found,) = asked([whole(**changes)], [item(gold=gold)], rules)["rule_hash"].to_pylist()
    return str(found)


def test_the_rule_hash_tells_what_a_row_depends_on_beside_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    done, cut = hashed(), hashed(truncated=True)
    assert hashed(text="other") == done
    assert hashed(truncated=False) == done, "a run that nothing calls cut is measured like one that is not"
    assert len({done, cut, hashed(gold="5"), hashed(rules={"gsm8k": "zebralogic"}), hashed(rules={})}) == 5
    # A tail is compared with the prompt of its record, and needs no gold answer; a prefix the other way round.
    assert hashed(source_offset=7) == done
    assert hashed(truncated=True, source_offset=7) != cut
    assert hashed(truncated=True, log_version=later(1)) == cut
    assert hashed(truncated=True, gold="5") == cut
    for place, name, value in (
        (trace_measures, "MEASURES_VERSION", 2),
        (trace, "LIBRARY", "zlib 9"),
        (loops, "WINDOW", 100),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(place, name, value)
            trace_measures._rule_hash.cache_clear()
            assert hashed() != done
    trace_measures._rule_hash.cache_clear()


def test_a_row_of_the_same_hashes_is_kept_and_no_other_text_is_measured_again() -> None:
    runs = [whole(name, text=name, truncated=name == "cut") for name in ("same", "text", "cut", "gone")]
    traces = [texts(name, answer="4") for name in ("same", "text", "cut", "gone", "new")]
    before = asked(runs)
    known = trace_measures.measured(to_measure(before, tables.schema("trace_measures").empty_table(), traces))
    assert known.num_rows == 4
    assert to_measure(before, known, traces).num_rows == 0

    after = asked(
        [whole("same", text="same"), whole("text", text="2"), whole("cut", text="cut"), whole("new")]
    )
    again = to_measure(after, known, traces)
    assert sorted(again["run_key"].to_pylist()) == ["cut", "new", "text"]
    held = trace_measures.kept(nw.from_native(after), nw.from_native(known)).to_arrow()
    assert held["run_key"].to_pylist() == ["same"]
    clean = trace_measures.measured(to_measure(after, known.slice(0, 0), traces))
    both = pa.concat_tables([tables.checked("trace_measures", held), trace_measures.measured(again)])
    assert both.sort_by("run_key").to_pylist() == clean.sort_by("run_key").to_pylist()


def test_a_prompt_is_taken_along_for_truncated_runs_only() -> None:
    wanted = asked([whole("cut", truncated=True), whole("done")])
    traces = [texts("cut", prompt="p", answer="4"), texts("done", prompt="p", answer="4")]
    found = to_measure(wanted, tables.schema("trace_measures").empty_table(), traces)
    assert dict(zip(*(found[name].to_pylist() for name in ("run_key", "prompt")), strict=True)) == {
        "cut": "p",
        "done": None,
    }


REFUSED = """
import pyarrow as pa
from effspark.analyses import trace_measures
from effspark.errors import EffsparkError
from effspark.layers import trace

met = []
whole = trace.compressed
trace.compressed = lambda text: met.append(text) or whole(text)
none = trace_measures.INPUT.empty_table()
trace_measures.measured(none), trace_measures.measured(none)
assert len(met) == 1, "once a process"
trace_measures._check_zlib.cache_clear()
trace.KNOWN_BYTES = 1
try:
    trace_measures.measured(none)
except EffsparkError:
    print("refused")
"""


def test_a_process_checks_its_zlib_once_before_it_compresses() -> None:
    done = subprocess.run([sys.executable, "-c", REFUSED], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"
