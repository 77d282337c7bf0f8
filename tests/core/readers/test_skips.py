"""Which files of a folder are not read, and how that is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from effspark.readers.skips import Skip, links_without_file, skip_of, told


def test_links_are_told_by_where_they_lead(tmp_path: Path) -> None:
    folder, outside = tmp_path / "logs", tmp_path / "secret"
    (folder / ".git").mkdir(parents=True)
    for file in (folder / "a", outside):
        file.write_text("x")
    for name, target in (("out", outside), ("in", folder / "a"), ("up", tmp_path), ("lost", tmp_path / "no")):
        (folder / name).symlink_to(target)
    (folder / ".git" / "lost").symlink_to(tmp_path / "no")
    files = {str(folder / name) for name in ("a", "out", "in")}
    reasons = {Path(path).name: skip_of(path, str(folder), local=True) for path in files}
    assert reasons == {"a": None, "in": None, "out": Skip.OUTSIDE}
    assert sorted(links_without_file(str(folder), files)) == [
        (Skip.FOLDER, str(folder / "up")),
        (Skip.HIDDEN, str(folder / ".git" / "lost")),
        (Skip.NOWHERE, str(folder / "lost")),
    ]


@pytest.mark.parametrize("name", [".a", "_a", "_a/b", "a/.b/c", "a/_b"])
def test_a_name_that_a_tool_keeps_for_itself_hides_all_that_lies_below(name: str) -> None:
    assert skip_of(f"bucket/logs/{name}", "bucket/logs", local=False) is Skip.HIDDEN


@pytest.mark.parametrize("name", ["a", "a_/b.", "a/b_c.jsonl"])
def test_other_names_are_read_and_the_folder_itself_may_be_hidden(name: str) -> None:
    assert skip_of(f"bucket/_logs/{name}", "bucket/_logs", local=False) is None


def test_only_what_is_there_is_told() -> None:
    assert told("a", {}) == told("a", {Skip.HIDDEN: []}) == ""
    assert told("a", {Skip.NOWHERE: ["a/b"]}) == "1 link to nothing that can be read (b)"
