"""Moments, the currency of effspark: sums of features over the runs of one configuration on one instance.

    named, judged runs  ->  features (0/1 and token counts a run)  ->  sums by MOMENT_KEY  ->  every estimate

Moments add up, take weights over instances, and no estimate looks behind them. What a status, a stop class or a
missing T means for a run is decided here, once (definitions.md section 1). Source: architecture.md section 2.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from effspark import tables
from effspark.runs import keys
from effspark.runs.record import Status
from effspark.runs.stops import StopClass, TruncationSource, completed
from effspark.runs.tokens import COUNTED

METHOD_VERSION = 1
"""Raised whenever the same runs would give other moments or estimates."""

MOMENT_KEY = tables.key("moments")
"""What a row of moments stands for."""
FEATURES = tuple(
    name for name in tables.columns("moments") if name not in (*MOMENT_KEY, "instance_key", "fingerprint")
)
"""Sums of a row of moments, in the order of the schema."""

INPUT = pa.schema(
    [
        *((name, pa.string()) for name in MOMENT_KEY),
        ("run_key", pa.string()),
        ("status", pa.string()),
        ("stop_class", pa.string()),
        ("truncated", pa.bool_()),
        ("output_tokens", pa.int64()),
        ("output_budget_tokens", pa.int64()),
        ("token_source", pa.string()),
        ("truncation_source", pa.string()),
        ("correct", pa.bool_()),
    ]
)
"""Runs with canonical names, each once per scorer of its eval run; `correct` is that scorer's verdict or null."""

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def features(runs: pa.Table) -> dict[str, Ints]:
    """Features of each run, integers of shape (runs,).

    Parameters
    ----------
    runs
        Table of schema `INPUT`.

    >>> row = dict.fromkeys(INPUT.names) | dict(scorer="", status="ok", stop_class="length", truncated=True,
    ...     output_tokens=512, output_budget_tokens=512, token_source="provider", truncation_source="reported")
    >>> found = features(pa.Table.from_pylist([row], INPUT))
    >>> [int(found[name][0]) for name in ("n", "tokens", "known", "known_completed", "truncated")]
    [1, 512, 1, 0, 1]
    """
    known = _facts(runs)
    t, layer = known.tokens, known.layer
    counted = {**_statuses(known, runs), **_missing(known, runs), **_layer(known, runs)}
    return {name: mask.astype(np.int64) for name, mask in counted.items()} | {
        "error_tokens": t * counted["errors"],
        "missing_budget": _whole(runs, "output_budget_tokens") * known.absent,
        "refused_missing_budget": _whole(runs, "output_budget_tokens") * counted["refused_missing"],
        "tokens": t * layer,
        "tokens_squared": t * t * layer,
        "correct_tokens": t * counted["correct"],
        "known_tokens": t * counted["known"],
        "known_completed_tokens": t * counted["known_completed"],
        "refused_tokens": t * counted["refused"],
        "solving_tokens": t * counted["correct"],
    }


class _Facts(NamedTuple):
    """What definitions.md section 1 says of each run; shape (runs,). Unknown tokens are 0 here."""

    status: npt.NDArray[Any]
    stop: npt.NDArray[Any]
    tokens: Ints
    cut: Bools
    complete: Bools
    complete_known: Bools
    judged: Bools
    layer: Bools
    absent: Bools


def _facts(runs: pa.Table) -> _Facts:
    status, stop, cut = _text(runs, "status"), _text(runs, "stop_class"), _true(runs, "truncated")
    complete, complete_known = _completion(stop, runs)
    judged = (_text(runs, "scorer") == "") | _known(runs, "correct") | cut
    tokens, has_tokens = _whole(runs, "output_tokens"), _known(runs, "output_tokens")
    counts = (status == Status.OK.value) & judged
    layer, absent = counts & has_tokens, counts & ~has_tokens
    return _Facts(status, stop, tokens, cut, complete, complete_known, judged, layer, absent)


