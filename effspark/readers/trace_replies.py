"""What does the logged output of one model call say, whichever API's words it uses?

    text | messages | chat completion | Response | content parts | candidates  ->  answer, reasoning, finish reason

Tracers store inputs and outputs as the call had them, often as JSON in a string. A value of no known shape is
the answer itself, as text. What usage means is decided elsewhere (`effspark.runs.tokens`). Source: formats.md
sections 2.5, 2.6 and 2.10.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from effspark.readers.cells import text_of

_THOUGHT = frozenset({"reasoning", "thinking", "redacted_thinking"})
_SPOKEN = frozenset({"text", "output_text", "refusal", "message", None})
_FINISH = ("finish_reason", "finishReason", "stop_reason", "done_reason")
_MODELS = ("model", "modelVersion", "model_version")
_LISTS, _SAID_BY = ("choices", "candidates", "output", "parts"), ("role", *_FINISH)
_TEXTS = ("text", "content", "thinking", "refusal", "summary")
_NOT_SAID = frozenset({"user", "system", "developer", "tool"})


class Reply(NamedTuple):
    """One answer of one call; all null where the log shows none."""

    answer: str | None = None
    reasoning: str | None = None
    finish_reason: str | None = None


class Asked(NamedTuple):
    """What was sent: all of it, and the user's words where there is one message of the user."""

    prompt: str | None = None
    question: str | None = None


