"""Inspect logs end to end: every container gives the same runs, corrections and retries win, one bad sample is one."""

from __future__ import annotations

import gzip
import io
import json
import warnings
import zipfile
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import zipfile_zstd

from effspark.readers.inspect_ai import READER, looks_like_header
from tests.core.readers.inspect_logs import (
    chunked_members,
    golden,
    header_of,
    rows_of,
    stored,
    whole_members,
    zipped,
)

PLACES = ("source_uri", "source_sha256", "source_offset")
BAD_VALUES: tuple[Any, ...] = (None, True, -1, 1.5, "x", [], ["x"], {}, {"x": 1}, float("nan"))


def compared(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without their place, in an order that does not depend on it."""
    told = [{name: value for name, value in row.items() if name not in PLACES} for row in rows]
    return sorted(told, key=lambda row: (row["run_key"], row.get("scorer", "")))


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place inside a JSON value."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in steps:
        yield (*path, step)
        yield from paths(part, (*path, step))


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    copy: Any = json.loads(json.dumps(value))
    inside = copy
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = by
    return copy


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile_zstd.ZIP_ZSTANDARD])
@pytest.mark.parametrize("layout", [whole_members, chunked_members])
def test_every_container_gives_the_same_rows(tmp_path: Path, layout: Any, method: int) -> None:
    wanted = rows_of(stored(tmp_path, "log.json", json.dumps(golden()).encode()))
    log = stored(tmp_path, "log.eval", zipped(layout(golden()), method))
    found = rows_of(log)
    assert READER.detect(log) == 1.0
    for kind in ("runs", "verdicts", "traces"):
        assert compared(found[kind]) == compared(wanted[kind])
    assert found["counts"][0]["reasons"] == "1 invalid_record"
    assert [found["counts"][0][name] for name in ("records", "mapped", "not_selected")] == [7, 6, 0]


@pytest.mark.parametrize(
    "pack", [gzip.compress, lambda data: data.decode().encode("utf-16"), lambda data: b"\xef\xbb\xbf" + data]
)
def test_a_document_is_read_whatever_its_encoding(tmp_path: Path, pack: Any) -> None:
    plain = json.dumps(golden(), ensure_ascii=False).encode()
    log = stored(tmp_path, "log.txt", pack(plain))
    assert READER.detect(log) == 1.0
    assert compared(rows_of(log)["runs"]) == compared(rows_of(stored(tmp_path, "a.json", plain))["runs"])


def test_a_crashed_run_is_read_from_its_journal(tmp_path: Path) -> None:
    members = whole_members(golden())
    del members["header.json"], members["summaries.json"], members["reductions.json"]
    rows = rows_of(stored(tmp_path, "crashed.eval", zipped(members)))
    assert len(rows["runs"]) == 6
    assert {run["eval_run_id"] for run in rows["runs"]} == {"TASK1"}
    # the sample says when it ended, the header no more
    assert rows["runs"][0]["log_version"] == datetime(2026, 1, 10, 9, 0, 7, tzinfo=timezone.utc)


def test_a_retried_log_replaces_the_runs_it_repeats(tmp_path: Path) -> None:
    first = golden()
    first["samples"] = [first["samples"][4]]
    again = json.loads(json.dumps(first))
    again["eval"] |= {"eval_id": "E2", "run_id": "R2", "created": "2026-01-11T09:00:00+00:00"}
    again["stats"]["completed_at"] = "2026-03-01T10:00:00+00:00"
    again["samples"][0] |= {"uuid": "other", "error": None}
    old, new = (
        rows_of(stored(tmp_path, name, json.dumps(document).encode()))["runs"][0]
        for name, document in (("a.json", first), ("b.json", again))
    )
    assert (old["status"], new["status"]) == ("error", "ok")
    assert new["run_key"] == old["run_key"]
    assert new["log_version"] > old["log_version"]
    assert new["source_record_id"] != old["source_record_id"]


def test_an_edited_log_is_newer_than_the_log_it_corrects(tmp_path: Path) -> None:
    before = golden()
    before["samples"] = [before["samples"][2]]
    before["samples"][0]["scores"]["match"] = {"value": "I", "answer": "four"}
    after = golden()
    after["samples"] = [after["samples"][2]]
    old, new = (
        rows_of(stored(tmp_path, name, json.dumps(document).encode()))
        for name, document in (("a.json", before), ("b.json", after))
    )
    assert old["runs"][0]["run_key"] == new["runs"][0]["run_key"]
    assert old["verdicts"][0]["log_version"] < new["verdicts"][0]["log_version"]
    assert [rows["verdicts"][0]["correct"] for rows in (old, new)] == [False, True]


def test_a_rescored_log_is_newer_than_the_log_it_rescored(tmp_path: Path) -> None:
    document = golden()
    document["samples"], document["log_updates"] = [document["samples"][2]], None
    document["samples"][0]["scores"] = {"match": {"value": "C"}}
    old = rows_of(stored(tmp_path, "a.json", json.dumps(document).encode()))["runs"][0]["log_version"]
    document["samples"][0]["events"][-1]["timestamp"] = "2026-06-01T00:00:00.5+00:00"
    new = rows_of(stored(tmp_path, "b.json", json.dumps(document).encode()))["runs"][0]["log_version"]
    assert old == datetime(2026, 1, 10, 10, tzinfo=timezone.utc)
    assert new == datetime(2026, 6, 1, tzinfo=timezone.utc)


def test_a_value_of_another_type_costs_one_sample_at_most(tmp_path: Path) -> None:
    document = golden()
    whole, good, edited = document["samples"][:3]
    document["samples"] = [good]
    for sample in (whole, edited):
        for path in paths(sample):
            document["samples"] += [replaced(sample, path, value) for value in BAD_VALUES]
    rows = rows_of(stored(tmp_path, "log.json", json.dumps(document).encode()))
    count = rows["counts"][0]
    assert count["records"] == len(document["samples"]) == count["mapped"] + count["quarantined"]
    assert rows["runs"][0]["instance_id"] == good["id"]
    assert set(count["reasons"].replace(",", "").split()[1::2]) == {"invalid_record"}


def test_a_header_value_of_another_type_stops_no_load(tmp_path: Path) -> None:
    document = golden()
    document["samples"] = document["samples"][:1]
    header = header_of(document)
    for number, path in enumerate(paths(header)):
        for value in (None, 1.5, "x", ["x"], {"x": 1}):
            bad = {**replaced(header, path, value), "samples": document["samples"]}
            count = rows_of(stored(tmp_path, f"{number}.json", json.dumps(bad).encode()))["counts"][0]
            assert count["records"] == count["mapped"] + count["quarantined"] == 1, (path, value)


def test_half_a_character_costs_no_sample(tmp_path: Path) -> None:
    text = (
        json.dumps(golden())
        .replace("add-1", "add-\\ud83d")
        .replace("ANSWER: 4", "\\ud83d")
        .replace("easy", "\\ude00")
    )
    rows = rows_of(stored(tmp_path, "log.json", text.replace("level", "\\ud83d").encode()))
    assert (len(rows["runs"]), len(rows["quarantine"])) == (6, 1)
    assert rows["runs"][0]["instance_id"] == "add-\ufffd"
    assert rows["traces"][0]["answer"] == "\ufffd"


def test_a_cut_document_keeps_the_samples_before_the_cut(tmp_path: Path) -> None:
    data = json.dumps(golden()).encode()
    rows = rows_of(stored(tmp_path, "log.json", data[: data.index(b'"U3"')]))
    assert [run["source_record_id"] for run in rows["runs"]] == ["U1", "U2"]
    (refused,) = rows["quarantine"]
    assert refused["reason"] == "unreadable_file"
    assert refused["raw"].startswith('{"id": ')
    assert data[refused["source_offset"] :].startswith(refused["raw"].encode())


def test_a_cut_archive_is_recognised_and_refused_with_a_remedy(tmp_path: Path) -> None:
    data = zipped(whole_members(golden()))
    log = stored(tmp_path, "log.eval", data[: len(data) // 2])
    rows = rows_of(log)
    assert READER.detect(log) == 1.0
    assert [row["reason"] for row in rows["quarantine"]] == ["unreadable_file"]
    assert rows["quarantine"][0]["raw"].startswith("PK")
    assert "write or copy the log again" in rows["quarantine"][0]["detail"]


def test_a_member_that_leads_out_of_the_log_is_refused_alone(tmp_path: Path) -> None:
    members = {"../x": 1, "/samples/y_epoch_1.json": 1, "samples\\..\\z": 1} | whole_members(golden())
    rows = rows_of(stored(tmp_path, "log.eval", zipped(members)))
    assert len(rows["runs"]) == 6
    assert [row["reason"] for row in rows["quarantine"]] == ["unsafe_member"] * 3 + ["invalid_record"]
    assert [path.name for path in tmp_path.iterdir()] == ["log.eval"]


def test_only_the_last_member_of_a_name_counts(tmp_path: Path) -> None:
    document = golden()
    target = io.BytesIO(zipped(whole_members(document)))
    again = document["samples"][0] | {"uuid": "later"}
    with zipfile.ZipFile(target, "a") as archive, warnings.catch_warnings(action="ignore"):
        archive.writestr("samples/add-1_epoch_1.json", json.dumps(again))
    rows = rows_of(stored(tmp_path, "log.eval", target.getvalue()))
    found = {
        run["source_record_id"]
        for run in rows["runs"]
        if (run["instance_id"], run["attempt"]) == ("add-1", "1")
    }
    assert found == {"later"}
    assert rows["counts"][0]["not_selected"] == 1


@pytest.mark.parametrize(
    "data",
    [
        zipped({"a.json": {"eval": {"task": "t"}}}),
        zipped({"header.json": {"task": "t"}, "_journal/start.json": [1]}),
        json.dumps({"results": {}, "config": {"model": "m"}, "versions": {}}).encode(),
        json.dumps([golden()]).encode(),
        b"",
        b"PK\x03\x04",
    ],
)
def test_other_files_are_not_claimed_whatever_their_name(tmp_path: Path, data: bytes) -> None:
    assert READER.detect(stored(tmp_path, "log.eval", data)) == 0.0


def test_a_log_is_known_by_its_header_wherever_it_lies(tmp_path: Path) -> None:
    members = {"note.txt": "first"} | whole_members(golden())
    assert READER.detect(stored(tmp_path, "renamed.bin", zipped(members))) == 1.0
    assert looks_like_header(json.dumps(golden(), indent=2).encode()[:2000])


@pytest.mark.parametrize("layout", [None, whole_members, chunked_members])
def test_an_odd_time_in_the_header_costs_no_sample(tmp_path: Path, layout: Any) -> None:
    document = replaced(golden(), ("stats", "completed_at"), "10000-01-01T00:00:00Z")
    data = json.dumps(document).encode() if layout is None else zipped(layout(document))
    rows = rows_of(stored(tmp_path, "log", data))
    assert rows["counts"][0]["reasons"] == "1 invalid_record"
    assert ["odd_time" in run["quality_flags"] for run in rows["runs"]] == [True] * 6


@pytest.mark.parametrize("huge", ["1e999", "-1e999", "9" * 5000])
def test_a_budget_that_is_no_number_refuses_each_sample_with_its_reason(tmp_path: Path, huge: str) -> None:
    document = replaced(golden(), ("plan", "config", "max_tokens"), "HUGE")
    data = json.dumps(document).replace('"HUGE"', huge).encode()
    rows = rows_of(stored(tmp_path, "log", data))
    assert rows["counts"][0]["reasons"] == "7 invalid_record"
    assert rows["quarantine"][0]["detail"].startswith("output_budget_tokens: found ")


def test_a_number_beyond_all_floats_is_infinite_as_in_pythons_json(tmp_path: Path) -> None:
    document = replaced(golden(), ("samples", 0, "metadata", "depth"), "HUGE")
    data = json.dumps(document).replace('"HUGE"', "1e999").encode()
    rows = rows_of(stored(tmp_path, "log", data))
    assert rows["counts"][0]["reasons"] == "1 invalid_record"
    assert len(rows["runs"]) == 6


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_that_is_no_utf8_costs_one_sample_with_or_without_a_mark(mark: bytes, tmp_path: Path) -> None:
    data = json.dumps(golden()).encode()
    place = data.index(b'"input": "', data.index(b'"samples": [')) + 10
    rows = rows_of(stored(tmp_path, "log.json", mark + data[:place] + b"\xff" + data[place:]))
    assert [rows["counts"][0][name] for name in ("records", "mapped", "quarantined")] == [7, 5, 2]
