"""What is a run known by? Its key, its eval run, its attempt, and what was generated.

    checked run, format, ids of its configuration  ->  run_key, eval_run_id, attempt and two hashes

What goes into a key and what never does is said in keys.py. Source: architecture.md section 5.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from effspark.runs import keys
from effspark.runs.generation import hashes
from effspark.runs.record import LoggedRun
from effspark.runs.values import made_at_once


@made_at_once
@dataclass(frozen=True, kw_only=True)
class Identity:
    """What a run is known by, and the hashes of what was generated: of text and T, and of the text."""

    run_key: str
    eval_run_id: str
    attempt: str
    content_hash: str
    generation_hash: str


def identity_of(logged: LoggedRun, source_format: str, family: str, whole: str) -> Identity:
    """run_key, eval_run_id and attempt; the latter two as logged, else hashes that depend on no place or time.

    Where a log names no eval run, one budget is one: whether budgets make models is decided when runs are named. The
    id of a result, where there is one, stands for eval run, settings and attempt. `family` and `whole` are the ids of
    the configuration without and with its budget; in the key stand those of `identified_by`, where there is one.

    >>> from effspark.runs.record import Configuration
    >>> model = Configuration(request_model="m")
    >>> run = LoggedRun(configuration=model, benchmark_id="b", instance_id="1", eval_run_id="e", attempt="2")
    >>> identity_of(run, "mapper", model.family_id, model.config_id).eval_run_id
    'e'
    """
    benchmark = logged.benchmark_id
    content, text = hashes(logged)
    eval_run = logged.eval_run_id or _hashed_eval_run(source_format, benchmark, whole)
    attempt = logged.attempt if logged.attempt is not None else content
    if logged.result_id is None:
        known, of_key = logged.identified_by, eval_run
        if known is not None:
            family = known.family_id
            of_key = logged.eval_run_id or _hashed_eval_run(source_format, benchmark, known.config_id)
        label, begun = attempt, _beginning("run", source_format, of_key, family, benchmark)
    else:
        label = logged.result_id
        begun = _beginning("run", source_format, "result", logged.configuration.request_model, benchmark)
    return Identity(
        run_key=begun.digest(keys.members(logged.instance_id, label)),
        eval_run_id=eval_run,
        attempt=attempt,
        content_hash=content,
        generation_hash=text,
    )


_beginning = lru_cache(maxsize=1024)(keys.Beginning)
"""What the keys of the runs of an eval run begin with."""


@lru_cache(maxsize=1024)
def _hashed_eval_run(source_format: str, benchmark: str, config_id: str) -> str:
    return keys.digest("eval_run", source_format, benchmark, config_id)
