"""A report once more, run by run: obvious loops over what was logged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from hypothesis import strategies as st

from effspark.layers.ranking import Standing
from effspark.settings import Settings
from tests.core.layers import loops
from tests.core.layers.reports import place
from tests.core.layers.rows import Row, runs

TERMS = ("r_ctx", "r_logic", "mean_T")


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
                reason = "covers_too_few_shared_instances" if self.shared else "no_shared_instances"
                found[model] = Standing(None, None, reason)
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
