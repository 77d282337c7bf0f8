"""A report from moments: every row equals what obvious loops over the runs give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from effspark import settings as conf
from effspark import tables
from effspark.layers.ranking import Standing
from effspark.layers.report_tables import ReportTables
from effspark.settings import Settings
from tests.core.layers import loops
from tests.core.layers.reports import logged, place, report
from tests.core.layers.rows import Row, runs

TERMS = ("r_ctx", "r_logic", "mean_T")


def numbers(found: ReportTables) -> dict[tuple[str, str, str], float | None]:
    rows = found.estimates.to_pylist()
    read = {(row["model_id"], row["instance_set"], row["metric"]): row["value"] for row in rows}
    assert len(read) == len(rows)
    return read


def terms(found: ReportTables) -> dict[tuple[str, str, str], float | None]:
    rows = found.decompositions.to_pylist()
    read = {(row["model_id"], row["instance_set"], row["term"]): row["value"] for row in rows}
    assert len(read) == len(rows)
    return read


def unscored(row: Row) -> Row:
    """A run of an eval run that nobody judged, of a model that is judged elsewhere: in no layer."""
    return {**row, "status": "unscored"} if row["status"] == "ok" else row


class Expected:
    """The report once more, run by run."""

    def __init__(self, given_runs: Sequence[Row], settled: Settings) -> None:
        self.report = settled.report
        self.chosen = self._chosen(given_runs, settled.scorers)
        judged = {model for model, rows in self.chosen.items() if any(row["scorer"] for row in rows)}
        self.covers = {model: self._covered(rows) for model, rows in self.chosen.items()}
        met = set().union(*(self.covers[model] for model in judged))
        pool = [
            model
            for model in judged
            if met and len(self.covers[model]) >= self.report.least_coverage * len(met)
        ]
        self.shared = set.intersection(*(self.covers[model] for model in pool)) if pool else set()
        self.suspects = {
            instance
            for instance in self.shared
            if len(pool) > 1 and not any(self.metrics(model, {instance})["accuracy"] for model in pool)
        }
        self.standings = self._standings(judged)

    @staticmethod
    def _chosen(given_runs: Sequence[Row], listed: Sequence[str]) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for _, group in groupby(sorted(given_runs, key=place), key=place):
            rows = list(group)
            scorers = sorted({scorer for row in rows for scorer in row["verdicts"]})
            order = [name for name in listed if name in scorers] + [
                name for name in scorers if name not in listed
            ]
            scorer = order[0] if order else ""
            for row in rows:
                judged = {**row, "scorer": scorer, "correct": row["verdicts"].get(scorer)}
                found.setdefault(row["config_id"], []).append(judged)
        for model, rows in found.items():
            if any(row["scorer"] for row in rows):
                found[model] = [row if row["scorer"] else unscored(row) for row in rows]
        return found

    def _in_layer(self, row: Row) -> bool:
        return loops.in_layer(row) and not (
            self.report.refusals == "exclude" and row["stop_class"] == "refusal"
        )

    def _covered(self, rows: Sequence[Row]) -> set[str]:
        return {row["instance_id"] for row in rows if self._in_layer(row)}

    def metrics(self, model: str, instances: set[str] | None) -> dict[str, float | None]:
        return loops.metrics(
            [row for row in self.chosen[model] if instances is None or row["instance_id"] in instances],
            refusals=self.report.refusals,
            unknown=self.report.unknown_completion,
        )

    def _standings(self, judged: set[str]) -> dict[str, Standing]:
        ranked: list[tuple[float, float, str]] = []
        found = {}
        for model in self.chosen:
            enough = (
                len(self.covers[model] & self.shared) >= self.report.least_coverage * len(self.shared) > 0
            )
            values = self.metrics(model, self.shared)
            if model not in judged:
                found[model] = Standing(None, None, "no_verdicts")
            elif not enough:
                found[model] = Standing(None, None, "covers_too_few_shared_instances")
            elif values["E0"] is None:
                found[model] = Standing(None, None, "no_tokens")
            else:
                ranked.append((-values["E0"], -(values["accuracy"] or 0), model))
        ranked.sort()
        reference = ranked[0][2] if ranked and ranked[0][0] < 0 else None
        return found | {model: Standing(rank, reference, None) for rank, (*_, model) in enumerate(ranked, 1)}

    def terms(self, model: str, reference: str, instances: set[str] | None) -> dict[str, float | None]:
        """Log ratios over runs of known completion; infinite ones stay, undefined ones are null."""
        sides = []
        for who in (model, reference):
            rows = [row for row in self.chosen[who] if instances is None or row["instance_id"] in instances]
            rows = [row for row in rows if self._in_layer(row)]
            known = [row for row in rows if loops.completed(row) is not None]
            told = rows and len(known) >= self.report.least_known_completion * len(rows)
            sides.append(loops.metrics(known) if told else {})
        found: dict[str, float | None] = {}
        for name in (*TERMS, "E0"):
            own, other = (side.get(name) for side in sides)
            sign = -1 if name == "mean_T" else 1
            if own is None or not other:
                found[name] = None
            else:
                found[name] = sign * (math.log(own / other) if own else -math.inf)
        return {**{name: found[name] for name in TERMS}, "total": found["E0"]}


some_logs = st.lists(
    st.builds(
        lambda row, verdicts: row | {"verdicts": verdicts},
        st.fixed_dictionaries(
            {"config_id": st.sampled_from("mno"), "eval_run_id": st.sampled_from("ef")}
        ).flatmap(lambda fixed: runs(scorer="s", token_source="provider", **fixed)),
        st.dictionaries(st.sampled_from(["label", "x"]), st.none() | st.booleans()),
    ).filter(lambda row: not (row["stop_class"] == "refusal" and row["output_tokens"] is None)),
    max_size=12,
)


@examples(max_examples=25)
@given(some_logs, st.sampled_from([0.5, 0.95]), st.sampled_from(["include", "exclude"]))
def test_every_number_of_a_report_equals_the_loop(
    given_runs: list[Row], coverage: float, refusals: str
) -> None:
    settled = conf.load(overrides=[f"report.least_coverage={coverage}", f"report.refusals={refusals}"])
    expected, found = Expected(given_runs, settled), report(given_runs, settled)
    assert {model: standing for (_, model), standing in found.standings.items()} == expected.standings
    assert {row["instance_id"] for row in found.suspects.to_pylist()} == expected.suspects
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
    assert (found.estimates.num_rows, found.decompositions.num_rows) == (0, 0)
    assert (found.standings, found.warnings, found.fingerprint) == ({}, [], "0")


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
        for row in found.estimates.to_pylist()
        if row["metric"] == "rank"
    }
    assert counted == set(found.standings)


def test_a_mix_of_scorers_is_named_in_every_row() -> None:
    found = report(
        [logged("m", "1", verdicts={"label": True}), logged("m", "1", verdicts={"x": True}, eval_run_id="f")]
    )
    assert {row["scorer"] for row in found.estimates.to_pylist()} == {"label+x"}


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


def test_rows_fit_the_schemas_of_their_tables() -> None:
    found = report([logged(model, place, verdicts={"s": model == place}) for model in "mn" for place in "mo"])
    for name in ("estimates", "decompositions", "suspects"):
        rows: pa.Table = getattr(found, name)
        assert tables.checked(name, rows).num_rows > 0
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
