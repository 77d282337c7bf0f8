"""Work of instances: rules of conf, native and declared scales, items before logs, and what cannot be counted."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import narwhals as nw
import pyarrow as pa
import pytest

from effspark import settings as conf
from effspark.errors import SettingsError
from effspark.layers import instance_work
from effspark.layers.instance_work import INPUT

SOLUTION = "3*4=<<3*4=12>>12\n12-2=<<12-2=10>>10\n#### 10"
RULES = instance_work.rules(conf.load(overrides=["benchmarks.mine.declared={W_x: x + 1, W_y: y}"]))


def row(
    benchmark: str, instance: str, source: str = "items", *, day: int = 1, **known: Any
) -> dict[str, Any]:
    version = datetime(2026, 1, day, tzinfo=timezone.utc)
    record = {"log_version": version, "reader_version": 1, "mapping_version": 0, "source_sha256": "f"}
    place = {"benchmark_id": benchmark, "instance_id": instance, "source": source, "source_offset": 0}
    texts = {"question": None, "solution": None, "axes": [], "source_answer": 0}
    return record | place | texts | known


def work(*rows: dict[str, Any], aliases: dict[str, str] | None = None) -> dict[tuple[str, str, str], float]:
    found = instance_work.found(pa.Table.from_pylist(list(rows), INPUT), RULES, aliases or {})
    chosen = instance_work.chosen(nw.from_native(found)).to_arrow().to_pylist()
    read = {(one["benchmark_id"], one["instance_id"], one["scale"]): one["work"] for one in chosen}
    assert len(read) == len(chosen)
    return read


def test_native_scales_are_counted_from_the_solution_of_the_items() -> None:
    assert work(row("gsm8k", "0", solution=SOLUTION)) == {
        ("gsm8k", "0", "W_step"): 2, ("gsm8k", "0", "W_op_clean"): 2, ("gsm8k", "0", "W_op"): 2,
        ("gsm8k", "0", "W_mix"): 4,
    }  # fmt: skip


def test_declared_scales_are_expressions_over_axes_and_above_0() -> None:
    found = work(
        row("mine", "a", axes=[("x", 2.0), ("y", 0.0)]), row("mine", "b", axes=[("y", 3.0)]), row("mine", "c")
    )
    assert found == {("mine", "a", "W_x"): 3.0, ("mine", "b", "W_y"): 3.0}


def test_what_cannot_be_counted_and_benchmarks_without_rule_have_no_row() -> None:
    assert (
        work(row("gsm8k", "0", solution="#### 10"), row("gsm8k", "1"), row("other", "0", solution=SOLUTION))
        == {}
    )


@pytest.mark.parametrize("turned", [False, True])
def test_items_outrank_logs_and_the_newest_log_the_others(turned: bool) -> None:
    rows = [
        row("mine", "a", axes=[("x", 1.0)]),
        row("mine", "a", "blue", day=9, axes=[("x", 8.0), ("y", 5.0)]),
        row("mine", "a", "red", day=3, axes=[("y", 4.0)]),
    ]
    assert work(*(reversed(rows) if turned else rows)) == {
        ("mine", "a", "W_x"): 2.0,
        ("mine", "a", "W_y"): 5.0,
    }


def test_benchmarks_are_joined_by_alias() -> None:
    found = work(row("gsm", "0", "blue", solution=SOLUTION), aliases={"gsm": "gsm8k"})
    assert found["gsm8k", "0", "W_step"] == 2


def test_a_rows_fingerprint_tells_its_work() -> None:
    one, other = (
        instance_work.found(pa.Table.from_pylist([row("mine", "a", axes=[("x", value)])], INPUT), RULES, {})
        for value in (1.0, 2.0)
    )
    assert one["fingerprint"] != other["fingerprint"]
    assert 0 <= one["fingerprint"][0].as_py() < 2**64


@pytest.mark.parametrize(
    ("override", "told"),
    [
        (
            "benchmarks.mine.work=chess",
            "no such rule of work (conf benchmarks.mine.work): found chess; allowed: cogni",
        ),
        ("benchmarks.gsm8k.scales=[W_words]", "found W_words; allowed: W_step, W_op_clean, W_op, W_mix"),
        ("benchmarks.mine.declared={W: open('x')}", "unknown function open"),
        ("benchmarks.mine.scales=[W]", "found W; allowed: none: declare it"),
    ],
)
def test_rules_that_cannot_be_used_are_refused(override: str, told: str) -> None:
    with pytest.raises(SettingsError) as error:
        instance_work.rules(conf.load(overrides=[override]))
    assert told in str(error.value)


def test_scales_keep_the_order_of_conf_and_default_to_all() -> None:
    chosen = instance_work.rules(conf.load(overrides=["benchmarks.gsm8k.scales=[W_mix, W_step]"]))
    assert chosen["gsm8k"].scales == ("W_mix", "W_step")
    assert RULES["mine"].scales == ("W_x", "W_y")
    assert "mmlu_pro" not in RULES


def test_levels_of_axes_that_conf_names_stand_beside_the_work() -> None:
    rules = instance_work.rules(
        conf.load(overrides=["benchmarks.mine.axes=[depth, width]", "benchmarks.mine.declared={W: x}"])
    )
    rows = [row("mine", "a", axes=[("depth", 0.0), ("x", 1.0)])]
    found = instance_work.found(pa.Table.from_pylist(rows, INPUT), rules, {}).to_pylist()
    assert {(one["scale"], one["kind"], one["work"]) for one in found} == {
        ("W", "declared", 1.0),
        ("axis depth", "axis", 0.0),
    }


def test_a_scale_cannot_be_called_like_that_of_the_solvers() -> None:
    with pytest.raises(SettingsError, match="a scale that reports derive from solvers"):
        instance_work.rules(conf.load(overrides=["benchmarks.mine.declared={W_solv: x}"]))
