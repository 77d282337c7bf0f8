"""Canonical names: aliases, labels, budgets, models; the same run is never two rows."""

from __future__ import annotations

import narwhals as nw
import pyarrow as pa
import pytest

from effspark.runs import names
from effspark.runs.names import MODEL_PARTS, with_model_ids
from tests.core.runs.naming import NOW, Row, aliases, frame, item, label, later, named, run

CONFIGURATION = {"config_id": "c", "family_id": "f", "request_model": "m"}


def test_an_alias_renames_the_benchmark_and_nothing_that_identifies_the_run() -> None:
    (found,) = named([run(benchmark_id="gsm")], benchmarks={"gsm": "gsm8k"})
    assert (found["benchmark"], found["benchmark_id"], found["run_key"]) == ("gsm8k", "gsm", "r")


def test_an_alias_is_not_followed_twice() -> None:
    (found,) = named([run(benchmark_id="a")], benchmarks={"a": "b", "b": "c"})
    assert found["benchmark"] == "b"


def test_a_label_of_a_custom_id_names_benchmark_and_instance() -> None:
    labels = [label(custom_id="q-1", benchmark_id="gsm", instance_id="7", correct=True)]
    runs = [run(benchmark_id="unlabelled", instance_id="q-1", source_record_id="q-1")]
    (found,) = named(runs, labels=labels, benchmarks={"gsm": "gsm8k"})
    assert (found["benchmark"], found["instance"], found["label_correct"]) == ("gsm8k", "7", True)


def test_a_label_of_another_custom_id_or_none_changes_nothing() -> None:
    labels = [label(custom_id="q-2", benchmark_id="x", correct=True)]
    runs = [run("1", source_record_id="q-1"), run("2", source_record_id=None)]
    assert [(row["benchmark"], row["label_correct"]) for row in named(runs, labels=labels)] == [
        ("gsm8k", None)
    ] * 2


def test_a_label_of_an_instance_is_for_every_run_of_it() -> None:
    labels = [label(instance_id="0", correct=False, labels_version=later(2), source_offset=5)]
    runs = [run("1"), run("2"), run("3", instance_id="1"), run("4", benchmark_id="other")]
    found = named(runs, labels=labels)
    assert [row["label_correct"] for row in found] == [False, False, None, None]
    assert (found[0]["label_version"], found[0]["label_offset"], found[0]["label_sha256"]) == (
        later(2),
        5,
        "l",
    )


def test_a_label_by_custom_id_outranks_one_by_instance_and_keeps_its_own_place() -> None:
    labels = [
        label(custom_id="q", correct=True, source_offset=1),
        label(correct=False, source_offset=2, labels_version=later(1)),
    ]
    (found,) = named([run(source_record_id="q")], labels=labels)
    assert (found["label_correct"], found["label_version"], found["label_offset"]) == (True, NOW, 1)


def test_a_verdict_comes_with_the_place_of_the_label_that_gave_it() -> None:
    labels = [label(custom_id="q", gold="18", source_offset=1), label(correct=True, source_offset=2)]
    (found,) = named([run(source_record_id="q")], labels=labels)
    assert (found["gold"], found["label_correct"], found["label_offset"]) == ("18", True, 2)


def test_an_instance_label_finds_the_instance_that_the_question_named() -> None:
    (found,) = named(
        [run(instance_id="raw", instance_hash="h")],
        labels=[label(instance_id="7", correct=True)],
        instances=[item(instance_id="7", question_hash="h")],
    )
    assert (found["instance"], found["label_correct"]) == ("7", True)


def budgets(*runs: Row) -> list[Row]:
    rows = named([row | {"run_key": str(place)} for place, row in enumerate(runs)])
    wanted = ["benchmark", "instance"]
    table = pa.Table.from_pylist(rows, frame("runs", []).to_arrow().select(names.RUN_COLUMNS).schema)
    for name in wanted:
        table = table.append_column(name, pa.array([row[name] for row in rows], pa.string()))
    found: list[Row] = names.budgets(nw.from_native(table)).to_arrow().to_pylist()
    return sorted(found, key=lambda row: (row["eval_run_id"], row["config_id"]))


@pytest.mark.parametrize(
    ("logged", "budget"),
    [
        ([512], "512"),
        ([512, 512], "512"),
        ([512, 4096], "varies"),
        ([None, None], None),
        ([512, None], "varies"),
    ],
)
def test_the_budget_of_a_model_is_a_number_varies_or_null(
    logged: list[int | None], budget: str | None
) -> None:
    found = budgets(*(run(config_id=f"c{value}", output_budget_tokens=value) for value in logged))
    assert {row["output_budget"] for row in found} == {budget}
    assert len(found) == len(set(logged))


