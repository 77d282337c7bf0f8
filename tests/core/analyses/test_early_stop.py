"""Oracle early stop: the shared vectors, prefixes at ends of words, and the obvious sums over runs."""

from __future__ import annotations

import math
from statistics import mean, median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.analyses.early_stop import early_stop, first_right, shortest_prefix, stopped_tokens, summary
from effspark.benchmarks import benchmark_named
from tests.core.pool.loops import success, vector


def last_integer(text: str) -> str | None:
    found = [word.strip(".") for word in text.split()]
    return next((word for word in reversed(found) if word.isdigit()), None)


def test_the_vector_of_first_prefixes_passes() -> None:
    given_, expected = vector("first_correct_prefix")
    pieces = given_["pieces"]
    ends = range(1, len(pieces) + 1)
    for gold, wanted in zip(given_["gold"], expected, strict=True):
        assert first_right(ends, lambda end: last_integer("".join(pieces[:end])) == gold) == wanted  # noqa: B023
        found = shortest_prefix("".join(pieces), lambda text: last_integer(text) == gold)  # noqa: B023
        assert found == (None if wanted is None else len("".join(pieces[:wanted]).rstrip()))


def test_the_vector_of_early_stops_passes() -> None:
    given_, expected = vector("early_stop")
    runs = given_["runs"]
    tokens = np.array([run["tokens"] for run in runs], float)
    stopped = np.array([run["prefix_tokens"] or run["tokens"] for run in runs], float)
    found = early_stop(tokens, stopped, np.array([success(run) for run in runs]))
    told = ("E0", "E0_oracle", "gain", "mean_wasted_tail", "median_wasted_tail", "n_correct")
    assert dict(zip(told, found, strict=True)) == pytest.approx(expected, rel=1e-12)


@given(st.text(" \n7.ab", max_size=12), st.sampled_from(["7", "a", "b7", ""]))
def test_a_prefix_is_the_shortest_at_the_end_of_a_word(trace: str, sought: str) -> None:
    ends = [
        end
        for end in range(1, len(trace) + 1)
        if trace[end - 1].strip() and (trace[end : end + 1].strip() == "")
    ]
    expected = next((end for end in ends if sought in trace[:end]), None)
    assert shortest_prefix(trace, lambda text: sought in text) == expected


def test_a_benchmarks_own_rule_finds_the_answer_in_the_middle() -> None:
    rule = benchmark_named("gsm8k")
    trace = "3 bags of 4 make 12 apples. Let me check: 4 + 4 is 8, and 4 more is 12."
    assert shortest_prefix(trace, lambda text: rule.score(text, "12").correct) == len("3 bags of 4 make 12")


@given(st.integers(0, 10**6), st.integers(1, 10**5), st.data())
def test_stopped_tokens_are_the_share_rounded_up(tokens: int, trace: int, data: st.DataObject) -> None:
    prefix = data.draw(st.integers(0, trace))
    found = stopped_tokens(tokens, prefix, trace)
    assert (found - 1) * trace < tokens * prefix <= found * trace
    assert found <= tokens


some_runs = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.booleans()), max_size=9)


@given(some_runs)
def test_early_stop_equals_the_obvious_loop(runs: list[tuple[int, int, bool]]) -> None:
    tokens, stopped, correct = (
        np.array([run[part] for run in runs], kind) for part, kind in enumerate((float, float, bool))
    )
    stopped = np.minimum(tokens, stopped)
    whole = short = 0.0
    tails = []
    for spent, stop, right in zip(tokens, stopped, correct, strict=True):
        whole, short = whole + spent, short + (stop if right else spent)
        if right and spent > 0:
            tails.append((spent - stop) / spent)
    found = early_stop(tokens, stopped, correct)
    assert found.gain == pytest.approx(whole / short if short else math.nan, nan_ok=True)
    expected = (mean(tails), median(tails)) if tails else (math.nan, math.nan)
    assert (found.mean_wasted_tail, found.median_wasted_tail) == pytest.approx(expected, nan_ok=True)
    assert found.correct == sum(correct)


def test_a_benchmark_tells_the_middle_and_the_largest_of_its_models() -> None:
    found = summary(np.array([1.0, 1.2, np.nan, 2.6, 1.1]), np.array([0.9, 0.1, np.nan, 0.5, 0.0]))
    assert found == pytest.approx((1.15, 2.6, 0.3))
    assert all(map(math.isnan, summary(np.array([]), np.array([]))))
