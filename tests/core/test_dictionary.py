"""What is in the tables: listed, and written down in a page that is current."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from effspark import dictionary, local_sql, readers, tables
from effspark.errors import SchemaError, SettingsError
from effspark.readers import FIELDS, Carries, registry
from tests import delta

DOCS = Path(__file__).resolve().parents[2] / "docs"

VIEWS = ("leaderboard", "truncated_runs", "unmatched_labels")


def test_the_page_of_all_tables_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    dictionary.main()
    found = capsys.readouterr().out
    assert (DOCS / "tables.md").read_text("utf-8") == found, "python -m effspark.dictionary > docs/tables.md"


def test_the_page_of_all_formats_is_current(capsys: pytest.CaptureFixture[str]) -> None:
    dictionary.main(["formats"])
    found = capsys.readouterr().out
    assert (DOCS / "formats.md").read_text("utf-8") == found, (
        "python -m effspark.dictionary formats > docs/formats.md"
    )


def test_the_page_of_formats_tells_of_each_what_it_supplies_and_its_trap() -> None:
    page = dictionary.formats_page().replace("\\<", "<").replace("\\*", "*")
    for name in readers.READERS:
        assert page.count(f"| {name} |") == 1
    for name in (*readers.READERS, *readers.COMPANIONS):
        reader = readers.reader_named(name)
        assert f"**{name}**: {reader.title}.\n{reader.trap}\n" in page
    assert "`livebench`, " in page


def test_a_page_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(SettingsError, match="unknown page formatz; allowed: tables, formats"):
        dictionary.main(["formatz"])


def test_the_page_has_a_part_for_each_table_and_a_row_for_each_column() -> None:
    parts = dictionary.page().split("\n## ")[1:]
    assert [part.split("\n")[0] for part in parts] == [*tables.names(), *VIEWS]
    rows = [sum(line.startswith("| ") for line in part.splitlines()) - 2 for part in parts]
    views = [len(local_sql.columns_of(name)) for name in VIEWS]
    assert rows == [*(len(tables.columns(name)) for name in tables.names()), *views]


def test_tables_are_listed_with_keys_and_a_lake_adds_rows_and_versions(tmp_path: Path) -> None:
    listed = {row["table"]: row for row in dictionary.table_list().to_pylist()}
    assert set(listed) == {*tables.names(), *VIEWS}
    assert listed["leaderboard"]["holds"].startswith("Which model is most efficient? ")
    assert (listed["verdicts"]["key"], listed["verdicts"]["holds"]) == (
        "run_key, scorer",
        tables.definition("verdicts")["comment"],
    )
    alias = {"kind": "model", "raw": "a", "canonical": "b", "version": 1}
    for _ in range(2):
        delta.write(tmp_path, "aliases", [alias])
    (found,) = dictionary.table_list(str(tmp_path)).to_pylist()
    assert (found["table"], found["rows"], found["version"]) == ("aliases", 2, 1)


def test_columns_of_a_table_are_listed_with_type_unit_key_and_meaning() -> None:
    listed = {row["column"]: row for row in dictionary.column_list("runs").to_pylist()}
    assert list(listed) == list(tables.columns("runs"))
    assert (listed["run_key"]["key"], listed["run_key"]["null"]) == ("key", "")
    tokens = listed["output_tokens"]
    assert (tokens["type"], tokens["unit"], tokens["key"], tokens["null"]) == (
        "int64",
        "tokens",
        "",
        "null",
    )
    with pytest.raises(SchemaError, match="unknown table runz"):
        dictionary.column_list("runz")


@pytest.mark.parametrize("width", [80, 100])
def test_formats_are_one_table_on_a_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"COLUMNS": str(width), "FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    dictionary.print_formats()
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert max(len(line) for line in lines) <= width
    assert lines[0].split() == ["format", *(name[:3] for name in FIELDS), "reads"]
    rows = {line.split()[0]: line for line in lines[2:] if re.match(r"\w", line)}
    assert list(rows) == list(registry())
    for name, reader in registry().items():
        places = [lines[0].index(f" {field[:3]}") + 1 for field in FIELDS]
        marks = {Carries.YES: "yes", Carries.DERIVABLE: "~", Carries.ABSENT: ""}
        assert [rows[name][place : place + 3].strip() for place in places] == [
            marks[reader.carries[field]] for field in FIELDS
        ], name
    assert "jso\n" not in "\n".join(line.rstrip() for line in lines)
    legend = " ".join(" ".join(lines).partition("yes: the log holds it")[2].split())
    assert [name for name in FIELDS if f" {name}" not in legend] == []


def test_formats_are_told_one_below_the_other_where_no_table_fits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"COLUMNS": "60", "FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    dictionary.print_formats()
    out = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert re.match(r"row 1\nformat +inspect_ai ", out)
    assert max(len(line) for line in out.splitlines()) <= 60


def test_every_format_says_of_every_field_whether_it_can_supply_it() -> None:
    listed = {row["format"]: row for row in dictionary.format_list().to_pylist()}
    assert list(listed) == list(registry())
    for name, reader in registry().items():
        assert set(reader.carries) == set(FIELDS), name
    assert (listed["openai_batch"]["verdict"], listed["openai_batch"]["stop"]) == ("", "yes")
    assert (listed["zeroeval"]["tokens"], listed["zeroeval"]["stop"]) == ("derived", "")
