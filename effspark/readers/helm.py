"""Runs of Stanford's HELM: the requests of a run folder, joined with its specification and statistics.

    scenario_state.json (+ run_spec.json, per_instance_stats.json beside)  ->  a run of each completion

The specification names the benchmark, the statistics hold scores and the tokens of the prompt; where one of the two
is missing the requests are refused, and are read again at the next load. Requests that score a reference or a
prompt generate nothing and are no runs, like requests that were never made. The other files of a folder repeat
these three. Every score is a verdict under its own name, and HELM names none as the one that counts: conf `scorers`
chooses, by default exact_match. Source: formats.md section 2.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from effspark.errors import LogError, problem
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.files import Log
from effspark.readers.helm_folder import (
    SPEC,
    STATE,
    STATISTICS,
    Folder,
    Key,
    folder_of,
    is_companion,
    is_state,
    key_of,
    verdicts,
)
from effspark.readers.helm_states import State, configuration_of, runs
from effspark.readers.members import Member, listed, members_to_fault, to_fault
from effspark.readers.python_json import python_decoded
from effspark.runs import checks, keys
from effspark.runs.tokens import hides_trace

_IN_COLUMNS = frozenset({"model", "model_deployment", "temperature", "max_tokens", "max_eval_instances"})
_CARRIES = {
    "verdict": Carries.YES,
    "stop": Carries.YES,
    "tokens": Carries.DERIVABLE,
    "reasoning": Carries.ABSENT,
    "repeat": Carries.YES,
    "trace": Carries.YES,
    "gold": Carries.YES,
    "latency": Carries.YES,
    "cost": Carries.ABSENT,
}


class Helm:
    """Reader of HELM run folders."""

    name = "helm"
    version = 1
    reads = Reads.FILE
    companions = 1
    title = "HELM run folder: scenario_state.json with run_spec.json and per_instance_stats.json beside"
    trap = (
        "Token counts are a local tokenizer's view of the visible text, and 0 for chat clients of newer "
        "versions, whatever was generated; thinking is never counted. A cached reply keeps the time of the "
        "first call."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the names at the start of the file."""
        return 0.95 if is_state(log) else 0.9 if is_companion(log) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a request: its runs, a request that is not selected, or a rejection."""
        if is_companion(log):
            yield NotSelected(0, "companion of scenario_state.json")
            return
        folder = folder_of(log)
        states, adapter, fault = _states(log)
        asked = Counter(_key(state) for _, state in states if isinstance(state, State) and state.generates)
        if fault is not None and states and isinstance(states[-1][1], State):
            asked[_key(states[-1][1])] += 1  # what is cut off may have been asked of the same
        for member, state in states:
            if isinstance(state, Rejected):
                yield state
            elif not state.generates:
                yield NotSelected(member.offset, "scored reference or prompt")
            elif state.result is None:
                yield NotSelected(member.offset, "request not made")
            else:
                yield _entry(member, state, folder, adapter, options, n_asked=asked[_key(state)])
        if fault is not None:
            raise fault


READER: Reader = Helm()


def _states(
    log: Log,
) -> tuple[list[tuple[Member, State | Rejected]], Mapping[str, Any], LogError | None]:
    """Request states with their place, the adapter's settings, and what breaks the document behind them.

    Raises
    ------
    LogError
        The document holds no list of them, or is cut before it.
    """
    document, fault = members_to_fault(log.text(), log.uri, into="request_states")
    said, requests = document.get("adapter_spec"), document.get("request_states")
    adapter = python_decoded(said.text if said else "null", dict[str, Any], offset=0)
    if fault is not None and requests is None:
        raise fault
    if requests is None or isinstance(adapter, Rejected):
        text = problem(
            "no requests",
            where=log.uri,
            found=f"an object of {', '.join(document)}",
            allowed="adapter_spec and request_states",
            remedy=f"write {STATE}.json again",
        )
        raise LogError(text)
    found, broken = to_fault(listed(requests, log.uri))
    states = [(one, python_decoded(one.text, State, offset=one.offset)) for one in found]
    return states, adapter, broken or fault


def _key(state: State) -> Key:
    return key_of(state.instance.id, state.instance.perturbation, state.train_trial_index)


def _entry(
    member: Member,
    state: State,
    folder: Folder,
    adapter: Mapping[str, Any],
    options: Options,
    *,
    n_asked: int,
) -> Entry:
    benchmark = folder.benchmark or (None if SPEC in folder.unreadable else options.benchmark)
    if benchmark is None:
        return _lacking(member, "no_benchmark", SPEC, folder, allowed="it, or --benchmark NAME")
    if folder.statistics is None:
        return _lacking(member, "no_scores", STATISTICS, folder, allowed="it, for it holds the scores")
    configuration = configuration_of(state.request)
    settings = {name: value for name, value in adapter.items() if name not in _IN_COLUMNS}
    known = {
        "benchmark_id": benchmark,
        "configuration": configuration,
        "eval_run_id": keys.digest("eval_run", "helm", benchmark, configuration.config_id, settings),
    }
    said = folder.statistics.get(_key(state), {})
    found = runs(
        state,
        known,
        verdicts(said) if n_asked == 1 else (),
        input_tokens=_count(said.get("num_prompt_tokens")),
        hidden=hides_trace(configuration.request_model, options.hidden_trace_models),
    )
    return Mapped(member.offset, found, member.text)


def _count(value: float | None) -> int | None:
    """A count of tokens; 0 of a prompt that was sent is a count that was not made."""
    count = checks.finite(value)
    return int(count) if count else None


def _lacking(member: Member, reason: str, name: str, folder: Folder, *, allowed: str) -> Rejected:
    detail = problem(
        f"{name}.json is not beside the requests, or cannot be read",
        where=f"byte {member.offset}",
        found=folder.unreadable.get(name, "no such file in the folder"),
        allowed=allowed,
        remedy="put it into the same folder and load both again",
    )
    return Rejected(member.offset, reason, detail, member.text)
