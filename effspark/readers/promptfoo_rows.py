"""promptfoo: what does one row of a result file say of a run?

    {provider, prompt, vars, response, success, failureReason, ...}  ->  LoggedRun

The provider's label, else its id, is the model: two providers of one id differ in what they were configured to
do. A row bears no id of its test: the test's `instance_id` in its metadata names the instance, else a hash of its
variables. A test without assertions passes, which judges nothing. A row of the cache has no counts but a total,
and 0 means unknown. Source: formats.md section 2.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from effspark.readers.cells import text_of
from effspark.readers.promptfoo_shapes import Prompt, Provider, Response, ResultRow
from effspark.runs import keys
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict, ScoreKind, Status, Visibility
from effspark.runs.tokens import Usage, hides_trace

ASSERTIONS, METRIC = "assertions", "metric:"
"""Scorer of the verdict on all assertions of a test together, and prefix of those of its named metrics."""
_ERROR = 2
_INSTANCE = "instance_id"
_COMPARES = ("equals", "contains", "icontains", "starts-with")
_VARIABLE = re.compile(r"\s*\{\{\s*(\w+)\s*\}\}\s*")
_BUDGETS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")


class Place(NamedTuple):
    """What says which run a row is, but for its repeats."""

    model: str
    prompt: str
    instance: Any


def place_of(row: ResultRow) -> Place:
    """Model, prompt template and instance of a row.

    >>> provider, metadata = Provider("openai:o3", "o3 high"), {"instance_id": 7}
    >>> place_of(ResultRow(provider=provider, prompt_id="p", metadata=metadata))
    Place(model='o3 high', prompt='p', instance=7)
    """
    provider = provider_of(row)
    prompt = row.prompt or Prompt()
    template = row.prompt_id or keys.digest("prompt", prompt.label or prompt.display or "")
    named = _metadata(row).get(_INSTANCE)
    instance = keys.digest("vars", row.vars)[:16] if named is None and row.vars else named
    return Place(provider.label or provider.id or "", template, instance)


def provider_of(row: ResultRow) -> Provider:
    """Provider of a row; old rows name it by a text.

    >>> provider_of(ResultRow(provider="openai:gpt-4o")).id
    'openai:gpt-4o'
    """
    return Provider(id=row.provider) if isinstance(row.provider, str) else row.provider or Provider()


def run_of(
    row: ResultRow, known: Mapping[str, Any], settings: Mapping[str, Any], hidden: Iterable[str]
) -> LoggedRun:
    """Run of a row.

    Parameters
    ----------
    row
        The row.
    known
        Fields that are known without it: benchmark, eval run, attempt, times.
    settings
        Configuration of its provider, as the file holds it; empty where it does not.
    hidden
        Patterns of the models that keep their reasoning to themselves.

    >>> row = ResultRow(provider="openai:gpt-4o", vars={"question": "2+1?"}, response=Response(output="3"))
    >>> run = run_of(row, {"benchmark_id": "b"}, {"max_tokens": 64}, ())
    >>> run.answer, run.question, run.verdicts, run.configuration.output_budget_tokens
    ('3', '2+1?', (), 64)
    """
    place, provider, response = place_of(row), provider_of(row), row.response or Response()
    answer, reasoning, usage = text_of(response.output), _reasoning(response.raw), _usage(response)
    return LoggedRun(
        **known,
        **_shown(answer, reasoning, usage, hides=_hides(place.model, provider, hidden)),
        **_outcome(row, response, answer),
        **_spent(row, response),
        configuration=_configuration(place.model, provider, _asked(row, settings)),
        instance_id=place.instance,
        response_model=_text(response.raw, "model"),
        usage=usage,
        prompt=None if row.prompt is None else row.prompt.raw,
        answer=answer,
        reasoning=reasoning,
        question=_text(row.vars, "question"),
        gold=_gold(row),
        axes={name: value for name, value in _metadata(row).items() if _is_axis(name, value)},
        record_id=row.id,
        result_id=row.id or None,
    )


def _outcome(row: ResultRow, response: Response, answer: str | None) -> dict[str, Any]:
    """How an attempt ended. An error beside an answer is the assertions': the answer is whole and not judged."""
    failed = row.failure_reason == _ERROR or response.error is not None
    failed |= row.failure_reason is None and row.error is not None and row.response is None
    unjudged = failed and bool(answer) and response.error is None
    refused = response.is_refusal and response.finish_reason != "length"
    return {
        "finish_reason": "refusal" if refused else response.finish_reason,
        "status": Status.ERROR if failed and not unjudged else Status.OK,
        "error_type": "evaluator_error" if unjudged else None,
        "error_message": text_of(response.error if row.error is None else row.error) if failed else None,
        "verdicts": () if failed else tuple(_verdicts(row)),
    }


