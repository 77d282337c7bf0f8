"""From entries to staged rows: they add up, one bad record spoils no other, batches are bounded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from effspark import readers, tables
from effspark.errors import LogError, SettingsError
from effspark.readers import (
    FIELDS,
    Carries,
    Entry,
    Fact,
    Mapped,
    NotSelected,
    Options,
    Reads,
    Rejected,
    staged_rows,
    staging,
)
from effspark.readers.choosing import Choice
from effspark.readers.files import HEAD_BYTES, Log
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict
from effspark.runs.tokens import Usage

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
CONTENT = b"any bytes\n"
SHA = hashlib.sha256(CONTENT).hexdigest()
RUN = LoggedRun(
    configuration=Configuration(request_model="acme/one"),
    benchmark_id="gsm8k",
    instance_id="0",
    attempt="1",
    usage=Usage(output=330),
    verdicts=(LoggedVerdict(scorer="match", raw="1", value=1.0),),
)


class Told:
    """A reader that yields the entries it is told."""

    name, version, reads, title = "told", 7, Reads.FILE, "a test"
    trap = "None."
    carries = dict.fromkeys(FIELDS, Carries.ABSENT)

    def __init__(self, entries: Callable[[], Iterator[Entry]]) -> None:
        self._entries = entries

    def detect(self, log: Log) -> float:  # noqa: ARG002
        return 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:  # noqa: ARG002
        return self._entries()


Stage = Callable[..., dict[str, pa.Table]]


@pytest.fixture
def item(tmp_path: Path) -> staged_rows.Item:
    path = tmp_path / "log.txt"
    path.write_bytes(CONTENT)
    return staged_rows.Item(
        uri=str(path), size=len(CONTENT), modified=NOON, format_name="told", team="a", options=Options()
    )


@pytest.fixture
def stage(item: staged_rows.Item, monkeypatch: pytest.MonkeyPatch) -> Stage:
    def staged(entries: Callable[[], Iterator[Entry]], **changes: Any) -> dict[str, pa.Table]:
        monkeypatch.setattr(readers, "registry", lambda: {"told": Told(entries)})
        batches = list(staging.stage(replace(item, **changes)))
        return {kind: staged_rows.of_kind(iter(batches), kind) for kind in staged_rows.KINDS}

    return staged


def run(**changes: Any) -> LoggedRun:
    return replace(RUN, **changes)


def counts(found: dict[str, pa.Table]) -> list[Any]:
    (row,) = found["counts"].to_pylist()
    return [row[name] for name in ("records", "mapped", "not_selected", "quarantined", "runs", "reasons")]


def of_every_kind() -> Iterator[Entry]:
    yield NotSelected(0, "summary")
    yield Mapped(10, (run(), run(attempt="2")), {"raw": 1})
    yield Rejected(20, "invalid_json", "found x; mend it", "{x")
    yield NotSelected(30, "filter", 3)
    yield Fact(40, "labels", {"target": "t", "custom_id": "c", "benchmark_id": "b", "instance_id": "i"}, {})
    yield Mapped(50, (run(instance_id="1"), run(instance_id=None)), {"raw": 2})
    yield Mapped(60, (run(instance_id="2"),), {"raw": 3})
    raise LogError("the rest is damaged")


def test_rows_add_up_over_entries_of_every_kind(stage: Stage) -> None:
    found = stage(of_every_kind)
    reasons = "3 filter, 1 invalid_json, 1 invalid_record, 1 summary, 1 unreadable_file"
    assert counts(found) == [10, 3, 4, 3, 3, reasons]
    assert {kind: table.num_rows for kind, table in found.items()} == {
        "runs": 3, "run_sources": 3, "configurations": 3, "verdicts": 3, "traces": 0, "instances": 0,
        "labels": 1, "quarantine": 3, "counts": 1,
    }  # fmt: skip


def test_a_record_with_one_bad_run_of_two_is_refused_whole(stage: Stage) -> None:
    found = stage(of_every_kind)
    assert found["runs"]["instance_id"].to_pylist() == ["0", "0", "2"]
    row = found["quarantine"].to_pylist()[1]
    assert (row["source_offset"], row["reason"], row["raw"]) == (50, "invalid_record", '{"raw": 2}')
    assert "instance id: found None" in row["detail"]


def test_a_reader_that_gives_up_leaves_what_it_read_and_one_refusal_behind_it(stage: Stage) -> None:
    row = stage(of_every_kind)["quarantine"].to_pylist()[2]
    assert (row["source_offset"], row["reason"], row["detail"]) == (
        61,
        "unreadable_file",
        "the rest is damaged",
    )


def test_a_reader_that_gives_up_at_once_refuses_the_file(stage: Stage) -> None:
    def nothing() -> Iterator[Entry]:
        raise LogError("no header")
        yield

    found = stage(nothing)
    assert counts(found) == [1, 0, 0, 1, 0, "1 unreadable_file"]
    assert found["quarantine"]["source_offset"].to_pylist() == [0]


def test_a_reader_that_fails_leaves_what_it_read_and_one_refusal_that_names_it(
    stage: Stage, item: staged_rows.Item
) -> None:
    def failing() -> Iterator[Entry]:
        yield Mapped(10, (run(),), "")
        raise KeyError("id")

    found = stage(failing)
    assert counts(found) == [2, 1, 0, 1, 1, "1 reader_failed"]
    (row,) = found["quarantine"].to_pylist()
    assert (row["source_offset"], row["reader"], row["raw"]) == (11, "told", "")
    assert row["detail"].startswith(
        f"a reader failed (told, reading {item.uri}): found KeyError: 'id' (test_staging.py, line "
    )


def test_a_reader_that_fails_before_its_first_record_refuses_the_file(stage: Stage) -> None:
    def failing() -> Iterator[Entry]:
        raise AttributeError("no attribute 'lines'")

    found = stage(failing)
    assert counts(found) == [1, 0, 0, 1, 0, "1 reader_failed"]
    assert found["quarantine"].to_pylist()[0]["raw"] == CONTENT.decode()


@pytest.mark.parametrize("given", [None, {"offset": 3}, Mapped(3, ({"model": "m"},), "")])  # type: ignore[arg-type]
def test_what_is_no_entry_is_a_failure_of_the_reader(stage: Stage, given: Any) -> None:
    found = stage(lambda: iter([Mapped(0, (run(),), ""), given]))
    assert counts(found) == [2, 1, 0, 1, 1, "1 reader_failed"]


def test_settings_that_do_not_fit_and_memory_that_runs_out_are_no_failures_of_the_reader(
    stage: Stage,
) -> None:
    def raising(error: Exception) -> Iterator[Entry]:
        raise error
        yield

    found = stage(lambda: raising(SettingsError("no such filter")))
    assert found["counts"]["fault"].to_pylist() == ["no such filter"]
    with pytest.raises(MemoryError):
        stage(lambda: raising(MemoryError()))


def test_rows_say_where_they_come_from(stage: Stage, item: staged_rows.Item) -> None:
    found = stage(
        lambda: iter([Mapped(10, (run(), run(attempt="2")), "")]), options=Options(mapping={"version": 4})
    )
    names = (
        "source_sha256",
        "source_offset",
        "source_answer",
        "reader_version",
        "mapping_version",
        "log_version",
    )
    for kind in ("runs", "verdicts"):
        place = [[row[name] for name in names] for row in found[kind].to_pylist()]
        assert place == [[SHA, 10, 0, 7, 4, NOON], [SHA, 10, 1, 7, 4, NOON]]
    assert set(found["runs"]["source_format"].to_pylist()) == {"told"}
    assert found["run_sources"]["team"].to_pylist() == ["a", "a"]
    assert found["run_sources"]["source_uri"].to_pylist() == [item.uri] * 2


def test_a_refused_record_keeps_its_place_reason_and_the_start_of_its_text(
    stage: Stage, item: staged_rows.Item
) -> None:
    long = "é" * HEAD_BYTES
    found = stage(lambda: iter([Rejected(8, "line_too_long", "found much", long)]))
    (row,) = found["quarantine"].to_pylist()
    kept = long.encode()[:HEAD_BYTES]
    assert row == {
        "source_sha256": SHA, "team": "a", "source_offset": 8, "source_uri": item.uri, "reader": "told",
        "reason": "line_too_long", "detail": "found much", "raw": kept.decode(),
        "raw_sha256": hashlib.sha256(kept).hexdigest(),
    }  # fmt: skip


def test_half_a_character_in_a_refused_record_stops_nothing(stage: Stage) -> None:
    found = stage(lambda: iter([Rejected(0, "invalid_record", "found \ud83d", "raw \ud83d")]))
    (row,) = found["quarantine"].to_pylist()
    assert (row["detail"], row["raw"]) == ("found \ufffd", "raw ?")


def test_half_a_character_in_a_label_stops_nothing(stage: Stage) -> None:
    label = {"target": "\ud83d", "custom_id": "c", "benchmark_id": "b", "instance_id": "i"}
    assert stage(lambda: iter([Fact(0, "labels", label, "")]))["labels"]["target"].to_pylist() == ["\ufffd"]


@pytest.mark.parametrize("ids", [(7, "7"), ("7", 7)])
def test_an_instance_met_as_number_and_as_text_is_a_clash(stage: Stage, ids: tuple[Any, Any]) -> None:
    records = [
        Mapped(place, (run(instance_id=id_),), {"id": id_}) for place, id_ in enumerate((*ids, ids[0], 8))
    ]
    found = stage(lambda: iter(records))
    assert counts(found)[:4] == [4, 3, 0, 1]
    (row,) = found["quarantine"].to_pylist()
    assert row["source_offset"] == 1
    assert "instance id 7: found both as" in row["detail"]


def test_the_same_id_in_two_benchmarks_is_no_clash(stage: Stage) -> None:
    records = [
        Mapped(0, (run(instance_id=7),), ""),
        Mapped(1, (run(instance_id="7", benchmark_id="other"),), ""),
    ]
    assert counts(stage(lambda: iter(records)))[:4] == [2, 2, 0, 0]


def test_a_file_that_is_gone_is_one_quarantined_record(stage: Stage, tmp_path: Path) -> None:
    found = stage(of_every_kind, uri=str(tmp_path / "gone.txt"))
    assert counts(found) == [1, 0, 0, 1, 0, "1 unreadable_file"]


def test_a_file_that_no_reader_knows_is_one_quarantined_record(stage: Stage) -> None:
    found = stage(of_every_kind, choice=Choice(None, "unknown log format", Options()))
    assert counts(found) == [1, 0, 0, 1, 0, "1 unknown_format"]
    (row,) = found["quarantine"].to_pylist()
    assert (row["detail"], row["raw"]) == ("unknown log format", CONTENT.decode())


def test_an_empty_log_has_a_tally_of_noughts(stage: Stage) -> None:
    assert counts(stage(lambda: iter(()))) == [0, 0, 0, 0, 0, ""]


def test_batches_hold_one_kind_and_a_bounded_number_of_rows(
    item: staged_rows.Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged_rows, "_ROWS_A_BATCH", 8)
    records = [Mapped(place, (run(instance_id=str(place)),), "") for place in range(20)]
    monkeypatch.setattr(readers, "registry", lambda: {"told": Told(lambda: iter(records))})
    batches = list(staging.stage(item))
    assert all(batch.schema == staged_rows.STAGED for batch in batches)
    assert all(len(set(batch.column(0).to_pylist())) == 1 for batch in batches)
    # A run is four rows here (run, run_source, configuration, verdict), so every second run fills a batch.
    assert max(batch.num_rows for batch in batches) == 2
    runs = staged_rows.of_kind(iter(batches), "runs")
    assert runs["instance_id"].to_pylist() == [str(place) for place in range(20)]


def test_long_texts_fill_a_batch_before_the_number_of_rows_does(
    item: staged_rows.Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged_rows, "_TEXT_A_BATCH", 100)
    records = [Mapped(place, (run(instance_id=str(place), answer="x" * 60),), "") for place in range(4)]
    monkeypatch.setattr(readers, "registry", lambda: {"told": Told(lambda: iter(records))})
    sizes = [batch.num_rows for batch in staging.stage(item) if batch.column(0)[0].as_py() == "traces"]
    assert sizes == [2, 2]


@pytest.mark.parametrize("kind", [kind for kind in staged_rows.KINDS if kind not in ("counts", "quarantine")])
def test_staged_rows_have_the_columns_of_their_table(kind: str, stage: Stage) -> None:
    assert staged_rows.staged_schema(kind) == tables.schema(kind)
    assert stage(of_every_kind)[kind].schema == tables.schema(kind)
