"""Paths and URIs: what lies there, and every way in which nothing can be read there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyarrow import fs

from effspark.errors import LogError
from effspark.readers import places
from effspark.readers.places import failures, files_below, filesystem_of, info_of

LOCAL = fs.LocalFileSystem()


def below(folder: Path) -> list[str]:
    infos = files_below(str(folder), LOCAL, where=str(folder))
    return sorted(Path(info.path).relative_to(folder).as_posix() for info in infos)


@pytest.mark.parametrize("uri", ["http://x/y", "foo://x", "://x", "file://host/x", "s3://a bucket/x"])
def test_a_uri_of_no_known_place_is_refused_by_name(uri: str) -> None:
    with pytest.raises(LogError) as fault:
        filesystem_of(uri)
    assert str(fault.value).startswith(f"a place that cannot be reached ({uri}): found ")


def test_a_store_without_a_network_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unreachable:
        @staticmethod
        def from_uri(uri: str) -> None:  # noqa: ARG004
            raise OSError("Could not resolve\n hostname")

    monkeypatch.setattr(places.fs, "FileSystem", Unreachable)
    with pytest.raises(LogError, match=r"cannot be reached \(s3://b/k\): found Could not resolve hostname"):
        filesystem_of("s3://b/k")


def test_google_cloud_storage_is_asked_for_ten_seconds_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Store:
        @staticmethod
        def from_uri(uri: str) -> tuple[str, str]:
            asked.append(uri)
            return "a store", "b/k"

    monkeypatch.setattr(places.fs, "FileSystem", Store)
    for uri in ("gs://b/k", "gs://b/k?scheme=http", "gs://b/k?retry_limit_seconds=5", "s3://b/k"):
        assert filesystem_of(uri) == ("a store", "b/k")
    assert asked == [
        "gs://b/k?retry_limit_seconds=10",
        "gs://b/k?scheme=http&retry_limit_seconds=10",
        "gs://b/k?retry_limit_seconds=5",
        "s3://b/k",
    ]


@pytest.mark.parametrize("name", ["x" * 300, "a\x00b"])
def test_a_name_that_the_system_refuses_is_an_error_with_the_name(name: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=name[:200]):
        info_of(str(tmp_path / name))


def test_a_name_that_is_not_utf8_is_an_error_that_spells_it(tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/\xff.jsonl"
    Path(os.fsdecode(odd)).write_bytes(b"{}")
    for ask in (lambda: info_of(os.fsdecode(odd)), lambda: below(tmp_path)):
        with pytest.raises(LogError, match=r"a file name that is not UTF-8 \(.*/\\udcff\.jsonl\)"):
            ask()


def test_links_that_go_round_or_lead_nowhere_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.jsonl").write_bytes(b"{}")
    for name, target in (("here", "."), ("also", "."), ("one", "two"), ("two", "one"), ("gone", "nowhere")):
        (tmp_path / name).symlink_to(target)
    os.mkfifo(tmp_path / "pipe")
    assert below(tmp_path) == ["deep/a.jsonl"]


def test_a_folder_that_nobody_may_list_is_an_error_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shut = tmp_path / "shut"
    shut.mkdir()
    scan = os.scandir

    def guarded(path: str) -> object:
        if Path(path) == shut:
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", guarded)
    with pytest.raises(LogError, match=r"Permission denied.*shut"):
        below(tmp_path)


def test_an_error_of_the_system_is_an_error_of_the_log() -> None:
    with pytest.raises(LogError, match=r"\(a\.jsonl\): found busy"), failures("a.jsonl"):
        raise OSError("busy")
