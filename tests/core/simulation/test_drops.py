from __future__ import annotations

import io
import zipfile

from effspark.simulation.draws import runs_of
from effspark.simulation.drops import first_drops, late_drops, teams
from effspark.simulation.plan import EVAL_RUNS

RUNS = {eval_run.name: runs_of(eval_run.name, count=24, seed=1) for eval_run in EVAL_RUNS}
FIRST, LATE = first_drops(RUNS, seed=1), late_drops(RUNS, seed=1)


def test_files_lie_below_the_team_that_dropped_them_under_names_of_their_own() -> None:
    paths = [drop.told.path for drop in FIRST + LATE]
    assert len(set(paths)) == len(paths)
    assert all(drop.told.path.startswith(f"logs/{drop.told.team}/") for drop in FIRST)
    assert all(str(drop.file.path) == drop.told.path for drop in FIRST + LATE)


def test_late_files_have_the_place_and_name_of_the_file_they_replace() -> None:
    first = {drop.told.path.removeprefix("logs/"): drop for drop in FIRST}
    assert len(LATE) == 2
    for drop in LATE:
        before = first[drop.told.path.removeprefix("late/")]
        assert before.file.at < drop.file.at
        assert before.file.content != drop.file.content


def test_copies_are_the_same_bytes_or_the_same_samples() -> None:
    by_run: dict[str | None, list[bytes]] = {}
    for drop in FIRST:
        by_run.setdefault(drop.told.eval_run, []).append(drop.file.content)
    for name in ("aurora-kestrel-70b-gsm8k", "aurora-wren-flash-chains"):
        one, other = by_run[name]
        assert one == other
    document, archive = by_run["aurora-wren-flash-gsm8k"]
    assert document.startswith(b"{")
    names = zipfile.ZipFile(io.BytesIO(archive)).namelist()
    assert sum(name.startswith("samples/") for name in names) == 24


def test_files_tell_how_many_runs_and_broken_records_they_hold() -> None:
    told = {
        drop.told.path.rpartition("_")[2]: drop.told
        for drop in FIRST
        if drop.told.eval_run == "birch-lumen-pro-gsm8k"
    }
    assert told["input.jsonl"].runs == 0
    assert (told["output.jsonl"].runs, told["output.jsonl"].broken) == (42, {"null_id": 1, "text_count": 2})
    assert told["error.jsonl"].runs == 3
    mended = [drop.told for drop in FIRST + LATE if drop.told.broken and "half_written" in drop.told.broken]
    assert [(found.stage, found.runs) for found in mended] == [("first", 45)]
    table = next(drop.told for drop in FIRST if drop.told.format == "csv")
    assert (table.eval_run, table.runs, table.broken) == (None, 118, {"negative_count": 2})


def test_teams_are_all_that_logged_an_eval_run() -> None:
    assert teams("aurora-kestrel-70b-gsm8k") == ("aurora", "birch")
    assert teams("aurora-wren-flash-chains") == ("aurora",)
    assert teams("birch-o4-heron-gsm8k") == ("birch",)
