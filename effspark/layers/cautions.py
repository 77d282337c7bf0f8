"""What must a reader of a report know before comparing its numbers? One sentence for each thing that is mixed or odd.

Source: definitions.md section 2 (selection, budgets, error rates, estimated tokens). Changes no number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from effspark.layers import budgets, estimates, selection
from effspark.layers.estimates import ModelSums
from effspark.layers.selection import Choice
from effspark.readers.openai_batch import UNLABELLED
from effspark.sections import ReportSettings
from effspark.wording import counted

_NAMELESS = (
    "runs of logs that name no benchmark stand together here; say which it is with --benchmark NAME, or of each run "
    "with a labels file (--labels FILE: custom_id, benchmark, instance, correct)"
)


def of_benchmark(
    benchmark: str,
    sums: Mapping[tuple[str, str], ModelSums],
    names: Mapping[str, str],
    choices: Sequence[Choice],
    eval_runs: pa.Table,
    met: Mapping[str, int],
    settings: ReportSettings,
) -> list[str]:
    """Sentences about one benchmark's part of a report, each beginning with the benchmark's name."""
    own = {model: part for (model, instance_set), part in sums.items() if instance_set == "own"}
    here = [choice for choice in choices if choice.benchmark_id == benchmark]
    rows = [
        row for row in eval_runs.to_pylist() if row["benchmark_id"] == benchmark and row["model_id"] in own
    ]
    said = [
        *([_NAMELESS] if benchmark == UNLABELLED else []),
        *_scorers(here, benchmark, settings),
        *budgets.told({names[row["model_id"]]: row["output_budget"] for row in rows}),
        *_namesakes(rows),
        *_token_sources(own, settings),
        *_conflicts(own, names),
        *_overrides(own, settings),
        *_errors(own, settings),
        *_missing(own, names, settings),
        *_completion(own, names, settings),
        *_overruled(own, names),
        *_replayed(own, names),
        *_unscored(here, rows, names),
        *_half_scored(own, names),
        *_coverage(
            {choice.model_id for choice in here if choice.scorer}, own, met.get(benchmark, 0), settings
        ),
    ]
    return [f"{benchmark}: {text}" for text in said]


def _each(counts: Mapping[str, int]) -> str:
    """Models and their number of runs, of those that have any."""
    return ", ".join(f"{name} ({count:,})" for name, count in sorted(counts.items()) if count)


def _scorers(choices: Sequence[Choice], benchmark: str, settings: ReportSettings) -> list[str]:
    said = []
    used = {choice.scorer for choice in choices if choice.scorer}
    if len(used) > 1:
        said.append(f"verdicts of several scorers are compared: {', '.join(sorted(used))}")
    every = sorted({other for choice in choices for other in choice.alternatives})
    suspect = list(filter(settings.is_suspect, every))
    spare = [name for name in every if name not in suspect]
    if suspect:
        said.append(
            "by their names these may count faults, so that 0 is good, and are taken as no verdict: "
            f"{', '.join(suspect)}; "
            f"name them in benchmarks.{benchmark}.scorers in conf if they judge answers"
        )
    if spare:
        said.append(
            f"scorers not used: {', '.join(spare)}; choose with benchmarks.{benchmark}.scorers in conf"
        )
    return said


def _namesakes(rows: Sequence[Mapping[str, object]]) -> list[str]:
    models: dict[object, set[object]] = {}
    for row in rows:
        models.setdefault(row["model"], set()).add(row["model_id"])
    return [
        f"{name} was run in {len(ids)} configurations; they are kept apart as {len(ids)} models"
        for name, ids in sorted(models.items(), key=lambda pair: str(pair[0]))
        if len(ids) > 1
    ]


def _token_sources(own: Mapping[str, ModelSums], settings: ReportSettings) -> list[str]:
    guessed = [model for model, part in own.items() if part.is_estimated]
    if not guessed:
        return []
    if len(guessed) == len(own):
        return ["tokens are a tokenizer's estimate of the visible text for all models"]
    together = "together with" if settings.rank_estimated_with_counted else "apart from"
    return [
        f"tokens of {len(guessed)} of {len(own)} models are a tokenizer's estimate; "
        f"they are ranked {together} counted ones"
    ]


def _conflicts(own: Mapping[str, ModelSums], names: Mapping[str, str]) -> list[str]:
    found = {
        names[model]: part.sums["conflicting"] for model, part in own.items() if part.sums["conflicting"]
    }
    if not found:
        return []
    return [
        f"the logs count more reasoning than output, and both are added to T, which may be too large: {_each(found)}"
    ]


def _overrides(own: Mapping[str, ModelSums], settings: ReportSettings) -> list[str]:
    """What conf does to runs that are read otherwise by default."""
    refused = sum(part.sums["refused"] for part in own.values())
    unknown = sum(part.sums["n"] - part.sums["known"] for part in own.values())
    said = []
    if refused and settings.refusals == "exclude":
        said.append(f"{counted(refused, 'refused run')} {_verb(refused, 'is')} left out (conf refusals)")
    if unknown and settings.unknown_completion == "as_completed":
        runs = f"{counted(unknown, 'run')} of unknown completion {_verb(unknown, 'counts')}"
        said.append(f"{runs} as completed (conf unknown_completion)")
    return said


def _verb(number: int, singular: str) -> str:
    plural = {"is": "are", "it is": "they are", "counts": "count", "belongs": "belong"}
    return singular if number == 1 else plural[singular]


def _errors(own: Mapping[str, ModelSums], settings: ReportSettings) -> list[str]:
    rates = [
        part.sums["errors"] / (part.sums["n"] + part.sums["errors"])
        for part in own.values()
        if part.sums["n"] + part.sums["errors"]
    ]
    if not rates or round(max(rates) - min(rates), 12) <= settings.error_rate_gap:
        return []
    return [
        f"error rates differ ({min(rates):.1%} to {max(rates):.1%}); compare with what errors as failures give"
    ]


def _missing(own: Mapping[str, ModelSums], names: Mapping[str, str], settings: ReportSettings) -> list[str]:
    flagged = sorted(
        names[model]
        for model, part in own.items()
        if estimates.informative_missing(
            estimates.settled(part.sums, settings), least=settings.least_runs_for_informative_missing
        )
    )
    if not flagged:
        return []
    return [
        f"token counts are missing mostly on cut runs of {', '.join(flagged)}; "
        "read what all runs give (finished, of all known; E0 at least, where budgets are known)"
    ]


def _completion(
    own: Mapping[str, ModelSums], names: Mapping[str, str], settings: ReportSettings
) -> list[str]:
    """Where completion is known of most runs only, or by inference only."""
    said = []
    unknown = {
        names[model]: (part.sums["n"] - part.sums["known"], part.sums["n"])
        for model, part in own.items()
        if settings.least_known_completion <= part.sums["known"] / max(part.sums["n"], 1) < 1
    }
    if unknown and settings.unknown_completion != "as_completed":
        each = ", ".join(f"{name} ({few:,} of {n:,})" for name, (few, n) in sorted(unknown.items()))
        said.append(
            f"whether runs finished is not known of some runs: {each}; finished, right when finished and "
            "decompositions rest on the others, E0 and accuracy on all"
        )
    guessed = {names[model]: part.sums["truncated_inferred"] for model, part in own.items()}
    if any(guessed.values()):
        said.append(
            f"that runs were cut is inferred, not logged: {_each(guessed)}; the view truncated_runs has each and why"
        )
    return said


def _overruled(own: Mapping[str, ModelSums], names: Mapping[str, str]) -> list[str]:
    found = {
        names[model]: part.sums["truncated_correct"]
        for model, part in own.items()
        if part.sums["truncated_correct"]
    }
    return [f"cut runs that were judged correct count as wrong: {_each(found)}"] if found else []


def _replayed(own: Mapping[str, ModelSums], names: Mapping[str, str]) -> list[str]:
    replayed = {names[model]: part.sums["replayed"] for model, part in own.items() if part.sums["replayed"]}
    if not replayed:
        return []
    return [
        f"{sum(replayed.values())} repeats of {', '.join(sorted(replayed))} replay an answer that was there before; "
        "each set of equal answers weighs as one run"
    ]


def _unscored(
    choices: Sequence[Choice], rows: Sequence[Mapping[str, object]], names: Mapping[str, str]
) -> list[str]:
    unjudged = selection.unjudged(choices)
    places = {(choice.eval_run_id, choice.config_id) for choice in unjudged}
    left = [row for row in rows if (row["eval_run_id"], row["config_id"]) in places]
    silent = sorted({names[choice.model_id] for choice in set(choices) - set(unjudged) if not choice.scorer})
    said = []
    if left:
        runs, eval_runs = sum(int(str(row["runs"])) for row in left), {row["eval_run_id"] for row in left}
        said.append(
            f"{counted(runs, 'run')} {_verb(runs, 'belongs')} to eval runs that nobody judged ({len(eval_runs)}); "
            f"{_verb(runs, 'it is')} counted, and in no layer"
        )
    if silent:
        said.append(f"no verdicts for {', '.join(silent)}; only tokens and completion are reported")
    return said


def _half_scored(own: Mapping[str, ModelSums], names: Mapping[str, str]) -> list[str]:
    """Cut runs need no verdict, finished ones do: where some lack it, those that are left are cut more often."""
    found = {
        names[model]: part.sums["unscored"]
        for model, part in own.items()
        if part.sums["unscored"] and part.sums["truncated"] + part.sums["agent_limited"]
    }
    what = "finished runs without a verdict are left out, cut ones need none, so finished and E0 read too low"
    return [f"{what}: {_each(found)}"] if found else []


def _coverage(
    judged: set[str], own: Mapping[str, ModelSums], met: int, settings: ReportSettings
) -> list[str]:
    partial = [model for model in judged if met and own[model].covered / met < settings.least_coverage]
    what = f"{len(partial)} of {len(judged)} models cover less than {settings.least_coverage:.0%}"
    return [f"{what} of the {met} instances met and are outside the pool"] if partial else []
