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

from rich.table import Table

from effspark.layers.report_tables import ReportTables
from effspark.printing import ruled, whole_column

Row = dict[str, Any]

HEADINGS = (
    ("rank", "rank", ""),
    ("model", "model", ""),
    ("E0", "correct\nper 1,000\ntokens", "E0"),
    ("r_ctx", "finished", "r_ctx"),
    ("r_logic", "right\nwhen\nfinished", "r_logic"),
    ("mean_T", "tokens\na run", "E[T]"),
    ("accuracy", "accuracy", ""),
    ("n", "runs", "n"),
    ("n_cut", "cut", ""),
    ("n_refused", "refused", ""),
    ("r_answer", "answered\nwhen\nfinished", "r_answer"),
    ("r_correct", "right\nwhen\nanswered", "r_correct"),
)
"""Columns of the efficiency table: metric, plain words, symbol."""

LEFT_OUT = (
    ("model", "model", ""),
    ("n", "runs", "n"),
    ("n_errors", "errors", ""),
    ("n_missing", "no\ntoken\ncount", ""),
    ("n_cancelled", "cancelled", ""),
    ("n_invalidated", "declared\ninvalid", ""),
    ("n_excluded", "excluded\nby the log", ""),
    ("n_unscored", "no\nverdict", ""),
    ("E0", "E0", ""),
    ("E0_low", "E0\nat least", ""),
    ("E0_errors_as_failures", "E0, errors\nas failures", ""),
    ("accuracy", "accuracy", ""),
    ("accuracy_errors_as_failures", "accuracy,\nerrors as\nfailures", ""),
    ("r_ctx_all", "finished,\nof all\nknown", ""),
)
"""Columns of the table of the models that have runs in no layer, over all their runs, and what these might change."""
LEFT_OUT_TITLE = "models with runs in no layer, over all their runs"

NAMES, RARE = ("rank", "model"), ("n_cut", "n_refused", "r_answer", "r_correct")
"""Columns that name a row; and those that are shown only where some model has such runs."""
USUAL = tuple(metric for metric, _, _ in HEADINGS if metric not in RARE)
"""Columns that are always shown."""

_TELLS = {metric for metric, _, _ in HEADINGS if metric not in RARE}
_LEFT = ("n_errors", "n_missing", "n_cancelled", "n_invalidated", "n_excluded", "n_unscored")
_NARROWEST_MODEL = 16

REASONS = {
    "budget_unknown": "a run without token count has no known budget",
    "completion_unknown": "the logs do not say whether runs finished ({unknown:,} of {n:,})",
    "no_answered_run": "every finished run was refused",
    "no_completed_run": "no run finished",
    "no_verdicts": "nobody has judged the answers",
    "no_tokens": "every counted run has 0 tokens",
    "no_runs_with_tokens": "no run has a token count",
    "covers_too_few_shared_instances": "covers too few of the shared instances",
}
"""Reasons in plain words; where few runs make all the difference, with their number."""


def report_rows(report: ReportTables) -> list[Row]:
    """One row for each model of each benchmark: on the shared instances where it is ranked, else on its own.

    `own` holds the numbers of all its instances.
    """
    values: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in report.estimates.to_pylist():
        values.setdefault((row["benchmark_id"], row["model_id"], row["instance_set"]), {})[row["metric"]] = (
            row
        )
    shown = []
    for (benchmark, model_id), standing in report.standings.items():
        instance_set = "own" if standing.rank is None else "shared"
        found = values[benchmark, model_id, instance_set]
        numbers = {metric: row["value"] for metric, row in found.items()}
        silent = numbers["n"] and numbers["n_completion_unknown"] == numbers["n"]
        cut = None if silent else (numbers["n_truncated"] or 0) + (numbers["n_agent_limited"] or 0)
        told = {row["reason"] for metric, row in found.items() if metric in _TELLS} | {standing.reason}
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
                "n_cut": cut,
                "reasons": [_in_words(reason, numbers) for reason in sorted(filter(None, told))],
            }
        )
    return sorted(
        shown,
        key=lambda row: (
            row["benchmark"],
            *_section(row),
            row["rank"] or 0,
            -(row["E0"] or 0.0),
            row["model"],
        ),
    )


