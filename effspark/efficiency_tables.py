"""How are the rows of a report laid out for a terminal? The tables of efficiency, of work, and of runs in no layer.

    rows of leaderboard.py  ->  rich tables: plain words first, symbols second

Columns that few reports need (cuts, refusals, errors) are shown only where some model has such runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from effspark.leaderboard import LEFT, section
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

WORK = (
    ("rank", "rank", ""),
    ("model", "model", ""),
    ("VO", "tokens\nper unit\nof work", "VO"),
    ("kappa", "grows\nwith\nwork", "κ"),
    ("mean_W", "work an\ninstance", "E[W]"),
    ("n_work", "runs\nwith\nwork", ""),
)
"""Columns of the table of the workload layer: overhead, coupling and mean work on the primary scale."""

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
    ("accuracy_all", "accuracy,\nof all\njudged", ""),
    ("accuracy_errors_as_failures", "accuracy,\nerrors as\nfailures", ""),
    ("r_ctx_all", "finished,\nof all\nknown", ""),
)
"""Columns of the table of the models that have runs in no layer, over all their runs, and what these might change."""
LEFT_OUT_TITLE = "models with runs in no layer, over all their runs"

NAMES, RARE = ("rank", "model"), ("n_cut", "n_refused", "r_answer", "r_correct")
"""Columns that name a row; and those that are shown only where some model has such runs."""
USUAL = tuple(metric for metric, _, _ in HEADINGS if metric not in RARE)
"""Columns that are always shown."""

_NARROWEST_MODEL = 22


def rare_columns(rows: Sequence[Row]) -> tuple[str, ...]:
    """Columns of RARE that tell something: of cuts where some run was cut, of answers where some was refused."""
    cut, refused = (any(row[name] for row in rows) for name in ("n_cut", "n_refused"))
    return tuple(name for name in RARE if (cut if name == "n_cut" else refused))


def work_table(rows: Sequence[Row]) -> Table:
    """The workload layer of some rows as a table for a terminal."""
    scales = sorted({row["scale"] for row in rows if row["scale"]})
    columns = [metric for metric, _, _ in WORK]
    return _table(WORK, rows, title=f"tokens and work ({', '.join(scales)})", columns=columns)


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
    """Columns of LEFT_OUT without the tallies that are 0 in all rows, and without what equals the accuracy then."""
    idle = {name for name in LEFT if not any(row[name] for row in rows)}
    idle |= {"accuracy_all"} if "n_missing" in idle else set()
    return tuple(metric for metric, _, _ in LEFT_OUT if metric not in idle)


def efficiency_table(
    rows: Sequence[Row],
    *,
    title: str | None = None,
    columns: Sequence[str] = USUAL,
    folded: bool = False,
) -> Table:
    """Columns of some rows as a table for a terminal, with a line between what is ranked apart.

    Parameters
    ----------
    folded
        Fold long names of models, to make room for numbers.
    """
    return _table(HEADINGS, rows, title=title, columns=columns, folded=folded)


def _table(
    headings: Sequence[tuple[str, str, str]],
    rows: Sequence[Row],
    *,
    title: str | None,
    columns: Sequence[str],
    folded: bool = False,
) -> Table:
    table = ruled(title)
    for metric, words, symbol in headings:
        cells = [_cell(metric, row) for row in rows]
        heading = f"{words}\n{symbol}" if symbol else words
        if metric == "model" and metric in columns:
            longest = max((len(cell) for cell in cells), default=0)
            least = min(longest, _NARROWEST_MODEL)
            table.add_column(heading, overflow="fold", min_width=least, max_width=least if folded else None)
        elif metric in columns:
            whole_column(table, heading, cells)
    for place, row in enumerate(rows):
        if place and section(row) != section(rows[place - 1]):
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


_SHORT = 10
"""Below so many tokens a run, a tenth of a token is shown."""


def _cell(metric: str, row: Row) -> str:
    value = row.get(metric)
    if value is None:
        return "– est." if metric == "rank" and row["tokens_estimated"] else "–"
    if metric == "rank":
        return f"{value} est." if row["tokens_estimated"] else str(value)
    if metric.startswith(("E0", "kappa")):
        return f"{value:.3f}"
    if metric in ("VO", "mean_W"):
        return f"{value:,.1f}"
    if metric.startswith(("r_", "accuracy")):
        return f"{100 * value:.1f} %"
    if metric == "mean_T" and value < _SHORT:
        return f"{value:.1f}"
    return f"{value:,.0f}" if isinstance(value, (int, float)) else str(value)
