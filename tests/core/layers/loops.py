"""Definitions.md sections 1 and 2 once more, run by run, as plainly as can be: what the fast code must equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Row = dict[str, Any]

COMPLETED: dict[str, bool] = {
    "stop": True,
    "refusal": True,
    "length": False,
    "context": False,
    "agent_limit": False,
}
"""N by stop class, from the table of section 1; of other classes only an inference can tell."""


def completed(run: Row) -> bool | None:
    """N, or null."""
    if run["stop_class"] in COMPLETED:
        return COMPLETED[run["stop_class"]]
    if run["stop_class"] == "error" or run["truncated"] is None:
        return None
    return not run["truncated"]


def success(run: Row) -> bool:
    """S: labelled correct, not cut, and not known to be incomplete."""
    return run["correct"] is True and run["truncated"] is not True and completed(run) is not False


def is_judged(run: Row) -> bool:
    """A cut run is a failure whatever anybody says; scorer '' needs no verdict."""
    return run["scorer"] == "" or run["correct"] is not None or run["truncated"] is True


def counts(run: Row) -> bool:
    """A replay of another run is no run."""
    return run["status"] == "ok" and not run["replayed"]


def in_layer(run: Row) -> bool:
    return counts(run) and is_judged(run) and run["output_tokens"] is not None


def is_missing(run: Row) -> bool:
    return counts(run) and is_judged(run) and run["output_tokens"] is None


def features(run: Row) -> dict[str, int]:
    """Every feature of one run."""
    t, n, s = run["output_tokens"], completed(run), success(run)
    layer, missing, failed = in_layer(run), is_missing(run), run["status"] == "error"
    cut, harness = run["truncated"] is True, run["stop_class"] == "agent_limit"
    refused = layer and run["stop_class"] == "refusal"
    budget = run["output_budget_tokens"]
    counted = run["token_source"] in ("provider", "server", "token_ids")
    tokens_where: Callable[[bool], int] = lambda condition: t if condition and t is not None else 0  # noqa: E731
    found = {
        "runs": True,
        "errors": failed,
        "errors_with_tokens": failed and t is not None,
        "error_tokens": tokens_where(failed),
        "cancelled": run["status"] == "cancelled",
        "invalidated": run["status"] == "invalidated",
        "excluded": run["status"] == "excluded",
        "replayed": run["replayed"],
        "unscored": counts(run) and not is_judged(run),
        "missing": missing,
        "missing_known": missing and n is not None,
        "missing_completed": missing and n is True,
        "missing_correct": missing and s,
        "missing_truncated": missing and cut,
        "missing_without_budget": missing and budget is None,
        "missing_budget": budget if missing and budget is not None else 0,
        "censored": missing and cut,
        "n": layer,
        "correct": layer and s,
        "tokens": tokens_where(layer),
        "tokens_squared": tokens_where(layer) ** 2,
        "correct_tokens": tokens_where(layer and s),
        "known": layer and n is not None,
        "known_completed": layer and n is True,
        "known_correct": layer and n is not None and s,
        "known_tokens": tokens_where(layer and n is not None),
        "known_completed_tokens": tokens_where(layer and n is True),
        "known_correct_tokens": tokens_where(layer and n is not None and s),
        "truncated": layer and cut and not harness,
        "truncated_inferred": layer and cut and not harness and run["truncation_source"] != "reported",
        "agent_limited": layer and harness,
        "truncated_correct": layer and cut and run["correct"] is True,
        "refused": refused,
        "refused_correct": refused and s,
        "refused_tokens": tokens_where(refused),
        "refused_correct_tokens": tokens_where(refused and s),
        "refused_solving": refused and s and t > 0,
        "refused_estimated": refused and not counted,
        "refused_missing": missing and run["stop_class"] == "refusal",
        "refused_missing_correct": missing and run["stop_class"] == "refusal" and s,
        "refused_missing_without_budget": missing and run["stop_class"] == "refusal" and budget is None,
        "refused_missing_budget": (budget or 0) if missing and run["stop_class"] == "refusal" else 0,
        "solving": layer and s and t > 0,
        "solving_tokens": tokens_where(layer and s),
        "conflicting": layer and run["token_convention"] == "conflict",
        "estimated": layer and not counted,
    }
    return {name: int(value) for name, value in found.items()}


def quotient(top: float, bottom: float) -> float | None:
    return None if bottom == 0 else top / bottom


def share(runs: Sequence[Row], condition: Callable[[Row], Any]) -> float | None:
    return quotient(sum(bool(condition(run)) for run in runs), len(runs))


def total(runs: Iterable[Row]) -> int:
    return sum(run["output_tokens"] or 0 for run in runs)


def metrics(
    runs: Sequence[Row], *, refusals: str = "include", unknown: str = "exclude", least_known: float = 0.95
) -> dict[str, float | None]:
    """Outcome layer of one model from its runs; undefined is null."""
    if refusals == "exclude":
        runs = [run for run in runs if run["status"] != "ok" or run["stop_class"] != "refusal"]
    done: Callable[[Row], bool | None] = lambda run: (  # noqa: E731
        True if completed(run) is None and unknown == "as_completed" else completed(run)
    )
    layer = [run for run in runs if in_layer(run)]
    missing = [run for run in runs if is_missing(run)]
    errors = [run for run in runs if run["status"] == "error"]
    known = [run for run in layer if done(run) is not None]
    finished = [run for run in known if done(run)]
    answered = [run for run in finished if run["stop_class"] != "refusal"]
    right = sum(success(run) for run in layer)
    known_share = quotient(len(known), len(layer))
    told = known_share is not None and known_share >= least_known
    budgets = [run["output_budget_tokens"] for run in missing]
    return {
        "E0": quotient(1000 * right, total(layer)),
        "accuracy": quotient(right, len(layer)),
        "mean_T": quotient(total(layer), len(layer)),
        "known_share": known_share,
        "r_ctx": share(known, done) if told else None,
        "r_logic": share(finished, success) if told else None,
        "r_answer": quotient(len(answered), len(finished)) if told else None,
        "r_correct": share(answered, success) if told else None,
        "r_ctx_all": share([run for run in layer + missing if done(run) is not None], done),
        "accuracy_all": share(layer + missing, success),
        "E0_low": None if None in budgets else quotient(1000 * right, total(layer) + sum(budgets)),
        "E0_errors_as_failures": quotient(1000 * right, total(layer) + total(errors)),
        "accuracy_errors_as_failures": quotient(right, len(layer) + len(errors)),
    }


def log_terms(own: Sequence[Row], other: Sequence[Row]) -> dict[str, float]:
    """Terms of the outcome layer and their total, over the runs whose completion is known; all must be above 0."""
    found = []
    for runs in (own, other):
        known = [run for run in runs if in_layer(run) and completed(run) is not None]
        right, finished = sum(success(run) for run in known), sum(bool(completed(run)) for run in known)
        found.append(
            (finished / len(known), right / finished, total(known) / len(known), right / total(known))
        )
    logs = [math.log(mine) - math.log(theirs) for mine, theirs in zip(*found, strict=True)]
    return {"r_ctx": logs[0], "r_logic": logs[1], "mean_T": -logs[2], "total": logs[3]}
