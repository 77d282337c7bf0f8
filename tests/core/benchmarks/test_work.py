"""Native work: one rule a benchmark, named scales, and what an item without work is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from effspark import settings
from effspark.benchmarks.work import WORK, Item, NativeWork, native_work, uncountable
from effspark.errors import LogError

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


def test_every_module_holds_the_work_of_its_name() -> None:
    assert tuple(native_work()) == WORK
    for name, rule in native_work().items():
        assert isinstance(rule, NativeWork)
        assert rule.name == name
        assert len(set(rule.scales)) == len(rule.scales) > 0


def test_every_benchmark_with_work_is_one_that_conf_knows() -> None:
    assert set(WORK) <= set(settings.load().benchmarks)


def items() -> dict[str, Item]:
    given = {
        name: json.loads((VECTORS / f"{file}.json").read_text())["input"]
        for name, file in {"cogniload": "cogniload_workloads", "zebralogic": "zebra_workloads"}.items()
    }
    return {
        "cogniload": Item(given["cogniload"]["puzzle"]),
        "zebralogic": Item(given["zebralogic"]["puzzle"]),
        "gsm8k": Item(solution="1+1=<<1+1=2>>2\n#### 2"),
        "proofwriter": Item(fields={"depth": 3.0}),
    }


@pytest.mark.parametrize("name", WORK)
def test_work_is_told_on_every_scale_and_above_zero(name: str) -> None:
    rule = native_work()[name]
    work = rule.measure(items()[name]).work
    assert tuple(work) == rule.scales
    assert all(isinstance(value, int) and value > 0 for value in work.values())


@pytest.mark.parametrize("name", WORK)
def test_an_item_that_says_nothing_has_no_work_rather_than_none_to_do(name: str) -> None:
    with pytest.raises(LogError, match=rf"no work can be counted \({name}\)") as caught:
        native_work()[name].measure(Item())
    assert caught.value.reason == "no_native_work"


def test_what_was_found_is_told_but_not_at_length() -> None:
    assert len(str(uncountable("gsm8k", found="x" * 9999, allowed="y"))) < 200
