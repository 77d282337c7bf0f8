"""The workload layer of a report: every number equals the loop, terms add up, and what is missing says why."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from effspark import settings as conf
from effspark.gold.report_tables import ReportTables
from effspark.gold.work_rows import UNITS
from tests.core.gold.expected import Expected, some_logs
from tests.core.layers import loops
from tests.core.layers.reports import logged, report
from tests.core.layers.rows import Row

DECLARED = ["benchmarks.b.declared={V: x, W: x}", "benchmarks.b.scales=[W, V]"]
CONF = conf.load(overrides=DECLARED)

some_work = st.dictionaries(st.sampled_from(["i", "j", "k"]), st.sampled_from([0.5, 1.0, 2.0, 3.0, 7.0]))


def numbers(found: ReportTables, scale: str = "W") -> dict[tuple[str, str, str], float | None]:
    rows = [
        row
        for row in found.tables["estimates"].to_pylist()
        if (row["layer"], row["scale"]) == ("workload", scale)
    ]
    return {(row["model_id"], row["instance_set"], row["metric"]): row["value"] for row in rows}


def terms(found: ReportTables, scale: str = "W") -> dict[tuple[str, str, str], float | None]:
    rows = [row for row in found.tables["decompositions"].to_pylist() if row["scale"] == scale]
    assert {row["layer"] for row in rows} <= {"workload"}
    return {(row["model_id"], row["instance_set"], row["term"]): row["value"] for row in rows}


def of_loop(rows: Iterable[Row], work: dict[str, float]) -> dict[str, float | None]:
    """VO, kappa, E[W] and E[T] over the runs that have W, one after the other."""
    pairs = [(row["output_tokens"], work[row["instance_id"]]) for row in rows if row["instance_id"] in work]
    if not pairs:
        return dict.fromkeys(("VO", "kappa", "mean_W", "mean_T"))
    n = len(pairs)
    overhead, mean_work = sum(t / w for t, w in pairs) / n, sum(w for _, w in pairs) / n
    mean_tokens = sum(t for t, _ in pairs) / n
    coupling = mean_tokens / (mean_work * overhead) if overhead else None
    return {"VO": overhead, "kappa": coupling, "mean_W": mean_work, "mean_T": mean_tokens}


@examples(max_examples=40)
@given(some_logs, some_work, st.sampled_from(["include", "exclude"]))
def test_every_number_of_the_layer_equals_the_loop(
    given_runs: list[Row], work: dict[str, float], refusals: str
) -> None:
    given_runs = [row | {"instance_id": "ijk"[place % 3]} for place, row in enumerate(given_runs)]
    settled = conf.load(overrides=[*DECLARED, f"report.refusals={refusals}"])
    expected, found = Expected(given_runs, settled), report(given_runs, settled, work={"W": work})
    read, gaps = numbers(found), terms(found)
    inside_of = {
        model: [row for row in rows if expected._in_layer(row)] for model, rows in expected.chosen.items()
    }
    for model, standing in expected.standings.items():
        inside = inside_of[model]
        sets = {"own": inside, "shared": [row for row in inside if row["instance_id"] in expected.shared]}
        for name, rows in sets.items():
            if (model, name, "n") not in read:
                continue
            for metric, value in of_loop(rows, work).items():
                assert read[model, name, metric] == pytest.approx(value), (model, name, metric)
            with_work = [row for row in rows if row["instance_id"] in work]
            assert read[model, name, "n"] == len(with_work)
            worked = any(row["instance_id"] in work for rows in inside_of.values() for row in rows)
            assert read[model, name, "is_primary"] == worked
            if with_work and standing.reason != "no_verdicts":
                assert read[model, name, "E0"] == pytest.approx(loops.metrics(with_work)["E0"])
    for model, name in {key[:2] for key in gaps}:
        left = gaps[model, name, "residual"]
        assert left is None or abs(left) < 1e-12
        assert gaps[model, name, "total"] is None or name in ("own", "pair")


def test_terms_are_those_of_the_instances_that_both_cover() -> None:
    given_runs = [
        *(
            logged("m", instance, output_tokens=tokens)
            for instance, tokens in (("i", 10), ("j", 40), ("k", 90))
        ),
        *(logged("n", instance, output_tokens=tokens) for instance, tokens in (("i", 20), ("j", 60))),
    ]
    work = {"W": {"i": 1.0, "j": 2.0, "k": 9.0}, "V": {"i": 2.0}}
    found = report(given_runs, conf.load(overrides=[*DECLARED, "report.least_coverage=0.6"]), work=work)
    gaps = terms(found)
    assert gaps["n", "pair", "VO"] == pytest.approx(-math.log(25 / 15))
    assert gaps["n", "pair", "mean_W"] == 0
    assert gaps["n", "pair", "kappa"] == pytest.approx(-math.log((40 / (1.5 * 25)) / (25 / (1.5 * 15))))
    assert gaps["n", "own", "mean_W"] == pytest.approx(-math.log(1.5 / 4))
    assert terms(found, "V")["n", "pair", "VO"] == pytest.approx(-math.log(2))
    assert numbers(found, "V")["m", "own", "is_primary"] == 0


def test_a_model_without_work_is_told_so_and_the_report_how_to_mend_it() -> None:
    found = report([logged("m", "i")], CONF)
    told = {
        row["metric"]: (row["value"], row["reason"])
        for row in found.tables["estimates"].to_pylist()
        if row["scale"] == "W"
    }
    assert told["VO"] == told["kappa"] == told["E0"] == (None, "no_work")
    assert (told["n"], told["retained"]) == ((0.0, None), (0.0, None))
    assert set(told) == {*UNITS, "is_primary"}
    assert any("no instance has work (W, V)" in text for text in found.warnings)
    assert not any(
        "no instance has work" in text
        for text in report([logged("m", "i")], CONF, work={"W": {"i": 1.0}}).warnings
    )


def test_a_model_that_generated_nothing_has_no_coupling() -> None:
    found = report([logged("m", "i", output_tokens=0)], CONF, work={"W": {"i": 2.0}})
    told = {
        row["metric"]: (row["value"], row["reason"])
        for row in found.tables["estimates"].to_pylist()
        if row["scale"] == "W"
    }
    assert (told["VO"], told["kappa"], told["E0"]) == ((0.0, None), (None, "no_tokens"), (None, "no_tokens"))


def test_nobody_has_judged_but_overhead_is_known() -> None:
    found = report([logged("m", "i", verdicts={})], CONF, work={"W": {"i": 2.0}})
    told = {
        row["metric"]: (row["value"], row["reason"])
        for row in found.tables["estimates"].to_pylist()
        if row["scale"] == "W"
    }
    assert (told["VO"], told["E0"], told["r_logic"]) == (
        (50.0, None),
        (None, "no_verdicts"),
        (None, "no_verdicts"),
    )


def test_a_scale_may_be_called_like_any_column() -> None:
    settled = conf.load(overrides=["benchmarks.b.declared={tokens: x}"])
    found = report([logged("m", "i", output_tokens=90)], settled, work={"tokens": {"i": 3.0}})
    assert numbers(found, "tokens")["m", "own", "VO"] == 30
