"""The project's own folders, inside the package or beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from effspark import resources
from effspark.errors import SettingsError


@pytest.mark.parametrize("name", ["schemas", "conf", "jobs"])
def test_each_folder_is_found_and_holds_files(name: str) -> None:
    found = resources.folder(name)
    assert found.is_absolute()
    assert any(path.is_file() for path in found.iterdir())


def test_the_folder_inside_the_package_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "effspark"
    beside, inside = tmp_path / "conf", package / "conf"
    beside.mkdir()
    package.mkdir()
    monkeypatch.setattr(resources, "PACKAGE", package)
    assert resources.folder.__wrapped__("conf") == beside
    inside.mkdir()
    assert resources.folder.__wrapped__("conf") == inside


def test_an_incomplete_installation_is_told_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "effspark")
    with pytest.raises(SettingsError, match=r"the folder schemas is missing .*install effspark again"):
        resources.folder.__wrapped__("schemas")