def _statuses(known: _Facts, runs: pa.Table) -> dict[str, Bools]:
    failed = known.status == Status.ERROR.value
    return {
        "runs": np.ones(len(failed), bool),
        "errors": failed,
        "errors_with_tokens": failed & _known(runs, "output_tokens"),
        "cancelled": known.status == Status.CANCELLED.value,
        "invalidated": known.status == Status.INVALIDATED.value,
        "excluded": known.status == Status.EXCLUDED.value,
        "unscored": (known.status == Status.OK.value) & ~known.judged,
    }


def _missing(known: _Facts, runs: pa.Table) -> dict[str, Bools]:
    """Tallies of runs that would be in the layer if their T were known."""
    absent, has_budget = known.absent, _known(runs, "output_budget_tokens")
    refused = absent & (known.stop == StopClass.REFUSAL.value)
    return {
        "missing": absent,
        "missing_known": absent & known.complete_known,
        "missing_completed": absent & known.complete,
        "missing_truncated": absent & known.cut,
        "missing_without_budget": absent & ~has_budget,
        "censored": absent & known.cut,
        "refused_missing": refused,
        "refused_missing_without_budget": refused & ~has_budget,
    }


def _layer(known: _Facts, runs: pa.Table) -> dict[str, Bools]:
    """Tallies of runs in the outcome layer."""
    layer, told = known.layer, known.layer & known.complete_known
    labelled = _true(runs, "correct")
    right = labelled & ~known.cut & (known.complete | ~known.complete_known)
    harness = known.stop == StopClass.AGENT_LIMIT.value
    cut, refused = layer & known.cut & ~harness, layer & (known.stop == StopClass.REFUSAL.value)
    estimated = layer & ~np.isin(_text(runs, "token_source"), [source.value for source in COUNTED])
    return {
        "n": layer,
        "correct": layer & right,
        "known": told,
        "known_completed": layer & known.complete,
        "known_correct": told & right,
        "truncated": cut,
        "truncated_inferred": cut & (_text(runs, "truncation_source") != TruncationSource.REPORTED.value),
        "agent_limited": layer & harness,
        "truncated_correct": layer & labelled & known.cut,
        "refused": refused,
        "refused_correct": refused & right,
        "refused_estimated": refused & estimated,
        "solving": layer & right & (known.tokens > 0),
        "estimated": estimated,
    }


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


def fingerprints(runs: pa.Table) -> pa.Array:
    """64-bit hash of everything a run puts into moments; the sum over runs does not depend on their order."""
    columns = [runs[name].to_pylist() for name in INPUT.names]
    hashes = (
        int.from_bytes(
            hashlib.sha256(repr((METHOD_VERSION, *row)).encode("utf-8", "surrogatepass")).digest()[:8], "big"
        )
        for row in zip(*columns, strict=True)
    )
    return pa.array(list(hashes), pa.uint64()).cast(pa.decimal128(20, 0)).cast(pa.decimal128(38, 0))


def _completion(stop: npt.NDArray[Any], runs: pa.Table) -> tuple[Bools, Bools]:
    """N, and whether N is known, from the one rule of runs/stops.py."""
    cut, cut_known = _true(runs, "truncated"), _known(runs, "truncated")
    complete, known = np.zeros(len(stop), bool), np.zeros(len(stop), bool)
    for kind in StopClass:
        for truncated in (True, False, None):
            answer = completed(kind, truncated)
            here = (stop == kind.value) & (
                ~cut_known if truncated is None else cut_known & (cut == truncated)
            )
            complete |= here & bool(answer)
            known |= here & (answer is not None)
    return complete, known


def _text(runs: pa.Table, name: str) -> npt.NDArray[Any]:
    return np.asarray(runs[name].to_numpy(zero_copy_only=False), dtype=object)


def _known(runs: pa.Table, name: str) -> Bools:
    return np.asarray(runs[name].is_valid().to_numpy(zero_copy_only=False), dtype=bool)


def _true(runs: pa.Table, name: str) -> Bools:
    return np.asarray(runs[name].fill_null(False).to_numpy(zero_copy_only=False), dtype=bool)


def _whole(runs: pa.Table, name: str) -> Ints:
    return np.asarray(runs[name].fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)