def _spent(row: ResultRow, response: Response) -> dict[str, Any]:
    """Time and cost, if not replayed. A cost of 0 is one only where the provider says so: the tool writes 0 where
    it has none.
    """
    return {
        "quality_flags": ("replayed",) if response.cached else (),
        "latency_seconds": row.latency_ms / 1000 if row.latency_ms else None,
        "latency_kind": ("cached" if response.cached else "wall") if row.latency_ms else None,
        "cost_usd": (row.cost or None) if response.cost is None else response.cost,
    }


def _asked(row: ResultRow, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of the provider, under those of the prompt."""
    config = None if row.prompt is None else row.prompt.config
    return {**settings, **(config if isinstance(config, dict) else {})}


def _hides(model: str, provider: Provider, hidden: Iterable[str]) -> bool:
    patterns = tuple(hidden)
    return any(hides_trace(name, patterns) for name in (model, (provider.id or "").replace(":", "/")))


def _text(value: Any, name: str) -> str | None:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def _configuration(model: str, provider: Provider, asked: Mapping[str, Any]) -> Configuration:
    name, colon, _ = (provider.id or "").partition(":")
    return Configuration(
        request_model=model,
        provider_name=name if colon and name not in ("file", "http", "https", "exec", "python") else None,
        reasoning_effort=_effort(asked),
        temperature=asked.get("temperature"),
        output_budget_tokens=next((asked[key] for key in _BUDGETS if asked.get(key) is not None), None),
    )


def _effort(asked: Mapping[str, Any]) -> str | None:
    """Effort of reasoning that a provider was configured to, else its budget of thinking tokens."""
    within = {name: asked[name] for name in ("reasoning", "thinking") if isinstance(asked.get(name), dict)}
    found = asked.get("reasoning_effort") or within.get("reasoning", {}).get("effort")
    budget = within.get("thinking", {}).get("budget_tokens")
    return text_of(found) if found is not None or budget is None else f"{text_of(budget)} tokens"


def _usage(response: Response) -> Usage:
    """Counts of a response; a 0 of prompt or completion is what the tool writes where there is none."""
    counts = response.token_usage
    if counts is None:
        return Usage()
    details = counts.completion_details
    return Usage(
        input=counts.prompt or None,
        output=counts.completion or None,
        reasoning=None if details is None else details.reasoning,
        total=counts.total or None,
    )


def _reasoning(raw: Any) -> str | None:
    """Reasoning in the raw body of a chat completion, which is logged beside the output where the tool keeps it."""
    choices = raw.get("choices") if isinstance(raw, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        return None
    found = message.get("reasoning_content") or message.get("reasoning")
    return found if isinstance(found, str) else None


def _shown(answer: str | None, reasoning: str | None, usage: Usage, *, hides: bool) -> dict[str, Any]:
    """How much of the generated text the log shows. A reported 0 of reasoning means that nothing is hidden."""
    if not reasoning and (usage.reasoning or (usage.reasoning is None and hides)):
        return {"trace_visibility": Visibility.HIDDEN}
    whole = bool(answer or reasoning)
    return {
        "trace_visibility": Visibility.FULL if whole else Visibility.NONE,
        "estimable": whole and not hides,
    }


def _verdicts(row: ResultRow) -> Iterator[LoggedVerdict]:
    """What the assertions say together, where there are any, and each named metric."""
    components = row.grading_result.component_results if row.grading_result else None
    asserted = bool(components) or bool(row.test_case and row.test_case.assertions)
    if asserted and row.success is not None:
        yield LoggedVerdict(scorer=ASSERTIONS, raw=text_of(row.success), value=float(row.success))
    for name, score in (row.named_scores or {}).items():
        yield LoggedVerdict(
            scorer=f"{METRIC}{name}",
            raw=text_of(score),
            value=score if score is not None and 0 <= score <= 1 else None,
            kind=ScoreKind.FRACTIONAL,
        )


def _gold(row: ResultRow) -> str | None:
    """Answer that the first comparing assertion of the test waits for; a variable is filled in."""
    for assertion in (row.test_case.assertions if row.test_case else None) or []:
        if not isinstance(assertion, dict) or assertion.get("type") not in _COMPARES:
            continue
        value = assertion.get("value")
        variable = _VARIABLE.fullmatch(value) if isinstance(value, str) else None
        return text_of(row.vars.get(variable[1]) if variable else value)
    return None


def _metadata(row: ResultRow) -> Mapping[str, Any]:
    """Metadata of the test, under what the answer added to it."""
    return {**(row.test_case.metadata or {} if row.test_case else {}), **(row.metadata or {})}


def _is_axis(name: str, value: Any) -> bool:
    return name != _INSTANCE and isinstance(value, (int, float)) and not isinstance(value, bool)
