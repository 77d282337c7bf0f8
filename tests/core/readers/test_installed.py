"""Readers of other packages: one that cannot be used is told with its package, and all that it lacks at once."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest

from effspark import cli, laptop, readers
from effspark.errors import SettingsError
from effspark.readers import Entry, HasCompanions, Options, Prepares, Reader, SeesLines, installed
from effspark.readers.files import Log

SOUND = """
from effspark.readers import FIELDS, Carries, Reads

class Acme:
    name, version, reads, title, trap = "acme", 1, Reads.FILE, "Acme logs", "None."
    carries = dict.fromkeys(FIELDS, Carries.ABSENT)
    def detect(self, log): return 1.0 if log.head.startswith(b"ACME") else 0.0
    def read(self, log, options): return iter(())

READER = Acme()
"""


class Packages:
    """A folder of installed packages."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, source: str, name: str = "acme") -> None:
        """A package of one reader, and the entry point that names it."""
        (self._folder / f"{name}_reader.py").write_text(source, "utf-8")
        info = self._folder / f"{name}_reader-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-reader\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[effspark.readers]\n{name} = {name}_reader:READER\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Packages]:
    """No package yet; the registry is as if nothing had asked for it, before and after."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    for name in ("acme_reader", "zeta_reader"):
        sys.modules.pop(name, None)
    readers.registry.cache_clear()
    yield Packages(folder)
    readers.registry.cache_clear()


def told() -> list[str]:
    """What is said of the readers, a line each."""
    with pytest.raises(SettingsError) as caught:
        readers.registry()
    headline, *lines = str(caught.value).splitlines()
    assert headline == "readers of other packages cannot be used (docs/readers.md)"
    return [line.removeprefix("  - ") for line in lines]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import gone_for_good", "ModuleNotFoundError: No module named 'gone_for_good'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("OTHER = 1", "AttributeError: module 'acme_reader' has no attribute 'READER'"),
    ],
)
def test_a_package_that_cannot_be_loaded_is_named_with_what_failed_and_the_remedy(
    packages: Packages, source: str, found: str
) -> None:
    packages.add(source)
    assert told() == [
        f"acme-reader 1.0, entry point acme = acme_reader:READER: found {found}; "
        "allowed: a reader that can be loaded; mend it or uninstall acme-reader"
    ]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (', "Acme logs", "None."', ', "Acme logs", None', "trap: found None; allowed: a text"),
        (' trap = "acme", 1,', ' trap = "acme", True,', "version: found True; allowed: a whole number from 1"),
        ('= "acme", 1', '= " ", 1', "name: found ' '; allowed: a text"),
        ("Reads.FILE", '"file"', "reads: found 'file'; allowed: Reads.LINES or Reads.FILE"),
        ("dict.fromkeys(FIELDS,", "dict.fromkeys(['stop'],", "carries: found {'stop': "),
        ("Carries.ABSENT)", "'yes')", "carries: found {'verdict': 'yes'"),
        ("read(self, log, options)", "read(self, log)", "read: found <bound method"),
        ("def detect(self, log)", "def detects(self, log)", "detect: missing; allowed: a method of (log)"),
        ("READER = Acme()", "READER = Acme", "found the class Acme; allowed: an object of it, Acme()"),
        ('= "acme", 1', '= "zeroeval", 1', "two readers are called zeroeval: allowed: one reader a name"),
        ('= "acme", 1', '= "auto", 1', "two readers are called auto: "),
        ("READER =", "Acme.companions = -1\nREADER =", "companions: found -1; allowed: a whole number from 0"),
        ("READER =", "Acme.is_lines = True\nREADER =", "is_lines: found True; allowed: a method of (log, options)"),
    ],
)  # fmt: skip
def test_a_reader_that_lacks_a_part_of_the_protocol_is_refused(
    packages: Packages, old: str, new: str, fault: str
) -> None:
    assert SOUND.count(old) == 1
    packages.add(SOUND.replace(old, new))
    (line,) = told()
    assert line.startswith("acme-reader 1.0, entry point acme = acme_reader:READER: ")
    assert fault in line
    assert line.endswith("; mend it or uninstall acme-reader")


def test_all_problems_of_all_readers_are_told_at_once(packages: Packages) -> None:
    packages.add(re.sub(r"title, trap = (.*), \"Acme logs\", \"None.\"", r"titel = \1, 'Acme logs'", SOUND))
    packages.add("import gone_for_good", "zeta")
    assert [line.partition(": ")[2].split(";")[0] for line in told()] == [
        "title: missing",
        "trap: missing",
        "found ModuleNotFoundError: No module named 'gone_for_good'",
    ]


def test_two_packages_may_not_bring_readers_of_one_name(packages: Packages) -> None:
    packages.add(SOUND)
    packages.add(SOUND, "zeta")
    (line,) = told()
    assert "two readers are called acme" in line


@pytest.mark.parametrize("command", ["check", "formats"])
def test_commands_refuse_in_one_message(
    command: str, packages: Packages, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packages.add("import gone_for_good")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text("ACME")
    assert cli.main([command, *([str(tmp_path / "logs")] if command == "check" else [])]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(
        "effspark: readers of other packages cannot be used (docs/readers.md)\n  - acme-reader 1.0, "
    )
    assert err.count("\n") == 2


PAGE = (Path(__file__).resolve().parents[3] / "docs" / "readers.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def example(packages: Packages) -> str:
    """The reader of docs/readers.md is installed; its log."""
    source, _ = blocks("python")
    assert 'acme = "acme_reader:READER"' in blocks("toml")[0]
    packages.add(source)
    return blocks("json")[0]


def test_the_reader_of_the_page_reads_as_the_page_shows(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "runs.jsonl").write_text(example, "utf-8")
    monkeypatch.chdir(tmp_path)
    (shown,) = blocks("console")
    command, *lines = shown.splitlines()
    assert cli.main(command.removeprefix("$ effspark ").split()) == 0
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert printed[: len(lines)] == lines


def test_the_test_of_the_page_passes(example: str, tmp_path: Path) -> None:
    _, test = blocks("python")
    names = {"LOG": example}
    exec(test, names)
    (tmp_path / "logs").mkdir()
    names["test_acme_logs_become_runs"](tmp_path / "logs")  # type: ignore[operator]


def test_the_reader_of_the_page_never_fails(example: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    for end in range(0, len(example), 7):
        for text in (example[:end], example.replace(example[end : end + 7], "null,")):
            path.write_text('{"acme": 2}\n' + text, "utf-8")
            assert "reader_failed" not in laptop.read([str(path)], Options()).counts["reasons"].to_pylist()[0]


def test_the_page_names_every_member_of_a_reader_and_every_entry() -> None:
    protocols = (Reader, Prepares, SeesLines, HasCompanions)
    members = {name for one in protocols for name in (*vars(one).get("__annotations__", {}), *vars(one))}
    public = {name for name in members if not name.startswith("_")}
    assert public == {*installed._MEMBERS, *installed._MORE}
    assert [name for name in public if not re.search(rf"`{name}[`(]", PAGE)] == []
    assert [kind.__name__ for kind in get_args(Entry) if f"| `{kind.__name__}(" not in PAGE] == []


def test_what_the_page_says_helps_exists() -> None:
    rows = [row.split("|") for row in PAGE.splitlines() if row.startswith("| `effspark.")]
    assert len(rows) > 4
    for _, modules, names, *_ in rows:
        found = [import_module(module) for module in re.findall(r"`([\w.]+)`", modules)]
        for name in re.findall(r"`(\w+)`", names):
            known = {*vars(Log), *Log.__dataclass_fields__}
            assert name in known or any(hasattr(one, name) for one in found), name
