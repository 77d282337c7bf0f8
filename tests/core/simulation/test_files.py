from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath

from effspark.simulation.files import LogFile, json_lines, write

AT = datetime(2026, 3, 2, 9, 0, 1, tzinfo=timezone.utc)


def test_files_are_written_with_their_own_time(tmp_path: Path) -> None:
    places = write(
        tmp_path, [LogFile(PurePosixPath("a/b/c.txt"), b"one", AT), LogFile(PurePosixPath("d"), b"", AT)]
    )
    assert [place.relative_to(tmp_path).as_posix() for place in places] == ["a/b/c.txt", "d"]
    assert places[0].read_bytes() == b"one"
    assert {datetime.fromtimestamp(place.stat().st_mtime, tz=timezone.utc) for place in places} == {AT}


def test_a_later_file_of_the_same_name_replaces_the_first(tmp_path: Path) -> None:
    later = AT.replace(year=2027)
    write(tmp_path, [LogFile(PurePosixPath("a"), b"one", AT)])
    write(tmp_path, [LogFile(PurePosixPath("a"), b"two", later)])
    assert (tmp_path / "a").read_bytes() == b"two"
    assert (tmp_path / "a").stat().st_mtime == later.timestamp()


def test_each_row_is_one_line() -> None:
    rows = [{"a": "x\ny"}, {"b": None}]
    lines = json_lines(rows).splitlines()
    assert [json.loads(line) for line in lines] == rows
