from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from effspark.simulation.plan import BROKEN, COPIES, EVAL_RUNS, LATE, MENDED, MODEL_ALIASES, Fault, Format


def test_every_kind_of_fault_and_every_format_is_planted() -> None:
    assert {fault for run in EVAL_RUNS for fault in run.faults} == set(Fault)
    assert {run.format for run in EVAL_RUNS} == set(Format)
    assert MENDED < BROKEN


def test_three_teams_share_models_under_one_name_or_two() -> None:
    assert {run.team for run in EVAL_RUNS} == {"aurora", "birch", "cedar"}
    logged: dict[tuple[str, str], set[str]] = {}
    for run in EVAL_RUNS:
        logged.setdefault((run.benchmark, run.planted.key), set()).add(run.team)
    assert [group for group, teams in logged.items() if len(teams) > 1] == [
        ("chains", "vllm/kestrel-8b@1024"),
        ("gsm8k", "lumen-pro@unknown"),
    ]


def test_every_spelling_leads_to_the_canonical_name() -> None:
    assert {run.spelling for run in EVAL_RUNS if run.spelling != run.planted.name} == set(MODEL_ALIASES)
    assert all(MODEL_ALIASES.get(run.spelling, run.spelling) == run.planted.name for run in EVAL_RUNS)


def test_runs_of_one_model_agree_in_all_that_makes_a_model() -> None:
    made = {(run.planted.key, run.planted.temperature, run.planted.reasoning_effort) for run in EVAL_RUNS}
    assert len(made) == len({run.planted.key for run in EVAL_RUNS})


def test_eval_runs_begin_one_after_the_other_before_the_late_files() -> None:
    starts = [run.started for run in EVAL_RUNS]
    assert {later - earlier for earlier, later in pairwise(starts)} == {timedelta(hours=1)}
    assert starts[-1] < LATE


def test_copies_are_of_one_log_each() -> None:
    assert {copy.eval_run for copy in COPIES} <= {run.name for run in EVAL_RUNS}
    assert sum(copy.name is None for copy in COPIES) == 1
