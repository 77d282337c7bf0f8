"""What does each run add to the moments of its instance? 0/1 and token counts, one for each feature.

    named, judged runs  ->  status, stop, T, verdict  ->  in the layer, out of it and why  ->  features

What a status, a stop class, a replay or a missing T means for a run is decided here, once. Source: definitions.md
sections 1 and 3.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from effspark import tables
from effspark.runs import repeats
from effspark.runs.record import Status
from effspark.runs.stops import StopClass, TruncationSource, completed
from effspark.runs.tokens import COUNTED, TokenConvention

MOMENT_KEY = tables.key("moments")
"""What a row of moments stands for."""

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
        ("token_convention", pa.string()),
        ("truncation_source", pa.string()),
        ("replayed", pa.bool_()),
        ("correct", pa.bool_()),
    ]
)
"""Runs with canonical names, each once per scorer of its eval run; `correct` is that scorer's verdict or null."""

OUTSIDE = (
    "runs", "replayed", "errors", "errors_with_tokens", "error_tokens", "cancelled", "invalidated", "excluded",
    "unscored",
)  # fmt: skip
"""Features that do not ask for a verdict: they count runs in no layer, or all."""

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def features(runs: pa.Table) -> dict[str, Ints]:
    """Features of each run, integers of shape (runs,).

    Parameters
    ----------
    runs
        Table of schema `INPUT`.

    >>> row = dict.fromkeys(INPUT.names) | dict(scorer="", status="ok", stop_class="length", truncated=True,
    ...     output_tokens=512, output_budget_tokens=512, token_source="provider", token_convention="assumed",
    ...     truncation_source="reported")
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
        "known_correct_tokens": t * counted["known_correct"],
        "refused_tokens": t * counted["refused"],
        "refused_correct_tokens": t * counted["refused_correct"],
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
    judged = repeats.judged(_text(runs, "scorer") == "", _known(runs, "correct"), cut)
    tokens, has_tokens = _whole(runs, "output_tokens"), _known(runs, "output_tokens")
    counts = (status == Status.OK.value) & judged & ~_true(runs, "replayed")
    layer, absent = counts & has_tokens, counts & ~has_tokens
    return _Facts(status, stop, tokens, cut, complete, complete_known, judged, layer, absent)


def _statuses(known: _Facts, runs: pa.Table) -> dict[str, Bools]:
    failed, replayed = known.status == Status.ERROR.value, _true(runs, "replayed")
    return {
        "runs": np.ones(len(failed), bool),
        "replayed": replayed,
        "errors": failed,
        "errors_with_tokens": failed & _known(runs, "output_tokens"),
        "cancelled": known.status == Status.CANCELLED.value,
        "invalidated": known.status == Status.INVALIDATED.value,
        "excluded": known.status == Status.EXCLUDED.value,
        "unscored": (known.status == Status.OK.value) & ~known.judged & ~replayed,
    }


def _missing(known: _Facts, runs: pa.Table) -> dict[str, Bools]:
    """Tallies of runs that would be in the layer if their T were known."""
    absent, has_budget = known.absent, _known(runs, "output_budget_tokens")
    refused, right = absent & (known.stop == StopClass.REFUSAL.value), _right(known, runs)
    return {
        "missing": absent,
        "missing_correct": absent & right,
        "missing_known": absent & known.complete_known,
        "missing_completed": absent & known.complete,
        "missing_truncated": absent & known.cut,
        "missing_without_budget": absent & ~has_budget,
        "censored": absent & known.cut,
        "refused_missing": refused,
        "refused_missing_correct": refused & right,
        "refused_missing_without_budget": refused & ~has_budget,
    }


def _layer(known: _Facts, runs: pa.Table) -> dict[str, Bools]:
    """Tallies of runs in the outcome layer."""
    layer, told = known.layer, known.layer & known.complete_known
    labelled, right = _true(runs, "correct"), _right(known, runs)
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
        "refused_solving": refused & right & (known.tokens > 0),
        "refused_estimated": refused & estimated,
        "solving": layer & right & (known.tokens > 0),
        "conflicting": layer & (_text(runs, "token_convention") == TokenConvention.CONFLICT.value),
        "estimated": estimated,
    }


def _right(known: _Facts, runs: pa.Table) -> Bools:
    """S, of runs that are in the layer or would be."""
    return _true(runs, "correct") & ~known.cut & (known.complete | ~known.complete_known)


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
