from __future__ import annotations

import csv
import io

import yaml

from effspark.simulation.draws import Run, runs_of
from effspark.simulation.plan import Fault
from effspark.simulation.table_logs import MAPPING, log, mapping

NAMES = ("cedar-kestrel-8b-chains", "cedar-plover-7b-chains", "cedar-plover-13b-chains")


def table() -> list[tuple[Run, dict[str, str]]]:
    runs = [run for name in NAMES for run in runs_of(name, count=24, seed=1)]
    rows = csv.DictReader(io.StringIO(log(runs, seed=1).content.decode(), newline=""))
    return list(zip(runs, rows, strict=True))


def columns(spec: object) -> set[str]:
    if isinstance(spec, str):
        return {spec}
    return {"ms"} if isinstance(spec, dict) and "expr" in spec else set()


def test_the_mapping_names_columns_that_the_table_has() -> None:
    named = {
        name for key, spec in MAPPING.items() if key not in ("name", "version") for name in columns(spec)
    }
    named |= {"exact", "given", "family", "depth"}
    header = set(table()[0][1])
    assert named <= header
    assert header - named == set()
    assert yaml.safe_load(mapping()) == MAPPING


def test_every_mapped_column_is_filled_in_some_row() -> None:
    rows = [row for _, row in table()]
    assert [name for name in rows[0] if not any(row[name] for row in rows)] == []


def test_rows_say_what_was_drawn() -> None:
    for run, row in table():
        assert (row["puzzle"], row["try"], row["depth"]) == (
            run.instance.name,
            str(run.attempt),
            str(run.instance.work),
        )
        if run.fault in (Fault.ERROR, Fault.CANCELLED):
            assert (row["state"], row["tok_out"], row["exact"]) == (run.fault.value, "", "")
            continue
        assert row["tok_out"] == str(-run.tokens if run.fault is Fault.NEGATIVE_COUNT else run.tokens)
        assert row["exact"] == str(run.labelled)
        assert row["max_out"] == ("" if run.budget is None else str(run.budget))


def test_one_model_has_neither_stop_reason_nor_budget() -> None:
    rows = [row for run, row in table() if run.eval_run.name == "cedar-plover-13b-chains"]
    assert {(row["ended"], row["max_out"], row["gateway"]) for row in rows} == {("", "", "openrouter")}


def test_faults_stand_in_the_table_as_planned() -> None:
    rows = [row for _, row in table()]
    assert sum(row["tok_out"].startswith("-") for row in rows) == 2
    assert sum(row["state"] == "error" for row in rows) == 3
    assert sum(row["state"] == "cancelled" for row in rows) == 2
    assert 1 <= sum(row["ended"] == "host_limit" for row in rows) <= 4
