"""Tables of a report for a terminal: rounding, headings, and columns that are there only where they tell something."""

from __future__ import annotations

import pytest

from effspark import settings as conf
from effspark.efficiency_tables import (
    HEADINGS,
    USUAL,
    efficiency_table,
    left_out_table,
    rare_columns,
    title_of,
    work_table,
)
from effspark.leaderboard import left_out, report_rows
from tests.core.layers.reports import logged, report
from tests.core.layers.rows import Row


def rows(given_runs: list[Row], **of_models: Row) -> dict[str, Row]:
    return {row["model"]: row for row in report_rows(report(given_runs, **of_models))}


def test_short_answers_show_a_tenth_of_a_token() -> None:
    models = report_rows(report([logged("m", "1", output_tokens=2), logged("m", "2", output_tokens=3)]))
    longer = report_rows(report([logged("m", "1", output_tokens=12), logged("m", "2", output_tokens=13)]))
    place = USUAL.index("mean_T")
    shown = [[*efficiency_table(rows).columns[place].cells] for rows in (models, longer)]
    assert [[str(cell) for cell in cells] for cells in shown] == [["2.5"], ["12"]]


@pytest.mark.parametrize(
    ("columns", "ends"),
    [(("n_cut",), ["length"]), (("n_refused", "r_answer", "r_correct"), ["refusal"])],
)
def test_a_column_of_rare_things_is_there_only_where_any_happened(
    columns: tuple[str, ...], ends: list[str]
) -> None:
    first = {metric: words for metric, words, _ in HEADINGS}[columns[0]]
    plain, odd = (list(rows([logged("m", "1", *end)]).values()) for end in ([], ends))
    assert rare_columns(plain) == ()
    assert rare_columns(odd) == columns
    table = efficiency_table(odd, columns=(*USUAL, *rare_columns(odd)))
    assert [str(one.header) for one in table.columns][len(USUAL)] == first


def test_cells_are_rounded_and_an_undefined_number_is_a_dash() -> None:
    found = rows(
        [logged("m", "1", output_tokens=1234567), logged("m", "2", "unknown", output_tokens=1234567)]
    )
    table = efficiency_table(list(found.values()))
    cells = [next(iter(column.cells)) for column in table.columns]
    assert cells == ["1", "m", "0.001", "–", "–", "1,234,567", "100.0 %", "2"]
    assert title_of("b", [{"scorer": ""}]) == "b (judged by nobody)"


def test_the_table_of_work_names_its_scale() -> None:
    settled = conf.load(overrides=["benchmarks.b.declared={W_x: x}"])
    found = report_rows(report([logged("m", "1", output_tokens=30)], settled, work={"W_x": {"1": 4.0}}))
    table = work_table(found)
    assert str(table.title) == "tokens and work (W_x)"
    assert [next(iter(column.cells)) for column in table.columns] == ["1", "m", "7.5", "1.000", "4.0", "1"]


def test_models_without_counts_show_the_accuracy_of_all_judged_runs_and_others_do_not() -> None:
    judged = [logged("m", str(place), verdicts={"s": place > 0}, output_tokens=None) for place in range(4)]
    failed = [logged("m", "0"), logged("m", "1", status="error")]
    shown, silent = (left_out_table(left_out(report_rows(report(runs)))) for runs in (judged, failed))
    cells = {str(one.header).replace("\n", " "): [*one.cells] for one in shown.columns}
    assert (cells["accuracy, of all judged"], cells["accuracy"]) == (["75.0 %"], ["–"])
    assert "accuracy, of all judged" not in {str(one.header).replace("\n", " ") for one in silent.columns}
