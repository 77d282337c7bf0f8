"""How the tests of this folder write runs: rows of `features.INPUT`, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from effspark import tables
from effspark.layers.features import INPUT, features
from effspark.layers.moments import FEATURES

Row = dict[str, Any]

DEFAULT: Row = {
    "benchmark_id": "b",
    "benchmark_version": "",
    "scorer": "s",
    "config_id": "c",
    "teams": "t",
    "eval_run_id": "e",
    "instance_id": "i",
    "run_key": "r",
    "status": "ok",
    "stop_class": "stop",
    "truncated": False,
    "output_tokens": 100,
    "output_budget_tokens": None,
    "token_source": "provider",
    "token_convention": "assumed",
    "truncation_source": "reported",
    "replayed": False,
    "correct": True,
}
"""A completed, counted, correct run."""

ENDS: Mapping[str, tuple[bool | None, str]] = {
    "stop": (False, "reported"),
    "refusal": (False, "reported"),
    "length": (True, "reported"),
    "context": (True, "reported"),
    "agent_limit": (True, "agent_limit"),
    "unknown": (None, "none"),
    "tool": (None, "none"),
    "pause": (None, "none"),
    "error": (None, "none"),
}
"""Stop class -> truncated and how that is known, where nothing is inferred."""


def run(stop_class: str = "stop", **changes: Any) -> Row:
    """One row of INPUT that ended so."""
    truncated, source = ENDS[stop_class]
    ended = {"stop_class": stop_class, "truncated": truncated, "truncation_source": source}
    return {**DEFAULT, **ended, **changes}


def table(rows: Iterable[Row]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), INPUT)


def sums(rows: Iterable[Row]) -> dict[str, int]:
    """Every feature, summed over all the rows."""
    return {name: int(values.sum()) for name, values in features(table(rows)).items()}


def arrays(summed: Mapping[str, int]) -> dict[str, np.ndarray]:
    return {name: np.array(float(value)) for name, value in summed.items()}


def no_sums(**changes: int) -> dict[str, int]:
    return dict.fromkeys(FEATURES, 0) | changes


def eval_run(config_id: str = "c", **changes: Any) -> Row:
    """One row of `eval_runs`; its model is its configuration."""
    row = dict.fromkeys(tables.columns("eval_runs")) | {
        "eval_run_id": "e",
        "benchmark_id": "b",
        "config_id": config_id,
        "model_id": config_id,
        "model": config_id,
        "log_version": 0,
        "teams": "t",
        "runs": 1,
        "quality_flags": [],
        "response_models": [],
    }
    return row | changes


def of_vector(logged: Row, **changes: Any) -> Row:
    """A run of the shared vectors as a row of INPUT."""
    return run(
        "stop" if logged["completed"] else "length",
        config_id=logged["model"],
        instance_id=logged["instance"],
        run_key=f"{logged['model']}/{logged['instance']}/{logged['repeat']}",
        output_tokens=logged["tokens"],
        correct=logged["correct"],
        **changes,
    )


@st.composite
def runs(draw: st.DrawFn, **fixed: Any) -> Row:
    """Any run that the record can hold: every status, stop class and gap."""
    status = draw(st.sampled_from(["ok"] * 6 + ["error", "cancelled", "invalidated", "excluded"]))
    stop = draw(st.sampled_from([name for name in ENDS if name != "error" or status == "error"]))
    truncated, source = ENDS[stop]
    if stop in ("unknown", "tool", "pause") and draw(st.booleans()):
        truncated, source = draw(st.booleans()), "inferred_budget"
    drawn = {
        "scorer": draw(st.sampled_from(["s", ""])),
        "instance_id": draw(st.sampled_from("ijk")),
        "status": status,
        "stop_class": stop,
        "truncated": truncated,
        "truncation_source": source,
        "output_tokens": draw(st.none() | st.integers(0, 40) | st.just(10**9)),
        "output_budget_tokens": draw(st.none() | st.integers(1, 50)),
        "token_source": draw(
            st.sampled_from(["provider", "server", "token_ids", "tokenizer", "chars", "none"])
        ),
        "token_convention": draw(st.sampled_from(["assumed", "inclusive", "conflict"])),
        "replayed": status == "ok" and draw(st.sampled_from([False, False, True])),
        "run_key": draw(st.text("abc", max_size=3)),
        "correct": draw(st.none() | st.booleans()),
    }
    if drawn["scorer"] == "":
        drawn["correct"] = None
    return {**DEFAULT, **drawn, **fixed}
