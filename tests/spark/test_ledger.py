"""Which files are read again, and which are not opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from effspark.readers import Options
from effspark.readers.files import Log
from effspark.spark import ledger
from effspark.spark.store import Store
from tests.spark.small import MAPPING, NOW, ROWS, column, csv, load

LOG = Log("/logs/a.csv", 100, datetime(2026, 1, 2, tzinfo=timezone.utc))
READ = Options(mapping=MAPPING)
COUNTS = {"records": 4, "mapped": 4, "kept": 3, "not_selected": 0, "quarantined": 0, "runs": 4}


def made(log: Log = LOG, options: Options = READ, *, reader: str = "mapper", **counts: Any) -> dict[str, Any]:
    mapping = options.mapping or {}
    read = {"reader": reader, "mapping_sha256": ledger.mapping_hash(options)}
    found = {**COUNTS, **read, "mapping_version": mapping.get("version", 0), "source_sha256": "0", **counts}
    return ledger.row(found, log, options, team="blue", kind="log", load_id="l", now=NOW)


def changed(path: str = LOG.uri, size: int = LOG.size, days: int = 0) -> Log:
    return Log(path, size, LOG.modified + timedelta(days=days))


@pytest.mark.parametrize(
    ("log", "options", "kind", "skipped"),
    [
        (LOG, READ, "log", True),
        (changed(path="/logs/b.csv"), READ, "log", False),
        (changed(size=101), READ, "log", False),
        (changed(days=1), READ, "log", False),
        (LOG, Options(mapping={**MAPPING, "version": 2}), "log", False),
        (LOG, Options(mapping=MAPPING, benchmark="other"), "log", False),
        (LOG, READ, "labels", False),
    ],
)
def test_a_file_is_skipped_while_it_the_mapping_and_the_options_are_the_same(
    log: Log, options: Options, kind: str, skipped: bool
) -> None:
    row = {LOG.uri: made()}.get(log.uri)
    assert ledger.unchanged(row, log, options, kind) == skipped


@pytest.mark.parametrize(
    ("refused", "reader", "fresh", "again"),
    [
        (1, "openai_batch", "/logs/day/input.jsonl", True),
        (0, "openai_batch", "/logs/day/input.jsonl", False),
        (1, "openai_batch", "/logs/other/input.jsonl", False),
        (1, "opencompass", "/logs/results/m/b.json", True),
        (1, "mapper", "/logs/day/input.jsonl", False),
        (1, "unknown", "/logs/day/input.jsonl", False),
    ],
)
def test_a_file_with_refused_records_is_read_again_when_a_file_comes_where_they_may_be_mended(
    refused: int, reader: str, fresh: str, again: bool
) -> None:
    log = changed(path="/logs/day/part/output.jsonl" if reader == "opencompass" else "/logs/day/output.jsonl")
    row = made(log, Options(), reader=reader, quarantined=refused)
    assert ledger.may_be_mended(row, log, [changed(path=fresh)]) == again
    assert not ledger.may_be_mended(row, log, [])
    assert not ledger.may_be_mended(None, log, [changed(path=fresh)])


def readings(rows: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    return ledger.read_otherwise([made()], list(rows))


def test_content_is_read_otherwise_where_reader_mapping_or_options_differ() -> None:
    assert readings([made()]) == []
    assert readings([made(source_sha256="1", options=Options())]) == []
    mended = Options(mapping={**MAPPING, "version": 2})
    assert readings([made(options=mended)]) == [("0", "blue")]


def test_content_of_several_files_is_read_otherwise_where_one_of_them_was() -> None:
    mended = made(options=Options(mapping={**MAPPING, "version": 2}))
    for known in ([made(), mended], [mended, made()]):
        assert ledger.read_otherwise(known, [mended]) == [("0", "blue")]


def test_a_file_that_changed_and_is_read_otherwise_is_told() -> None:
    known = [made(runs=4)]
    mended = made(source_sha256="1", options=Options(mapping={**MAPPING, "version": 2}))
    assert ledger.replaced_otherwise(known, [mended]) == [mended]
    old = {**mended, "source_uri": "old.csv", "source_sha256": "0"}
    for files in ([made(source_sha256="1")], [{**mended, "source_sha256": "0"}], [mended, old]):
        assert ledger.replaced_otherwise(known, files) == []
    assert ledger.replaced_otherwise([made(runs=0)], [mended]) == []


def test_a_file_that_no_reader_knew_is_read_again_where_a_mapping_or_a_format_is_named() -> None:
    unknown = made(options=Options(), reader="unknown", quarantined=1)
    assert ledger.unchanged(unknown, LOG, Options(), "log")
    assert not ledger.unchanged(unknown, LOG, READ, "log")
    assert not ledger.unchanged(unknown, LOG, Options(), "log", format_name="zeroeval")
    assert ledger.unchanged(made(), LOG, READ, "log", format_name="mapper")
    assert not ledger.unchanged(made(), LOG, READ, "log", format_name="zeroeval")


def test_a_file_whose_reader_was_uninstalled_is_read_by_whoever_knows_it() -> None:
    row = {**made(options=Options(), reader="zeroeval", quarantined=1), "reader": "acme"}
    assert not ledger.unchanged(row, LOG, Options(), "log")
    assert not ledger.may_be_mended(row, LOG, [changed(path="/logs/b.csv")])


def told(
    question: Callable[..., list[Any]], known: list[dict[str, Any]], files: list[dict[str, Any]]
) -> list[Any]:
    return question(known, files, ledger.read_otherwise(known, files))


def test_content_that_another_team_holds_as_before_is_not_all_read_anew() -> None:
    mended = Options(mapping={**MAPPING, "version": 2})
    again, other = made(options=mended), {**made(), "team": "red"}
    assert told(ledger.all_read_anew, [made()], [again]) == ["0"]
    assert told(ledger.all_read_anew, [made(), other], [again]) == []
    assert told(ledger.all_read_anew, [made(), {**again, "team": "red"}], [again]) == ["0"]
    assert told(ledger.all_read_anew, [made(), other], [again, {**again, "team": "red"}]) == ["0"]


def test_other_files_of_a_content_that_is_read_otherwise_are_named() -> None:
    again, copy = made(options=Options(mapping={**MAPPING, "version": 2})), {**made(), "source_uri": "copy"}
    place = {"source_uri": "copy", "team": "blue"}
    assert told(ledger.of_same_content, [made(), copy, {**copy, "team": "red"}], [again]) == [place]
    assert told(ledger.of_same_content, [made(), copy], [again, {**again, "source_uri": "copy"}]) == []
    assert told(ledger.of_same_content, [made(), copy], [made()]) == []


def test_records_are_counted_by_what_became_of_them() -> None:
    row = made()
    assert (row["records"], row["mapped"], row["merged"], row["runs"]) == (4, 3, 1, 4)


@pytest.mark.long
def test_an_unchanged_file_is_not_opened_but_for_another_team(spark: SparkSession, tmp_path: Path) -> None:
    store = Store(spark, str(tmp_path / "lake"))
    file = csv(tmp_path, "log.csv")
    load(store, file)
    stat, content = file.stat(), file.read_bytes()
    file.write_bytes(b"x" * stat.st_size)
    os.utime(file, (stat.st_atime, stat.st_mtime))
    again = load(store, file)
    assert (again.unchanged, again.files) == (1, [])
    file.write_bytes(content)
    assert load(store, file, team="red").unchanged == 0
    assert sorted(column(store, "loads", "team")) == [("blue",), ("red",)]
    # One run of two teams is one run with two sources.
    assert len(column(store, "runs", "run_key")) == len(ROWS)
    assert sorted(column(store, "run_sources", "team")) == [("blue",)] * 4 + [("red",)] * 4
