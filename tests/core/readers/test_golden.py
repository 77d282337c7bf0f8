"""Each folder `tests/golden/runs/<case>/` holds logs and the rows they must become.

    logs/                      files as a team drops them; all are read
    options.yaml               optional: reader (else found by content),
    benchmark, mapping (a file of the folder)
    expected_<table>.csv       rows of runs, verdicts, traces, quarantine, instances, ...

The header names the columns to compare (verdicts and traces may also name the run's instance_id and attempt).
Rows stand in the order of source_uri, source_offset, source_answer, scorer; `source_uri` is relative to logs/.
An empty cell is null (or an empty list), `""` the empty text; booleans are true and false, lists a|b, maps
k=v|k=v sorted by key, times ISO 8601.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from dataclasses import replace
from datetime import datetime, timezone
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from effspark import readers, settings
from effspark.readers import Options, files, plan, staged_rows, staging
from effspark.readers.choosing import AUTO, choose
from effspark.readers.files import Log
from effspark.readers.mappings import load_mapping

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "runs"
CASES = sorted(path for path in GOLDEN.glob("*/") if path.is_dir())
MODIFIED = datetime(2026, 1, 1, tzinfo=timezone.utc)
PREFIXES = {"inspect_ai": "inspect_", "openai_batch": "openai_"}
ORDER = ("source_uri", "source_offset", "source_answer", "scorer", "instance_id")
OF_THE_RUN = ("instance_id", "attempt")


def items_of(case: Path, files: list[Path]) -> list[staged_rows.Item]:
    """Work on the files of a case, planned as `ingest` plans it, with the reader that their tasks choose."""
    declared = case / "options.yaml"
    said = yaml.safe_load(declared.read_text("utf-8")) if declared.is_file() else {}
    unknown = set(said) - {"reader", "benchmark", "mapping"}
    assert not unknown, f"{declared}: unknown options {', '.join(sorted(unknown))}"
    options = Options(
        benchmark=said.get("benchmark"),
        mapping=load_mapping(case / said["mapping"]) if "mapping" in said else None,
        hidden_trace_models=settings.load().hidden_trace_models,
    )
    logs = [Log(str(path), path.stat().st_size, MODIFIED) for path in files]
    name = said.get("reader", AUTO)
    return [
        replace(item, choice=choose(log, options, format_name=name))
        for log, item in zip(logs, plan.items(logs, options, format_name=name, team="golden"), strict=True)
    ]


@cache
def staged(case: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows of all files of a case by table; verdicts and traces also name their run."""
    rows: dict[str, list[dict[str, Any]]] = {kind: [] for kind in staged_rows.KINDS}
    files = [path for path in sorted((case / "logs").rglob("*")) if path.is_file()]
    assert files, f"{case}/logs holds no file"
    for item in items_of(case, files):
        uri = Path(item.uri).relative_to(case / "logs").as_posix()
        batches = list(staging.stage(item))
        for kind in staged_rows.KINDS:
            rows[kind] += [
                {**row, "source_uri": uri} for row in staged_rows.of_kind(iter(batches), kind).to_pylist()
            ]
    names = {run["run_key"]: {name: run[name] for name in OF_THE_RUN} for run in rows["runs"]}
    for kind in ("verdicts", "traces"):
        rows[kind] = [{**row, **names[row["run_key"]]} for row in rows[kind]]
    return {kind: sorted(found, key=place_of) for kind, found in rows.items()}


def place_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(name) if row.get(name) is not None else "" for name in ORDER if name in row)


def type_of(table: str, column: str) -> pa.DataType:
    schema = staged_rows.staged_schema(table)
    if column in schema.names:
        return schema.field(column).type
    assert column == "source_uri" or (table in ("verdicts", "traces") and column in OF_THE_RUN), (
        f"expected_{table}.csv names {column}; allowed: {', '.join(schema.names)}"
    )
    return pa.string()


def value_of(cell: str, kind: pa.DataType) -> Any:
    """Value that a cell of an expected file spells."""
    if pa.types.is_list(kind):
        return cell.split("|") if cell else []
    if pa.types.is_map(kind):
        pairs = [part.partition("=") for part in cell.split("|")] if cell else []
        return [(key, value_of(text, kind.item_type)) for key, _, text in pairs]
    if cell == "":
        return None
    if pa.types.is_boolean(kind):
        return {"true": True, "false": False}[cell]
    if pa.types.is_integer(kind):
        return int(cell)
    if pa.types.is_floating(kind):
        return float(cell)
    if pa.types.is_timestamp(kind):
        return datetime.fromisoformat(cell.replace("Z", "+00:00"))
    return "" if cell == '""' else cell


