"""What does one request state of HELM say: instance, request, completions?

    {instance, request, result, train_trial_index}  ->  a run of each completion

`completions[].tokens` is what T is known from: exact for models that ran in HELM itself (deployment `huggingface/`),
a local tokenizer's view of the visible text for all others, and empty for chat clients of newer versions, which is
missing and not 0. A perturbed instance is an instance of its own, in the cluster of the original. Source:
formats.md section 2.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from effspark.benchmarks import choices
from effspark.readers.cells import text_of
from effspark.readers.openai_bodies import time_of
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict, Status, Visibility
from effspark.runs.tokens import TokenSource, Usage

_LOCAL = "huggingface/"
_OF_EVERY_PERTURBATION = frozenset({"name", "robustness", "fairness", "computed_on"})


class _Text(msgspec.Struct):
    text: str | None = None


class _Reference(msgspec.Struct):
    output: _Text = msgspec.field(default_factory=_Text)
    tags: list[str] = []


class _Instance(msgspec.Struct):
    id: Any = None
    input: _Text = msgspec.field(default_factory=_Text)
    references: list[_Reference] = []
    split: str | None = None
    perturbation: dict[str, Any] | None = None
    extra_data: dict[str, Any] | None = None


class _Request(msgspec.Struct):
    model: str | None = None
    model_deployment: str | None = None
    prompt: str | None = None
    messages: Any = None
    temperature: float | None = None
    max_tokens: int | None = None
    random: str | None = None


class _Completion(msgspec.Struct):
    text: str | None = None
    tokens: list[Any] = []
    finish_reason: dict[str, Any] | str | None = None
    thinking: _Text | None = None


class _Result(msgspec.Struct):
    success: bool
    completions: list[_Completion] = []
    error: str | None = None
    cached: bool = False
    request_time: float | None = None
    request_datetime: float | None = None


class State(msgspec.Struct):
    """One element of `request_states`."""

    instance: _Instance
    request: _Request
    result: _Result | None = None
    train_trial_index: int = 0
    reference_index: int | None = None
    request_mode: str | None = None
    output_mapping: dict[str, Any] | None = None

    @property
    def generates(self) -> bool:
        """Does the request ask for text? Else it scores a reference, or the prompt."""
        return self.reference_index is None and self.request_mode is None and self.request.max_tokens != 0


def instance_id(state: State) -> Any:
    """Id of the instance; a perturbed one adds the name of the perturbation, and what sets it apart.

    >>> typos = {"name": "typos", "robustness": True, "prob": 0.1}
    >>> instance_id(State(_Instance(id="id7", perturbation=typos), _Request()))
    'id7:typos,prob=0.1'
    """
    said = state.instance.perturbation
    if not said:
        return state.instance.id
    told = (name for name in sorted(said) if name not in _OF_EVERY_PERTURBATION and said[name] is not None)
    own = [f"{name}={text_of(said[name])}" for name in told]
    return f"{state.instance.id}:{','.join([str(said.get('name')), *own])}"


def runs(
    state: State,
    known: Mapping[str, Any],
    verdicts: tuple[LoggedVerdict, ...],
    *,
    input_tokens: int | None,
    hidden: bool,
) -> tuple[LoggedRun, ...]:
    """Runs of a request that was made, one a completion; a request that failed is one run.

    Parameters
    ----------
    state
        Request with its result.
    known
        Fields of the run that are known without the state.
    verdicts
        Verdicts, which judge the first completion.
    input_tokens
        Tokens of the prompt, as HELM counted them.
    hidden
        The model keeps its reasoning to itself.
    """
    result = state.result or _Result(success=False)
    common = {**known, **_common(state, result)}
    attempt = str(state.train_trial_index) + (f":{state.request.random}" if state.request.random else "")
    if not result.success or not result.completions:
        status = Status.OK if result.success else Status.ERROR
        usage = Usage(input=input_tokens)
        return (LoggedRun(**common, status=status, error_message=result.error, attempt=attempt, usage=usage),)
    return tuple(
        LoggedRun(
            **common,
            **_generated(completion, state.request, input_tokens, hidden=hidden),
            attempt=attempt if place == 0 else f"{attempt}#{place}",
            verdicts=verdicts if place == 0 else (),
        )
        for place, completion in enumerate(result.completions)
    )


def configuration_of(request: _Request) -> Configuration:
    """How the model was asked; before deployments had names, a model was all a request named."""
    return Configuration(
        request_model=request.model or "",
        provider_route=request.model_deployment,
        temperature=request.temperature,
        output_budget_tokens=request.max_tokens,
    )


def _common(state: State, result: _Result) -> dict[str, Any]:
    instance, request = state.instance, state.request
    perturbed = instance.perturbation
    extra = instance.extra_data or {}
    sent = time_of(result.request_datetime)
    return {
        "instance_id": instance_id(state),
        "split": instance.split,
        "prompt": request.prompt or text_of(request.messages),
        "question": instance.input.text,
        "gold": _gold(state),
        "latency_seconds": result.request_time,
        "latency_kind": None if result.request_time is None else "cached" if result.cached else "wall",
        "started_at": sent,
        "log_version": sent,
        "quality_flags": ("replayed",) if result.cached else (),
        "axes": {name: value for name, value in extra.items() if type(value) in (int, float)},
        "tags": {"cluster": str(instance.id), "perturbation": str(perturbed.get("name"))}
        if perturbed
        else {},
    }


def _gold(state: State) -> str | None:
    """The reference marked correct, with the options where there are others; all of them where several are."""
    references = state.instance.references
    places = [place for place, one in enumerate(references) if "correct" in one.tags]
    golds = [references[place].output.text for place in places]
    if len(places) != 1:
        return text_of(golds or None)
    options: Any = state.output_mapping or [one.output.text for one in references]
    asked = list(state.output_mapping.values()) if state.output_mapping else options
    marked = choices.of_log(options, index=asked.index(golds[0])) if golds[0] in asked else None
    return marked or golds[0]


def _generated(
    completion: _Completion, request: _Request, input_tokens: int | None, *, hidden: bool
) -> dict[str, Any]:
    """What a completion says of its text, tokens and end. Tokens never cover thinking."""
    reason = completion.finish_reason
    thinking = completion.thinking.text if completion.thinking else None
    n_tokens = len(completion.tokens)
    local = (request.model_deployment or "").startswith(_LOCAL)
    usage = Usage(input=input_tokens)
    if local and (n_tokens or not completion.text):
        usage = Usage(input=input_tokens, token_ids=n_tokens)
    elif not thinking and not hidden and (n_tokens or completion.text):
        usage = Usage(input=input_tokens, output=n_tokens, source=TokenSource.TOKENIZER)
    shown = Visibility.FULL if completion.text or thinking else Visibility.NONE
    visibility = Visibility.HIDDEN if hidden else shown
    return {
        "answer": completion.text,
        "reasoning": thinking or None,
        "finish_reason": reason.get("reason") if isinstance(reason, dict) else reason,
        "usage": usage,
        "trace_visibility": visibility,
        "estimable": visibility is Visibility.FULL,
    }