def parsed(value: Any) -> Any:
    """A value that may be JSON in a string, once or twice.

    >>> parsed('[1]'), parsed('"[1]"'), parsed("[sic]"), parsed("18")
    ([1], [1], '[sic]', '18')
    """
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[", '"')):
        return value
    try:
        inner = json.loads(value, strict=False)
    except (ValueError, RecursionError):  # a text that merely begins like JSON
        return value
    return parsed(inner) if isinstance(inner, str) else inner


def replies(value: Any) -> tuple[Reply, ...]:
    """Answers in an output: one, or one for each of n choices; none where there is no output.

    >>> replies('{"choices": [{"message": {"content": "18"}, "finish_reason": "stop"}]}')
    (Reply(answer='18', reasoning=None, finish_reason='stop'),)
    >>> parts = [{"type": "reasoning", "content": "9 * 2"}, {"type": "text", "content": "18"}]
    >>> replies([{"role": "assistant", "parts": parts, "finish_reason": "length"}])
    (Reply(answer='18', reasoning='9 * 2', finish_reason='length'),)
    >>> replies("18"), replies('{"answer": 18}')[0].answer, replies(None)
    ((Reply(answer='18', reasoning=None, finish_reason=None),), '{"answer": 18}', ())
    """
    found = parsed(value)
    if found is None:
        return ()
    if isinstance(found, list) and any(isinstance(item, dict) for item in found):
        return tuple(_of_list(found))
    if isinstance(found, dict) and _is_body(found):
        return tuple(_of_body(found))
    return (Reply(answer=value if isinstance(value, str) else text_of(value)),)


def asked(value: Any) -> Asked:
    r"""What an input says was sent.

    >>> asked([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "9 * 2?"}])
    Asked(prompt='system: Be brief.\nuser: 9 * 2?', question='9 * 2?')
    >>> asked("9 * 2?"), asked(None)
    (Asked(prompt='9 * 2?', question='9 * 2?'), Asked(prompt=None, question=None))
    """
    found = parsed(value)
    if isinstance(found, dict):
        found = next(
            (found[name] for name in ("messages", "contents", "input", "prompt") if name in found), found
        )
    if found is None:
        return Asked()
    if isinstance(found, str):
        return Asked(found, found)
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        return Asked(text_of(value))
    told = [(item.get("role"), _split(_content(item))[0]) for item in found]
    users = [text for role, text in told if role == "user"]
    prompt = "\n".join(f"{role}: {text}" for role, text in told if text is not None)
    return Asked(prompt or None, users[0] if len(users) == 1 else None)


def model_in(*values: Any) -> str | None:
    """First model that outputs or inputs name.

    >>> model_in('{"choices": []}', {"model": "o4-mini"})
    'o4-mini'
    """
    for found in map(parsed, values):
        if isinstance(found, dict):
            named = [found[name] for name in _MODELS if isinstance(found.get(name), str) and found[name]]
            if named:
                return str(named[0])
    return None


def reasoning_tokens_in(value: Any) -> Any:
    """Reasoning tokens in the usage of an output, as counted there; null where it counts none.

    >>> reasoning_tokens_in({"usage": {"completion_tokens_details": {"reasoning_tokens": 70}}})
    70
    """
    found = parsed(value)
    usage = _mapping(_mapping(found).get("usage") or _mapping(found).get("usage_metadata"))
    details = (_mapping(usage.get(name)) for name in ("completion_tokens_details", "output_tokens_details"))
    counted = [part.get("reasoning_tokens", part.get("thinking_tokens")) for part in details]
    counted.append(usage.get("thoughts_token_count"))
    return next((count for count in counted if count is not None), None)


def _of_list(items: list[Any]) -> Iterator[Reply]:
    """Messages are a reply each, and what was not said by the model is none; parts are one reply."""
    messages = [item for item in items if isinstance(item, dict) and ("role" in item or "parts" in item)]
    if not messages:
        yield Reply(*_split(items))
        return
    yield from (_of_message(item) for item in messages if _text(item.get("role")) not in _NOT_SAID)


def _is_body(found: Mapping[str, Any]) -> bool:
    """Is an object what an API answers, and not an answer that happens to be an object?"""
    if any(isinstance(found.get(name), list) for name in _LISTS) or isinstance(found.get("message"), dict):
        return True
    content = found.get("content")
    return isinstance(content, dict) or ("content" in found and any(name in found for name in _SAID_BY))


def _of_body(body: Mapping[str, Any]) -> Iterator[Reply]:
    for name in ("choices", "candidates"):
        if isinstance(body.get(name), list):
            yield from (_of_message(_mapping(choice)) for choice in body[name])
            return
    if isinstance(body.get("output"), list):
        details = _mapping(body.get("incomplete_details"))
        answer, reasoning = _split(body["output"])
        yield Reply(answer, reasoning, _text(details.get("reason") or body.get("status")))
        return
    yield _of_message(body)


def _of_message(item: Mapping[str, Any]) -> Reply:
    """Reply in a message, or in a choice or candidate that holds one."""
    inner = item["message"] if isinstance(item.get("message"), dict) else item
    answer, reasoning = _split(_content(inner))
    shown = [inner.get(name) for name in ("reasoning_content", "reasoning", "thinking")]
    reasoning = next((text for text in shown if isinstance(text, str) and text), reasoning)
    finish = next((item[name] for name in _FINISH if item.get(name) is not None), None)
    return Reply(answer if answer is not None else _text(inner.get("refusal")), reasoning, _text(finish))


def _content(message: Mapping[str, Any]) -> Any:
    content = message.get("parts") if message.get("parts") is not None else message.get("content")
    if content is None:
        content = message.get("text")
    return content.get("parts") if isinstance(content, dict) else content


def _split(content: Any) -> tuple[str | None, str | None]:
    """Answer and reasoning in a content: a text, or parts of several kinds; calls of tools are neither."""
    if not isinstance(content, list):
        return _text(content), None
    answer, reasoning = [], []
    for part in content:
        kind = text_of(part.get("type")) if isinstance(part, dict) else None
        if kind in _THOUGHT or (isinstance(part, dict) and part.get("thought") is True):
            reasoning += _texts(part)
        elif kind in _SPOKEN:
            answer += _texts(part)
    return "".join(answer) if answer else None, "\n".join(reasoning) if reasoning else None


def _texts(part: Any) -> list[str]:
    """Texts of a part: its own, or those of the parts in it (a summary of reasoning is a list)."""
    inner = next((part[name] for name in _TEXTS if part.get(name)), None) if isinstance(part, dict) else part
    pieces = inner if isinstance(inner, list) else [inner]
    found = (_mapping(piece).get("text", piece) for piece in pieces)
    return [text for text in found if isinstance(text, str)]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
