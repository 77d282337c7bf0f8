"""Moments, the currency of effspark: sums of features over the runs of one configuration on one instance.

    features of runs (features.py)  ->  sums by MOMENT_KEY, with a fingerprint  ->  every estimate

Moments add up, take weights over instances, and no estimate looks behind them. Source: architecture.md section 2.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from effspark import tables
from effspark.layers.features import INPUT, MOMENT_KEY, features
from effspark.runs import keys

METHOD_VERSION = 1
"""Raised whenever the same runs would give other moments or estimates."""

FEATURES = tuple(
    name for name in tables.columns("moments") if name not in (*MOMENT_KEY, "instance_key", "fingerprint")
)
"""Sums of a row of moments, in the order of the schema."""


def partial_moments(runs: pa.Table) -> pa.Table:
    """Moments of some of the runs; partial moments of one key add up to its moments.

    Parameters
    ----------
    runs
        Table of schema `INPUT`.

    Returns
    -------
    pa.Table
        Schema `moments`, one row for each key met.
    """
    columns: dict[str, Any] = {name: runs[name] for name in MOMENT_KEY}
    for name, values in features(runs).items():
        columns[name] = pa.array(values)
    columns["fingerprint"] = fingerprints(runs)
    flat = pa.table(columns)
    flat = flat.set_column(
        flat.schema.get_field_index("tokens_squared"),
        "tokens_squared",
        flat["tokens_squared"].cast(pa.decimal128(38, 0)),
    )
    return with_instance_keys(add_up(flat))


def add_up(partial: pa.Table) -> pa.Table:
    """Sum partial moments by key.

    >>> add_up(tables.schema("moments").empty_table()).num_rows
    0
    """
    names = [*FEATURES, "fingerprint"]
    grouped = partial.group_by(list(MOMENT_KEY), use_threads=False).aggregate(
        [(name, "sum") for name in names]
    )
    return grouped.rename_columns([name.removesuffix("_sum") for name in grouped.column_names])


def with_instance_keys(moments: pa.Table) -> pa.Table:
    """Moments with the key of each instance, in the order and types of the schema."""
    pairs = zip(moments["benchmark_id"].to_pylist(), moments["instance_id"].to_pylist(), strict=True)
    known = [f"{keys.instance_key(benchmark, instance):016x}" for benchmark, instance in pairs]
    return tables.checked("moments", moments.append_column("instance_key", pa.array(known, pa.string())))


def row_hash(row: Sequence[Any]) -> int:
    """64-bit hash of the values of a row under this method, which `fingerprint` columns hold and add up.

    >>> 0 <= row_hash(("gsm8k", "7", None)) < 2**64
    True
    """
    told = repr((METHOD_VERSION, *row)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(told).digest()[:8], "big")


def fingerprints(runs: pa.Table) -> pa.Array:
    """64-bit hash of everything a run puts into moments; the sum over runs does not depend on their order."""
    columns = [runs[name].to_pylist() for name in INPUT.names]
    hashes = [row_hash(row) for row in zip(*columns, strict=True)]
    return pa.array(hashes, pa.uint64()).cast(pa.decimal128(20, 0)).cast(pa.decimal128(38, 0))
