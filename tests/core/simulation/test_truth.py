from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from effspark.simulation.draws import runs_of
from effspark.simulation.drops import teams
from effspark.simulation.plan import EVAL_RUNS
from effspark.simulation.tallies import Stage
from effspark.simulation.truth import (
    Truth,
    WrittenFile,
    key_of,
    planted_models,
    read_truth,
    truth_json,
    works,
)

TEAMS = {eval_run.name: teams(eval_run.name) for eval_run in EVAL_RUNS}
FILE = WrittenFile(
    path="a", team="t", format="csv", stage="first", eval_run=None, runs=1, broken={"null_id": 1}
)


@cache
def truth(seed: int, count: int = 120) -> Truth:
    runs = [run for eval_run in EVAL_RUNS for run in runs_of(eval_run.name, count=count, seed=seed)]
    return Truth(
        seed=seed,
        size="demo",
        models=planted_models(runs, teams=TEAMS),
        unlabelled={"m": {"n": 1}},
        runs_by_teams={"a,b": 2},
        runs_by_eval_run={"a": 2},
        work=works(run.instance for run in runs),
        files=(FILE,),
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_realised_estimates_lie_within_four_standard_errors_of_the_planted_ones(seed: int) -> None:
    known = truth(seed)
    found = {
        (planted.benchmark, planted.key): {name: planted.realised(name) for name in planted.expected}
        for planted in known.models
    }
    assert len(found) == 16
    assert known.estimate_differences(found) == []
    assert len(known.estimate_differences(found, within=0.5)) > 20


def test_a_biased_pipeline_is_found_out() -> None:
    known = truth(1)
    found = {
        (planted.benchmark, planted.key): {name: planted.realised(name) for name in planted.expected}
        for planted in known.models
    }
    group = ("gsm8k", "vllm/kestrel-8b@512")
    biased = {**found, group: {**found[group], "r_ctx": 1.0}}
    assert [text.split(":")[0] for text in known.estimate_differences(biased)] == [f"{group} r_ctx"]
    guessed = {
        **found,
        ("chains", "meta/plover-13b@unknown"): {**found["chains", "meta/plover-13b@unknown"], "r_ctx": 0.9},
    }
    assert len(known.estimate_differences(guessed)) == 1
    assert len(known.estimate_differences({})) == sum(
        value is not None for planted in known.models for value in planted.expected.values()
    )


def test_tallies_must_agree_to_the_unit() -> None:
    known = truth(1, 24)
    found = {(planted.benchmark, planted.key): dict(planted.tallies["late"]) for planted in known.models}
    assert known.tally_differences(found, stage=Stage.LATE) == []
    first = known.tally_differences(found, stage=Stage.FIRST)
    assert any("lumen-mini" in text and " n:" in text for text in first)
    group = ("gsm8k", "vllm/kestrel-8b@512")
    off = {**found, group: {**found[group], "tokens": found[group]["tokens"] + 1}}
    assert len(known.tally_differences(off, stage=Stage.LATE)) == 1
    del off[group]
    assert known.tally_differences(off, stage=Stage.LATE) == [f"{group}: found no such model"]


def test_truth_survives_its_file(tmp_path: Path) -> None:
    known = truth(1, 24)
    place = tmp_path / "truth.json"
    place.write_bytes(truth_json(known))
    assert read_truth(place) == known
    assert truth_json(read_truth(place)) == truth_json(known)


def test_models_are_found_by_benchmark_and_key() -> None:
    planted = truth(1, 24).of("gsm8k", key_of("vllm/kestrel-8b", "512"))
    assert (planted.model, planted.output_budget, planted.teams) == ("vllm/kestrel-8b", "512", ("aurora",))
    assert truth(1, 24).of("gsm8k", "lumen-pro@unknown").teams == ("aurora", "birch")
    with pytest.raises(KeyError):
        truth(1, 24).of("chains", "vllm/kestrel-8b@512")


def test_every_case_worth_a_tally_occurs() -> None:
    total: dict[str, float] = {}
    for planted in truth(1).models:
        for name, value in planted.tallies["first"].items():
            total[name] = total.get(name, 0) + value
    assert {name for name, value in total.items() if not value} == set()
    assert {"truncated_correct", "missing_without_budget", "agent_limited", "unscored", "estimated"} <= set(
        total
    )


def test_work_is_told_by_canonical_instance() -> None:
    known = truth(1, 24)
    assert list(known.work) == ["gsm8k", "chains"]
    assert list(known.work["gsm8k"])[:2] == ["0", "1"]
    assert set(known.work["chains"].values()) <= set(range(2, 11))
