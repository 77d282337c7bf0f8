"""The obvious way from logged runs to rows: one run, one field and one hash after the other, nothing kept.

What effspark.runs does for many runs at once must be the same, to the bit.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from datetime import timezone
from typing import Any

from effspark.errors import LogError
from effspark.runs import checks, keys, stops, tokens
from effspark.runs.build import Provenance
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict, Status, is_correct
from effspark.runs.stops import StopClass
from effspark.runs.tokens import COUNTED, TokenConvention

Row = dict[str, Any]
_COUNTS = ("input", "output", "reasoning", "total", "cache_read", "cache_write")


def rows(logged: LoggedRun, log: Provenance, *, offset: int, answer: int) -> dict[str, list[Row]]:
    """Rows of one run by table; raises LogError with all problems of the record."""
    run = checked(logged)
    known = identity(run, log)
    place: Row = {
        "log_version": (run.log_version or log.file_time).astimezone(timezone.utc),
        "reader_version": log.reader_version,
        "mapping_version": log.mapping_version,
        "source_sha256": log.source_sha256,
        "source_offset": offset,
        "source_answer": answer,
    }
    configuration = of_configuration(run.configuration)
    made: Row = {
        "schema_version": 1,
        "source_format": log.source_format,
        "source_format_version": run.format_version,
        "source_uri": log.source_uri,
        "source_record_id": run.record_id,
        "instance_hash": None if run.question is None else keys.question_hash(run.question),
        "eval_run_logged": bool(run.eval_run_id),
        "generation_hash": trace_hash(run),
        "axes": dict(run.axes),
        "tags": dict(run.tags),
        **known,
        **place,
        **{name: value for name, value in configuration.items() if name != "tokenizer_family"},
        **of_generation(run),
        **{name: getattr(run, name) for name in _CARRIED},
    }
    return {
        "runs": [made | {"n_retries": run.n_retries or 0}],
        "run_sources": [run_source(run, known["run_key"], place, log)],
        "configurations": [configuration],
        "verdicts": [of_verdict(one) | place | {"run_key": known["run_key"]} for one in run.verdicts],
        "traces": of_text(run, known["run_key"], place),
        "instances": of_instance(run, place, log),
    }


_CARRIED = (
    "response_model", "seed", "benchmark_id", "benchmark_version", "split", "instance_id", "error_type",
    "error_message", "context_budget_tokens", "latency_seconds", "latency_kind", "cost_usd", "gpu_hours",
    "started_at",
)  # fmt: skip


def checked(logged: LoggedRun) -> LoggedRun:
    problems: list[str] = []
    if not logged.configuration.request_model:
        problems.append("model: found nothing; allowed: a name; log it, map it, or --set readers.model=NAME")
    if not logged.benchmark_id:
        problems.append("benchmark: found nothing; allowed: a name; pass --benchmark NAME")
    instance = ""
    try:
        instance = checks.text(keys.instance_id(logged.instance_id), "instance id")
    except LogError as error:
        problems.append(str(error))
    configuration = each_checked(logged.configuration, problems)
    known = None if logged.identified_by is None else each_checked(logged.identified_by, problems)
    usage = each_checked(logged.usage, problems)
    verdicts = tuple(each_checked(verdict, problems) for verdict in logged.verdicts)
    whole = each_checked(logged, problems)
    if problems:
        raise LogError("; ".join(problems))
    parts = {"configuration": configuration, "identified_by": known, "usage": usage, "verdicts": verdicts}
    return replace(whole, instance_id=instance, **parts)


def each_checked(item: Any, problems: list[str]) -> Any:
    found = {}
    for column in fields(item):
        value = getattr(item, column.name)
        check = checks.integer if column.name == "seed" else _CHECKS.get(str(column.type))
        if check is None or value is None:
            continue
        shown = f"{column.name}_tokens" if column.name in _COUNTS else column.name
        try:
            found[column.name] = check(value, shown)
        except LogError as error:
            problems.append(str(error))
    return replace(item, **found)


def _map_of(check: Callable[[Any, str], Any]) -> Callable[[Mapping[str, Any], str], Row]:
    def checked_map(value: Mapping[str, Any], shown: str) -> Row:
        found = {
            checks.text(key, shown): None if one is None else check(one, f"{shown}.{key}")
            for key, one in value.items()
        }
        return {key: one for key, one in found.items() if one is not None}

    return checked_map


_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "str": checks.text,
    "str | None": checks.text,
    "int | None": tokens.count,
    "float | None": checks.number,
    "datetime | None": checks.moment,
    "Mapping[str, float]": _map_of(checks.number),
    "Mapping[str, str]": _map_of(checks.text),
}


def digest(*parts: Any) -> str:
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def configuration_ids(one: Configuration) -> Row:
    family = digest(
        "family", one.request_model, one.provider_name, one.provider_route, one.model_revision,
        one.reasoning_effort, one.temperature, one.tokenizer_family,
    )  # fmt: skip
    return {"family_id": family, "config_id": digest("config", family, one.output_budget_tokens)}


def identity(run: LoggedRun, log: Provenance) -> Row:
    ids = configuration_ids(run.configuration)
    hashed = digest("eval_run", log.source_format, run.benchmark_id, ids["config_id"])
    eval_run = run.eval_run_id or hashed
    attempt = content_hash(run) if run.attempt is None else run.attempt
    known = configuration_ids(run.identified_by or run.configuration)
    of_key = run.eval_run_id or digest("eval_run", log.source_format, run.benchmark_id, known["config_id"])
    parts = [of_key, known["family_id"], run.benchmark_id, run.instance_id, attempt]
    if run.result_id is not None:
        parts = ["result", run.configuration.request_model, run.benchmark_id, run.instance_id, run.result_id]
    run_key = digest("run", log.source_format, *parts)
    return {"run_key": run_key, "eval_run_id": eval_run, "attempt": attempt}


def content_hash(run: LoggedRun) -> str:
    usage = run.usage
    return digest("generation", run.reasoning, run.answer, usage.output, usage.reasoning, usage.token_ids)


def attempted(run: LoggedRun) -> str:
    failed = stops.stop_class(run.finish_reason, agent_limit=run.agent_limit) is StopClass.ERROR
    if run.log_version and (run.status is Status.ERROR or (failed and run.status is Status.OK)):
        return digest("failure", content_hash(run), run.log_version.astimezone(timezone.utc).isoformat())
    return content_hash(run)


def trace_hash(run: LoggedRun) -> str:
    if not run.reasoning and not run.answer:
        return content_hash(run)
    return digest("trace", run.reasoning, run.answer)


def of_configuration(one: Configuration) -> Row:
    return {column.name: getattr(one, column.name) for column in fields(one)} | configuration_ids(one)


def of_generation(run: LoggedRun) -> Row:
    text = "\n".join(part for part in (run.reasoning, run.answer) if part) or None
    counted = tokens.normalise(
        run.usage,
        text=text,
        estimate_text=text if run.estimable else None,
        shown=(run.reasoning, run.answer),
    )
    stop = stop_class(run)
    budget, usage, output = run.configuration.output_budget_tokens, run.usage, counted.output
    cut = stops.truncation(
        stop,
        tokens=output,
        budget=budget,
        counted=counted.source in COUNTED,
        least_tokens=usage.output if counted.convention is TokenConvention.CONFLICT else None,
        ends_open=stop is StopClass.UNKNOWN and text is not None and stops.ends_open(text),
    )
    flags = {*run.quality_flags, *counted.flags, *cut.flags}
    if counted.source in COUNTED and output is not None and budget is not None and output > budget + 1:
        flags.add("t_over_budget")
    if counted.source in COUNTED and output and text:
        ratio, tools = len(text) / output, stop is StopClass.TOOL
        if ratio <= 1.1 and output >= 64 and run.trace_visibility.value == "full" and not tools:
            flags.add("hidden_trace")
        if ratio > 16 and len(text) > 64:
            flags.add("text_over_t")
    censored = bool(cut.truncated) and output is None
    failed = stop is StopClass.ERROR and run.status is Status.OK
    visible = None
    if output is not None and counted.reasoning is not None and counted.reasoning <= output:
        visible = output - counted.reasoning
    return {
        "status": "error" if failed else run.status.value,
        "finish_reason_raw": run.finish_reason if run.agent_limit is None else run.agent_limit,
        "stop_class": stop.value,
        "truncated": cut.truncated,
        "truncation_source": cut.source.value,
        "input_tokens": usage.input,
        "cache_read_tokens": usage.cache_read,
        "cache_write_tokens": usage.cache_write,
        "output_tokens": output,
        "reasoning_tokens": counted.reasoning,
        "visible_tokens": visible,
        "total_tokens": None if usage.input is None or output is None else usage.input + output,
        "censored": censored,
        "t_lower_bound": budget if censored else None,
        "token_source": counted.source.value,
        "token_convention": counted.convention.value,
        "quality_flags": sorted(flags),
        "trace_visibility": run.trace_visibility.value,
    }


def stop_class(run: LoggedRun) -> StopClass:
    stop = stops.stop_class(run.finish_reason, agent_limit=run.agent_limit)
    failed = run.status in (Status.ERROR, Status.CANCELLED)
    return StopClass.ERROR if failed and stop is StopClass.UNKNOWN else stop


def run_source(run: LoggedRun, run_key: str, place: Row, log: Provenance) -> Row:
    return {
        "run_key": run_key,
        "team": log.team,
        "source_sha256": log.source_sha256,
        "source_uri": log.source_uri,
        "generation_hash": attempted(run),
        "n_retries": run.n_retries or 0,
        "log_version": place["log_version"],
        "reader_version": log.reader_version,
        "mapping_version": log.mapping_version,
    }


def of_verdict(verdict: LoggedVerdict) -> Row:
    own = verdict.scorer == "label" or re.match("rescored:", verdict.scorer)
    return {
        "scorer": f"log:{verdict.scorer}" if own else verdict.scorer,
        "score_raw": verdict.raw,
        "score_kind": verdict.kind.value,
        "correct": is_correct(verdict.value),
        "extracted_answer": verdict.extracted_answer,
        "source": verdict.source.value,
    }


def of_text(run: LoggedRun, run_key: str, place: Row) -> list[Row]:
    texts = {name: getattr(run, name) for name in ("prompt", "reasoning", "answer")}
    return [] if set(texts.values()) == {None} else [{"run_key": run_key, **texts, **place}]


def held(run: LoggedRun) -> str:
    facts = {"gold": run.gold, "question": run.question, "cluster": run.tags.get("cluster")}
    told = [name for name in facts if facts[name] is not None]
    return ", ".join(told + [f"axis {name}" for name in sorted(run.axes)])


def of_instance(run: LoggedRun, place: Row, log: Provenance) -> list[Row]:
    if run.question is None and run.gold is None and not run.axes:
        return []
    row = {
        "benchmark_id": run.benchmark_id,
        "instance_id": run.instance_id,
        "source": log.team,
        "holds": held(run),
        "gold": run.gold,
        "question": run.question,
        "question_hash": None if run.question is None else keys.question_hash(run.question),
        "axes": dict(run.axes),
        "cluster": run.tags.get("cluster"),
        "instance_key": f"{keys.instance_key(run.benchmark_id, run.instance_id):016x}",
        **place,
    }
    return [row]
