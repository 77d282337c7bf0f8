"""How results are printed: whole in pipes, fitted to terminals, strict in machine forms."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from effspark import printing
from effspark.errors import SettingsError

Capture = pytest.CaptureFixture[str]

ODD = pa.table(
    {
        "n": pa.array([1, None], pa.int64()),
        "x": pa.array([0.1, -math.inf]),
        "text": ["a|b [c]", 'q"'],
        "at": pa.array([datetime(2026, 1, 2, tzinfo=timezone.utc), None]),
        "big": pa.array([Decimal(2**70), None], pa.decimal128(38, 0)),
    }
)


def printed(output: str, capsys: Capture) -> str:
    printing.print_rows(ODD, output=output)
    return capsys.readouterr().out


def test_csv_keeps_whole_numbers_whole_beside_nulls(capsys: Capture) -> None:
    rows = list(csv.reader(io.StringIO(printed("csv", capsys))))
    assert rows[0] == ODD.column_names
    assert rows[1] == ["1", "0.1", "a|b [c]", "2026-01-02 00:00:00+00:00", str(2**70)]
    assert rows[2] == ["", "-inf", 'q"', "", ""]


def test_json_of_a_query_is_strict_json(capsys: Capture) -> None:
    def refuse(token: str) -> Any:
        raise AssertionError(f"{token} is no JSON")

    first, second = json.loads(printed("json", capsys), parse_constant=refuse)
    assert (first["n"], first["x"], first["big"]) == (1, 0.1, str(2**70))
    assert (second["n"], second["x"], second["at"]) == (None, "-inf", None)


def test_markdown_has_one_cell_a_column_whatever_the_text(capsys: Capture) -> None:
    lines = printed("markdown", capsys).splitlines()
    assert lines[:2] == ["| n | x | text | at | big |", "| --- | --- | --- | --- | --- |"]
    assert lines[2].startswith(r"| 1 | 0.1 | a\|b [c] | 2026-01-02")
    assert lines[3] == '|  | -inf | q" |  |  |'


def test_latex_has_one_line_a_row(capsys: Capture) -> None:
    lines = printed("latex", capsys).splitlines()
    assert lines[2] == r"n & x & text & at & big \\"
    assert lines[4].startswith("1 & 0.1 & a|b [c] & 2026-01-02")


def test_parquet_holds_the_result_as_it_is_and_no_terminal_takes_it(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    printing.print_rows(ODD, output="parquet")
    assert pq.read_table(io.BytesIO(capfdbinary.readouterr().out)).equals(ODD)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with pytest.raises(SettingsError, match="parquet is no text"):
        printing.print_rows(ODD, output="parquet")


def test_a_table_shows_text_as_it_is(capsys: Capture) -> None:
    out = printed("table", capsys)
    assert "a|b [c]" in out
    assert "-inf" in out


def test_an_unknown_output_is_refused_with_those_there_are() -> None:
    for output in printing.OUTPUTS:
        assert printing.checked_output(output) == output
        assert printing.checked_output(output, as_json=True) == "json"
    with pytest.raises(SettingsError, match="found xml; allowed: table, csv, json, markdown, latex, parquet"):
        printing.checked_output("xml")


def test_infinite_numbers_inside_lists_and_maps_are_json_too(capsys: Capture) -> None:
    deep = pa.table({"deep": [{"list": [math.inf, 1.0], "none": None}]})
    printing.print_rows(deep, output="json")
    (row,) = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert row["deep"] == {"list": ["inf", 1.0], "none": None}


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns without colours."""
    for name, value in {"COLUMNS": "80", "FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)


def lines(capsys: Capture) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()


def test_prose_is_folded_between_words_and_numbers_stay_whole(terminal: None, capsys: Capture) -> None:
    printing.print_rows(pa.table({"n": [1234567], "prose": ["so many words " * 20]}))
    shown = lines(capsys)
    assert max(len(line) for line in shown) <= 80
    assert sum("1234567" in line for line in shown) == 1
    assert " ".join(" ".join(shown[2:]).split()) == "1234567 " + ("so many words " * 20).strip()


def test_a_result_too_wide_for_the_terminal_is_printed_record_by_record(
    terminal: None, capsys: Capture
) -> None:
    printing.print_rows(pa.table({"first": ["a" * 64], "second": ["b" * 100], "none": [None]}))
    shown = lines(capsys)
    assert shown[0] == "row 1"
    assert shown[1].split() == ["first", "a" * 64]
    assert "".join(shown[2:]).split()[0] == "second"
    assert "".join(shown[2:]).count("b") == 100
    assert max(len(line) for line in shown) <= 80


def test_a_result_in_a_pipe_is_one_line_a_row_however_wide(capsys: Capture) -> None:
    printing.print_rows(pa.table({"first": ["a" * 200, "c"], "second": ["b b " * 50, "d"]}))
    assert [line.split()[0] for line in lines(capsys)[2:]] == ["a" * 200, "c"]


def test_a_table_fits_where_its_longest_words_do() -> None:
    table = printing.ruled()
    table.add_column("some words")
    printing.whole_column(table, "n", ["12 345"])
    table.add_row("many more words", "12 345")
    narrowest = next(width for width in range(20) if printing.fits(Console(width=width), table))
    assert narrowest == len("words  12 345")


def test_a_result_with_two_columns_of_one_name_is_refused() -> None:
    twice = pa.table([[1], [2], [3]], names=["value", "other", "value"])
    for output in printing.OUTPUTS:
        with pytest.raises(SettingsError, match=r"found value; allowed: different names; name them with AS"):
            printing.print_rows(twice, output=output)


@pytest.mark.parametrize("microseconds", [2**63 - 1, 253_402_300_800_000_000])
def test_a_time_beyond_the_year_9999_is_refused(microseconds: int) -> None:
    late = pa.table({"at": pa.array([microseconds]).cast(pa.timestamp("us", tz="UTC"))})
    with pytest.raises(SettingsError, match=r"a time of the result cannot be printed: .* cast the column"):
        printing.print_rows(late)
