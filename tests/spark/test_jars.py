"""The JAR folder mends itself, takes only what is pinned, and says what is missing; no session is started."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from effspark.errors import LakeError
from effspark.spark import jars

pytestmark = pytest.mark.classic


@pytest.fixture
def good_jars() -> list[Path]:
    return jars.delta_jars()


@pytest.fixture
def maven(good_jars: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Maven repository in a folder that serves the good JARs."""
    root = tmp_path / "maven"
    for jar in good_jars:
        place = stored(root, jar.name)
        place.parent.mkdir(parents=True)
        shutil.copy(jar, place)
    monkeypatch.setenv("EFFSPARK_MAVEN_ROOT", root.as_uri())
    return root


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own, still missing JAR folder."""
    target = tmp_path / "some where" / "jars"
    monkeypatch.setenv("EFFSPARK_JARS", str(target))
    return target


def stored(root: Path, name: str) -> Path:
    artefact = name.removesuffix(f"-{jars.DELTA_VERSION}.jar")
    return root / "io" / "delta" / artefact / jars.DELTA_VERSION / name


def test_an_empty_folder_is_filled_with_the_pinned_jars_only(
    good_jars: list[Path], maven: Path, folder: Path
) -> None:
    assert jars.delta_jars() == [folder / jar.name for jar in good_jars]
    assert {jar.name: jar.read_bytes() for jar in folder.iterdir()} == {
        jar.name: jar.read_bytes() for jar in good_jars
    }


def test_a_complete_folder_needs_neither_network_nor_java(
    maven: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled = jars.delta_jars()
    monkeypatch.setenv("EFFSPARK_MAVEN_ROOT", "http://127.0.0.1:9/")
    monkeypatch.setenv("JAVA_HOME", "/no/such/jdk")
    assert jars.delta_jars() == filled


@pytest.mark.parametrize("damage", ["cut", "flipped", "gone"])
def test_a_broken_folder_is_repaired(damage: str, good_jars: list[Path], maven: Path, folder: Path) -> None:
    storage = jars.delta_jars()[-1]
    content = storage.read_bytes()
    if damage == "gone":
        storage.unlink()
    else:
        storage.write_bytes(content[:100] if damage == "cut" else content[:-1] + bytes([content[-1] ^ 1]))
    assert jars.delta_jars()[-1].read_bytes() == content
    assert len(list(folder.iterdir())) == len(good_jars)


def test_a_jar_with_a_wrong_sha_is_refused_and_not_kept(
    good_jars: list[Path], maven: Path, folder: Path
) -> None:
    name = good_jars[-1].name
    stored(maven, name).write_bytes(b"not the JAR that was pinned")
    with pytest.raises(LakeError, match=f"found {name} with sha256 [0-9a-f]{{64}}; allowed: .*pinned sha256"):
        jars.delta_jars()
    assert list(folder.iterdir()) == []


def test_a_failed_download_names_cause_and_remedy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EFFSPARK_MAVEN_ROOT", "http://127.0.0.1:9/")
    with pytest.raises(LakeError) as caught:
        jars.delta_jars()
    for part in (
        "http://127.0.0.1:9/",
        "Connection refused",
        "delta-storage",
        "EFFSPARK_MAVEN_ROOT",
        str(folder),
    ):
        assert part in str(caught.value)


def test_a_folder_that_cannot_be_made_is_named(
    maven: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("EFFSPARK_JARS", str(tmp_path / "file" / "jars"))
    with pytest.raises(LakeError, match=r"cannot store the Delta JARs \(.*file/jars\).*set EFFSPARK_JARS"):
        jars.delta_jars()


def test_missing_java_says_what_to_install(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        LakeError, match=r"Spark needs Java \(PATH\): found no java; .*openjdk-17-jdk-headless"
    ):
        jars.delta_jars()


@pytest.mark.parametrize(("printed", "found"), [("1.8", "Java 1.8"), ("25", "Java 25")])
def test_an_unsupported_java_is_refused(
    printed: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '    java.specification.version = {printed}' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(LakeError, match=f"found {found}; allowed: Java 17 or 21"):
        jars.java_home_or_raise()


def test_an_unknown_spark_is_refused() -> None:
    with pytest.raises(LakeError, match=r"found 3\.5\.4; allowed: 4\.0\.x, 4\.1\.x"):
        jars.pinned_jars("3.5.4")


def test_a_half_filled_maven_cache_does_not_matter(
    good_jars: list[Path], maven: Path, tmp_path: Path
) -> None:
    """The Ivy trap: `~/.m2` holds the POM of a JAR but not the JAR."""
    name = good_jars[-1].name
    pom = stored(tmp_path / "home" / ".m2" / "repository", name).with_suffix(".pom")
    pom.parent.mkdir(parents=True)
    name_tags = "<groupId>io.delta</groupId><artifactId>delta-storage</artifactId>"
    version_tags = f"<modelVersion>4.0.0</modelVersion><version>{jars.DELTA_VERSION}</version>"
    pom.write_text(f"<project>{name_tags}{version_tags}</project>")
    home = tmp_path / "home"
    given = {key: value for key, value in os.environ.items() if key != "EFFSPARK_JARS"}
    environment = given | {"HOME": str(home), "JAVA_TOOL_OPTIONS": f"-Duser.home={home}"}
    command = [sys.executable, "-m", "effspark.spark.jars"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    cache = home / ".cache" / "effspark" / "jars" / jars.DELTA_VERSION
    assert done.stdout.strip() == str(cache)
    assert sorted(jar.name for jar in cache.iterdir()) == sorted(jar.name for jar in good_jars)
    assert sorted(path.name for path in home.iterdir()) == [".cache", ".m2"]


def test_the_command_prints_one_message_and_fails(folder: Path) -> None:
    environment = os.environ | {"JAVA_HOME": "/no/such/jdk"}
    command = [sys.executable, "-m", "effspark.spark.jars"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "JAVA_HOME=/no/such/jdk" in done.stderr
