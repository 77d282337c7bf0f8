"""Whose counts, stops and checkpoint are in doubt, and of how many runs? What the logs say of it, in plain words.

    quality flags of eval runs      ->  one sentence a flag, the one of most runs first
    models that their answers name  ->  one sentence on models of one name that several have answered for

A flagged run stays in every layer that its status, stop and T allow: a flag is a reason to look, and changes no number.
`replayed` and `conflict` have sentences of their own (cautions.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pyarrow as pa

from effspark.runs import checkpoints, tallies
from effspark.wording import counted, some

Row = Mapping[str, Any]

FLAGS = {
    "gap_folded": "tokens that stand in the log's total alone are counted as generated",
    "grader_not_told_apart": "the log does not tell the model's calls from the judge's",
    "hidden_trace": "the text is too short for its T though the log says that it is whole",
    "model_from_path": "the log names no model, and the path of the file is taken for its name",
    "odd_time": "a time in the log cannot be read",
    "output_may_exclude_reasoning": "the count may leave out the reasoning, so T may be too small",
    "outer_span_counts_more": "the span around the calls counts more tokens than they do",
    "part_uncounted": "the log counts only one of reasoning and answer, which is no T",
    "reasoning_estimated": "how much of T is reasoning is the tool's estimate",
    "reasoning_may_be_counted_twice": "the count may hold the reasoning twice, so T may be too large",
    "score_of_k_texts": "one score covers several answers, so no single one is judged by it",
    "several_calls": "the model was called several times in one run",
    "several_choices": "the model gave several answers at once, and T may cover them all",
    "stop_at_cap": "the answer is said to have ended by itself, and fills the whole budget: it may have been cut",
    "suspected_truncation": "the text ends inside a bracket, string or thought, and may have been cut",
    "t_over_budget": "T is above the output budget, so one of the two is wrong",
    "text_over_t": "the text is too long for its T, which may count blocks",
    "unparsable_answer": "the answer is not the JSON that was asked for",
    "usage_of_last_call": "the log counts the last call alone, which is no T of the whole run",
    "usage_of_n_choices": "one count covers several answers, and is the T of none",
    "zero_usage": "the log counts 0 tokens of an answer that has some, which is no T",
}
"""What each quality flag of a run means to who compares models."""

TOLD_ELSEWHERE = ("conflict", "replayed")

SHOWN = 5
"""Flags that have a sentence each; the others are named in one."""
NAMED = 3
"""Models that a sentence names."""


def told(benchmark: str, names: Mapping[str, str], eval_runs: pa.Table) -> list[str]:
    """Sentences of one benchmark: of what is in doubt, the flags of most runs first, at most SHOWN + 1 of these.

    Parameters
    ----------
    names
        Name of each model of the report, by model_id.
    eval_runs
        The table of that name.
    """
    rows = [
        row for row in eval_runs.to_pylist() if row["benchmark_id"] == benchmark and row["model_id"] in names
    ]
    runs = _added(rows, lambda row: {"": row["runs"]})[""] if rows else {}
    flagged = _added(rows, lambda row: tallies.counts(row["quality_flags"] or ()))
    weight = {flag: sum(of_models.values()) for flag, of_models in flagged.items()}
    order = sorted(weight.keys() - set(TOLD_ELSEWHERE), key=lambda flag: (-weight[flag], flag))
    said = [f"{_words(flag)}: {_models(flagged[flag], runs, names)}" for flag in order[:SHOWN]]
    if order[SHOWN:]:
        rest = ", ".join(f"{flag} ({weight[flag]:,})" for flag in order[SHOWN:])
        said.append(f"runs with other quality flags: {rest}; quality_flags of the table runs has each")
    return [f"{benchmark}: {text}" for text in [*_answered(rows, names), *said]]


def _answered(rows: Iterable[Row], names: Mapping[str, str]) -> list[str]:
    """Models of which several answered, as far as the answers name more than the model that was asked."""
    found: dict[str, dict[str, int]] = {}
    mixed: set[str] = set()
    for row in rows:
        answered, model = tallies.counts(row["response_models"] or ()), row["model_id"]
        ours = found.setdefault(model, {})
        for name, count in answered.items():
            ours[name] = ours.get(name, 0) + count
        others = {checkpoints.bare(name) for name in ours} - {checkpoints.bare(row["model"])}
        if len(others) > 1 or len({checkpoints.bare(name) for name in answered}) > 1:
            mixed.add(model)
    each = [
        f"{names[model]} ({_counts(found[model])})" for model in sorted(mixed, key=lambda one: names[one])
    ]
    what = "answers under one name come from several models, which are reported as one"
    return [f"{what}: {'; '.join(each)}"] if each else []


def _counts(answered: Mapping[str, int]) -> str:
    order = sorted(answered, key=lambda name: (-answered[name], name))
    shown = [f"{name}: {counted(answered[name], 'run')}" for name in order]
    return some(shown, NAMED)


def _words(flag: str) -> str:
    return FLAGS.get(flag, f"the log or its mapping flags runs {flag}")


def _added(rows: Iterable[Row], tally: Callable[[Row], Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Runs by what is counted and by model_id."""
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        for what, count in tally(row).items():
            models = found.setdefault(what, {})
            models[row["model_id"]] = models.get(row["model_id"], 0) + count
    return found


def _models(flagged: Mapping[str, int], runs: Mapping[str, int], names: Mapping[str, str]) -> str:
    """Models and how many of their runs, those with the largest share first."""
    order = sorted(flagged, key=lambda model: (-flagged[model] / runs[model], names[model]))
    shown = [f"{names[model]} ({flagged[model]:,} of {runs[model]:,} runs)" for model in order]
    return some(shown, NAMED)
