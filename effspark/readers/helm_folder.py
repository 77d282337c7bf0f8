"""Which files of a HELM run folder is a file, and what do the others say of its requests?

    scenario_state.json + run_spec.json + per_instance_stats.json  ->  benchmark; statistics of each request

Files are told by their content, and found beside the requests by the names that HELM gives them (a folder may hold
several runs, each with a prefix of its own). Statistics join on instance, perturbation and trial. Source:
formats.md section 2.4.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from effspark.errors import LogError, problem
from effspark.readers import Rejected
from effspark.readers.files import Log
from effspark.readers.inspect_scores import graded
from effspark.readers.python_json import python_decoded
from effspark.runs.record import LoggedVerdict

STATE, SPEC, STATISTICS = "scenario_state", "run_spec", "per_instance_stats"
_BEGINS = re.compile(rb'\s*\{\s*"adapter_spec"\s*:\s*\{')
_COMPANIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r'\s*\{\s*"name"\s*:', ("scenario_spec", "adapter_spec")),
    (r'\s*\{\s*"name"\s*:', ("description", "tags", "definition_path")),
    (r'\s*\[\s*\{\s*"name"\s*:\s*\{', ("count", "sum", "sum_squared")),
    (r"\s*\[\s*\{", ("instance_id", "train_trial_index", "stats")),
    (r"\s*\[\s*\{", ("instance_id", "train_trial_index", "request")),
    (r'\s*\[\s*\{\s*"input"\s*:\s*\{', ("references", "split")),
)
"""How the other files of a run begin, and names that stand in each."""
_MODEL = ("model=", "model_deployment=")
_NO_SCORE = re.compile(
    r"(num|training|inference|finish_reason|estimated)_.*|prompt_truncated|batch_size|max_prob|predicted_index"
    r"|(log)?prob|logprob_per_byte|bits_per_byte|perplexity|.*@\d+"
)
"""Statistics that say nothing of whether an answer is right, or speak of several answers."""
Key = tuple[str, str, int]
Kind = TypeVar("Kind")


class _Name(msgspec.Struct):
    name: str


class _Statistic(msgspec.Struct):
    name: _Name
    count: int = 0
    mean: float | None = None


class _OfInstance(msgspec.Struct):
    instance_id: Any
    train_trial_index: int = 0
    perturbation: dict[str, Any] | None = None
    stats: list[_Statistic] = []


class _Spec(msgspec.Struct):
    name: str


@dataclass(frozen=True)
class Folder:
    """What lies beside the requests of a run, null where it is not there, and what ails a file that is there."""

    benchmark: str | None
    statistics: Mapping[Key, Mapping[str, float]] | None
    unreadable: Mapping[str, str] = field(default_factory=dict)


def is_state(log: Log) -> bool:
    """Does a file hold the requests of a run?"""
    head = log.head
    return _BEGINS.match(head) is not None and b'"max_train_instances"' in head and b'"method"' in head


def is_companion(log: Log) -> bool:
    """Is a file one of the others that HELM writes for a run?"""
    head = log.head
    return any(
        re.match(begins.encode(), head) and all(f'"{name}"'.encode() in head for name in names)
        for begins, names in _COMPANIONS
    )


def key_of(instance_id: Any, perturbation: Mapping[str, Any] | None, trial: int) -> Key:
    """What requests and statistics join on.

    >>> key_of("id7", {"name": "typos", "seed": None}, 0)
    ('id7', '{"name": "typos"}', 0)
    """
    said = {name: value for name, value in (perturbation or {}).items() if value is not None}
    return str(instance_id), json.dumps(said, sort_keys=True) if said else "", trial


def benchmark_of(run_name: str) -> str:
    """Name of a run without what it says of the model.

    >>> benchmark_of("mmlu:subject=philosophy,method=multiple_choice_joint,model=openai_gpt2")
    'mmlu:subject=philosophy,method=multiple_choice_joint'
    >>> benchmark_of("narrative_qa:model=openai_gpt2")
    'narrative_qa'
    """
    scenario, _, arguments = run_name.partition(":")
    kept = [part for part in arguments.split(",") if part and not part.startswith(_MODEL)]
    return f"{scenario}:{','.join(kept)}" if kept else scenario


def folder_of(log: Log) -> Folder:
    """What the files beside the requests of a run say."""
    prefix = log.uri.rpartition("/")[2].partition(STATE)[0]
    unreadable: dict[str, str] = {}
    try:
        near = {one.uri.rpartition("/")[2].partition(".")[0]: one for one in log.siblings()}
    except LogError as error:
        return Folder(None, None, dict.fromkeys((SPEC, STATISTICS), str(error)))
    spec = _readable(near.get(prefix + SPEC), SPEC, _Spec, unreadable)
    statistics = _readable(near.get(prefix + STATISTICS), STATISTICS, list[_OfInstance], unreadable)
    found: dict[Key, dict[str, float]] = {}
    for one in statistics or ():
        place = key_of(one.instance_id, one.perturbation, one.train_trial_index)
        said = {stat.name.name: stat.mean for stat in one.stats if stat.count == 1 and stat.mean is not None}
        found.setdefault(place, {}).update(said)
    return Folder(
        benchmark=None if spec is None else benchmark_of(spec.name),
        statistics=None if statistics is None else found,
        unreadable=unreadable,
    )


def verdicts(statistics: Mapping[str, float]) -> tuple[LoggedVerdict, ...]:
    """Verdicts among the statistics of a request, one a metric.

    >>> [(verdict.scorer, verdict.value) for verdict in verdicts({"exact_match": 1.0, "num_output_tokens": 7.0})]
    [('exact_match', 1.0)]
    """
    scores = {name: graded(value) for name, value in statistics.items() if not _NO_SCORE.fullmatch(name)}
    return tuple(
        LoggedVerdict(scorer=name, raw=score.raw, value=score.value, kind=score.kind)
        for name, score in scores.items()
    )


def _readable(log: Log | None, name: str, kind: type[Kind], unreadable: dict[str, str]) -> Kind | None:
    """What a file holds; where it cannot be read, nothing, and `unreadable` says why."""
    try:
        return None if log is None else _read(log, kind)
    except LogError as error:
        unreadable[name] = str(error)
        return None


def _read(log: Log, kind: type[Kind]) -> Kind:
    found = python_decoded(log.text(), kind, offset=0)
    if isinstance(found, Rejected):
        text = problem(
            "a file of the run cannot be read",
            where=log.uri,
            found=found.detail,
            allowed="the file that HELM writes",
            remedy="write it again, or take it out of the folder",
        )
        raise LogError(text)
    return found
