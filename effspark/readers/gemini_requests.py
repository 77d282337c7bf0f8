"""What does a request to Gemini ask for? Its settings and its prompt, as a batch file repeats them.

    {contents, generationConfig} | {input, generation_config}  ->  budget, temperature, effort, seed, prompt

Users write requests in the names of the REST interface or of the SDK, so both spellings are read. Source: formats.md
section 2.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from effspark.runs.record import Configuration


def configuration(request: Mapping[str, Any], *, model: str, provider_name: str) -> Configuration:
    """Configuration of a run of `model`; a thinking budget stands for the effort where no level does.

    >>> asked = {"generationConfig": {"maxOutputTokens": 4096, "thinkingConfig": {"thinkingBudget": 1024}}}
    >>> made = configuration(asked, model="gemini-2.5-flash", provider_name="gcp.vertex_ai")
    >>> made.output_budget_tokens, made.reasoning_effort, made.temperature
    (4096, '1024 tokens', None)
    """
    config = _settings(request)
    thinking = _mapping(_either(config, "thinkingConfig", "thinking_config"))
    level = _either(thinking, "thinkingLevel", "thinking_level") or _either(
        config, "thinkingLevel", "thinking_level"
    )
    budget = _either(thinking, "thinkingBudget", "thinking_budget")
    return Configuration(
        request_model=model,
        provider_name=provider_name,
        reasoning_effort=level if budget is None or level else f"{budget} tokens",
        temperature=config.get("temperature"),
        output_budget_tokens=_either(config, "maxOutputTokens", "max_output_tokens"),
    )


def seed(request: Mapping[str, Any]) -> Any:
    """Seed that was asked for, null where none was.

    >>> seed({"generation_config": {"seed": 7}}), seed({})
    (7, None)
    """
    return _settings(request).get("seed")


def prompt(request: Mapping[str, Any]) -> str | None:
    """Text that was sent: instruction and contents, a line each; null where the request shows none.

    >>> said = {"contents": [{"role": "user", "parts": [{"text": "2 + 2?"}]}]}
    >>> prompt(said), prompt({"input": "2 + 2?"}), prompt({})
    ('2 + 2?', '2 + 2?', None)
    """
    instruction = _either(request, "systemInstruction", "system_instruction")
    texts = [*_texts(instruction), *_texts(request.get("contents")), *_texts(request.get("input"))]
    return "\n".join(texts) or None


def asks(request: Any) -> bool:
    """Is a value a request to Gemini?

    >>> asks({"contents": []}), asks({"input": "2 + 2?", "generation_config": {}}), asks({"input": "2 + 2?"})
    (True, True, False)
    """
    if not isinstance(request, Mapping):
        return False
    settings = _either(request, "generationConfig", "generation_config")
    return "contents" in request or ("input" in request and settings is not None)


def _settings(request: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(_either(request, "generationConfig", "generation_config"))


def _texts(value: Any) -> Iterator[str]:
    """Texts of a content, in order: a text, a part, a content with parts, or a list of them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, Mapping):
        for name in ("text", "parts", "content"):
            yield from _texts(value.get(name))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _either(value: Mapping[str, Any], camel: str, snake: str) -> Any:
    return value[camel] if camel in value else value.get(snake)
