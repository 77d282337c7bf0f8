"""The wheel holds what it must, runs alone without Spark, and with its extra `local` runs the demo."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = ("setup.py", "pyproject.toml", "README.md", "LICENSE", "effspark", "jobs", "schemas", "conf")
DATA = {"jobs": ("*.py",), "schemas": ("*.json", "*.sql"), "conf": ("*.yaml", "*.properties")}
COMMANDS = ("effspark", "effspark-ingest", "effspark-measure", "effspark-report")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that neither an old `build` folder nor a file outside SOURCES can help."""
    copy, out = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        if (CHECKOUT / name).is_dir():
            shutil.copytree(CHECKOUT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif (CHECKOUT / name).exists():
            shutil.copy(CHECKOUT / name, copy)
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(out), str(copy))
    [built] = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def core(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`bin` of an environment with the wheel and what it requires, nothing else."""
    environment = empty_environment(tmp_path_factory.mktemp("core"))
    install(environment, str(wheel))
    return environment / "bin"


@pytest.fixture(scope="session")
def local(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`bin` of an environment with the extra `local`.

    Unpacking Spark again would take half a minute: the tests' own packages are put behind the wheel on its
    path, so pip installs only what they lack.
    """
    environment = empty_environment(tmp_path_factory.mktemp("local"))
    own = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    (own / "behind.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install(environment, f"{wheel}[local]")
    return environment / "bin"


def empty_environment(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder


def install(environment: Path, requirement: str) -> None:
    python = str(environment / "bin" / "python")
    pip("--python", python, "install", "--constraint", str(CHECKOUT / "constraints.txt"), requirement)


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    run(command, cwd=Path.cwd())


def run(command: list[str], *, cwd: Path) -> str:
    """Run outside the checkout's import path; the output is shown where it fails."""
    given = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYSPARK"))}
    done = subprocess.run(command, cwd=cwd, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command} gave {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def described(wheel: Path) -> Message:
    [name] = [name for name in names(wheel) if name.endswith(".dist-info/METADATA")]
    with zipfile.ZipFile(wheel) as archive:
        return Parser().parsestr(archive.read(name).decode())


def test_the_wheel_brings_one_top_level_name(wheel: Path) -> None:
    assert {name.split("/")[0] for name in names(wheel)} == {"effspark", "effspark-0.1.0.dist-info"}


def test_the_wheel_holds_every_job_schema_view_and_conf_file(wheel: Path) -> None:
    expected = {
        f"effspark/{path.relative_to(CHECKOUT).as_posix()}"
        for folder, patterns in DATA.items()
        for pattern in patterns
        for path in (CHECKOUT / folder).rglob(pattern)
    }
    assert expected - set(names(wheel)) == set()


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    files = {path for path in (CHECKOUT / "effspark").rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert {path.relative_to(CHECKOUT).as_posix() for path in files} - set(names(wheel)) == set()


def test_spark_is_never_installed_unasked(wheel: Path) -> None:
    requirements: list[str] = described(wheel).get_all("Requires-Dist", [])
    spark = [text for text in requirements if text.startswith(("pyspark", "delta"))]
    assert len(spark) >= 3
    assert [text for text in spark if "extra ==" not in text] == []


def test_the_core_simulates_measures_and_checks_logs_without_spark(core: Path, tmp_path: Path) -> None:
    assert "quick" in run([str(core / "effspark"), "--help"], cwd=tmp_path)
    run([str(core / "effspark"), "simulate", "--out", "simulated", "--seed", "1"], cwd=tmp_path)
    assert run([str(core / "effspark"), "quick", "simulated/logs"], cwd=tmp_path).strip()
    assert run([str(core / "effspark"), "check", "simulated/logs"], cwd=tmp_path).strip()
    assert not list(core.parent.glob("lib/python*/site-packages/pyspark*"))


def test_every_command_says_how_to_use_it(local: Path, tmp_path: Path) -> None:
    for command in COMMANDS:
        assert "usage" in run([str(local / command), "--help"], cwd=tmp_path).lower()


def test_the_extra_local_runs_the_demo(local: Path, tmp_path: Path) -> None:
    imported = run([str(local / "python"), "-c", "import effspark; print(effspark.__file__)"], cwd=tmp_path)
    assert Path(imported.strip()).is_relative_to(local.parent)
    assert run([str(local / "effspark"), "demo", "--out", "demo", "--size", "small"], cwd=tmp_path).strip()
