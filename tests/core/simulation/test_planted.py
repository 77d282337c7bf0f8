from __future__ import annotations

from effspark.runs import stops
from effspark.simulation.draws import half_width
from effspark.simulation.instances import CHAINS, MEAN_WORK, WORK
from effspark.simulation.models import mean_tokens
from effspark.simulation.plan import EVAL_RUNS, Format
from effspark.simulation.planted import MODELS


def test_no_budget_bends_the_tokens_of_completed_runs() -> None:
    estimated = {run.model for run in EVAL_RUNS if run.format is Format.ZEROEVAL}
    for name, model in MODELS.items():
        for benchmark, behaviour in model.behaviour.items():
            mean = mean_tokens(behaviour, max(WORK[benchmark]), mean_work=MEAN_WORK[benchmark])
            most, least = mean + half_width(mean), min(model.budgets, default=model.cap)
            share = stops.ESTIMATE_CLEAR_SHARE if name in estimated and benchmark != CHAINS else 0.95
            assert most < share * least, (name, benchmark)
            assert least - most > stops.NEAR_BUDGET_TOKENS


def test_probabilities_of_each_behaviour_leave_room_for_completion() -> None:
    for model in MODELS.values():
        for behaviour in model.behaviour.values():
            shares = (behaviour.completion, behaviour.correctness, behaviour.missing, behaviour.mislabelled)
            assert all(0 <= share <= 1 for share in shares)
            assert behaviour.refusal + behaviour.agent_limit < 0.2


def test_keys_tell_all_planted_models_of_a_benchmark_apart() -> None:
    keys = [(benchmark, model.key) for model in MODELS.values() for benchmark in model.behaviour]
    assert len(set(keys)) == len(keys) == 16


def test_one_name_stands_for_two_budgets_and_one_model_is_never_right() -> None:
    named = [model.output_budget for model in MODELS.values() if model.name == "vllm/kestrel-8b"]
    assert named == ["1024", "512"]
    assert MODELS["plover-7b"].behaviour[CHAINS].correctness == 0
