"""What does Inspect write of one sample? The JSON of `EvalSample`, field by field in the tool's order.

    Run  ->  {id, epoch, input, target, messages, output, scores, metadata, ..., model_usage, error, limit, ...}

Usage counts as providers of the OpenAI kind are logged: input without cached tokens, reasoning within output,
total with all. Source: inspect_ai 0.3.285 and its real logs; exclusions came later (0.3.291) and are taken to have
the shape of invalidations. Says nothing of the log around a sample (inspect_logs.py).
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Any

from effspark.simulation import calls
from effspark.simulation.draws import End, Run
from effspark.simulation.inspect_condensed import condensed
from effspark.simulation.instances import GSM8K
from effspark.simulation.plan import LATE, RETRY_DELAY, Fault
from effspark.simulation.seeds import hex_id, short_id
from effspark.simulation.texts import Written, prompt, written

Json = dict[str, Any]

SCORER = "match"
MESSAGE_LIMIT = 30
ERROR = "RuntimeError('provider 500: upstream overloaded')"
FAILED = frozenset({Fault.ERROR, Fault.ERROR_WITH_TOKENS})
_STOP_REASONS = {
    End.COMPLETED: "stop",
    End.CUT: "max_tokens",
    End.REFUSED: "content_filter",
    End.AGENT_LIMIT: "stop",
}
_UNCHANGED = dict.fromkeys(("answer", "explanation", "metadata"), "UNCHANGED")
_SUMMARISED = (
    *("id", "epoch", "input", "target", "metadata", "scores", "model_usage", "role_usage"),
    *("started_at", "completed_at", "total_time", "working_time", "uuid"),
)


def sample_id(run: Run, *, seed: int) -> str:
    """Id of a sample: made of the question (gsm8k), or the item's own.

    >>> from effspark.simulation.draws import runs_of
    >>> sample_id(runs_of("aurora-wren-flash-chains", count=8, seed=1)[7], seed=1)
    'chain-007'
    """
    if run.instance.benchmark == GSM8K:
        return f"gsm8k_{hex_id(seed, 'question', run.instance.question)[:8]}"
    return run.instance.name


def sample(run: Run, *, seed: int, failed: bool = False, late: bool = False) -> Json:
    """One sample of a log.

    Parameters
    ----------
    failed
        It is the first log of a retried eval run: its retried samples failed.
    late
        It is the edited log: corrected verdicts carry their history.

    >>> from effspark.simulation.draws import runs_of
    >>> sample(runs_of("aurora-kestrel-70b-gsm8k", count=1, seed=1)[1], seed=1)["epoch"]
    2
    """
    broken = run.fault in FAILED or (failed and run.fault is Fault.RETRIED)
    again = run.fault is Fault.RETRIED and not failed
    uuid = short_id(seed, "sample", *run.names, "again" if again else "first")
    text = written(run, seed=seed)
    message = _message(text, short_id(seed, "message", uuid))
    asked = _asked(run, short_id(seed, "asked", uuid))
    found: Json = {
        "id": sample_id(run, seed=seed),
        "epoch": run.attempt,
        "input": run.instance.question,
        "target": run.instance.gold,
        "messages": [asked] if broken else [asked, message],
        "output": _no_output(run) if broken else _output(run, text, message),
        "scores": {} if broken else {SCORER: _score(run, text, late=late)},
        "metadata": _metadata(run),
        "store": {},
        "events": [],
        "model_usage": _model_usage(run, broken=broken),
        "role_usage": {},
        **_times(run, again=again),
        "uuid": uuid,
        **_halted(run, broken=broken),
        "error_retries": [],
    }
    events, attachments = condensed(_events(run, found))
    return {**found, "events": events, "attachments": attachments}


def summary(found: Json) -> Json:
    """What the journal and `summaries.json` keep of a sample.

    >>> from effspark.simulation.draws import runs_of
    >>> "messages" in summary(sample(runs_of("aurora-kestrel-70b-gsm8k", count=1, seed=1)[0], seed=1))
    False
    """
    short = {name: found[name] for name in _SUMMARISED}
    if "error" in found:
        short["error"] = found["error"]["message"]
    if "limit" in found:
        short["limit"] = found["limit"]["type"]
    return short | {"retries": 0, "completed": True, "message_count": len(found["messages"])}


def stamp(at: datetime) -> str:
    """A time as Inspect writes it.

    >>> from effspark.simulation.plan import LATE
    >>> stamp(LATE)
    '2026-03-05T09:00:00.000000+00:00'
    """
    return at.isoformat(timespec="microseconds")


def _asked(run: Run, identity: str) -> Json:
    return {"id": identity, "content": prompt(run), "source": "input", "role": "user"}


def _message(text: Written, identity: str) -> Json:
    content: Any = text.answer
    if text.reasoning is not None:
        content = [
            {"type": "reasoning", "reasoning": text.reasoning, "redacted": False},
            {"type": "text", "text": text.answer},
        ]
    return {"id": identity, "content": content, "source": "generate", "role": "assistant"}


def _usage(run: Run) -> Json:
    given = calls.input_tokens(run)
    counts = {
        "input_tokens": given - calls.CACHED_TOKENS,
        "output_tokens": run.tokens,
        "total_tokens": given + run.tokens,
        "input_tokens_cache_read": calls.CACHED_TOKENS,
    }
    reasoning = calls.reasoning_tokens(run)
    return counts if reasoning is None else {**counts, "reasoning_tokens": reasoning}


def _model_usage(run: Run, *, broken: bool) -> Json:
    counted = not run.usage_missing and (not broken or run.fault is Fault.ERROR_WITH_TOKENS)
    return {run.eval_run.spelling: _usage(run)} if counted else {}


def _times(run: Run, *, again: bool) -> Json:
    delay = RETRY_DELAY if again else timedelta()
    return {
        "started_at": stamp(calls.started_at(run) + delay),
        "completed_at": stamp(calls.completed_at(run) + delay),
        "total_time": calls.latency_seconds(run),
        "working_time": round(calls.latency_seconds(run) - 0.05, 3),
    }


def _error() -> Json:
    return {"message": ERROR, "traceback": f"Traceback: {ERROR}\n", "traceback_ansi": f"{ERROR}\n"}


def _no_output(run: Run) -> Json:
    return {"model": run.eval_run.spelling, "choices": [], "completion": ""}


def _output(run: Run, text: Written, message: Json) -> Json:
    reason = "unknown" if run.stop_unknown else _STOP_REASONS[run.end]
    found: Json = {
        "model": run.eval_run.spelling.rpartition("/")[2],
        "choices": [{"message": message, "stop_reason": reason}],
        "completion": text.answer,
    }
    if not run.usage_missing:
        found["usage"] = _usage(run)
    return found | {"time": calls.latency_seconds(run)}


def _score(run: Run, text: Written, *, late: bool) -> Json:
    if run.fault is Fault.UNSCORED:
        return {"value": math.nan, "explanation": "the judge gave no verdict", "history": []}
    edited = run.fault is Fault.EDITED
    right = run.labelled if late or not edited else not run.labelled
    score: Json = {"value": "C" if right else "I", "answer": text.given or "", "explanation": text.answer}
    if not (late and edited):
        return score | {"history": []}
    first = {**score, "value": "I" if right else "C", "metadata": {}}
    who = provenance("the answer key of this item was wrong", "verdict")
    return score | {"history": [first, {"value": score["value"], **_UNCHANGED, "provenance": who}]}


def provenance(reason: str, subject: str) -> Json:
    """Who changed a log after its run, when and why.

    >>> provenance("the sandbox was down", "sample")["timestamp"]
    '2026-03-03T09:00:00.000000+00:00'
    """
    at = LATE - timedelta(hours=1) if subject == "verdict" else LATE - timedelta(days=2)
    return {"timestamp": stamp(at), "author": "reviewer@aurora.example", "reason": reason, "metadata": {}}


def _halted(run: Run, *, broken: bool) -> Json:
    """What stopped the sample, or who put it aside afterwards."""
    if broken:
        return {"error": _error()}
    found: Json = {}
    if run.fault is Fault.INVALIDATED:
        found["invalidation"] = provenance("the sandbox was down", "sample")
    if run.fault is Fault.EXCLUDED:
        found["exclusion"] = provenance("the question is ambiguous", "sample")
    if run.end is End.AGENT_LIMIT:
        found["limit"] = {"type": "message", "limit": float(MESSAGE_LIMIT)}
    return found


def _metadata(run: Run) -> Json:
    if run.instance.benchmark == GSM8K:
        return {"reasoning": run.instance.solution.rpartition("\n")[0]}
    return {"depth": run.instance.work, "cluster": run.instance.cluster}


def _events(run: Run, found: Json) -> list[Json]:
    """Events of a sample: its start, the call and its score, or the error."""
    named = {name: found[name] for name in ("input", "target", "id", "metadata")}
    events: list[Json] = [{"event": "sample_init", "sample": named, "state": {}}]
    if "error" in found:
        events.append({"event": "error", "error": found["error"]})
    else:
        call = {"event": "model", "model": run.eval_run.spelling, "input": found["messages"][:1], "tools": []}
        events.append({**call, "tool_choice": "none", "config": {}, "output": found["output"]})
        judged = {"event": "score", "score": found["scores"][SCORER], "target": found["target"]}
        events.append({**judged, "intermediate": False})
    at = found["started_at"]
    return [
        {"uuid": f"{found['uuid'][:20]}{place:02d}", "timestamp": at, "working_start": 0.0, **event}
        for place, event in enumerate(events)
    ]
