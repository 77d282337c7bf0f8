"""Which of several records with one key wins? The greatest in WINNER_ORDER, whatever the order of loads.

Source: architecture.md section 5.4. This is the laptop's engine; spark/store.py applies the same order in a MERGE.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from effspark.runs.keys import WINNER_ORDER


def winners(rows: pa.Table, key: Sequence[str], *, order: Sequence[str] = WINNER_ORDER) -> pa.Table:
    """One row for each key: the greatest in `order`.

    >>> rows = pa.table({"k": ["a", "a", "b"], "version": [2, 1, 1], "value": ["new", "old", "only"]})
    >>> winners(rows, ["k"], order=["version"])["value"].to_pylist()
    ['new', 'only']
    """
    if rows.num_rows == 0:
        return rows
    sorting = [(name, "ascending") for name in (*key, *order) if name in rows.column_names]
    ranked = rows.take(pc.sort_indices(rows, sort_keys=sorting))
    last = np.ones(ranked.num_rows, bool)
    last[:-1] = False
    for name in key:
        values = ranked[name].combine_chunks()
        changed = pc.fill_null(pc.not_equal(values[1:], values[:-1]), True)
        last[:-1] |= changed.to_numpy(zero_copy_only=False)
    return ranked.filter(pa.array(last))


def with_retries(runs: pa.Table, sources: pa.Table) -> pa.Table:
    """Runs with n_retries: other contents under which the attempt was logged, and the most retries a log reports.

    >>> runs = pa.table({"run_key": ["a"], "n_retries": pa.array([0], pa.int32())})
    >>> logged = {"run_key": ["a", "a"], "generation_hash": ["x", "y"], "n_retries": pa.array([0, 2], pa.int32())}
    >>> with_retries(runs, pa.table(logged))["n_retries"].to_pylist()
    [3]
    """
    contents: dict[str, set[str]] = {}
    reported: dict[str, int] = {}
    for row in sources.select(["run_key", "generation_hash", "n_retries"]).to_pylist():
        contents.setdefault(row["run_key"], set()).add(row["generation_hash"])
        reported[row["run_key"]] = max(row["n_retries"], reported.get(row["run_key"], 0))
    retries = [len(contents[key]) - 1 + reported[key] for key in runs["run_key"].to_pylist()]
    place = runs.schema.get_field_index("n_retries")
    return runs.set_column(place, runs.schema.field(place), pa.array(retries, pa.int32()))
