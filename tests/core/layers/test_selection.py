"""What a report adds up: scorers, cells, the pool, shared instances and pairs, against obvious loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark import settings as conf
from effspark.errors import SettingsError
from effspark.layers import moments, selection
from effspark.layers.selection import SUMMED, Choice, chosen_scorers
from tests.core.layers import loops
from tests.core.layers.rows import Row, run, runs, sums, table


def present(*scorers: str, eval_run: str = "e", model: str = "m", config: str | None = None) -> list[Row]:
    place = {"benchmark_id": "b", "eval_run_id": eval_run, "config_id": config or model, "model_id": model}
    return [place | {"scorer": scorer} for scorer in ("", *scorers)]


def choose(rows: Iterable[Row], *listed: str) -> list[tuple[str, str, tuple[str, ...]]]:
    settled = conf.load(overrides=[f"benchmarks={{b: {{scorers: [{', '.join(map(repr, listed))}]}}}}"])
    return [
        (choice.eval_run_id, choice.scorer, choice.alternatives)
        for choice in chosen_scorers(list(rows), settled)
    ]


@pytest.mark.parametrize(
    ("found", "listed", "chosen", "spare"),
    [
        (["a", "label"], ["label", "*"], "label", ("a",)),
        (["b", "a"], ["label", "*"], "a", ("b",)),
        (["b", "a", "c"], ["c", "*", "b"], "c", ("a", "b")),
        (["a"], ["b", "a"], "a", ()),
        ([], ["label", "*"], "", ()),
        (["Toxicity"], ["label", "*"], "", ("Toxicity",)),
        (["hallucination", "z"], ["*"], "z", ("hallucination",)),
        (["hallucination", "z"], ["hallucination"], "hallucination", ()),
    ],
)
def test_the_first_scorer_of_the_list_that_is_there_is_used(
    found: list[str], listed: list[str], chosen: str, spare: tuple[str, ...]
) -> None:
    assert choose(present(*found), *listed) == [("e", chosen, spare)]


def test_each_eval_run_uses_the_first_it_has_itself() -> None:
    rows = [*present("label", "a", eval_run="1"), *present("a", eval_run="2")]
    assert choose(rows, "label", "*") == [("1", "label", ("a",)), ("2", "a", ())]


def test_eval_runs_that_nobody_judged_of_a_model_judged_elsewhere_are_told_apart() -> None:
    rows = [*present("a", eval_run="1"), *present(eval_run="2"), *present(eval_run="2", model="n")]
    assert choose(rows, "*") == [("1", "a", ()), ("2", "", ()), ("2", "", ())]
    found = selection.unjudged(chosen_scorers(rows, conf.load()))
    assert [(choice.eval_run_id, choice.model_id) for choice in found] == [("2", "m")]


def test_eval_runs_that_only_unlisted_scorers_judged_are_told_all_at_once() -> None:
    rows = [*present("a", eval_run="1"), *present("c", "a", eval_run="2"), *present("b", eval_run="3")]
    with pytest.raises(SettingsError) as caught:
        choose(rows, "c", "b")
    text = str(caught.value)
    assert "eval run 1" in text
    assert "found a; allowed: c, b" in text
    assert "benchmarks.b.scorers" in text
    assert "eval run 2" not in text
    with pytest.raises(SettingsError, match=r"(?s)eval run 1.*eval run 3"):
        choose(rows, "c")


def cells(given_runs: Sequence[Row], **options: Any) -> Any:
    """Cells of runs whose configuration is their model and whose scorer is chosen."""
    places = {
        (row["benchmark_id"], row["eval_run_id"], row["config_id"], row["scorer"]) for row in given_runs
    }
    choices = [
        dict(zip(Choice._fields[:-1], (benchmark, eval_run, config, config, scorer), strict=True))
        for benchmark, eval_run, config, scorer in sorted(places)
    ]
    schema = pa.schema([(name, pa.string()) for name in Choice._fields[:-1]])
    return selection.by_instance(
        nw.from_native(moments.partial_moments(table(given_runs))),
        nw.from_native(pa.Table.from_pylist(choices, schema)),
        **options,
    )


def rows_of(frame: Any) -> list[Row]:
    found: list[Row] = selection.gathered(frame).to_pylist()
    return sorted(found, key=lambda row: tuple(str(value) for value in row.values()))


def simple(model: str, *instances: str, benchmark: str = "b", **changes: Any) -> list[Row]:
    return [run(config_id=model, instance_id=name, benchmark_id=benchmark, **changes) for name in instances]


def test_runs_that_nobody_judged_of_a_judged_model_are_unscored_and_their_errors_count() -> None:
    silent = [
        run(scorer="", eval_run_id="f", correct=None, **changes)
        for changes in ({}, {"output_tokens": None}, {"status": "error"}, {"status": "cancelled"})
    ]
    (cell,) = rows_of(cells([run(), *silent]))
    assert (cell["n"], cell["tokens"], cell["missing"], cell["correct"], cell["covers"]) == (1, 100, 0, 1, 1)
    assert (cell["runs"], cell["unscored"], cell["errors"], cell["error_tokens"], cell["cancelled"]) == (
        5, 2, 1, 100, 1,
    )  # fmt: skip
    (alone,) = rows_of(cells(silent))
    assert (alone["n"], alone["missing"], alone["unscored"], alone["errors"]) == (1, 1, 0, 1)


def test_only_rows_of_the_chosen_scorers_are_added() -> None:
    given_runs = [run(), run(eval_run_id="f", output_tokens=7), run(scorer="other", output_tokens=1000)]
    summed = nw.from_native(moments.partial_moments(table(given_runs)))
    choices = pa.table({"benchmark_id": ["b"] * 2, "eval_run_id": ["e", "f"], "config_id": ["c"] * 2})
    choices = choices.append_column("scorer", pa.array(["s"] * 2)).append_column(
        "model_id", pa.array(["m"] * 2)
    )
    (cell,) = rows_of(selection.by_instance(summed, nw.from_native(choices)))
    assert (cell["model_id"], cell["n"], cell["tokens"], cell["covers"]) == ("m", 2, 107, 1)


def test_an_instance_is_covered_by_a_run_in_the_layer_and_by_nothing_else() -> None:
    given_runs = [
        run(instance_id="ok"),
        run(instance_id="missing", output_tokens=None),
        run(instance_id="error", status="error"),
        run(instance_id="unscored", correct=None),
        run("refusal", instance_id="refused"),
    ]
    assert {row["instance_id"] for row in rows_of(cells(given_runs)) if row["covers"]} == {"ok", "refused"}
    without = rows_of(cells(given_runs, refusals="exclude"))
    assert {row["instance_id"] for row in without if row["covers"]} == {"ok"}


def pooled(given_runs: Sequence[Row], least: float) -> tuple[list[str], dict[str, int], list[str]]:
    found = cells(given_runs)
    pool, met = selection.pool_of(found, least_coverage=least)
    schema = pa.schema([("benchmark_id", pa.string()), ("model_id", pa.string()), ("covered", pa.int64())])
    shared = selection.shared_instances(found, nw.from_native(pa.Table.from_pylist(pool, schema)))
    return [row["model_id"] for row in pool], met, [row["instance_id"] for row in rows_of(shared)]


def test_a_model_below_the_coverage_is_outside_the_pool_and_does_not_shrink_it() -> None:
    twenty = [f"{place:02}" for place in range(20)]
    given_runs = [
        *simple("all", *twenty),
        *simple("at the share", *twenty[1:]),
        *simple("below", *twenty[:18]),
        *simple("beside", "elsewhere", benchmark="b2"),
    ]
    pool, met, shared = pooled(given_runs, 0.95)
    assert pool == ["all", "at the share", "beside"]
    assert met == {"b": 20, "b2": 1}
    assert shared == [*twenty[1:], "elsewhere"]


def test_where_no_model_covers_enough_nothing_is_shared() -> None:
    assert pooled([*simple("one", "1", "2"), *simple("two", "3", "4")], 0.95) == ([], {"b": 4}, [])


def pairs(given_runs: Sequence[Row], references: dict[str, str]) -> dict[tuple[str, str], Row]:
    rows = [
        {"benchmark_id": "b", "model_id": model, "reference_id": other} for model, other in references.items()
    ]
    schema = pa.schema([(name, pa.string()) for name in ("benchmark_id", "model_id", "reference_id")])
    found = selection.pair_sums(cells(given_runs), nw.from_native(pa.Table.from_pylist(rows, schema)))
    return {(row["model_id"], row["instance_set"]): row for row in rows_of(found)}


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(st.sampled_from("xyz"), runs(scorer="s", benchmark_id="b")).map(
            lambda pair: pair[1] | {"config_id": pair[0]}
        ),
        max_size=10,
    )
)
def test_sums_over_own_shared_and_paired_instances_equal_the_loop(given_runs: list[Row]) -> None:
    def covered(model: str) -> set[str]:
        return {row["instance_id"] for row in given_runs if row["config_id"] == model and loops.in_layer(row)}

    def summed(model: str, instances: set[str] | None = None) -> dict[str, int]:
        rows = [row for row in given_runs if row["config_id"] == model]
        found = sums(row for row in rows if instances is None or row["instance_id"] in instances)
        return {name: found[name] for name in SUMMED}

    found = rows_of(selection.model_sums(cells(given_runs), instance_set=nw.lit("own")))
    assert [row["model_id"] for row in found] == sorted({row["config_id"] for row in given_runs})
    for row in found:
        assert {name: row[name] for name in SUMMED} == summed(row["model_id"])
        assert row["covered"] == len(covered(row["model_id"]))
    shared = nw.from_native(pa.table({"benchmark_id": ["b", "b"], "instance_id": ["i", "elsewhere"]}))
    found = rows_of(selection.shared_and_other_sums(cells(given_runs), shared))
    assert {(row["model_id"], row["instance_set"]) for row in found} == {
        (row["config_id"], "shared" if row["instance_id"] == "i" else "other") for row in given_runs
    }
    others = {row["instance_id"] for row in given_runs} - {"i"}
    for row in found:
        instances = {"i"} if row["instance_set"] == "shared" else others
        assert {name: row[name] for name in SUMMED} == summed(row["model_id"], instances)
        assert row["covered"] == len(covered(row["model_id"]) & instances)
    both = pairs(given_runs, {"x": "y", "y": "y", "z": "x"})
    for model, other in {"x": "y", "y": "y", "z": "x"}.items():
        common = covered(model) & covered(other)
        if not common:
            assert (model, "pair") not in both
            continue
        for side, who in (("pair", model), ("pair_reference", other)):
            assert {name: both[model, side][name] for name in SUMMED} == summed(who, common)
            assert both[model, side]["covered"] == len(common)


def test_no_moments_have_no_pool_no_shared_instances_and_no_pairs() -> None:
    assert pooled([], 0.95) == ([], {}, [])
    assert pairs([], {"x": "y"}) == {}
    assert rows_of(selection.model_sums(cells([]), instance_set=nw.lit("own"))) == []
