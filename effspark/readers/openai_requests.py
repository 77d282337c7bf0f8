"""What does a request to OpenAI's API, or to a server that speaks it, ask for?

    chat completion | Response | SGLang's generate  ->  model, budget, temperature, effort, seed, prompt

Only what the request says: a default of the server is not known. Source: formats.md sections 2.5 and 2.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from effspark.runs.record import LoggedRun

_BUDGETS = ("max_completion_tokens", "max_output_tokens", "max_tokens", "max_new_tokens")
_PROMPTS = ("instructions", "messages", "input", "prompt", "text")


class Asked(NamedTuple):
    """What a request says, as it says it."""

    model: Any = None
    budget: Any = None
    temperature: Any = None
    effort: Any = None
    seed: Any = None
    prompt: str | None = None

    @property
    def name(self) -> str | None:
        """The model's name; null where what stands there is no text, which is told where the run is checked."""
        return self.model if isinstance(self.model, str) else None


def asked(request: Mapping[str, Any]) -> Asked:
    """Settings and prompt of a request, null where it names none.

    >>> asked({"model": "o4-mini", "max_completion_tokens": 4096, "messages": [{"content": "2 + 2?"}]})
    Asked(model='o4-mini', budget=4096, temperature=None, effort=None, seed=None, prompt='2 + 2?')
    """
    sampling = {**request, **_mapping(request.get("sampling_params"))}
    effort = request.get("reasoning_effort")
    texts = [text for name in _PROMPTS for text in _texts(_spoken(request.get(name)))]
    return Asked(
        model=request.get("model"),
        budget=next((sampling[name] for name in _BUDGETS if sampling.get(name) is not None), None),
        temperature=sampling.get("temperature"),
        effort=_mapping(request.get("reasoning")).get("effort") if effort is None else effort,
        seed=next((sampling[name] for name in ("seed", "sampling_seed") if name in sampling), None),
        prompt="\n".join(texts) or None,
    )


def with_request(run: LoggedRun, said: Asked) -> LoggedRun:
    """A run with what its request says; what only the answer says stays.

    >>> from effspark.runs.record import Configuration
    >>> run = LoggedRun(configuration=Configuration(request_model="m-2025"), benchmark_id="b", instance_id=1)
    >>> made = with_request(run, Asked(model="m", budget=9)).configuration
    >>> made.request_model, made.output_budget_tokens
    ('m', 9)
    """
    old = run.configuration
    configuration = replace(
        old,
        request_model=said.model or old.request_model,
        reasoning_effort=old.reasoning_effort if said.effort is None else said.effort,
        temperature=old.temperature if said.temperature is None else said.temperature,
        output_budget_tokens=old.output_budget_tokens if said.budget is None else said.budget,
    )
    return replace(run, configuration=configuration, seed=said.seed, prompt=said.prompt)


def _spoken(value: Any) -> Any:
    """Prompts, not settings: the `text` of a request for a Response is how to format the answer."""
    return None if isinstance(value, Mapping) else value


def _texts(value: Any) -> Iterator[str]:
    """Texts of a prompt, in order: a text, a part, a message, or a list of them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, Mapping):
        yield from _texts(value.get("text"))
        yield from _texts(value.get("content"))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