def test_budgets_of_other_eval_runs_families_and_benchmarks_do_not_mix() -> None:
    found = budgets(
        run(config_id="c1", output_budget_tokens=1),
        run(config_id="c2", output_budget_tokens=2, eval_run_id="e2"),
        run(config_id="c3", output_budget_tokens=3, family_id="f3"),
        run(config_id="c4", output_budget_tokens=4, benchmark_id="other"),
    )
    assert sorted(row["output_budget"] for row in found) == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("answered", "checkpoint"),
    [
        (["m-1", "a/M-1", None], "m-1"),
        ([None, None], None),
        (["m-1", "m-2"], "varies"),
    ],
)
def test_the_checkpoint_of_an_eval_run_is_what_all_its_answers_name(
    answered: list[str | None], checkpoint: str | None
) -> None:
    (found,) = budgets(*(run(response_model=name) for name in answered))
    assert found["checkpoint"] == checkpoint


def test_checkpoints_of_other_eval_runs_and_families_do_not_mix() -> None:
    found = budgets(
        run(config_id="c1", response_model="m-1"),
        run(config_id="c2", response_model="m-2", eval_run_id="e2"),
        run(config_id="c3", response_model="m-3", family_id="f3"),
    )
    assert sorted(row["checkpoint"] for row in found) == ["m-1", "m-2", "m-3"]


def test_an_eval_run_counts_its_runs_and_tells_its_first_start_and_latest_version() -> None:
    found = budgets(
        run(started_at=later(2), log_version=later(3)),
        run(started_at=later(1), log_version=later(4)),
        run(started_at=None, log_version=later(5)),
        run(config_id="d"),
    )
    assert [(row["runs"], row["started_at"], row["log_version"]) for row in found] == [
        (3, later(1), later(5)),
        (1, None, NOW),
    ]


def models(*configurations: Row, spoken: dict[str, str] | None = None) -> list[Row]:
    ids = [row["config_id"] for row in configurations]
    runs = budgets(*(run(config_id=name, eval_run_id=name) for name in ids))
    configured = names.configured_models(
        nw.from_native(pa.Table.from_pylist(runs, budget_schema())),
        configurations=frame("configurations", configurations),
        aliases=aliases(model=spoken or {}),
    )
    found: list[Row] = with_model_ids(configured.to_arrow()).to_pylist()
    return sorted(found, key=lambda row: str(row["config_id"]))


def budget_schema() -> pa.Schema:
    stamp = pa.timestamp("us", tz="UTC")
    texts = [(name, pa.string()) for name in ("eval_run_id", "benchmark", "config_id")]
    return pa.schema(
        [
            *texts,
            ("runs", pa.int64()),
            ("started_at", stamp),
            ("log_version", stamp),
            ("output_budget", pa.string()),
            ("checkpoint", pa.string()),
        ]
    )


def test_two_spellings_of_one_model_are_one_model() -> None:
    found = models(
        CONFIGURATION | {"config_id": "1", "request_model": "openai/gpt-4o"},
        CONFIGURATION | {"config_id": "2", "request_model": "gpt-4o"},
        spoken={"openai/gpt-4o": "gpt-4o"},
    )
    assert [row["model"] for row in found] == ["gpt-4o", "gpt-4o"]
    assert found[0]["model_id"] == found[1]["model_id"]


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("provider_route", "azure"),
        ("reasoning_effort", "high"),
        ("temperature", 0.5),
        ("model_revision", "2024-08"),
        ("tokenizer_family", "o200k"),
        ("request_model", "n"),
    ],
)
def test_one_name_asked_otherwise_is_another_model(part: str, value: object) -> None:
    one, other = models(CONFIGURATION | {"config_id": "1"}, CONFIGURATION | {"config_id": "2", part: value})
    assert one["model_id"] != other["model_id"]


def test_the_provider_and_the_eval_run_make_no_other_model() -> None:
    one, other = models(
        CONFIGURATION | {"config_id": "1"}, CONFIGURATION | {"config_id": "2", "provider_name": "openai"}
    )
    assert one["model_id"] == other["model_id"]


def test_model_ids_tell_null_from_a_text_of_that_name() -> None:
    parts = dict.fromkeys(MODEL_PARTS) | {"model": "m"}
    rows = [parts, parts | {"output_budget": "None"}, parts | {"output_budget": "null"}]
    assert len(set(with_model_ids(pa.Table.from_pylist(rows))["model_id"].to_pylist())) == 3
