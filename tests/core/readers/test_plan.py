"""From paths to items of work: which files, read by whom, in which pieces."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from effspark import cli
from effspark.errors import LogError
from effspark.readers import Options, plan, staged_rows, staging
from effspark.readers.choosing import Choice
from effspark.readers.staged_rows import Item

PLAIN = Options()
MAPPING = {"name": "tiny", "version": 1, "benchmark": {"value": "b"}, "model": "m", "instance": "i"}
NOT_A_LOG = b"\x00\x01 no log"


def answer(custom_id: str, tokens: int = 10) -> str:
    body = {
        "created": 1770000000,
        "model": "m-1",
        "choices": [{"index": 0, "message": {"content": "é" * (tokens % 7)}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": tokens, "total_tokens": 5 + tokens},
    }
    row = {"custom_id": custom_id, "response": {"status_code": 200, "body": body}, "error": None}
    return json.dumps(row, ensure_ascii=False) + "\n"


def written(path: Path, content: str | bytes = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(data or answer("a").encode())
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return path


def names(folder: Path) -> list[str]:
    return [Path(log.uri).relative_to(folder).as_posix() for log in plan.files([str(folder)])]


def items(*paths: Path, options: Options = PLAIN, team: str = "t") -> list[Item]:
    return plan.items(plan.files([str(path) for path in paths]), options, team=team)


def staged(items: Iterable[Item]) -> dict[str, pa.Table]:
    batches = [batch for item in items for batch in staging.stage(item)]
    return {kind: staged_rows.of_kind(iter(batches), kind) for kind in staged_rows.KINDS}


def test_a_missing_path_and_an_empty_folder_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"no such file or folder \(.*/nowhere\)"):
        plan.files([str(tmp_path / "nowhere")])
    (tmp_path / "void" / "deeper").mkdir(parents=True)
    with pytest.raises(LogError, match=r"nothing to read \(.*/void\): found an empty folder"):
        plan.files([str(written(tmp_path / "a.jsonl")), str(tmp_path / "void")])


def test_an_empty_path_is_not_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "a.jsonl")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LogError, match="found an empty text"):
        plan.files([""])
    assert len(plan.files(["."])) == 1


def test_files_of_a_folder_are_taken_once_by_name_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.jsonl", "deep/a.jsonl", ".hidden", "_SUCCESS", "_temporary/x", ".git/x", "deep/_part"):
        written(tmp_path / name)
    assert names(tmp_path) == ["b.jsonl", "deep/a.jsonl"]
    twice = plan.files([str(tmp_path), str(tmp_path / "b.jsonl")])
    assert [Path(log.uri).name for log in twice] == ["b.jsonl", "a.jsonl"]
    assert [Path(log.uri).name for log in plan.files([str(tmp_path / "_SUCCESS")])] == ["_SUCCESS"]


def test_a_file_is_one_file_however_its_path_is_spelt(tmp_path: Path) -> None:
    log = written(tmp_path / "logs" / "a.jsonl")
    written(tmp_path / "labels" / "b.csv")
    again = tmp_path / "labels" / ".." / "logs" / "a.jsonl"
    assert [found.uri for found in plan.files([str(log), str(again)])] == [str(log)]


def test_a_file_that_is_read_as_something_else_is_no_log(tmp_path: Path) -> None:
    for name in ("a.jsonl", "labels.csv"):
        written(tmp_path / name)
    (kept,) = plan.files([str(tmp_path)], but={str(tmp_path / "labels.csv")})
    assert Path(kept.uri).name == "a.jsonl"


def test_a_folder_of_which_no_file_is_read_says_what_is_there(tmp_path: Path) -> None:
    written(tmp_path / "hidden" / ".a")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "out.jsonl").symlink_to(written(tmp_path / "b.jsonl"))
    (tmp_path / "linked" / "up").symlink_to(tmp_path)
    for folder, what in (
        ("hidden", r"1 file under a name that begins with \. or _ \(\.a\)"),
        ("linked", r"1 link out of the folder \(out\.jsonl\), 1 link to a folder \(up\)"),
    ):
        with pytest.raises(LogError, match=f"found only what is not read: {what}; .*name such a file itself"):
            plan.files([str(tmp_path / folder)])


def test_files_that_are_not_read_are_told_by_folder_and_none_that_is_named(tmp_path: Path) -> None:
    for name in ("a.jsonl", "_b.jsonl", "_c.jsonl", "deep/a.jsonl"):
        written(tmp_path / name)
    said = f"not read ({tmp_path}): {{}} under a name that begins with . or _ {{}}; name such a file itself to read it"
    listed = plan.listed([str(tmp_path)])
    assert listed.logs == plan.files([str(tmp_path)])
    assert listed.skipped == [said.format("2 files", "(_b.jsonl, …)")]
    assert plan.listed([str(tmp_path), str(tmp_path / "_b.jsonl")]).skipped == [
        said.format("1 file", "(_c.jsonl)")
    ]
    assert plan.listed([str(tmp_path / "deep")]).skipped == []


def test_a_folder_may_itself_be_hidden(tmp_path: Path) -> None:
    written(tmp_path / "_logs" / "a.jsonl")
    assert names(tmp_path / "_logs") == ["a.jsonl"]


def test_links_that_lead_out_of_a_folder_are_left_out_and_others_kept(tmp_path: Path) -> None:
    outside, folder = written(tmp_path / "secret.jsonl"), tmp_path / "logs"
    written(folder / "a.jsonl")
    written(tmp_path / "other" / "b.jsonl")
    (folder / "out.jsonl").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path / "other")
    (folder / "inside.jsonl").symlink_to(folder / "a.jsonl")
    assert names(folder) == ["a.jsonl", "inside.jsonl"]


def test_sizes_and_times_are_those_of_the_files(tmp_path: Path) -> None:
    [log] = plan.files([str(written(tmp_path / "a.jsonl", "12345"))])
    assert (log.size, log.modified.isoformat()) == (5, "2023-11-14T22:13:20+00:00")


@pytest.mark.parametrize("name", ["a|b.jsonl", "a:b.jsonl", "a b.jsonl", "é#?%20.jsonl", "a=1.jsonl"])
def test_odd_names_are_names_like_any_other(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / "x y|z:" / name)
    rows = staged(items(tmp_path / "x y|z:"))
    assert rows["runs"]["source_uri"].to_pylist() == [str(path)]


def test_a_file_uri_names_the_same_file(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl")
    [log] = plan.files([path.as_uri()])
    assert log.head == path.read_bytes()
    assert [Path(log.uri).name for log in plan.files([tmp_path.as_uri()])] == ["a.jsonl"]


LINES = "".join(answer(str(place), place) for place in range(60))


def rows_of(found: dict[str, pa.Table], kind: str) -> list[dict[str, Any]]:
    return sorted(found[kind].to_pylist(), key=lambda row: json.dumps(row, default=str, sort_keys=True))


@pytest.mark.parametrize("size", [997, 1024, 5000])
def test_ranges_partition_a_large_file_and_give_the_rows_of_the_whole(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.jsonl", LINES + '{"custom_id": "half')
    whole = staged(items(path))
    monkeypatch.setattr(plan, "RANGE_BYTES", size)
    cut = items(path)
    length = path.stat().st_size
    starts = list(range(0, length, size))
    assert [(item.start, item.end) for item in cut] == [
        (start, min(start + size, length)) for start in starts
    ]
    assert len(cut) > 3
    assert len({item.source_sha256 for item in cut}) == 1
    parts = staged(cut)
    assert whole["runs"].num_rows == 60
    for kind in staged_rows.KINDS:
        if kind != "counts":
            assert rows_of(parts, kind) == rows_of(whole, kind), kind
    for name in ("records", "mapped", "not_selected", "quarantined", "runs"):
        assert sum(parts["counts"][name].to_pylist()) == whole["counts"][name].to_pylist()[0]


def test_json_lines_of_a_mapping_are_cut_into_ranges_and_its_csv_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = replace(PLAIN, mapping={**MAPPING, "reasoning_tokens": "thought"})
    rows = [{"m": "acme", "i": str(place), "t": 5 + place} for place in range(60)]
    rows[0]["thought"] = 3  # only the start of the file has a row with this column
    path = written(tmp_path / "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows) + '{"m": "half')
    whole = staged(items(path, options=options))
    monkeypatch.setattr(plan, "RANGE_BYTES", 300)
    cut = items(path, options=options)
    assert len(cut) > 5
    parts = staged(cut)
    assert (whole["runs"].num_rows, whole["quarantine"].num_rows) == (60, 1)
    for kind in ("runs", "quarantine"):
        assert rows_of(parts, kind) == rows_of(whole, kind), kind
    table = written(tmp_path / "b.csv", "m,i,t,thought\n" + "acme,1,5,2\n" * 60)
    assert len(items(table, options=options)) == 1


def test_a_column_that_only_a_late_record_has_is_no_fault_of_a_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = replace(PLAIN, mapping={**MAPPING, "reasoning_tokens": "thought"})
    rows = [{"m": "acme", "i": str(place)} for place in range(60)]
    rows[50]["thought"] = "3"
    path = written(tmp_path / "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    whole = staged(items(path, options=options))
    monkeypatch.setattr(plan, "RANGE_BYTES", 300)
    parts = staged(items(path, options=options))
    assert [row["fault"] for row in parts["counts"].to_pylist()] == [None] * parts["counts"].num_rows
    assert rows_of(parts, "runs") == rows_of(whole, "runs")


def test_a_file_of_exactly_the_size_of_a_range_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.jsonl", LINES)
    monkeypatch.setattr(plan, "RANGE_BYTES", path.stat().st_size)
    assert [(item.start, item.end) for item in items(path)] == [(0, None)]
    monkeypatch.setattr(plan, "RANGE_BYTES", path.stat().st_size - 1)
    assert len(items(path)) == 2


def test_what_cannot_be_cut_is_not_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "RANGE_BYTES", 50)
    zipped = written(tmp_path / "a.jsonl.gz", gzip.compress(LINES.encode()))
    wide = written(tmp_path / "b.jsonl", LINES.encode("utf-16"))
    listed = written(tmp_path / "c.json", json.dumps([{"m": "acme", "i": str(i)} for i in range(9)]))
    for path in (zipped, wide):
        [item] = items(path)
        assert (item.start, item.end) == (0, None)
        assert staged([item])["runs"].num_rows == 60
    [item] = items(listed, options=replace(PLAIN, mapping=MAPPING))
    assert (item.end, staged([item])["runs"].num_rows) == (None, 9)
    [item] = items(written(tmp_path / "d.bin", NOT_A_LOG * 20))
    assert (item.choice, item.end) == (Choice(None, item.choice and item.choice.why, PLAIN), None)


def test_items_carry_team_and_options(tmp_path: Path) -> None:
    options = Options(benchmark="b")
    [item] = items(written(tmp_path / "a.jsonl"), options=options, team="aurora")
    assert (item.team, item.options, item.choice) == ("aurora", options, None)


def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "/dev/null"):
        with pytest.raises(LogError, match=r"no such file or folder .*found a pipe or a device"):
            plan.files([path])


@pytest.mark.parametrize("target", ["link", "nowhere"])
def test_a_link_to_itself_or_to_nothing_is_no_file(target: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / target)
    with pytest.raises(LogError, match="no such file or folder"):
        plan.files([str(tmp_path / "link")])


@pytest.mark.parametrize("path", ["http://x/y", "foo://x", "x" * 300, "\udcff.jsonl", "/dev/null"])
def test_a_path_of_no_file_ends_a_command_with_one_message(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["check", path]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("effspark: "), "Traceback" in err) == ("", 1, False)


def test_a_file_of_two_kinds_is_refused_and_one_named_twice_is_not() -> None:
    plan.refuse_two_kinds([("a", "log"), ("b", "items"), ("a", "log"), ("c", "labels")])
    with pytest.raises(
        LogError, match=r"one file is given as two kinds \(b\): found items and labels; allowed: one"
    ):
        plan.refuse_two_kinds([("a", "log"), ("b", "items"), ("b", "labels")])