def same(found: Any, expected: Any) -> bool:
    if isinstance(found, float) and isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=1e-12)
    return bool(found == expected)


def differences(table: str, expected: list[dict[str, str]], found: list[dict[str, Any]]) -> list[str]:
    """What differs, a line each."""
    told = []
    for number, (cells, row) in enumerate(zip_longest(expected, found), 1):
        if row is None:
            told.append(f"row {number}: missing {cells}")
            continue
        place = " ".join(str(row.get(name)) for name in ORDER if name in row)
        if cells is None:
            told.append(f"row {number} ({place}): not expected")
            continue
        for column, cell in cells.items():
            value = sorted(row[column]) if isinstance(type_of(table, column), pa.MapType) else row[column]
            wanted = value_of(cell, type_of(table, column))
            if not same(value, wanted):
                told.append(f"row {number} ({place}): {column} expected {wanted!r:.300} found {value!r:.300}")
    return told


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_logs_become_the_expected_rows(case: Path) -> None:
    files = sorted(case.glob("expected_*.csv"))
    assert files, f"{case} has no expected_<table>.csv"
    found = staged(case)
    told = []
    for file in files:
        table = file.stem.removeprefix("expected_")
        assert table in found, f"{file.name}: allowed tables {', '.join(found)}"
        with file.open(newline="", encoding="utf-8") as stream:
            expected = list(csv.DictReader(stream, strict=True))
        told += [f"{table} {line}" for line in differences(table, expected, found[table])]
    assert not told, "\n".join([f"{case.name}: {len(told)} differences", *told])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_rows_of_each_case_add_up(case: Path) -> None:
    rows = staged(case)
    total = {
        name: sum(count[name] for count in rows["counts"]) for name in ("runs", "quarantined", "records")
    }
    assert total["runs"] == len(rows["runs"])
    assert total["quarantined"] == len(rows["quarantine"])
    places = {
        (row["source_uri"], row["source_offset"])
        for kind in ("runs", "labels", "quarantine")
        for row in rows[kind]
    }
    not_selected = sum(count["not_selected"] for count in rows["counts"])
    assert total["records"] == len(places) + not_selected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_two_refusals_of_a_file_stand_at_one_place(case: Path) -> None:
    refused = Counter((row["source_uri"], row["source_offset"]) for row in staged(case)["quarantine"])
    assert [place for place, times in refused.items() if times > 1] == []


@pytest.mark.parametrize("reader", readers.READERS)
def test_every_reader_has_a_golden_folder(reader: str) -> None:
    prefix = PREFIXES.get(reader, f"{reader}_")
    assert [case.name for case in CASES if case.name.startswith(prefix)], (
        f"no folder tests/golden/runs/{prefix}*: add logs and the rows they must become"
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_log_is_known_behind_blank_lines(case: Path, tmp_path: Path) -> None:
    for path in sorted((case / "logs").rglob("*")):
        if not path.is_file() or not path.read_bytes().startswith((b"{", b"[")):
            continue
        spaced = tmp_path / path.relative_to(case / "logs")
        spaced.parent.mkdir(parents=True, exist_ok=True)
        spaced.write_bytes(b"\n" * 8 + path.read_bytes())
        known = [
            [
                reader.detect(Log(str(one), one.stat().st_size, MODIFIED))
                for reader in readers.registry().values()
            ]
            for one in (path, spaced)
        ]
        assert known[0] == known[1], path


def test_a_difference_names_row_column_and_both_values() -> None:
    found = [{"source_uri": "a", "source_offset": 0, "output_tokens": 71, "quality_flags": ["conflict"]}]
    expected = [{"output_tokens": "72", "quality_flags": "conflict"}, {"output_tokens": "1"}]
    assert differences("runs", expected, found) == [
        "row 1 (a 0): output_tokens expected 72 found 71",
        "row 2: missing {'output_tokens': '1'}",
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_file_is_opened_once_to_find_its_reader_its_hash_and_its_records(
    case: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: Counter[str] = Counter()
    whole = files._opened

    def counting(uri: str) -> Any:
        opened[uri] += 1
        return whole(uri)

    for item in items_of(case, [path for path in sorted((case / "logs").rglob("*")) if path.is_file()]):
        monkeypatch.setattr(files, "_opened", counting)
        opened.clear()
        list(staging.stage(replace(item, choice=None)))
        assert opened[item.uri] == 1, item.uri
        monkeypatch.undo()
