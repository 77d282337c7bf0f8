"""What stands on the terminal: results on stdout, messages on stderr, names as they are."""

from __future__ import annotations

import json
import re

import pytest

from effspark import show
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
    assert (
        "note: output budgets differ, and each model is reported under its own (64 tokens: n; 512 tokens: m)"
        in out
    )
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
    assert sum(line.startswith("rank") for line in lines) == (3 if width == 80 else 2)
    shown = "".join(lines)
    assert all(text in shown for text in ("finished", "accuracy", "100.0 %", "cut", "refused", "m" * 16))
    assert "errors 1; E0 10.000; E0 at least" in " ".join(shown.split()) or width == 140
    assert "accuracy, errors as failures 66.7 %" in " ".join(shown.split()) or width == 140


@pytest.mark.parametrize("width", [60, 78, 79, 80, 81])
def test_a_count_of_thousands_beside_a_rank_of_ten_is_whole(
    width: int, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"COLUMNS": str(width), "FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    guessed = {"token_source": "tokenizer", "output_tokens": 12_345}
    given_runs = [
        logged(f"anthropic/claude-{model}", str(place), **guessed)
        for model in range(10)
        for place in (*range(5), *[1] * (1200 if model == 3 else 0))
    ]
    show.print_report(report(given_runs))
    out = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert "1,205" in out
    assert "10 est." in out
    assert max(len(line) for line in out.splitlines()) <= width


def test_json_holds_every_metric_with_whole_ranks_and_nulls(capsys: Capture) -> None:
    found = report([logged("m", "1", "length")])
    show.print_report(found, as_json=True)
    document = json.loads(capsys.readouterr().out)
    (model,) = document["models"]
    assert (document["report_id"], document["warnings"]) == (found.report_id, found.warnings)
    assert (model["rank"], model["E0"], model["r_logic"]) == (1, 0.0, None)
    assert type(model["rank"]) is int
