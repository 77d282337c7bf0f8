"""Items, labels and golds of a run's instance: what matches, what outranks what, and one row a run always."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark.runs.keys import WINNER_ORDER
from tests.core.runs.naming import Row, item, label, later, named, run

ALIAS = {"gsm": "gsm8k"}


def one(*args: Any, **options: Any) -> Row:
    (found,) = named(*args, **options)
    return found


def test_the_hash_of_the_question_outranks_the_raw_id() -> None:
    items = [
        item(instance_id="0", question_hash="h0", gold="zero"),
        item(instance_id="7", question_hash="h7", gold="seven"),
    ]
    found = one([run(instance_id="0", instance_hash="h7")], instances=items)
    assert (found["instance"], found["gold"]) == ("7", "seven")


def test_a_question_that_two_items_share_falls_back_to_the_id() -> None:
    items = [
        item(instance_id="0", question_hash="h", gold="zero"),
        item(instance_id="1", question_hash="h", gold="one"),
    ]
    found = one([run(instance_id="1", instance_hash="h")], instances=items)
    assert (found["instance"], found["gold"]) == ("1", "one")


def test_a_run_that_no_item_matches_keeps_its_raw_id_and_has_no_gold() -> None:
    items = [item(instance_id="0", question_hash="h0", gold="zero")]
    found = one([run(instance_id="x9", instance_hash="h9")], instances=items)
    assert (found["instance"], found["gold"]) == ("x9", None)


def test_a_run_without_a_question_is_matched_by_id_only() -> None:
    items = [
        item(instance_id="0", question_hash=None, gold="zero"),
        item(instance_id="1", question_hash=None, gold="one"),
    ]
    assert one([run(instance_id="1", instance_hash=None)], instances=items)["gold"] == "one"


def test_items_of_another_benchmark_match_nothing() -> None:
    items = [item(benchmark_id="other", question_hash="h", gold="zero")]
    assert one([run(instance_hash="h")], instances=items)["gold"] is None


def test_a_log_under_another_name_of_the_benchmark_meets_its_items() -> None:
    items = [item(benchmark_id="gsm8k", instance_id="0", question_hash="h", gold="zero")]
    found = one([run(benchmark_id="gsm", instance_hash="h")], instances=items, benchmarks=ALIAS)
    assert (found["benchmark"], found["benchmark_id"], found["gold"]) == ("gsm8k", "gsm", "zero")


def test_items_ingested_under_two_names_of_a_benchmark_are_one_and_the_newest_counts() -> None:
    items = [
        item(benchmark_id="gsm", question_hash="h", gold="old"),
        item(benchmark_id="gsm8k", question_hash="h", gold="new", log_version=later(1)),
    ]
    found = one([run(instance_hash="h", instance_id="raw")], instances=items, benchmarks=ALIAS)
    assert (found["instance"], found["gold"]) == ("0", "new")


def test_one_file_of_items_under_two_names_is_one() -> None:
    items = [item(benchmark_id=name, gold=name) for name in ("gsm8k", "gsm")]
    assert [row["gold"] for row in named([run()], instances=items, benchmarks=ALIAS)] == ["gsm8k"]


def test_labels_under_two_names_of_a_benchmark_are_one_and_the_newest_counts() -> None:
    labels = [label(benchmark_id="gsm", correct=True, labels_version=later(1)), label(correct=False)]
    found = one([run()], labels=labels, benchmarks=ALIAS)
    assert (found["label_correct"], found["label_version"]) == (True, later(1))


def test_gold_comes_from_the_items_then_the_labels_then_the_logs() -> None:
    logged = item(source="team", gold="logged")
    by_instance, by_id = label(gold="by instance"), label(custom_id="q", gold="by custom_id")
    runs = [run(source_record_id="q")]
    everything = {"labels": [by_id, by_instance], "instances": [item(gold="item"), logged]}
    assert one(runs, **everything)["gold"] == "item"
    assert one(runs, **everything | {"instances": [logged]})["gold"] == "by custom_id"
    assert one(runs, labels=[by_instance], instances=[logged])["gold"] == "by instance"
    assert one(runs, instances=[logged])["gold"] == "logged"


def test_the_gold_of_a_log_is_found_under_the_names_of_the_log() -> None:
    items = [
        item(instance_id="7", question_hash="h7"),
        item(source="team", benchmark_id="gsm", instance_id="raw", gold="18"),
    ]
    found = one(
        [run(benchmark_id="gsm", instance_id="raw", instance_hash="h7")], instances=items, benchmarks=ALIAS
    )
    assert (found["instance"], found["gold"]) == ("7", "18")


@pytest.mark.parametrize("silent", [item(log_version=later(9)), item(source="red", log_version=later(9))])
def test_a_newer_source_that_is_silent_takes_no_gold_and_no_question_back(silent: Row) -> None:
    source = silent["source"]
    told = [
        item(instance_id="0", source=source, gold="old"),
        item(instance_id="0", source=source, gold="new", question_hash="h", log_version=later(1)),
        silent,
    ]
    for instances in (told, told[::-1]):
        found = one([run(instance_id="0", instance_hash="h")], instances=instances)
        assert (found["instance"], found["gold"]) == ("0", "new")


def newest(rows: Sequence[Row], order: Sequence[str]) -> Row:
    return max(rows, key=lambda row: tuple(row[name] for name in order), default={})


def that_tell(fact: str, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row[fact] is not None]


def expected(logged: Row, labels: list[Row], instances: list[Row]) -> Row:
    """The rules once more, for one run, as plainly as can be."""
    custom = newest(
        [row for row in labels if row["custom_id"] and row["custom_id"] == logged["source_record_id"]],
        ["target"],
    )
    raw, instance = (
        custom.get("benchmark_id", logged["benchmark_id"]),
        custom.get("instance_id", logged["instance_id"]),
    )
    benchmark = ALIAS.get(raw, raw)
    items: dict[str, list[Row]] = {}
    for row in instances:
        if row["source"] == "items" and ALIAS.get(row["benchmark_id"], row["benchmark_id"]) == benchmark:
            items.setdefault(row["instance_id"], []).append(row)
    of_items = [*WINNER_ORDER, "benchmark_id"]
    questions = {name: newest(that_tell("question_hash", rows), of_items) for name, rows in items.items()}
    hashed = [
        name for name, row in questions.items() if row and row["question_hash"] == logged["instance_hash"]
    ]
    instance = hashed[0] if len(hashed) == 1 else instance
    labelled = newest(
        [
            row
            for row in labels
            if not row["custom_id"]
            and row["instance_id"] == instance
            and ALIAS.get(row["benchmark_id"], row["benchmark_id"]) == benchmark
        ],
        ["labels_version", "source_sha256", "source_offset", "benchmark_id"],
    )
    shown = [
        row
        for row in instances
        if row["source"] != "items"
        and (row["benchmark_id"], row["instance_id"]) == (logged["benchmark_id"], logged["instance_id"])
    ]
    item_gold = newest(that_tell("gold", items.get(instance, [])), of_items)
    logged_gold = newest(that_tell("gold", shown), [*WINNER_ORDER, "source"])
    golds = [row.get("gold") for row in (item_gold, custom, labelled, logged_gold)]
    judge = custom if custom.get("correct") is not None else labelled
    return {
        "run_key": logged["run_key"],
        "benchmark": benchmark,
        "instance": instance,
        "gold": next((gold for gold in golds if gold is not None), None),
        "label_correct": judge.get("correct"),
        "label_version": judge.get("labels_version"),
        "label_offset": judge.get("source_offset"),
    }


benchmark_names, instance_names = st.sampled_from(["gsm", "gsm8k", "other"]), st.sampled_from("01")
hashes = st.sampled_from(["h0", "h1", None])
some_runs = st.lists(
    st.builds(
        run, benchmark_id=benchmark_names, instance_id=instance_names, instance_hash=hashes,
        source_record_id=st.sampled_from(["q0", "q1", None]),
    ),
    max_size=4,
)  # fmt: skip
some_labels = st.lists(
    st.builds(
        label, custom_id=st.sampled_from(["q0", "q1", None]), benchmark_id=benchmark_names, instance_id=instance_names,
        gold=st.sampled_from(["g", None]), correct=st.sampled_from([True, False, None]),
        labels_version=st.integers(0, 1).map(later), source_offset=st.integers(0, 1),
    ),
    max_size=5, unique_by=lambda row: row["target"],
)  # fmt: skip
some_instances = st.lists(
    st.builds(
        item, benchmark_id=benchmark_names, instance_id=instance_names, question_hash=hashes,
        source=st.sampled_from(["items", "team", "other"]), gold=st.sampled_from(["a", "b", None]),
        log_version=st.integers(0, 1).map(later), source_offset=st.integers(0, 1),
    ),
    max_size=6, unique_by=(
        lambda row: (
            row["benchmark_id"], row["instance_id"], row["source"], row["gold"] is None, row["question_hash"] is None
        ),
        lambda row: (row["benchmark_id"], row["instance_id"], row["source"], row["log_version"], row["source_offset"]),
    ),
)  # fmt: skip


@settings(max_examples=20)
@given(some_runs, some_labels, some_instances)
def test_every_run_is_named_once_by_the_rules(
    logged: list[Row], labels: list[Row], instances: list[Row]
) -> None:
    numbered = [row | {"run_key": str(place)} for place, row in enumerate(logged)]
    found = named(numbered, labels=labels, instances=instances, benchmarks=ALIAS)
    assert [row["run_key"] for row in found] == [row["run_key"] for row in numbered]
    for row, source in zip(found, numbered, strict=True):
        wanted = expected(source, labels, instances)
        assert {name: row[name] for name in wanted} == wanted


@pytest.mark.parametrize("count", [0, 1, 3])
def test_without_items_labels_or_golds_runs_keep_their_names(count: int) -> None:
    found = named([run(str(place), instance_id=str(place)) for place in range(count)])
    assert [(row["benchmark"], row["instance"], row["gold"], row["label_correct"]) for row in found] == [
        ("gsm8k", str(place), None, None) for place in range(count)
    ]
