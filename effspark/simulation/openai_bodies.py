"""What stands in a batch request and its response? Bodies of Chat Completions and of Responses.

    chat       finish_reason stop | length | content_filter;   usage.completion_tokens, with reasoning
    responses  status completed | incomplete and its reason;   usage.output_tokens, with reasoning

Both hide the reasoning. A body without usage is what relays leave of cut runs. Source: formats.md section 2.5.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from effspark.simulation import calls
from effspark.simulation.draws import End, Run
from effspark.simulation.plan import Fault, Format
from effspark.simulation.seeds import hex_id
from effspark.simulation.texts import Written, prompt, written

Json = dict[str, Any]

_FINISH = {End.COMPLETED: "stop", End.CUT: "length", End.REFUSED: "content_filter"}
_INCOMPLETE = {End.CUT: "max_output_tokens", End.REFUSED: "content_filter"}


def asked(run: Run) -> Json:
    """Body of the request.

    >>> from effspark.simulation.draws import runs_of
    >>> sorted(asked(runs_of("birch-o4-heron-gsm8k", count=1, seed=1)[0]))
    ['input', 'max_output_tokens', 'model', 'reasoning', 'temperature']
    """
    model, text = run.eval_run.planted, prompt(run)
    if run.eval_run.format is Format.CHAT:
        return {"model": run.eval_run.spelling, "messages": [{"role": "user", "content": text}]}
    return {
        "model": run.eval_run.spelling,
        "input": text,
        "max_output_tokens": run.budget,
        "temperature": model.temperature,
        "reasoning": {"effort": model.reasoning_effort},
    }


def answered(run: Run, *, created: datetime, seed: int) -> Json:
    """Body of the response.

    >>> from effspark.simulation.draws import runs_of
    >>> run = runs_of("birch-lumen-pro-gsm8k", count=1, seed=1)[0]
    >>> body = answered(run, created=run.eval_run.started, seed=1)
    >>> body["object"], body["usage"]["completion_tokens"] == run.tokens
    ('chat.completion', True)
    """
    text = written(run, seed=seed)
    if run.eval_run.format is Format.RESPONSES:
        return _responses_body(run, text, created=created, seed=seed)
    return _chat_body(run, text, created=created, seed=seed)


def _chat_body(run: Run, text: Written, *, created: datetime, seed: int) -> Json:
    message: Json = {"role": "assistant", "content": text.answer, "refusal": None, "annotations": []}
    return {
        "id": f"chatcmpl-{hex_id(seed, 'completion', *run.names)}",
        "object": "chat.completion",
        "created": int(created.timestamp()),
        "model": run.eval_run.spelling,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": _FINISH[run.end]}],
        "usage": None if run.usage_missing else _chat_usage(run),
        "service_tier": "default",
        "system_fingerprint": None,
    }


def _chat_usage(run: Run) -> Json:
    given = calls.input_tokens(run)
    count = str(run.tokens) if run.fault is Fault.TEXT_COUNT else run.tokens
    return {
        "prompt_tokens": given,
        "completion_tokens": count,
        "total_tokens": given + run.tokens,
        "prompt_tokens_details": {"cached_tokens": calls.CACHED_TOKENS, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": calls.reasoning_tokens(run),
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _responses_body(run: Run, text: Written, *, created: datetime, seed: int) -> Json:
    model, reason = run.eval_run.planted, _INCOMPLETE.get(run.end)
    status = "completed" if reason is None else "incomplete"
    return {
        "id": f"resp_{hex_id(seed, 'response', *run.names)}",
        "object": "response",
        "created_at": int(created.timestamp()),
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None if reason is None else {"reason": reason},
        "instructions": None,
        "max_output_tokens": run.budget,
        "model": run.eval_run.spelling,
        "output": _items(text, status, run, seed=seed),
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": model.reasoning_effort, "summary": None},
        "store": True,
        "temperature": model.temperature,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": None if run.usage_missing else _responses_usage(run),
        "user": None,
        "metadata": {},
    }


def _items(text: Written, status: str, run: Run, *, seed: int) -> list[Json]:
    """A reasoning item without text and, where the run came to it, the message."""
    items: list[Json] = [{"id": f"rs_{hex_id(seed, 'item', *run.names)}", "type": "reasoning", "summary": []}]
    if text.answer:
        content = [{"type": "output_text", "annotations": [], "logprobs": [], "text": text.answer}]
        items.append(
            {
                "id": f"msg_{hex_id(seed, 'item', *run.names)}",
                "type": "message",
                "status": status,
                "content": content,
                "role": "assistant",
            }
        )
    return items


def _responses_usage(run: Run) -> Json:
    given = calls.input_tokens(run)
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": calls.CACHED_TOKENS, "cache_write_tokens": 0},
        "output_tokens": run.tokens,
        "output_tokens_details": {"reasoning_tokens": calls.reasoning_tokens(run)},
        "total_tokens": given + run.tokens,
    }
