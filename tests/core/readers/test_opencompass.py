"""OpenCompass: numbered records, k predictions, and verdicts from another file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from effspark import readers
from effspark.errors import LogError
from effspark.readers import Mapped, NotSelected, Rejected
from effspark.readers.files import HEAD_BYTES
from effspark.readers.opencompass import READER
from effspark.runs.record import LoggedRun
from tests.core.readers.small_logs import claimed, document, entries, lines, log_of, runs, staged

SAMPLES = ["opencompass/predictions__gsm8k_gen.json", "opencompass/tmp_gsm8k_gen.jsonl"]


def record(**said: Any) -> dict[str, Any]:
    return {"origin_prompt": "How much?", "prediction": "18", "gold": "18", **said}


def predictions(
    folder: Path,
    *records: dict[str, Any],
    name: str = "gsm8k.json",
    model: str = "m",
    run: str = "20260301_100000",
) -> Path:
    numbered = {str(number): one for number, one in enumerate(records)}
    return document(folder / run / "predictions" / model / name, numbered)


def results(folder: Path, details: Any, *, name: str = "gsm8k.json") -> Path:
    return document(
        folder / "20260301_100000" / "results" / "m" / name, {"accuracy": 50.0, "details": details}
    )


def only(folder: Path, *, options: dict[str, Any] | None = None, model: str = "m", **said: Any) -> LoggedRun:
    (run,) = runs(READER, predictions(folder, record(**said), model=model), **(options or {}))
    return run


@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_are_read_by_eye(name: str, samples: Path) -> None:
    found = staged(READER, samples / "logs" / name, model="m", benchmark="gsm8k")
    told = [(run["instance_id"], run["attempt"], run["output_tokens"], run["input_tokens"]) for run in found]
    assert told == [("0", "0", 27, 55), ("1", "0", None, 40), ("2", "0", 9, 60), ("2", "1", 9, 60)]
    assert {run["token_source"] for run in found if run["output_tokens"]} == {"tokenizer"}
    answers = [
        trace["answer"]
        for trace in staged(READER, samples / "logs" / name, "traces", model="m", benchmark="b")
    ]
    assert answers == ["<think>\n9*2\n</think>\n\\boxed{18}", "", "\\boxed{70000}", "\\boxed{65000}"]


def test_only_its_own_samples_are_claimed_and_nobody_is_as_sure(samples: Path) -> None:
    assert claimed(READER, samples) == SAMPLES
    for name in SAMPLES:
        assert readers.detect(log_of(samples / "logs" / name)) is READER


def test_records_are_known_by_their_names_and_long_ones_by_the_first(tmp_path: Path) -> None:
    long = record(origin_prompt="x" * HEAD_BYTES)
    assert READER.detect(log_of(predictions(tmp_path, record()))) == 0.95
    assert READER.detect(log_of(predictions(tmp_path, long))) == 0.7
    assert READER.detect(log_of(lines(tmp_path / "a.jsonl", {"idx": 0, **record()}))) == 0.95
    assert READER.detect(log_of(lines(tmp_path / "a.jsonl", {"idx": 0, **long}))) == 0.6
    assert READER.detect(log_of(document(tmp_path / "b.json", {"a": record()}))) == 0
    assert READER.detect(log_of(document(tmp_path / "b.json", {"0": {"prediction": "18"}}))) == 0


def test_what_the_evaluator_wrote_is_not_selected_beside_its_predictions_and_unknown_elsewhere(
    tmp_path: Path,
) -> None:
    beside = results(tmp_path, None)
    assert READER.detect(log_of(beside)) == 0
    predictions(tmp_path, record())
    assert READER.detect(log_of(beside)) == 0.6
    assert entries(READER, beside) == [NotSelected(0, "results of an evaluator")]


def test_an_unfinished_file_gives_the_same_runs(tmp_path: Path) -> None:
    path = predictions(tmp_path, record(), record(prediction="3"))
    whole = staged(READER, path)
    ordered = [{"idx": 1, **record(prediction="3")}, {"idx": "0", **record()}]
    unfinished = staged(READER, lines(path.parent / "tmp_gsm8k.jsonl", *ordered))
    assert {run["run_key"] for run in unfinished} == {run["run_key"] for run in whole}


def test_shards_number_the_items_of_the_whole_data_set(tmp_path: Path) -> None:
    first = predictions(tmp_path, record(), record(), name="gsm8k_0.json")
    second = predictions(tmp_path, record(), name="gsm8k_1.json")
    third = predictions(tmp_path, record(), name="gsm8k_2.json")
    found = [runs(READER, path) for path in (first, second, third)]
    assert [[run.instance_id for run in shard] for shard in found] == [[0, 1], [2], [3]]
    assert {run.benchmark_id for shard in found for run in shard} == {"gsm8k"}
    results(tmp_path, {"3": {"correct": True}})
    assert len(runs(READER, third)[0].verdicts) == 1


@pytest.mark.parametrize("options", [{}, {"model": "m", "benchmark": "b"}])
def test_a_shard_whose_neighbour_is_missing_is_refused_for_that_reason(
    options: dict[str, str], tmp_path: Path
) -> None:
    predictions(tmp_path, record(), name="gsm8k_0.json")
    found = entries(READER, predictions(tmp_path, record(), record(), name="gsm8k_2.json"), **options)
    assert len(found) == len({entry.offset for entry in found}) == 2
    for entry in found:
        assert isinstance(entry, Rejected)
        assert (entry.reason, "found no gsm8k_1.json" in entry.detail) == ("unreadable_companion", True)


@pytest.mark.parametrize("model", ["m", None])
def test_of_records_of_one_number_the_last_counts_and_the_others_are_told(
    model: str | None, tmp_path: Path
) -> None:
    one, two, three = (f'{{"origin_prompt": "?", "prediction": "{said}"}}' for said in "abc")
    path = tmp_path / "gsm8k.json"
    text = f'{{"0": {one}, "1": {two}, "0": {three}}}'
    path.write_text(text)
    first, *others = entries(READER, path, model=model, benchmark="b")
    assert first == NotSelected(text.index(one), "record of a number that stands again")
    assert [type(entry) for entry in others] == [Mapped if model else Rejected] * 2
    assert [run.answer for run in runs(READER, path, model=model, benchmark="b")] == (
        ["b", "c"] if model else []
    )


def test_each_prediction_of_a_list_is_a_run_with_its_own_length(tmp_path: Path) -> None:
    found = runs(READER, predictions(tmp_path, record(prediction=["a", "b"], res_length=[4, 5])))
    assert [(run.attempt, run.answer, run.usage.output) for run in found] == [("0", "a", 4), ("1", "b", 5)]
    (first, second) = runs(READER, predictions(tmp_path, record(prediction=["a", "b"], res_length=[4])))
    assert (first.usage.output, second.usage.output) == (None, None)


def test_a_chat_of_several_rounds_is_refused(tmp_path: Path) -> None:
    chat = record(origin_prompt=[[{"role": "HUMAN", "prompt": "a"}]], prediction=["b"], gold=[None])
    (refused,) = entries(READER, predictions(tmp_path, chat))
    assert isinstance(refused, Rejected)
    assert refused.reason == "several_rounds"


@pytest.mark.parametrize(
    "said", [{"label: A": {"PPL": 1.0}, "prediction": "A"}, {"choices": ["A"], "prediction": [0.1]}]
)
def test_what_was_scored_by_likelihood_is_not_selected(said: dict[str, Any], tmp_path: Path) -> None:
    (entry,) = entries(READER, predictions(tmp_path, record(**said)))
    assert isinstance(entry, NotSelected)


def test_a_text_that_quotes_a_label_is_generated(tmp_path: Path) -> None:
    assert only(tmp_path, prediction='I choose "label: A"').answer == 'I choose "label: A"'


@pytest.mark.parametrize(
    "said", [{"prediction": None}, {"prediction": 18}, {"prediction": ["a", 1]}, {"prediction": []}]
)
def test_a_bad_record_is_refused_alone(said: dict[str, Any], tmp_path: Path) -> None:
    path = predictions(tmp_path, record(), record(**said), record())
    found = entries(READER, path)
    assert [type(entry) for entry in found] == [Mapped, Rejected, Mapped]
    assert all(path.read_bytes()[entry.offset :].startswith(b"{") for entry in found)


def test_outside_the_folders_of_the_tool_the_user_must_name_both(tmp_path: Path) -> None:
    path = document(tmp_path / "gsm8k.json", {"0": record()})
    (refused,) = staged(READER, path, "quarantine")
    assert refused["reason"] == "no_model"
    assert "name it for all of these files with --set readers.model=NAME" in refused["detail"]
    assert refused["detail"].endswith("--benchmark NAME")
    (run,) = staged(READER, path, model="m", benchmark="b")
    assert (run["request_model"], run["benchmark_id"]) == ("m", "b")


def test_two_runs_of_the_tool_do_not_replace_each_other(tmp_path: Path) -> None:
    first = staged(READER, predictions(tmp_path, record()))
    second = staged(READER, predictions(tmp_path, record(), run="20260302_100000"))
    unnamed = runs(READER, predictions(tmp_path, record(), run="mine"))
    assert first[0]["run_key"] != second[0]["run_key"]
    assert (first[0]["eval_run_id"], unnamed[0].eval_run_id) == ("20260301_100000", None)


def test_a_recount_of_what_a_model_shows_is_no_count_where_it_hides_its_reasoning(tmp_path: Path) -> None:
    options = {"hidden_trace_models": (r"(^|/)o[134](-|$)",)}
    hidden = only(tmp_path, options=options, model="o3-mini", res_length=27)
    assert (hidden.usage.output, hidden.trace_visibility.value, hidden.estimable) == (None, "hidden", False)
    assert only(tmp_path, options=options, res_length=27).usage.output == 27


@pytest.mark.parametrize(
    ("origin", "prompt"),
    [
        ("How much?", "How much?"),
        ([{"role": "HUMAN", "prompt": "How much?"}, {"role": "BOT", "prompt": ""}], "How much?"),
        (
            [{"role": "system", "content": "Think."}, {"role": "user", "content": "How much?"}],
            "Think.\nHow much?",
        ),
        ([], None),
        (None, None),
    ],
)
def test_the_prompt_is_what_each_role_says(origin: Any, prompt: str | None, tmp_path: Path) -> None:
    assert only(tmp_path, origin_prompt=origin).prompt == prompt


def test_an_item_without_gold_has_none(tmp_path: Path) -> None:
    assert only(tmp_path, gold=None).gold is None
    assert only(tmp_path, gold=["18", "18.0"]).gold == '["18", "18.0"]'


def test_a_file_that_is_cut_is_refused_whole_but_lines_are_kept(tmp_path: Path) -> None:
    path = predictions(tmp_path, record(), record())
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(LogError):
        entries(READER, path)
    unfinished = lines(path.parent / "tmp_gsm8k.jsonl", {"idx": 0, **record()})
    unfinished.write_bytes(unfinished.read_bytes() + b'{"idx": 1, "pre')
    assert [type(entry) for entry in entries(READER, unfinished)] == [Mapped, Rejected]
