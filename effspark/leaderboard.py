"""Who stands where, and what else is worth saying in one line? A row for each model of a report.

    standings, estimates  ->  rows of the efficiency table, ranked models first, with reasons in plain words

A ranked model is shown on the shared instances, any other on its own. Models ranked apart, because a tokenizer
estimated their tokens, stand below the others, and the unranked below those. An instance on which a model has nothing
but an error or a missing count is shared by no one, so what runs outside every layer would change is told of all runs
of the model, in a table of its own. Prints nothing (show.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from effspark.gold.report_tables import ReportTables

Row = dict[str, Any]

_TELLS = {"rank", "model", "E0", "r_ctx", "r_logic", "mean_T", "accuracy", "n"}
"""Numbers whose reason is told where they are null."""

LEFT = ("n_errors", "n_missing", "n_cancelled", "n_invalidated", "n_excluded", "n_unscored")
"""Tallies of runs in no layer."""

REASONS = {
    "budget_unknown": "a run without token count has no known budget",
    "completion_unknown": "the logs do not say whether runs finished ({unknown:,} of {n:,})",
    "no_answered_run": "every finished run was refused",
    "no_completed_run": "no run finished",
    "no_verdicts": "nobody has judged the answers",
    "no_tokens": "every counted run has 0 tokens",
    "no_runs_with_tokens": "no run has a token count",
    "no_shared_instances": "no pool of models shares an instance, so none is ranked",
    "covers_too_few_shared_instances": "covers too few of the shared instances",
}
"""Reasons in plain words; where few runs make all the difference, with their number."""

_FOR_WANT_OF_TOKENS = {"no_shared_instances", "covers_too_few_shared_instances"}
"""Reasons that say nothing more of a model none of whose runs has a token count."""


def report_rows(report: ReportTables) -> list[Row]:
    """One row for each model of each benchmark: on the shared instances where it is ranked, else on its own.

    `own` holds the numbers of all its instances.
    """
    values, primary = _by_place(report)
    shown = []
    for (benchmark, model_id), standing in report.standings.items():
        instance_set = "own" if standing.rank is None else "shared"
        found = values[benchmark, model_id, instance_set]
        numbers = {metric: row["value"] for metric, row in found.items()}
        silent = numbers["n"] and numbers["n_completion_unknown"] == numbers["n"]
        cut = None if silent else (numbers["n_truncated"] or 0) + (numbers["n_agent_limited"] or 0)
        told = {row["reason"] for metric, row in found.items() if metric in _TELLS} | {standing.reason}
        told -= _FOR_WANT_OF_TOKENS if "no_runs_with_tokens" in told else set()
        shown.append(
            {
                "benchmark": benchmark,
                "model": found["n"]["model"],
                "scorer": found["n"]["scorer"],
                "instance_set": instance_set,
                **numbers,
                "own": {metric: row["value"] for metric, row in values[benchmark, model_id, "own"].items()},
                "rank": standing.rank,
                "ranked_apart": standing.apart,
                "tokens_estimated": 2 * (numbers["n_estimated"] or 0) > (numbers["n"] or 0),
                "n_cut": cut,
                **_of_work(primary.get((benchmark, model_id, instance_set))),
                "reasons": [_in_words(reason, numbers) for reason in sorted(filter(None, told))],
            }
        )
    return sorted(
        shown,
        key=lambda row: (
            row["benchmark"],
            *section(row),
            row["rank"] or 0,
            -(row["E0"] or 0.0),
            row["model"],
        ),
    )


_Place = tuple[str, str, str]
"""Benchmark, model and instance set."""


def _by_place(report: ReportTables) -> tuple[dict[_Place, Row], dict[_Place, Row]]:
    """Rows of estimates by metric: of the outcome layer, and of the workload layer on the primary scale."""
    values: dict[_Place, Row] = {}
    scaled: dict[tuple[_Place, str], Row] = {}
    for row in report.tables["estimates"].to_pylist():
        place = (row["benchmark_id"], row["model_id"], row["instance_set"])
        group = scaled.setdefault((place, row["scale"]), {}) if row["scale"] else values.setdefault(place, {})
        group[row["metric"]] = row
    primary = {place: metrics for (place, _), metrics in scaled.items() if metrics["is_primary"]["value"]}
    return values, primary


def _of_work(metrics: Row | None) -> Row:
    """Numbers of the workload layer on the primary scale, null where there is none."""
    if metrics is None:
        return dict.fromkeys(("scale", "VO", "kappa", "mean_W", "n_work"))
    numbers = {name: metrics[name]["value"] for name in ("VO", "kappa", "mean_W")}
    return {"scale": metrics["n"]["scale"], **numbers, "n_work": metrics["n"]["value"]}


def _in_words(reason: str, numbers: Row) -> str:
    unknown, n = int(numbers["n_completion_unknown"] or 0), int(numbers["n"] or 0)
    return REASONS.get(reason, reason).format(unknown=unknown, n=n)


def left_out(rows: Sequence[Row]) -> list[Row]:
    """All-run numbers of the models that have runs in no layer: errors, missing counts, cancelled, without verdict."""
    return [{**row["own"], "model": row["model"]} for row in rows if any(row["own"][name] for name in LEFT)]


def section(row: Row) -> tuple[bool, bool]:
    """Models ranked, those ranked apart, the unranked: a line stands between them."""
    return row.get("rank") is None, row.get("ranked_apart", False)
