"""How does cedar log chains? One CSV of its own columns, and the mapping that says what they mean.

    table/chains_runs.csv  read by  mappings/cedar.yaml

The table carries what other formats lack: route, revision, tokenizer, context window, cache counts, USD, GPU hours,
split and cluster. An empty cell is null. One record's token count is negative. Source: formats.md section 5.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import PurePosixPath
from typing import Any

import yaml

from effspark.simulation import calls
from effspark.simulation.draws import End, Run
from effspark.simulation.files import LogFile
from effspark.simulation.instances import CHAINS
from effspark.simulation.models import Trace
from effspark.simulation.plan import Fault
from effspark.simulation.texts import prompt, written

PATH = PurePosixPath("table/chains_runs.csv")
UNKNOWN_REASON = "host_limit"
_VISIBILITY = {Trace.OPEN: "full", Trace.PLAIN: "full", Trace.HIDDEN: "hidden"}
_ENDS = {End.COMPLETED: "stop", End.CUT: "length", End.REFUSED: "content_filter"}
_STATES = {Fault.ERROR: "error", Fault.CANCELLED: "cancelled"}
_HOSTED = {
    "provider": "together",
    "checkpoint": "2026-01-15",
    "vocabulary": "llama",
    "window": 8192,
}
"""What the table knows of a model served elsewhere."""

MAPPING: Mapping[str, Any] = {
    "name": "cedar_chains",
    "version": 1,
    "benchmark": {"value": CHAINS},
    "benchmark_version": "release",
    "split": "part",
    "model": "system",
    "response_model": "served",
    "provider_name": "provider",
    "provider_route": "gateway",
    "model_revision": "checkpoint",
    "tokenizer_family": "vocabulary",
    "reasoning_effort": "effort",
    "temperature": "temp",
    "seed": "seed",
    "output_budget_tokens": "max_out",
    "context_budget_tokens": "window",
    "eval_run": "job",
    "instance": "puzzle",
    "attempt": "try",
    "finish_reason": "ended",
    "status": "state",
    "error_type": "error_kind",
    "error_message": "error_text",
    "input_tokens": "tok_in",
    "output_tokens": "tok_out",
    "reasoning_tokens": "tok_think",
    "total_tokens": "tok_all",
    "cache_read_tokens": "cache_hit",
    "cache_write_tokens": "cache_new",
    "prompt": "prompt",
    "reasoning": "thoughts",
    "answer": "reply",
    "trace_visibility": "shown",
    "question": "question",
    "gold": "gold",
    "latency_seconds": {"expr": "number(ms) / 1000"},
    "latency_kind": {"value": "wall"},
    "cost_usd": "usd",
    "gpu_hours": "gpu_h",
    "started_at": "started",
    "log_version": "logged",
    "verdicts": {"exact": {"value": "exact", "kind": "binary", "extracted_answer": "given"}},
    "tags": {"cluster": "family"},
    "axes": {"depth": "depth"},
}
"""Field of a run -> column of the table."""


def log(runs: Sequence[Run], *, seed: int) -> LogFile:
    """The table, with all eval runs that cedar keeps in it.

    >>> from effspark.simulation.draws import runs_of
    >>> log(runs_of("cedar-plover-13b-chains", count=3, seed=1), seed=1).content[:21]
    b'job,release,part,syst'
    """
    rows = [_row(run, seed=seed) for run in runs]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    last = max(run.eval_run.started for run in runs)
    return LogFile(PATH, stream.getvalue().encode(), last + timedelta(hours=1))


def mapping() -> bytes:
    """The mapping as YAML.

    >>> print(mapping().decode()[:30])
    name: cedar_chains
    version: 1
    """
    return yaml.safe_dump(dict(MAPPING), sort_keys=False, allow_unicode=True).encode()


def _row(run: Run, *, seed: int) -> dict[str, Any]:
    model, state = run.eval_run.planted, _STATES.get(run.fault) if run.fault else None
    row: dict[str, Any] = {
        "job": run.eval_run.name,
        "release": 2,
        "part": "test",
        "system": run.eval_run.spelling,
        **(dict.fromkeys(_HOSTED) if model.tells_end else _HOSTED),
        "gateway": model.route,
        "effort": model.reasoning_effort,
        "temp": model.temperature,
        "seed": 11 + run.attempt,
        "max_out": run.budget,
        "puzzle": run.instance.name,
        "try": run.attempt,
        "family": run.instance.cluster,
        "depth": run.instance.work,
        "question": run.instance.question,
        "gold": run.instance.gold,
        "prompt": prompt(run),
        "state": state or "ok",
        "error_kind": None if state is None else "Timeout",
        "error_text": None if state is None else "no answer within 600 s",
        "started": calls.started_at(run).isoformat(),
        "logged": (calls.completed_at(run) + timedelta(seconds=1)).isoformat(),
    }
    return row | (_nothing() if state else _generated(run, seed=seed))


def _generated(run: Run, *, seed: int) -> dict[str, Any]:
    text, given = written(run, seed=seed), calls.input_tokens(run)
    ended = UNKNOWN_REASON if run.stop_unknown else _ENDS[run.end]
    return {
        "served": run.eval_run.spelling.rpartition("/")[2],
        "ended": ended if run.eval_run.planted.tells_end else None,
        "tok_in": given,
        "tok_out": -run.tokens if run.fault is Fault.NEGATIVE_COUNT else run.tokens,
        "tok_think": calls.reasoning_tokens(run),
        "tok_all": given + run.tokens,
        "cache_hit": calls.CACHED_TOKENS,
        "cache_new": 0 if run.attempt > 1 else given - calls.CACHED_TOKENS,
        "thoughts": text.reasoning,
        "reply": text.answer or None,
        "shown": _VISIBILITY[run.eval_run.planted.trace],
        "given": text.given,
        "exact": run.labelled,
        "ms": round(1000 * calls.latency_seconds(run)),
        "usd": f"{calls.cost_usd(run):.9f}",
        "gpu_h": f"{calls.latency_seconds(run) / 3600:.9f}",
    }


def _nothing() -> dict[str, Any]:
    counts = ("tok_in", "tok_out", "tok_think", "tok_all", "cache_hit", "cache_new")
    return dict.fromkeys(
        ("served", "ended", *counts, "thoughts", "reply", "shown", "given", "exact", "ms", "usd", "gpu_h")
    )
