"""Labels and runs that met nothing: which they are, counted by benchmark, with an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from effspark.runs.unmatched import COLUMNS, unmatched
from tests.core.runs.naming import Row, aliases, frame, item, label, named_frame, run

LONELY, UNLABELLED, NO_ITEM, OTHER, NO_RUN, EXCLUDED = (
    "label without run", "run without label", "run without item", "run of another question",
    "items of a benchmark without run", "excluded instance without run",
)  # fmt: skip


PLACES = pa.schema([("benchmark_id", pa.string()), ("instance_id", pa.string())])


def found(
    runs: Sequence[Row],
    *,
    labels: Sequence[Row] = (),
    instances: Sequence[Row] = (),
    benchmarks: Mapping[str, str] | None = None,
    verdicts: Sequence[Row] = (),
    excluded: Sequence[tuple[str, str]] = (),
    last: bool = False,
) -> list[tuple[Any, ...]]:
    """What met nothing, with the greatest name where `last` asks for it."""
    named = named_frame(runs, labels=labels, instances=instances, benchmarks=benchmarks)
    table = unmatched(
        named,
        labels=frame("labels", labels),
        instances=frame("instances", instances),
        aliases=aliases(benchmark=benchmarks or {}),
        verdicts=frame("verdicts", verdicts),
        excluded=nw.from_native(pa.Table.from_pylist([*map(place, excluded)], PLACES)),
    ).to_arrow()
    assert tuple(table.column_names) == COLUMNS
    return sorted(tuple(row.values())[: None if last else -1] for row in table.to_pylist())


def place(excluded: tuple[str, str]) -> Row:
    return dict(zip(PLACES.names, excluded, strict=True))


def of(instance: str, **changes: str) -> Row:
    return run(f"r{instance}{changes.get('benchmark_id', '')}", instance_id=instance, **changes)


def test_without_labels_and_items_nothing_is_told() -> None:
    assert found([of("0"), of("1")]) == []


def test_labels_of_no_run_are_counted_by_benchmark_with_the_least_target() -> None:
    labels = [label(instance_id=name, correct=True) for name in "0897"]
    labels += [label(benchmark_id="zebra", instance_id="0", correct=True)]
    assert found([of("0")], labels=labels) == [
        (LONELY, "gsm8k", 3, "instance:gsm8k\x1f7"),
        (LONELY, "zebra", 1, "instance:zebra\x1f0"),
    ]


def test_a_label_by_custom_id_meets_the_record_of_that_id_and_no_instance_of_that_name() -> None:
    labels = [label(custom_id="a", correct=True), label(custom_id="b", correct=True)]
    met = of("0", source_record_id="a", benchmark_id="unlabelled")
    of_that_name = of("b", source_record_id="z", benchmark_id="other")
    assert found([met, of_that_name], labels=labels) == [(LONELY, "gsm8k", 1, "custom_id:b")]


def test_a_label_meets_runs_under_another_name_of_its_benchmark() -> None:
    labels = [label(benchmark_id="gsm", correct=True), label(benchmark_id="gsm", instance_id="9", gold="1")]
    assert found([of("0")], labels=labels, benchmarks={"gsm": "gsm8k"}) == [
        (LONELY, "gsm8k", 1, "instance:gsm\x1f9")
    ]


def test_runs_without_label_are_counted_where_others_of_the_benchmark_have_one() -> None:
    runs = [of("0"), of("1"), of("2"), of("0", benchmark_id="zebra")]
    assert found(runs, labels=[label(correct=True)]) == [(UNLABELLED, "gsm8k", 2, "1")]


def test_runs_that_have_a_verdict_of_their_own_want_no_label() -> None:
    verdict = {"scorer": "exact", "score_kind": "binary", "source": "log"}
    verdicts = [{**verdict, "run_key": "r1", "correct": False}, {**verdict, "run_key": "r2", "correct": None}]
    runs = [of("0"), of("1"), of("2"), of("3")]
    assert found(runs, labels=[label(correct=True)], verdicts=verdicts) == [(UNLABELLED, "gsm8k", 2, "2")]


def test_the_least_and_the_greatest_name_are_told() -> None:
    labels = [label(instance_id=name, correct=True) for name in "0897"]
    (row,) = found([of("0")], labels=labels, last=True)
    assert row[-2:] == ("instance:gsm8k\x1f7", "instance:gsm8k\x1f9")


def test_each_exclusion_of_no_run_is_told_where_its_benchmark_was_run() -> None:
    excluded = [("gsm8k", "9"), ("gsm8k", "0"), ("gsm8k", "8"), ("zebra", "1")]
    runs = [of("0", benchmark_id="gsm"), of("1")]
    assert found(runs, excluded=excluded, benchmarks={"gsm": "gsm8k"}) == [
        (EXCLUDED, "gsm8k", 1, "8"),
        (EXCLUDED, "gsm8k", 1, "9"),
    ]


def test_rows_of_a_batch_beside_labelled_ones_are_counted_though_no_label_names_their_benchmark() -> None:
    runs = [
        of("a", source_record_id="a", benchmark_id="unlabelled"),
        of("b", source_record_id="b", benchmark_id="unlabelled"),
    ]
    labels = [label(custom_id="a", instance_id="0", correct=True)]
    assert found(runs, labels=labels) == [(UNLABELLED, "unlabelled", 1, "b")]


def test_a_label_that_gives_the_answer_only_is_a_label() -> None:
    labels = [label(gold="4"), label(custom_id="c", instance_id="1", gold="5")]
    assert found([of("0"), of("7", source_record_id="c")], labels=labels) == []


def test_an_older_label_of_the_same_instance_is_not_lonely() -> None:
    labels = [label(correct=True), label(benchmark_id="gsm", correct=False, source_sha256="k")]
    assert found([of("0")], labels=labels, benchmarks={"gsm": "gsm8k"}) == []


@pytest.mark.parametrize("source", ["items", "team"])
def test_runs_of_no_item_are_counted_where_the_benchmark_has_items_of_its_own(source: str) -> None:
    runs = [of("0"), of("5"), of("6"), of("5", benchmark_id="zebra")]
    expected = [(NO_ITEM, "gsm8k", 2, "5")] if source == "items" else []
    assert found(runs, instances=[item(instance_id="0", source=source)]) == expected


def test_a_run_that_meets_its_item_by_the_question_has_an_item() -> None:
    items = [item(instance_id="0", question_hash="h", gold="zero")]
    assert found([run(instance_id="of the log", instance_hash="h")], instances=items) == []


def test_runs_that_met_an_item_by_its_id_and_ask_another_question_are_counted() -> None:
    items = [item(instance_id=name, question_hash=f"h{name}") for name in "01"] + [item(instance_id="2")]
    runs = [
        of("0", instance_hash="another"),
        of("1", instance_hash="h1"),
        of("2", instance_hash="asked of an item without a question"),
        run("silent", instance_id="0"),
    ]
    assert found(runs, instances=items) == [(OTHER, "gsm8k", 1, "0")]


def test_a_question_that_the_benchmark_asks_under_another_of_its_names_is_known() -> None:
    items = [item(question_hash="h"), item(benchmark_id="gsm", question_hash="older")]
    runs = [of("0", instance_hash="h"), run("other", instance_id="0", instance_hash="older")]
    assert found(runs, instances=items, benchmarks={"gsm": "gsm8k"}) == []


def test_items_of_a_benchmark_that_no_run_is_of_are_counted_and_others_are_usual() -> None:
    items = [item(instance_id=name) for name in "019"] + [
        item(benchmark_id="gsm9k", instance_id=name) for name in "3a"
    ]
    assert found([of("0")], instances=items) == [(NO_RUN, "gsm9k", 2, "3")]
    joined = found([of("0")], instances=items[-2:], benchmarks={"gsm9k": "gsm8k"})
    assert (NO_RUN, "gsm9k", 2, "3") not in joined
