"""A report from moments: every row equals what obvious loops over the runs give."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from effspark import settings as conf
from effspark import tables
from effspark.gold.report_tables import GATHERED, ReportTables
from effspark.layers.ranking import Standing
from tests.core.gold.expected import Expected, some_logs
from tests.core.layers.reports import logged, report
from tests.core.layers.rows import Row


def numbers(found: ReportTables) -> dict[tuple[str, str, str], float | None]:
    rows = [row for row in found.tables["estimates"].to_pylist() if row["layer"] == "outcome"]
    read = {(row["model_id"], row["instance_set"], row["metric"]): row["value"] for row in rows}
    assert len(read) == len(rows)
    return read


def terms(found: ReportTables) -> dict[tuple[str, str, str], float | None]:
    rows = [row for row in found.tables["decompositions"].to_pylist() if row["layer"] == "outcome"]
    read = {(row["model_id"], row["instance_set"], row["term"]): row["value"] for row in rows}
    assert len(read) == len(rows)
    return read


@examples(max_examples=25)
@given(some_logs, st.sampled_from([0.5, 0.95]), st.sampled_from(["include", "exclude"]))
def test_every_number_of_a_report_equals_the_loop(
    given_runs: list[Row], coverage: float, refusals: str
) -> None:
    settled = conf.load(overrides=[f"report.least_coverage={coverage}", f"report.refusals={refusals}"])
    expected, found = Expected(given_runs, settled), report(given_runs, settled)
    assert {model: standing for (_, model), standing in found.standings.items()} == expected.standings
    assert {row["instance_id"] for row in found.tables["suspects"].to_pylist()} == expected.suspects
    read, gaps = numbers(found), terms(found)
    for model, standing in expected.standings.items():
        scored = standing.reason != "no_verdicts"
        sets: dict[str, set[str] | None] = {"own": None}
        if {row["instance_id"] for row in expected.chosen[model]} & expected.shared:
            sets["shared"] = expected.shared
        assert ((model, "shared", "n") in read) is ("shared" in sets)
        for name, instances in sets.items():
            for metric, value in expected.metrics(model, instances).items():
                if scored or metric in ("mean_T", "known_share", "r_ctx", "r_ctx_all", "r_answer"):
                    assert read[model, name, metric] == pytest.approx(value), (model, name, metric)
                else:
                    assert read[model, name, metric] is None
        assert read[model, "shared", "rank"] == standing.rank
        if standing.reference_id is None:
            assert not any(key[0] == model for key in gaps)
            continue
        both = expected.covers[model] & expected.covers[standing.reference_id]
        for name, instances in {"own": None, "pair": both}.items():
            for term, value in expected.terms(model, standing.reference_id, instances).items():
                assert gaps[model, name, term] == pytest.approx(value, abs=1e-12), (model, name, term)
            left = gaps[model, name, "residual"]
            assert left is None or abs(left) < 1e-12


def test_nobodys_moments_are_an_empty_report() -> None:
    found = report([])
    assert (found.tables["estimates"].num_rows, found.tables["decompositions"].num_rows) == (0, 0)
    assert (found.standings, found.warnings, found.fingerprint) == ({}, [], "0:0")


def test_one_run_of_one_model_is_rank_one_and_its_own_reference() -> None:
    found = report([logged("m", "1", output_tokens=500)])
    assert found.standings == {("b", "m"): Standing(1, "m", None)}
    read = numbers(found)
    assert (read["m", "own", "E0"], read["m", "shared", "E0"], read["m", "shared", "rank"]) == (2.0, 2.0, 1.0)
    assert set(terms(found).values()) == {0.0}


def test_ranks_stand_on_the_shared_instances_and_own_numbers_beside_them() -> None:
    everywhere = [logged("m", str(place), output_tokens=100) for place in range(20)]
    but_one = [logged("n", str(place), output_tokens=90) for place in range(19)]
    few = [logged("o", "0", output_tokens=1)]
    found = report([*everywhere, *but_one, *few])
    read = numbers(found)
    assert {model: standing.rank for (_, model), standing in found.standings.items()} == {
        "m": 2,
        "n": 1,
        "o": None,
    }
    assert (read["m", "own", "n"], read["m", "shared", "n"], read["m", "shared", "n_instances"]) == (
        20,
        19,
        19,
    )
    assert (read["o", "own", "E0"], read["o", "shared", "rank"]) == (1000.0, None)
    assert not any(key[0] == "o" for key in terms(found))


def test_a_pair_is_compared_where_both_have_runs_and_own_sets_stand_beside_it() -> None:
    reference = [logged("r", str(place), output_tokens=50) for place in range(20)]
    model = [logged("m", str(place), output_tokens=100) for place in range(19)]
    found = terms(report([*reference, *model, logged("m", "elsewhere", output_tokens=2100)]))
    assert found["m", "pair", "mean_T"] == pytest.approx(-math.log(2))
    assert found["m", "own", "mean_T"] == pytest.approx(-math.log(4))


def test_a_model_that_nobody_judged_neither_joins_nor_shrinks_the_pool() -> None:
    judged = [logged("m", str(place)) for place in range(4)]
    silent = [logged("n", str(place), verdicts={}) for place in range(2, 100)]
    found = report([*judged, *silent])
    assert found.standings["b", "m"] == Standing(1, "m", None)
    assert found.standings["b", "n"] == Standing(None, None, "no_verdicts")
    assert numbers(found)["m", "shared", "n"] == 4


def test_excluded_refusals_cover_no_instance() -> None:
    refusing = [logged("m", "0", "refusal"), *(logged("m", str(place)) for place in range(1, 20))]
    plain = [logged("n", str(place)) for place in range(20)]
    by_default, excluded = (
        numbers(report([*refusing, *plain], conf.load(overrides=[f"report.refusals={how}"])))
        for how in ("include", "exclude")
    )
    assert (by_default["n", "shared", "n"], excluded["n", "shared", "n"]) == (20, 19)
    assert excluded["m", "own", "n_refused"] == 1


def test_runs_of_several_teams_and_eval_runs_are_pooled_and_counted_once() -> None:
    pooled = [logged("m", "1", teams="a"), logged("m", "1", teams="a,b"), logged("m", "1", eval_run_id="f")]
    read = numbers(report(pooled))
    assert (read["m", "own", "n"], read["m", "own", "n_instances"]) == (3, 1)


def test_configurations_of_one_model_are_one_model() -> None:
    found = report([logged("c1", "1"), logged("c2", "2")], c1={"model_id": "m"}, c2={"model_id": "m"})
    assert numbers(found)["m", "own", "n"] == 2


def test_benchmarks_are_reported_apart() -> None:
    found = report(
        [logged("m", "1"), logged("m", "2", benchmark_id="b2"), logged("n", "2", benchmark_id="b2")]
    )
    assert sorted(found.standings) == [("b", "m"), ("b2", "m"), ("b2", "n")]
    counted = {
        (row["benchmark_id"], row["model_id"])
        for row in found.tables["estimates"].to_pylist()
        if row["metric"] == "rank"
    }
    assert counted == set(found.standings)


def test_a_mix_of_scorers_is_named_in_every_row() -> None:
    found = report(
        [logged("m", "1", verdicts={"label": True}), logged("m", "1", verdicts={"x": True}, eval_run_id="f")]
    )
    assert {row["scorer"] for row in found.tables["estimates"].to_pylist()} == {"label+x"}


def test_a_report_is_known_by_its_moments_and_settings_not_by_their_order() -> None:
    given_runs = [logged("m", "1"), logged("m", "2", output_tokens=7), logged("n", "1")]
    first, turned = report(given_runs), report(given_runs[::-1])
    assert (first.report_id, first.fingerprint) == (turned.report_id, turned.fingerprint)
    changed = [*given_runs[:2], logged("n", "1", output_tokens=101)]
    others = {
        report(changed).report_id,
        report(given_runs, conf.load(overrides=["report.least_coverage=0.9"])).report_id,
    }
    assert len(others | {first.report_id}) == 3


NEED_MORE = {"calibrations", "transfers", "surfaces"}
"""Tables of reports that have native work, several benchmarks or axes."""


def test_rows_fit_the_schemas_of_their_tables() -> None:
    found = report([logged(model, place, verdicts={"s": model == place}) for model in "mn" for place in "mo"])
    assert tuple(found.tables) == GATHERED
    for name, rows in found.tables.items():
        assert tables.checked(name, rows).num_rows > 0 or name in NEED_MORE
        keys = [tuple(row[key] for key in tables.key(name)) for row in rows.to_pylist()]
        assert len(set(keys)) == len(keys)


def test_excluded_instances_leave_all_sets_but_the_whole_one() -> None:
    given_runs = [logged("m", str(place), correct=place > 0, verdicts={"s": place > 0}) for place in range(4)]
    one = "{instance: '0', reason: wrong gold answer, source: errata, date: 2026-01-01}"
    found = report(given_runs, conf.load(overrides=[f"benchmarks.b.exclusions=[{one}]"]))
    read = numbers(found)
    assert [read["m", which, "accuracy"] for which in ("own", "shared", "own_whole")] == [1.0, 1.0, 0.75]
    assert [read["m", which, "n"] for which in ("own", "shared", "own_whole")] == [3, 3, 4]
    assert any(text.startswith("b: conf excludes instances: 1;") for text in found.warnings)
    assert ("m", "own_whole", "n") not in numbers(report(given_runs))
