from __future__ import annotations

import pytest

from effspark import settings
from effspark.benchmarks import BENCHMARKS, Benchmark, benchmark_named, registry
from effspark.errors import SettingsError


def test_every_module_holds_a_benchmark_of_its_name() -> None:
    assert tuple(registry()) == BENCHMARKS
    for name, benchmark in registry().items():
        assert isinstance(benchmark, Benchmark)
        assert (benchmark.name, benchmark.scorer) == (name, f"rescored:{name}")


def test_conf_names_only_rules_and_scorers_that_there_are() -> None:
    for benchmark in settings.load().benchmarks.values():
        if benchmark.answers is not None:
            assert benchmark_named(benchmark.answers).scorer in benchmark.scorers


def test_an_unknown_rule_names_the_known_ones() -> None:
    with pytest.raises(SettingsError, match=r"found gsm9k; allowed: cogniload, gsm8k, .*; name one of them"):
        benchmark_named("gsm9k")
