"""Which readers there are, which one reads a file, and how a reader of another package gets in."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from textwrap import dedent

import pytest

from effspark import cli, laptop, readers
from effspark.errors import LogError, SettingsError
from effspark.readers import FIELDS, Carries, Entry, Options, Reader, Reads
from effspark.readers.choosing import choose
from effspark.readers.files import Log

PACKAGE = Path(readers.__file__).parent


@dataclass
class Sure:
    """A reader that is as sure of every log as it is told to be."""

    name: str
    confidence: float
    version: int = 1
    reads: Reads = Reads.LINES
    title: str = "a test"
    trap: str = "None."
    carries: dict[str, Carries] = field(default_factory=dict)

    def detect(self, log: Log) -> float:  # noqa: ARG002
        return self.confidence

    def read(self, log: Log, options: Options) -> Iterator[Entry]:  # noqa: ARG002
        return iter(())


@pytest.fixture
def log(tmp_path: Path) -> Log:
    path = tmp_path / "some.log"
    path.write_bytes(b"anything")
    return Log(str(path), 8, datetime(2026, 1, 1, tzinfo=timezone.utc))


@pytest.fixture
def fresh() -> Iterator[None]:
    """The registry as if nothing had asked for it, before and after."""
    readers.registry.cache_clear()
    yield
    readers.registry.cache_clear()


def registered(monkeypatch: pytest.MonkeyPatch, *found: Reader) -> None:
    monkeypatch.setattr(readers, "registry", lambda: {reader.name: reader for reader in found})


@pytest.mark.parametrize("module", [*readers.READERS, *readers.COMPANIONS])
def test_each_module_holds_a_reader_of_its_name_that_declares_every_field(module: str) -> None:
    reader = readers.reader_named(module)
    assert isinstance(reader, Reader)
    assert reader.name == module
    assert reader.version >= 1
    assert reader.title
    assert reader.trap.endswith(".")
    assert len(reader.trap) < 260
    assert isinstance(reader.reads, Reads)
    assert set(reader.carries) == set(FIELDS)
    assert all(isinstance(value, Carries) for value in reader.carries.values())


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("*.py")), ids=lambda path: path.stem)
def test_each_module_that_holds_a_reader_is_named(path: Path) -> None:
    if re.search(r"^READER\b.* = ", path.read_text("utf-8"), re.MULTILINE):
        assert path.stem in (*readers.READERS, *readers.COMPANIONS), (
            f"{path.name} holds a READER that no log meets: name {path.stem} in READERS of effspark/readers/__init__.py"
        )


@pytest.mark.parametrize("name", readers.COMPANIONS)
def test_companions_are_named_never_detected(name: str, log: Log) -> None:
    assert name not in readers.registry()
    assert readers.reader_named(name).detect(log) == 0


def test_the_surest_reader_reads_the_log(monkeypatch: pytest.MonkeyPatch, log: Log) -> None:
    registered(monkeypatch, Sure("a", 0.2), Sure("b", 0.9), Sure("c", 0.5))
    assert readers.detect(log).name == "b"


def test_a_tie_below_the_surest_does_not_matter(monkeypatch: pytest.MonkeyPatch, log: Log) -> None:
    registered(monkeypatch, Sure("a", 0.5), Sure("b", 0.5), Sure("c", 0.9))
    assert readers.detect(log).name == "c"


def test_two_readers_that_are_equally_sure_are_told(monkeypatch: pytest.MonkeyPatch, log: Log) -> None:
    registered(monkeypatch, Sure("a", 0.9), Sure("b", 0.1), Sure("c", 0.9))
    with pytest.raises(
        LogError, match=r"two readers claim this log .*found a and c; .*choose with --format a or --format c$"
    ):
        readers.detect(log)


def test_all_readers_of_a_tie_are_named(monkeypatch: pytest.MonkeyPatch, log: Log) -> None:
    registered(monkeypatch, Sure("a", 0.9), Sure("b", 0.9), Sure("c", 0.9))
    with pytest.raises(LogError, match=r"3 readers claim this log .*found a and b and c; "):
        readers.detect(log)


GOLDEN_LOGS = sorted(
    path
    for path in (Path(__file__).resolve().parents[2] / "golden" / "runs").glob("*/logs/**/*")
    if path.is_file()
)
PLAIN = (b'{"a": 1}\n', b"a,b\n1,2\n", b"[]", b"just words\n")
"""Files of no format."""


def detected(path: Path) -> str | None:
    log = Log(str(path), path.stat().st_size, datetime(2026, 1, 1, tzinfo=timezone.utc))
    try:
        return readers.detect(log).name
    except LogError as error:
        assert "unknown log format" in str(error)  # noqa: PT017
        return None


def test_no_file_is_known_by_its_name_alone(tmp_path: Path) -> None:
    assert len(GOLDEN_LOGS) > 100
    for number, path in enumerate(GOLDEN_LOGS):
        copy = tmp_path / str(number) / path.relative_to(path.parents[len(path.parents) - 1])
        copy.parent.mkdir(parents=True)
        for content in PLAIN:
            copy.write_bytes(content)
            assert detected(copy) is None, f"{path}: {content!r}"


def test_a_file_is_known_under_another_name(tmp_path: Path) -> None:
    for path in GOLDEN_LOGS:
        name = detected(path)
        if (
            name in (None, readers.MAPPER) or "results" in path.parts
        ):  # OpenCompass: no log, and any JSON else
            continue
        copy = tmp_path / "neutral.data"
        copy.write_bytes(path.read_bytes())
        assert detected(copy) == name, str(path)


def test_a_folder_may_mix_formats(tmp_path: Path) -> None:
    cases = {"openai_chat": "openai_batch", "zeroeval_gsm": "zeroeval", "lighteval_layouts": "lighteval"}
    for case in cases:
        for path in GOLDEN_LOGS:
            if case in path.parts:
                copy = tmp_path / "mixed" / path.name
                copy.parent.mkdir(exist_ok=True)
                copy.write_bytes(path.read_bytes())
    counts = laptop.read([str(tmp_path / "mixed")], Options()).counts
    assert set(counts["reader"].to_pylist()) == set(cases.values())


def test_a_log_that_none_knows_is_told_with_its_start_and_where_the_formats_are_listed(
    monkeypatch: pytest.MonkeyPatch, log: Log
) -> None:
    registered(monkeypatch, Sure("a", 0), Sure("b", 0))
    with pytest.raises(
        LogError,
        match=r"found 8 bytes that begin 'anything'; allowed: the formats that `effspark formats` lists; name it",
    ):
        readers.detect(log)


def test_an_unknown_format_is_told_with_those_there_are() -> None:
    with pytest.raises(SettingsError, match=r"found helmet; allowed: auto, inspect_ai, .*mapper"):
        readers.reader_named("helmet")


def installed(folder: Path, *, name: str) -> None:
    """A package with one reader and the entry point that names it."""
    (folder / "acme_reader.py").write_text(
        dedent(f"""
        from effspark.readers import FIELDS, Carries, Reads

        class Acme:
            name, version, reads, title = "{name}", 1, Reads.LINES, "acme logs"
            trap = "None that is known."
            carries = dict.fromkeys(FIELDS, Carries.ABSENT)
            def detect(self, log): return 1.0 if log.head.startswith(b"ACME") else 0.0
            def read(self, log, options): return iter(())

        READER = Acme()
        """)
    )
    info = folder / "acme_reader-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-reader\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[effspark.readers]\nacme = acme_reader:READER\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh: None) -> Path:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "acme_reader", raising=False)
    return folder


def test_a_reader_of_another_package_comes_in_by_its_entry_point(
    packages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "acme" not in readers.registry()
    readers.registry.cache_clear()
    installed(packages, name="acme")
    assert list(readers.registry()) == [*readers.READERS, "acme"]
    path = tmp_path / "a.log"
    path.write_bytes(b"ACME 1\n")
    log = Log(str(path), 7, datetime(2026, 1, 1, tzinfo=timezone.utc))
    assert readers.detect(log) is readers.reader_named("acme")
    assert choose(log, Options()).reader == "acme"
    assert cli.main(["formats", "--output", "csv"]) == 0
    assert "\nacme," in capsys.readouterr().out


def test_a_reader_of_another_package_may_not_take_a_name(packages: Path) -> None:
    installed(packages, name="mapper")
    with pytest.raises(
        SettingsError, match=r"acme-reader 1.0, .*: two readers are called mapper: allowed: one reader a name"
    ):
        readers.registry()
