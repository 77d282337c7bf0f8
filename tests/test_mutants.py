"""The runner of mutants on a project of one function: what it says of each kind of fault, and leaves no trace."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests import mutants
from tests.faults_table import Fault

SOURCE = "def double(x: float) -> float:\n    return 2 * x\n"
TESTS = """\
import pytest
from effspark.doubling import double

def test_two(): assert double(2) == 4
def test_nought(): assert double(0) == 0
def test_red(): assert double(1) == 3
def test_skipped(): pytest.skip("no data")

@pytest.mark.parametrize("x", [0, 2], ids=["a b", "c"])
def test_some(x): assert double(x) == 2 * x
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose package is called effspark, with this runner."""
    for folder in ("effspark", "tests"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "effspark" / "doubling.py").write_text(SOURCE)
    (tmp_path / "tests" / "test_doubling.py").write_text(TESTS)
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    own = Path(mutants.__file__)
    for module in (own, *own.parent.glob("faults_*.py")):
        shutil.copy(module, tmp_path / "tests")
    return tmp_path


def fault(test: str, old: str = "2 * x", new: str = "x + 2", file: str = "effspark/doubling.py") -> Fault:
    return Fault(f"{old} is {new}", file, old, new, f"tests/test_doubling.py::{test}")


def words(project: Path, *faults: Fault) -> dict[str, str]:
    return {verdict.fault.test.split("::")[1]: verdict.word for verdict in mutants.judged(project, faults)}


@pytest.mark.slow
def test_a_fault_is_killed_only_by_a_test_that_turns_red(project: Path) -> None:
    faults = [fault("test_nought"), fault("test_two"), fault("test_some"), fault("test_red")]
    assert words(project, *faults) == {
        "test_nought": "killed",
        "test_two": "SURVIVED",
        "test_some": "killed",
        "test_red": "UNUSABLE",
    }
    assert (project / "effspark" / "doubling.py").read_text() == SOURCE
    assert not list(project.rglob("__pycache__"))


@pytest.mark.slow
def test_a_fault_as_long_as_what_it_replaces_is_seen(project: Path) -> None:
    faults = [fault("test_two", new=f"{digit} * x") for digit in (3, 2)]
    assert [verdict.word for verdict in mutants.judged(project, faults)] == ["killed", "SURVIVED"]


@pytest.mark.slow
def test_a_skipped_test_or_none_is_no_pass(project: Path) -> None:
    assert words(project, fault("test_skipped")) == {"test_skipped": "UNUSABLE"}
    assert words(project, fault("test_of_old")) == {"test_of_old": "UNUSABLE"}


@pytest.mark.slow
def test_a_fault_that_stops_the_import_shows_nothing(project: Path) -> None:
    stopped = fault("test_two", "def double", "raise ValueError\ndef double")
    assert words(project, stopped) == {"test_two": "BROKEN"}


@pytest.mark.slow
def test_a_fault_that_makes_no_python_is_stale(project: Path) -> None:
    assert words(project, fault("test_two", new="2 *")) == {"test_two": "STALE"}


@pytest.mark.slow
def test_a_test_that_does_not_end_shows_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "SECONDS", 3)
    endless = fault("test_two", "return 2 * x", "while True: pass")
    assert words(project, endless) == {"test_two": "BROKEN"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "file"), [("x", "effspark/doubling.py"), ("3", "effspark/doubling.py"), ("2", "a.py")]
)
def test_a_fault_that_does_not_apply_once_is_stale(project: Path, old: str, file: str) -> None:
    (verdict,) = mutants.judged(project, [fault("test_two", old, file=file)])
    assert verdict.word == "STALE"
    assert file in verdict.told


@pytest.mark.slow
def test_a_module_from_outside_the_copy_is_refused(project: Path) -> None:
    shutil.rmtree(project / "effspark")
    (project / "tests" / "test_doubling.py").write_text("from effspark import errors\ndef test_two(): pass\n")
    (verdict,) = mutants.judged(project, [fault("test_two", "pass", file="tests/test_doubling.py")])
    assert verdict.word == "UNUSABLE"
    assert "not of the copy" in verdict.told


@pytest.mark.slow
def test_a_fault_in_a_job_is_seen_through_the_package_in_every_copy(project: Path) -> None:
    (project / "jobs").mkdir()
    (project / "jobs" / "load.py").write_text("LOADED = 1\n")
    (project / "tests" / "test_doubling.py").write_text(
        "def test_job():\n    from effspark.jobs.load import LOADED\n    assert LOADED == 1\n"
    )
    faults = [fault("test_job", "LOADED = 1", f"LOADED = {value}", file="jobs/load.py") for value in "2345"]
    assert {verdict.word for verdict in mutants.judged(project, faults)} == {"killed"}


def test_the_exit_code_and_the_last_line_count_what_was_not_killed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mutants, "FAULTS", [fault("test_a"), fault("test_b", old="2 * y")])
    words = {"test_a": mutants.KILLED, "test_b": mutants.SURVIVED}
    monkeypatch.setattr(
        mutants,
        "judged",
        lambda _, faults: [mutants.Verdict(one, words[one.test.split("::")[1]]) for one in faults],
    )
    assert mutants.main([]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "killed  2 * x is x + 2  by tests/test_doubling.py::test_a",
        "SURVIVED  2 * y is x + 2  under tests/test_doubling.py::test_b",
        "1 passed, 1 failed",
    ]
    assert (mutants.main(["x is"]), mutants.main(["no such fault"])) == (0, 1)


def test_faults_have_names_of_their_own() -> None:
    assert len({one.name for one in mutants.FAULTS}) == len(mutants.FAULTS)


@pytest.mark.parametrize("fault", mutants.FAULTS, ids=lambda fault: fault.name)
def test_every_fault_can_be_planted_and_its_test_exists(fault: Fault) -> None:
    root = Path(mutants.__file__).parents[1]
    file, _, name = fault.test.partition("::")
    assert mutants.misfit(root, fault) is None
    assert f"def {name.split('[')[0]}(" in (root / file).read_text("utf-8")
