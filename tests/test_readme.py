"""What README.md shows is what the commands print, and everything it names exists.

Blocks marked `console` hold commands after `$ ` and what they print; a line that ends in … may go on. The block
between the demo markers needs Spark and is not run here. In `sh` blocks the commands must have the options they are
given, and SQL must be valid on a lake.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import typer
import yaml

from effspark import cli, readers, settings, tables
from effspark.readers.mappings import checked_mapping
from tests import delta

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
DEMO = re.compile(r"<!-- demo\b.*?<!-- /demo -->", re.DOTALL)
WITHOUT_DEMO = DEMO.sub("", README)


class Shown(NamedTuple):
    """A command and the lines that it is said to print."""

    command: str
    lines: list[str]


def blocks(language: str, text: str = WITHOUT_DEMO) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def shown(block: str) -> Iterator[Shown]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield Shown(command, printed.splitlines())


def arguments(command: str) -> list[str]:
    """Arguments of a command line that begins with effspark."""
    name, *rest = shlex.split(command, comments=True)
    assert name == "effspark"
    return rest


def commands() -> list[list[str]]:
    """Arguments of every effspark command of the page."""
    lines = [one.command for block in blocks("console", README) for one in shown(block)]
    lines += [line for block in blocks("sh") for line in block.splitlines()]
    return [arguments(line) for line in lines if line.startswith("effspark")]


def trimmed(lines: list[str]) -> list[str]:
    """Lines without spaces at their ends, and without blank lines at the ends of them all."""
    return "\n".join(line.rstrip() for line in lines).strip("\n").split("\n")


def is_like(line: str, expected: str) -> bool:
    if expected.endswith("…"):
        return line.startswith(expected.removesuffix("…").rstrip())
    return line == expected


def test_the_page_shows_the_demo_and_more() -> None:
    assert len(DEMO.findall(README)) == 1
    assert README.index("make demo") < README.index("<!-- demo") < README.index("## What it answers")
    assert {one[0] for one in commands() if one} >= {"check", "quick", "simulate", "ingest", "report", "sql"}


def test_commands_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.argv", ["effspark"])
    for one in (one for block in blocks("console") for one in shown(block)):
        assert cli.main(arguments(one.command)) == 0, one.command
        out, err = capsys.readouterr()
        printed, expected = trimmed((err + out).splitlines()), trimmed(one.lines)
        differ = [pair for pair in zip(printed, expected, strict=False) if not is_like(*pair)]
        assert differ == [], one.command
        assert len(printed) == len(expected), one.command


def test_every_command_and_option_exists() -> None:
    group = typer.main.get_command(cli.app)
    for name, *rest in (one for one in commands() if not one[0].startswith("-")):
        known = {option for parameter in group.commands[name].params for option in parameter.opts}  # type: ignore[attr-defined]
        assert {word for word in rest if word.startswith("--")} <= known | {"--help"}, name
    said = set(re.findall(r"`(--[a-z-]+)", WITHOUT_DEMO))
    known = {
        option
        for command in group.commands.values()  # type: ignore[attr-defined]
        for parameter in command.params
        for option in parameter.opts
    }
    assert said - known == set()


def test_every_query_runs_on_a_lake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in tables.names():
        delta.write(tmp_path, name, [])
    queries = [one[one.index("--lake") + 2] for one in commands() if one[0] == "sql"]
    assert len(queries) >= 4
    for query in queries:
        assert cli.main(["sql", "--lake", str(tmp_path), query, "--output", "csv"]) == 0, query
    assert capsys.readouterr().err == ""


def test_the_yaml_of_the_page_can_be_used(tmp_path: Path) -> None:
    mapping, conf = blocks("yaml")
    found = checked_mapping(yaml.safe_load(mapping), "README.md")
    assert found.fields["output_tokens"].column == "usage.completion_tokens"
    (tmp_path / "conf.yaml").write_text(conf, "utf-8")
    assert settings.load(tmp_path / "conf.yaml").aliases["model"] == {"openai/o4-heron": "o4-heron"}


def test_every_path_and_link_of_the_page_exists() -> None:
    places = README.partition("## Where things live")[2]
    named = re.findall(r"`([a-z_]+/[\w/.]*|[a-z]+/)`", places) + re.findall(r"\]\(([\w/.]+)\)", README)
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_reason_of_a_refusal_is_one_that_the_readers_give() -> None:
    part = README.partition("## How a refusal is explained")[2].partition("## ")[0]
    rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    named = {reason for row in rows for reason in re.findall(r"`(\w+)`", row)}
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "effspark" / "readers").glob("*.py"))
    assert len(named) > 8
    assert {reason for reason in named if not re.search(rf'"{reason}[":]', sources)} == set()


@pytest.mark.parametrize("name", readers.READERS)
def test_every_format_is_named_under_what_is_read_today(name: str) -> None:
    part = README.partition("## What is read today")[2].partition("\n## ")[0]
    title = readers.reader_named(name).title
    word = title.split()[0].strip(",:")
    assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", part), (
        f"README.md, What is read today: no row names {word} (reader {name}: {title})"
    )


def test_notes_on_decisions_are_short() -> None:
    notes = {
        path.name: path.read_text("utf-8").splitlines() for path in (ROOT / "docs" / "decisions").glob("*.md")
    }
    assert len(notes) > 5
    assert {
        name for name, lines in notes.items() if len(lines) > 10 or not lines[0].startswith("# ")
    } == set()
    assert [name for name, lines in notes.items() if max(len(line) for line in lines) > 130] == []


def test_the_commands_of_make_exist() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    named = re.findall(r"(?:`|^ {4})make ([a-z-]+)", README, re.MULTILINE)
    named += re.findall(r"^make ([a-z-]+)", "".join(blocks("sh")), re.MULTILINE)
    assert {"demo", "test", "setup", "wheel"} <= set(named) <= set(targets)
