from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from effspark.errors import SettingsError
from effspark.simulation.tallies import Stage
from effspark.simulation.truth import read_truth
from effspark.simulation.writing import simulate
from tests.core.simulation.recount import recount


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo")
    simulate(out, seed=1)
    return out


@pytest.mark.parametrize("stage", list(Stage))
def test_the_truth_is_what_lies_in_the_files(demo: Path, stage: Stage) -> None:
    truth = read_truth(demo / "truth.json")
    work = {benchmark: dict(works) for benchmark, works in truth.work.items()}
    found = recount(demo, work, late=stage is Stage.LATE)
    assert truth.tally_differences(found, stage=stage) == []
    for planted in truth.models:
        assert found[planted.benchmark, planted.key]["work"] == planted.tallies[stage.value].get("work", 0)
    waiting = {key: counts["n"] for (benchmark, key), counts in found.items() if benchmark == "unlabelled"}
    wanted = {key: tally["n"] for key, tally in truth.unlabelled.items()}
    assert waiting == (wanted if stage is Stage.FIRST else {})


def digest(out: Path) -> dict[str, tuple[str, float]]:
    return {
        path.relative_to(out).as_posix(): (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_mtime,
        )
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def test_one_seed_gives_the_same_files_and_another_seed_others(tmp_path: Path) -> None:
    first, again, other = (tmp_path / name for name in ("first", "again", "other"))
    for out, seed in ((first, 1), (again, 1), (other, 2)):
        simulate(out, seed=seed, size="small")
    assert digest(first) == digest(again)
    ours, theirs = digest(first), digest(other)
    shared = [name for name in ours if ours[name] == theirs.get(name)]
    assert sorted(shared) == ["conf.yaml", "mappings/cedar.yaml"]


def test_returned_and_written_truth_are_one(tmp_path: Path) -> None:
    assert simulate(tmp_path / "a", seed=3, size="small") == read_truth(tmp_path / "a" / "truth.json")


def test_the_demo_is_of_the_promised_size(demo: Path) -> None:
    truth = read_truth(demo / "truth.json")
    assert sum(path.stat().st_size for path in demo.rglob("*") if path.is_file()) < 10 * 1024 * 1024
    assert 3000 <= sum(truth.runs_by_eval_run.values()) == sum(truth.runs_by_teams.values()) <= 5000
    assert set(truth.runs_by_teams) == {"aurora", "aurora,birch", "aurora,cedar", "birch", "cedar"}
    assert {name: len(works) for name, works in truth.work.items()} == {"gsm8k": 120, "chains": 120}


def test_the_truth_lists_every_log(demo: Path) -> None:
    told = {file.path for file in read_truth(demo / "truth.json").files}
    logs = {
        path.relative_to(demo).as_posix() for top in ("logs", "late") for path in (demo / top).rglob("*.*")
    }
    assert logs - told == {"late/labels/birch.jsonl"}
    assert told <= logs


def test_items_have_the_shape_of_gsm8k(demo: Path) -> None:
    rows = [json.loads(line) for line in (demo / "items" / "gsm8k.jsonl").read_text("utf-8").splitlines()]
    assert {frozenset(row) for row in rows} == {frozenset({"question", "answer"})}
    truth = read_truth(demo / "truth.json")
    for place, row in enumerate(rows):
        lines = [line for line in row["answer"].partition("####")[0].splitlines() if line.strip()]
        assert len(lines) == truth.work["gsm8k"][str(place)]


def test_nothing_is_mixed_with_other_files_and_sizes_are_known(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep", "utf-8")
    with pytest.raises(SettingsError, match="not empty"):
        simulate(tmp_path, seed=1)
    with pytest.raises(SettingsError, match="demo, small"):
        simulate(tmp_path / "new", seed=1, size="huge")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.txt"]


@pytest.mark.parametrize("name", ["file", "file/below", "x" * 300])
def test_a_folder_that_cannot_be_made_is_refused_by_name(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(SettingsError, match=name):
        simulate(tmp_path / name, seed=1, size="small")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_where_nobody_may_write_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"a folder that cannot be written \(/proc/x\)"):
        simulate(Path("/proc/x"), seed=1, size="small")
