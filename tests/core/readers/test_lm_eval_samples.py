from __future__ import annotations

from typing import Any

import msgspec
import pytest

from effspark.errors import LogError
from effspark.readers.lm_eval_results import Evaluation, Results
from effspark.readers.lm_eval_samples import filter_of, generates, runs, verdicts
from effspark.runs.record import LoggedRun, LoggedVerdict

ASKED = {"temperature": 0.6, "max_gen_toks": 64}


def evaluation(**fields: Any) -> Evaluation:
    document = {"configs": {"gsm8k": {}}, "model_name": "m", **fields}
    return Evaluation("gsm8k", msgspec.convert(document, Results))


def sample(**fields: Any) -> dict[str, Any]:
    arguments = {"gen_args_0": {"arg_0": "Q", "arg_1": ASKED}}
    return {"doc_id": 0, "target": "18", "arguments": arguments, "resps": [["18"]], **fields}


def run_of(one: dict[str, Any], judged: dict[str | None, list[LoggedVerdict]] | None = None) -> LoggedRun:
    return runs(one, evaluation(), judged or {}, instance_id=0, hidden=False)[0]


@pytest.mark.parametrize(
    "arguments",
    [
        {"gen_args_0": {"arg_0": "Q", "arg_1": ASKED}},
        [["Q", ASKED]],
        [["Q", "{'temperature': 0.6, 'max_gen_toks': 64}"]],
    ],
)
def test_settings_are_read_in_every_shape_they_had(arguments: Any) -> None:
    run = run_of(sample(arguments=arguments))
    assert (run.prompt, run.configuration.temperature, run.configuration.output_budget_tokens) == (
        "Q",
        0.6,
        64,
    )
    assert generates(sample(arguments=arguments), None)


@pytest.mark.parametrize(
    "arguments", [[["Q", " a"]], [["Q"]], [["Q", None]], ["Q"], [], 1.5, {"a": {"arg_0": "Q"}}]
)
def test_a_request_without_settings_generates_nothing(arguments: Any) -> None:
    assert not generates(sample(arguments=arguments), None)
    assert generates(sample(arguments=arguments), "generate_until")
    with pytest.raises(LogError, match="no arguments of one generation"):
        run_of(sample(arguments=arguments))


@pytest.mark.parametrize(
    ("resps", "asks"),
    [
        ([["18"]], True), ([["18", None]], True), ([[]], True), (None, True), ("18", True), ([3], True),
        ([[["-1.5", "True"]]], False), ([[["-1.5", "True"]], [["-2.5", "False"]]], False),
    ],
)  # fmt: skip
def test_without_arguments_the_answers_tell_whether_text_was_asked_for(resps: Any, asks: bool) -> None:
    assert generates(sample(arguments=None, resps=resps), None) is asks
    assert generates({"doc_id": 0, "resps": resps}, None) is asks


def test_text_that_is_no_python_value_is_no_settings() -> None:
    with pytest.raises(LogError, match="no arguments of one generation"):
        run_of(sample(arguments=[["Q", "{'temperature': open('x')}"]]))


def test_a_chat_is_kept_as_its_text() -> None:
    chat = [{"role": "user", "content": "Hi"}]
    assert run_of(sample(arguments=[[chat, ASKED]])).prompt == '[{"role": "user", "content": "Hi"}]'


def test_a_seed_of_the_request_is_the_seed_of_the_run() -> None:
    assert run_of(sample(arguments=[["Q", {**ASKED, "seed": 7}]])).seed == 7
    assert run_of(sample()).seed is None


def test_samples_from_before_metrics_had_a_list_are_scored_by_what_is_left() -> None:
    old = sample(acc=1.0, acc_norm=0.0, doc_hash="x", filtered_resps=[["18"]])
    assert [(one.scorer, one.value, one.extracted_answer) for one in verdicts(old, evaluation())] == [
        ("acc", 1.0, "18"),
        ("acc_norm", 0.0, "18"),
    ]


def test_an_answer_is_extracted_where_the_filter_left_one_text() -> None:
    for filtered, answer in (
        (["18"], "18"),
        ([["18"]], "18"),
        (["18", "17"], None),
        ([], None),
        (None, None),
    ):
        (found,) = verdicts(sample(metrics=["acc"], acc=1.0, filtered_resps=filtered), evaluation())
        assert found.extracted_answer == answer


def test_verdicts_of_other_filters_bear_their_name() -> None:
    verdict = LoggedVerdict(scorer="acc", raw="1.0", value=1.0)
    run = run_of(sample(filter="strict"), {"strict": [verdict], "loose": [verdict], None: [verdict]})
    assert [one.scorer for one in run.verdicts] == ["acc", "acc,loose", "acc,None"]
    assert (filter_of(sample(filter="strict")), run.tags) == ("strict", {"filter": "strict"})


def test_places_of_texts_are_attempts_and_empty_ones_show_nothing() -> None:
    found = runs(sample(resps=[["18", "", None]]), evaluation(), {}, instance_id=0, hidden=False)
    assert [(run.attempt, run.answer, run.trace_visibility.value, run.estimable) for run in found] == [
        ("0", "18", "full", True),
        ("1", "", "none", False),
        ("2", None, "none", False),
    ]