def _in_words(reason: str, numbers: Row) -> str:
    unknown, n = int(numbers["n_completion_unknown"] or 0), int(numbers["n"] or 0)
    return REASONS.get(reason, reason).format(unknown=unknown, n=n)


def rare_columns(rows: Sequence[Row]) -> tuple[str, ...]:
    """Columns of RARE that tell something: of cuts where some run was cut, of answers where some was refused."""
    cut, refused = (any(row[name] for row in rows) for name in ("n_cut", "n_refused"))
    return tuple(name for name in RARE if (cut if name == "n_cut" else refused))


def left_out(rows: Sequence[Row]) -> list[Row]:
    """All-run numbers of the models that have runs in no layer: errors, missing counts, cancelled, without verdict."""
    return [{**row["own"], "model": row["model"]} for row in rows if any(row["own"][name] for name in _LEFT)]


def left_out_table(rows: Sequence[Row]) -> Table:
    """Rows of `left_out` as a table; tallies that are 0 everywhere are not shown."""
    return _table(LEFT_OUT, rows, title=LEFT_OUT_TITLE, columns=_told(rows))


def left_out_lines(rows: Sequence[Row]) -> list[str]:
    """Rows of `left_out` as lines of text, for a terminal too narrow for the table."""
    words = {metric: text.replace("\n", " ") for metric, text, _ in LEFT_OUT}
    return [
        f"{row['model']}: {'; '.join(f'{words[name]} {_cell(name, row)}' for name in _told([row])[1:])}"
        for row in rows
    ]


def _told(rows: Sequence[Row]) -> tuple[str, ...]:
    """Columns of LEFT_OUT without the tallies that are 0 in all rows."""
    idle = {name for name in _LEFT if not any(row[name] for row in rows)}
    return tuple(metric for metric, _, _ in LEFT_OUT if metric not in idle)


def efficiency_table(
    rows: Sequence[Row], *, title: str | None = None, columns: Sequence[str] = USUAL
) -> Table:
    """Columns of some rows as a table for a terminal, with a line between what is ranked apart."""
    return _table(HEADINGS, rows, title=title, columns=columns)


def _table(
    headings: Sequence[tuple[str, str, str]],
    rows: Sequence[Row],
    *,
    title: str | None,
    columns: Sequence[str],
) -> Table:
    table = ruled(title)
    for metric, words, symbol in headings:
        cells = [_cell(metric, row) for row in rows]
        heading = f"{words}\n{symbol}" if symbol else words
        if metric == "model" and metric in columns:
            longest = max((len(cell) for cell in cells), default=0)
            table.add_column(heading, overflow="fold", min_width=min(longest, _NARROWEST_MODEL))
        elif metric in columns:
            whole_column(table, heading, cells)
    for place, row in enumerate(rows):
        if place and _section(row) != _section(rows[place - 1]):
            table.add_section()
        table.add_row(*(_cell(metric, row) for metric, _, _ in headings if metric in columns))
    return table


def title_of(benchmark: str, rows: Sequence[Row]) -> str:
    """Benchmark, and who judged its runs.

    >>> title_of("gsm8k", [{"scorer": "match"}, {"scorer": "label"}, {"scorer": ""}])
    'gsm8k (judged by label, match)'
    """
    scorers = sorted({row["scorer"] for row in rows if row["scorer"]})
    return f"{benchmark} (judged by {', '.join(scorers) or 'nobody'})"


def _section(row: Row) -> tuple[bool, bool]:
    return row.get("rank") is None, row.get("ranked_apart", False)


_SHORT = 10
"""Below so many tokens a run, a tenth of a token is shown."""


def _cell(metric: str, row: Row) -> str:
    value = row.get(metric)
    if value is None:
        return "–"
    if metric == "rank":
        return f"{value} est." if row["ranked_apart"] else str(value)
    if metric.startswith("E0"):
        return f"{value:.3f}"
    if metric.startswith(("r_", "accuracy")):
        return f"{100 * value:.1f} %"
    if metric == "mean_T" and value < _SHORT:
        return f"{value:.1f}"
    return f"{value:,.0f}" if isinstance(value, (int, float)) else str(value)
