"""Rows of the efficiency table: numbers, order, and reasons in plain words."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from effspark import layers
from effspark import settings as conf
from effspark.efficiency_tables import (
    efficiency_table,
    left_out_table,
)
from effspark.leaderboard import REASONS, left_out, report_rows
from tests.core.layers.reports import logged, report
from tests.core.layers.rows import Row


def rows(given_runs: list[Row], **of_models: Row) -> dict[str, Row]:
    return {row["model"]: row for row in report_rows(report(given_runs, **of_models))}


def test_a_ranked_model_is_shown_on_shared_instances_and_others_on_their_own() -> None:
    found = rows(
        [
            *(logged("m", str(place)) for place in range(20)),
            *(logged("n", str(place), output_tokens=50) for place in range(19)),
            *(logged("o", str(place)) for place in range(3)),
        ]
    )
    assert [(row["rank"], row["model"], row["instance_set"], row["n"]) for row in found.values()] == [
        (1, "n", "shared", 19),
        (2, "m", "shared", 19),
        (None, "o", "own", 3),
    ]
    assert found["o"]["reasons"] == ["covers too few of the shared instances"]
    assert all(isinstance(row["rank"], int) for row in found.values() if row["rank"])


def test_where_nothing_is_shared_that_is_the_reason_and_not_the_coverage() -> None:
    found = rows([logged("m", "1"), logged("n", "2")])
    assert [row["reasons"] for row in found.values()] == [
        ["no pool of models shares an instance, so none is ranked"]
    ] * 2


@pytest.mark.parametrize("others", [[], [logged("m", "1"), logged("m", "2")]])
def test_of_a_model_without_token_counts_that_alone_is_told(others: list[Row]) -> None:
    found = rows([logged("bare", "1", output_tokens=None), *others])
    assert found["bare"]["reasons"] == ["no run has a token count"]


def test_unranked_models_stand_last_by_efficiency_then_name() -> None:
    given_runs = [logged("m", str(place)) for place in range(20)]
    given_runs += [logged("slow", "1", output_tokens=900), logged("fast", "1"), logged("even", "1")]
    given_runs += [logged("silent", "1", verdicts={})]
    assert list(rows(given_runs)) == ["m", "even", "fast", "slow", "silent"]


def test_all_cuts_are_one_column_and_completion_that_is_unknown_is_told() -> None:
    ends = ["length", "context", "agent_limit"]
    found = rows([logged("m", "1", end) for end in ends] + [logged("n", "1", "unknown")])
    assert found["m"]["n_cut"] == 3
    assert found["m"]["reasons"] == ["no run finished"]
    assert found["n"]["reasons"] == ["the logs do not say whether runs finished (1 of 1)"]


def test_reasons_of_numbers_that_are_not_shown_are_not_told() -> None:
    found = rows([logged("m", "1"), logged("m", "1", output_tokens=None)])
    assert (found["m"]["E0_low"], found["m"]["reasons"]) == (None, [])


def test_benchmarks_follow_each_other() -> None:
    found = report_rows(report([logged("m", "1", benchmark_id=name) for name in ("z", "a")]))
    assert [row["benchmark"] for row in found] == ["a", "z"]


def test_every_reason_that_a_rank_or_number_can_have_is_put_in_words() -> None:
    folder = Path(str(layers.__file__)).parent
    said = {
        node.value
        for name in ("outcome.py", "ranking.py")
        for node in ast.walk(ast.parse((folder / name).read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    words = ("no_", "covers_")
    assert {text for text in said if text.startswith(words) and " " not in text} <= set(REASONS)
    assert {"budget_unknown", "completion_unknown"} <= said & set(REASONS)


def test_where_runs_were_refused_answered_times_right_is_right_when_finished() -> None:
    given_runs = [logged("m", str(place)) for place in range(2)]
    given_runs += [
        logged("m", "2", "refusal", verdicts={"s": False}),
        logged("m", "3", verdicts={"s": False}),
    ]
    (row,) = rows(given_runs).values()
    assert (row["r_answer"], row["r_correct"], row["r_logic"]) == (3 / 4, 2 / 3, 1 / 2)
    shown = efficiency_table([row], columns=("r_answer", "r_correct"))
    assert [next(iter(column.cells)) for column in shown.columns] == ["75.0 %", "66.7 %"]


def test_runs_in_no_layer_are_told_of_all_instances_of_a_model_also_of_those_that_no_other_shares() -> None:
    odd = {"output_budget_tokens": 300}
    given_runs = [logged(name, str(place)) for name in ("m", "n") for place in range(40)]
    given_runs += [logged("n", "40"), logged("m", "40", "length", output_tokens=None, **odd)]
    given_runs += [logged("n", "41"), logged("m", "41", status="error", verdicts={})]
    found = rows(given_runs)
    assert (found["m"]["n"], found["m"]["n_missing"], found["m"]["n_errors"]) == (40, 0, 0)
    (row,) = left_out(list(found.values()))
    assert [row[name] for name in ("model", "n", "n_missing", "n_errors")] == ["m", 40, 1, 1]
    assert row["E0_low"] == 1000 * 40 / 4300
    assert row["accuracy_errors_as_failures"] == 40 / 41
    assert row["r_ctx_all"] == 40 / 41
    table = left_out_table([row])
    cells = {str(column.header).replace("\n", " "): next(iter(column.cells)) for column in table.columns}
    assert (cells["errors"], cells["no token count"], cells["finished, of all known"]) == ("1", "1", "97.6 %")
    assert (cells["E0"], cells["E0 at least"], cells["E0, errors as failures"]) == (
        "10.000",
        "9.302",
        "9.756",
    )
    assert "cancelled" not in cells


def test_runs_that_the_log_declares_invalid_or_excludes_are_told_too() -> None:
    given_runs = [*(logged("m", str(place)) for place in range(3)), logged("m", "3", status="invalidated")]
    given_runs += [logged("m", "4", status="excluded"), logged("m", "5", status="excluded")]
    (row,) = left_out(list(rows(given_runs).values()))
    assert (row["n"], row["n_invalidated"], row["n_excluded"]) == (3, 1, 2)


def test_models_without_such_runs_have_no_row_there() -> None:
    assert left_out(list(rows([logged("m", "1")]).values())) == []


def test_models_with_estimated_tokens_stand_below_the_counted_ones_under_a_rank_of_their_own() -> None:
    given_runs = [
        *(logged("guessed", str(place), token_source="tokenizer", output_tokens=9) for place in range(20)),
        *(logged(name, str(place)) for name in ("m", "n") for place in range(20)),
        logged("few", "1"),
        logged("rough", "1", token_source="tokenizer", output_tokens=999),
    ]
    found = list(rows(given_runs).values())
    assert [(row["model"], row["rank"], row["ranked_apart"]) for row in found] == [
        ("m", 1, False),
        ("n", 2, False),
        ("guessed", 1, True),
        ("few", None, False),
        ("rough", None, False),
    ]
    table = efficiency_table(found)
    assert list(table.columns[0].cells) == ["1", "2", "1 est.", "–", "– est."]
    assert [row.end_section for row in table.rows] == [False, True, True, False, False]
    together = conf.load(overrides=["report.rank_estimated_with_counted=true"])
    ranked = report_rows(report(given_runs, together))
    assert [(row["model"], row["rank"], row["ranked_apart"]) for row in ranked[:2]] == [
        ("guessed", 1, False),
        ("m", 2, False),
    ]


def test_an_empty_report_has_no_rows() -> None:
    assert report_rows(report([])) == []


def test_a_row_holds_the_workload_layer_on_the_primary_scale() -> None:
    declared = ["benchmarks.b.declared={V: x, W: x}", "benchmarks.b.scales=[W, V]"]
    given_runs = [logged("m", "1", output_tokens=30), logged("m", "2", output_tokens=10), logged("n", "3")]
    work = {"W": {"1": 3.0, "2": 2.0}, "V": {"1": 1.0}}
    found = {
        row["model"]: row for row in report_rows(report(given_runs, conf.load(overrides=declared), work=work))
    }
    names = ("scale", "VO", "mean_W", "n_work")
    assert [found["m"][name] for name in names] == ["W", 7.5, 2.5, 2]
    assert found["m"]["kappa"] == 20 / (2.5 * 7.5)
    assert [found["n"][name] for name in names] == ["W", None, None, 0]
    (derived,) = report_rows(report([logged("m", "1", output_tokens=40)]))
    assert [derived[name] for name in names] == ["W_solv", 1.0, 40.0, 1]
    (plain,) = report_rows(report([logged("m", "1", verdicts={})]))
    assert {plain[name] for name in names} == {None}
