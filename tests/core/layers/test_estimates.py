"""Rows of one model: the choices of conf, tallies, reasons, and decompositions that add up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark.layers import estimates
from effspark.layers.estimates import COUNTS, ModelSums, informative_missing, settled
from effspark.layers.selection import SUMMED
from effspark.sections import ReportSettings
from tests.core.layers import loops
from tests.core.layers.rows import Row, no_sums, run, runs, sums

PLACE = {"report_id": "x", "benchmark_id": "b", "scorer": "s", "model_id": "m", "model": "M"}


def rows(
    given_runs: Sequence[Row], *, scored: bool = True, **options: Any
) -> dict[str, tuple[float | None, Any]]:
    """Metric -> value, reason."""
    model = ModelSums("b", "m", "own", 3, {name: sums(given_runs)[name] for name in SUMMED})
    found = estimates.estimate_rows(model, PLACE, scored=scored, settings=ReportSettings(**options))
    assert len({row["metric"] for row in found}) == len(found)
    assert all({**PLACE, "instance_set": "own", "budget": "own"}.items() <= row.items() for row in found)
    return {row["metric"]: (row["value"], row["reason"]) for row in found}


choices = st.fixed_dictionaries(
    {
        "refusals": st.sampled_from(["include", "exclude"]),
        "unknown_completion": st.sampled_from(["exclude", "as_completed"]),
        "least_known_completion": st.sampled_from([0.0, 0.5, 0.95]),
    }
)


def has_refusal_without_tokens(row: Row) -> bool:
    return row["stop_class"] == "refusal" and row["output_tokens"] is None


@settings(max_examples=25)
@given(
    st.lists(runs(scorer="s").filter(lambda row: not has_refusal_without_tokens(row)), max_size=8), choices
)
def test_every_metric_follows_the_choices_of_conf_as_the_loop_does(
    given_runs: list[Row], chosen: Row
) -> None:
    expected = loops.metrics(
        given_runs,
        refusals=chosen["refusals"],
        unknown=chosen["unknown_completion"],
        least_known=chosen["least_known_completion"],
    )
    found = rows(given_runs, **chosen)
    assert {name: found[name][0] for name in expected} == pytest.approx(expected)
    for name, (value, reason) in found.items():
        assert (value is None) == (reason is not None), name


def test_excluded_refusals_leave_every_layer_and_stay_counted() -> None:
    given_runs = [
        run(output_tokens=10),
        run("refusal", correct=False, output_tokens=90),
        run("length", output_tokens=10),
    ]
    found = rows(given_runs, refusals="exclude")
    assert {
        name: found[name][0] for name in ("E0", "accuracy", "r_ctx", "r_logic", "n", "n_tokens", "n_refused")
    } == {
        "E0": 50.0,
        "accuracy": 0.5,
        "r_ctx": 0.5,
        "r_logic": 1.0,
        "n": 2.0,
        "n_tokens": 20.0,
        "n_refused": 1.0,
    }


def test_unknown_completion_as_completed_makes_rates_known_and_stays_counted() -> None:
    given_runs = [
        run(),
        run("unknown"),
        run("tool", correct=False),
        run("length"),
        run("unknown", output_tokens=None),
    ]
    found = rows(given_runs, unknown_completion="as_completed")
    assert (found["r_ctx"][0], found["r_logic"][0], found["known_share"][0]) == (
        0.75,
        pytest.approx(2 / 3),
        1.0,
    )
    assert (found["r_ctx_all"][0], found["n_completion_unknown"][0]) == (0.8, 2.0)
    assert rows(given_runs)["r_ctx"] == (None, "completion_unknown")


def test_every_tally_is_a_row_with_its_count() -> None:
    given_runs = [
        run(),
        run("length", correct=True),
        run("unknown", truncated=True, truncation_source="inferred_budget"),
        run("agent_limit"),
        run("refusal", token_source="tokenizer"),
        run("unknown"),
        run("length", output_tokens=None),
        run("refusal", output_tokens=None),
        run(correct=None),
        run(replayed=True),
        run(status="error"),
        run(status="cancelled"),
        run(status="invalidated"),
        run(status="excluded"),
    ]
    found = {name: value for name, (value, _) in rows(given_runs).items() if name.startswith("n")}
    assert found == {
        "n": 6.0,
        "n_truncated": 2.0,
        "n_truncated_inferred": 1.0,
        "n_agent_limited": 1.0,
        "n_refused": 1.0,
        "n_refused_missing": 1.0,
        "n_replayed": 1.0,
        "n_errors": 1.0,
        "n_cancelled": 1.0,
        "n_invalidated": 1.0,
        "n_excluded": 1.0,
        "n_unscored": 1.0,
        "n_missing": 2.0,
        "n_missing_truncated": 1.0,
        "n_censored": 1.0,
        "n_truncated_correct": 3.0,
        "n_completion_unknown": 1.0,
        "n_conflicting": 0.0,
        "n_estimated": 1.0,
        "n_correct": 3.0,
        "n_tokens": 600.0,
        "n_instances": 3.0,
    }
    assert len(found) == len(COUNTS)


def test_every_row_tells_its_unit() -> None:
    model = ModelSums("b", "m", "own", 1, {name: sums([run()])[name] for name in SUMMED})
    found = estimates.estimate_rows(model, PLACE, scored=True, settings=ReportSettings())
    units = {row["metric"]: row["unit"] for row in found}
    assert (units["E0"], units["accuracy"]) == ("correct answers per 1,000 tokens", "share")
    assert (units["n"], units["n_refused"], units["n_tokens"]) == ("runs", "runs", "tokens")
    assert (units["n_instances"], units["informative_missing"]) == ("instances", "flag")


def test_an_unscored_model_has_tokens_and_completion_and_no_word_on_right_or_wrong() -> None:
    found = rows([run(scorer="", correct=None), run("length", scorer="", correct=None)], scored=False)
    assert (found["mean_T"][0], found["r_ctx"][0], found["n"][0]) == (100.0, 0.5, 2.0)
    for name in (
        "E0",
        "E0_low",
        "accuracy",
        "accuracy_all",
        "r_logic",
        "r_correct",
        "n_correct",
        "n_unscored",
        "n_truncated_correct",
    ):
        assert found[name] == (None, "no_verdicts"), name


def test_a_model_without_any_run_in_the_layer_is_null_with_reasons_not_zero() -> None:
    found = rows([run(status="error", output_tokens=None)])
    assert found["E0"] == found["accuracy"] == found["r_ctx"] == (None, "no_runs_with_tokens")
    assert (found["n"][0], found["n_errors"][0]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("missing", "missing_cut", "n", "cut", "flagged"),
    [
        (5, 3, 10, 5, True),
        (5, 3, 10, 6, False),
        (4, 4, 10, 0, False),
        (5, 5, 4, 0, False),
        (5, 0, 5, 0, False),
    ],
)
def test_missing_tokens_are_informative_where_cut_runs_lose_them_more_often(
    missing: int, missing_cut: int, n: int, cut: int, flagged: bool
) -> None:
    counted = no_sums(
        n=n, missing=missing, missing_truncated=missing_cut, truncated=cut - cut // 2, agent_limited=cut // 2
    )
    assert informative_missing(counted, least=5) is flagged


def test_the_flag_is_a_row_of_the_report() -> None:
    lost = [run("length", output_tokens=None)] * 5 + [run()] * 5
    assert (rows(lost)["informative_missing"], rows(lost[1:])["informative_missing"]) == (
        (1.0, None),
        (0.0, None),
    )


def test_settling_changes_nothing_by_default_and_no_argument_ever() -> None:
    summed = {name: sums([run("refusal"), run("unknown")])[name] for name in SUMMED}
    before = dict(summed)
    assert settled(summed, ReportSettings()) == summed
    settled(summed, ReportSettings(refusals="exclude", unknown_completion="as_completed"))
    assert summed == before


def test_settled_sums_are_those_of_the_runs_without_refusals() -> None:
    kept = [run(output_tokens=10), run("length", output_tokens=5, token_source="tokenizer")]
    kept += [run("length", output_tokens=None, output_budget_tokens=9)]
    refused = [run("refusal", output_tokens=7, token_source=source) for source in ("provider", "tokenizer")]
    refused += [run("refusal", output_tokens=None, output_budget_tokens=budget) for budget in (None, 64)]
    found = settled(sums([*kept, *refused]), ReportSettings(refusals="exclude"))
    expected = sums(kept)
    names = ("n", "known", "known_completed", "correct", "known_correct", "tokens", "estimated", "refused")
    names += ("missing", "missing_known", "missing_completed", "missing_budget", "missing_without_budget")
    names += (
        "refused_missing",
        "missing_truncated",
        "missing_correct",
        "correct_tokens",
        "known_correct_tokens",
        "solving",
    )
    names += ("known_correct_tokens", "solving", "solving_tokens", "known_tokens", "known_completed_tokens")
    assert {name: found[name] for name in names} == {name: expected[name] for name in names}
    assert found["missing_budget"] == 9


def test_sums_of_runs_taken_as_completed_hold_their_tokens() -> None:
    summed = sums([run(output_tokens=10), run("unknown", output_tokens=7), run("length", output_tokens=5)])
    found = settled(summed, ReportSettings(unknown_completion="as_completed"))
    names = ("known", "known_tokens", "known_completed", "known_completed_tokens", "known_correct_tokens")
    assert [found[name] for name in names] == [3, 22, 2, 17, 17]


def gaps(
    own: Sequence[Row], other: Sequence[Row], **options: Any
) -> dict[str, tuple[float | None, str | None]]:
    sides = [estimates.factors(sums(side), ReportSettings(**options)) for side in (own, other)]
    found = estimates.decomposition_rows(
        *sides, PLACE | {"reference_id": "r", "reference": "R"}, instance_set="pair"
    )
    assert [row["term"] for row in found] == ["r_ctx", "r_logic", "mean_T", "total", "sum", "residual"]
    assert {row["instance_set"] for row in found} == {"pair"}
    return {row["term"]: (row["value"], row["reason"]) for row in found}


@settings(max_examples=25)
@given(st.lists(runs(scorer="s"), max_size=8), st.lists(runs(scorer="s"), max_size=8))
def test_terms_equal_the_loop_and_add_up_for_any_two_models(own: list[Row], other: list[Row]) -> None:
    own, other = [run(), *own], [run(output_tokens=300), *other]
    found = gaps(own, other, least_known_completion=0.0)
    expected = loops.log_terms(own, other)
    assert {name: found[name][0] for name in expected} == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert found["residual"][0] == pytest.approx(0, abs=1e-13)
    assert {reason for _, reason in found.values()} == {None}


def test_runs_of_unknown_completion_are_left_out_of_both_sides_of_a_decomposition() -> None:
    own, other = [run(output_tokens=50), run("unknown", output_tokens=9000)], [run(output_tokens=100)]
    found = gaps(own, other, least_known_completion=0.5)
    assert (found["mean_T"][0], found["total"][0]) == pytest.approx((math.log(2), math.log(2)))


def test_excluded_refusals_are_left_out_of_every_term() -> None:
    own = [run(output_tokens=50), run("refusal", correct=False, output_tokens=9000)]
    found = gaps(own, [run(output_tokens=100)], refusals="exclude")
    assert {name: value for name, (value, _) in found.items()} == pytest.approx(
        {
            "r_ctx": 0,
            "r_logic": 0,
            "mean_T": math.log(2),
            "total": math.log(2),
            "sum": math.log(2),
            "residual": 0,
        }
    )


def test_too_little_known_completion_leaves_every_term_null() -> None:
    assert set(gaps([run(), run("unknown")], [run()]).values()) == {(None, "completion_unknown")}


def test_a_model_that_was_never_right_has_an_infinite_term_and_total_and_finite_others() -> None:
    found = gaps([run(correct=False, output_tokens=200)], [run()])
    assert found["r_logic"] == found["total"] == found["sum"] == (-math.inf, "no_correct_run")
    assert found["residual"] == (0.0, None)
    assert found["mean_T"][0] == pytest.approx(-math.log(2))


def test_a_model_that_never_finished_has_an_undefined_term_and_an_infinite_total() -> None:
    found = gaps([run("length")], [run()])
    assert (found["r_ctx"], found["total"]) == ((-math.inf, "no_correct_run"), (-math.inf, "no_correct_run"))
    assert found["r_logic"] == found["sum"] == (None, "undefined_factor")
