"""What LAKE names: a folder, an object store, or a catalog and schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from effspark import lakes
from effspark.errors import LakeError, SettingsError
from effspark.lakes import LakeKind


@pytest.mark.parametrize(
    ("lake", "kind"),
    [
        ("lake", LakeKind.FOLDER),
        ("./main.evals", LakeKind.FOLDER),
        ("/data/main.evals", LakeKind.FOLDER),
        ("a.b.c", LakeKind.FOLDER),
        ("1.5", LakeKind.FOLDER),
        (".hidden", LakeKind.FOLDER),
        ("main.evals", LakeKind.CATALOG),
        ("main-eu.evals_2", LakeKind.CATALOG),
        ("s3a://bucket/main.evals", LakeKind.OBJECT_STORE),
        ("abfss://box@account.dfs.core.windows.net/lake", LakeKind.OBJECT_STORE),
        ("file:///data/lake", LakeKind.OBJECT_STORE),
    ],
)
def test_a_lake_is_known_by_its_name(
    lake: str, kind: LakeKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert lakes.kind_of(lake) is kind


def test_an_existing_folder_is_a_folder_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.evals").mkdir()
    assert lakes.kind_of("main.evals") is LakeKind.FOLDER
    assert lakes.named("main.evals") == str(tmp_path / "main.evals")


@pytest.mark.parametrize("lake", ["http://host/lake", "foo://x", "jdbc://x"])
def test_a_uri_that_holds_no_files_is_refused(lake: str) -> None:
    with pytest.raises(SettingsError, match=f"found {lake}; allowed: a folder, catalog.schema, or a URI of"):
        lakes.named(lake)


@pytest.mark.parametrize(
    ("found", "remedy"),
    [
        ("3", "install the effspark that made it"),
        (None, "choose another lake"),
        ("1", "choose another lake"),
        ("x", "choose another lake"),
    ],
)
def test_a_lake_of_another_version_is_refused(found: str | None, remedy: str) -> None:
    lakes.check_version("lake", str(lakes.LAKE_VERSION))
    with pytest.raises(LakeError, match=f"allowed: version {lakes.LAKE_VERSION}; {remedy}"):
        lakes.check_version("lake", found)


def test_a_store_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    (tmp_path / "runs" / "_delta_log").mkdir(parents=True)
    assert lakes.is_table(f"file://{tmp_path}/runs")
    assert not lakes.is_table(f"file://{tmp_path}/verdicts")
    with pytest.raises(LakeError, match="the lake cannot be looked at"):
        lakes.is_table("dbfs://nowhere/runs")


def test_the_argument_goes_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EFFSPARK_LAKE", "s3://bucket/from-environment")
    assert lakes.named("lake") == str(tmp_path / "lake")
    assert lakes.named(None) == lakes.named("") == "s3://bucket/from-environment"


def test_without_argument_and_environment_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EFFSPARK_LAKE", raising=False)
    with pytest.raises(SettingsError, match="pass --lake LAKE or set EFFSPARK_LAKE"):
        lakes.named(None)


def test_a_trailing_slash_makes_no_other_lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert lakes.named("s3a://bucket/lake/") == lakes.named("s3a://bucket/lake")
    assert lakes.named("lake/") == lakes.named("lake")


def test_a_table_is_a_folder_with_a_delta_log(tmp_path: Path) -> None:
    (tmp_path / "runs" / "_delta_log").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    assert lakes.is_table(str(tmp_path / "runs"))
    assert lakes.is_table((tmp_path / "runs").as_uri())
    assert not lakes.is_table(str(tmp_path / "empty"))
    assert not lakes.is_table((tmp_path / "absent").as_uri())


@pytest.mark.parametrize("name", ["log.jsonl", "log"])
def test_a_file_is_no_lake_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / name).write_text("{}")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match=f"found {name}, which is a file"):
        lakes.named(name)
