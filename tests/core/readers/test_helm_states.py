from __future__ import annotations

from typing import Any

import msgspec
import pytest

from effspark.readers.helm_states import State, instance_id, runs
from effspark.runs.record import Configuration, LoggedRun

KNOWN = {"benchmark_id": "gsm", "configuration": Configuration(request_model="acme/m7")}


def state(*, instance: dict[str, Any] | None = None, **fields: Any) -> State:
    return msgspec.convert(
        {
            "instance": {"id": "id1", **(instance or {})},
            "request": {"model": "acme/m7", "max_tokens": 100},
            "result": {"success": True, "completions": [{"text": "18", "tokens": [{"text": "18"}]}]},
            **fields,
        },
        State,
    )


def run_of(one: State, *, hidden: bool = False) -> LoggedRun:
    return runs(one, KNOWN, (), input_tokens=40, hidden=hidden)[0]


@pytest.mark.parametrize(
    ("perturbation", "name"),
    [
        (None, "id1"),
        ({}, "id1"),
        ({"name": "typos", "robustness": True, "fairness": False, "computed_on": "perturbed"}, "id1:typos"),
        ({"name": "typos", "prob": 0.1, "seed": None}, "id1:typos,prob=0.1"),
        ({"name": "dialect", "target": "AAVE", "mapping": [1]}, "id1:dialect,mapping=[1],target=AAVE"),
    ],
)
def test_a_perturbed_instance_is_one_of_its_own(perturbation: dict[str, Any] | None, name: str) -> None:
    assert instance_id(state(instance={"perturbation": perturbation})) == name


def test_a_perturbed_instance_stays_in_the_cluster_of_the_original() -> None:
    run = run_of(state(instance={"perturbation": {"name": "typos"}}))
    assert run.tags == {"cluster": "id1", "perturbation": "typos"}
    assert run_of(state()).tags == {}


def test_gold_is_every_correct_reference() -> None:
    references = [{"output": {"text": text}, "tags": tags} for text, tags in (("a", []), ("b", ["correct"]))]
    assert run_of(state(instance={"references": references[1:]})).gold == "b"
    assert run_of(state(instance={"references": references[:1]})).gold is None
    assert run_of(state(instance={"references": references[1:] * 2})).gold == '["b", "b"]'


REFERENCES = [{"output": {"text": text}, "tags": tags} for text, tags in (("red", []), ("blue", ["correct"]))]


def test_gold_of_a_choice_names_the_letter_and_the_options_as_they_were_asked() -> None:
    instance = {"references": REFERENCES}
    in_order = '{"answer": "B", "options": {"A": "red", "B": "blue"}}'
    assert run_of(state(instance=instance)).gold == in_order
    asked = state(instance=instance, output_mapping={"A": "blue", "B": "red"})
    assert run_of(asked).gold == '{"answer": "A", "options": {"A": "blue", "B": "red"}}'
    elsewhere = state(instance=instance, output_mapping={"A": "green", "B": "red"})
    assert run_of(elsewhere).gold == "blue"


def test_an_option_that_is_itself_a_letter_is_found_by_its_place() -> None:
    references = [{"output": {"text": "D"}, "tags": []}, {"output": {"text": "A"}, "tags": ["correct"]}]
    mapping = {"A": "vitamin K", "B": "D", "C": "A"}
    found = run_of(state(instance={"references": references}, output_mapping=mapping)).gold
    assert found == '{"answer": "C", "options": {"A": "vitamin K", "B": "D", "C": "A"}}'


def test_a_chat_is_the_prompt_where_there_is_no_text() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "prompt": ""}
    assert run_of(state(request=request)).prompt == '[{"role": "user", "content": "Hi"}]'
    assert run_of(state(request={**request, "prompt": "Hi"})).prompt == "Hi"


def test_numbers_of_an_instance_are_axes() -> None:
    assert run_of(state(instance={"extra_data": {"depth": 3, "hard": True, "topic": "x"}})).axes == {
        "depth": 3.0
    }


def test_no_token_of_a_local_model_and_no_text_is_a_true_zero() -> None:
    local = {"model": "m", "model_deployment": "huggingface/m"}
    empty = {"success": True, "completions": [{"text": "", "tokens": []}]}
    assert run_of(state(request=local, result=empty)).usage.token_ids == 0
    assert run_of(state(result=empty)).usage.output is None
    lost = {"success": True, "completions": [{"text": "18", "tokens": []}]}
    usage = run_of(state(request=local, result=lost)).usage
    assert (usage.token_ids, usage.output) == (None, 0)


def test_a_hidden_model_has_no_count_unless_it_ran_in_helm() -> None:
    assert run_of(state(), hidden=True).usage.output is None
    local = {"model": "m", "model_deployment": "huggingface/m"}
    assert run_of(state(request=local), hidden=True).usage.token_ids == 1


def test_an_answer_without_completions_is_an_empty_run() -> None:
    run = run_of(state(result={"success": True, "completions": []}))
    assert (run.status.value, run.answer, run.usage.input) == ("ok", None, 40)
