"""Files that the place of a log points to."""

from __future__ import annotations

from pathlib import Path

import pytest

from effspark.readers.companions import file_at, parent


def test_a_file_is_found_by_path_and_by_uri(tmp_path: Path) -> None:
    path = tmp_path / "a b|c.json"
    path.write_bytes(b"{}")
    found = file_at(str(path))
    assert found is not None
    assert (found.uri, found.size, found.content()) == (str(path), 2, b"{}")
    plain = tmp_path / "plain.json"
    plain.write_bytes(b"[]")
    remote = file_at(plain.as_uri())
    assert remote is not None
    assert remote.content() == b"[]"


def test_a_folder_is_no_file_and_what_is_not_there_is_nothing(tmp_path: Path) -> None:
    assert file_at(str(tmp_path)) is None
    assert file_at(str(tmp_path / "none" / "a.json")) is None


@pytest.mark.parametrize(
    ("uri", "levels", "folder"),
    [
        ("s3://bucket/a/b.json", 1, "s3://bucket/a"),
        ("/a/b/c.json", 2, "/a"),
        ("c.json", 3, "."),
        ("a/c.json", 1, "a"),
    ],
)
def test_a_parent_is_the_folder_so_many_levels_above(uri: str, levels: int, folder: str) -> None:
    assert parent(uri, levels) == folder
