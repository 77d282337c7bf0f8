"""How does aurora log with Inspect? Archives (`.eval`, deflate or zstd), one JSON document, a crash and its retry.

    eval run -> header + samples -> members of an archive, or one document

A retried eval run leaves two logs of one task: the first was cut off by a crash (no header, no summaries), the
second holds every sample, the failed ones run again. A corrected log has the name of the log it replaces. Source:
formats.md section 2.1; samples: inspect_samples.py.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from effspark.simulation import calls
from effspark.simulation.archive import Method, packed
from effspark.simulation.draws import Run
from effspark.simulation.files import LogFile
from effspark.simulation.inspect_samples import SCORER, Json, provenance, sample, sample_id, summary
from effspark.simulation.instances import GSM8K
from effspark.simulation.plan import LATE, RETRY_DELAY, EvalRun, Fault, Format
from effspark.simulation.seeds import short_id

ZSTD_FROM = "0.3.206"
"""Version of Inspect whose archives are the first to use zstandard."""
BENCHMARK_VERSION = 2
"""Version of the task `chains`; `gsm8k` has none."""


def logs(runs: Sequence[Run], *, seed: int) -> list[LogFile]:
    """Logs of one eval run, in the order they were written.

    >>> from effspark.simulation.draws import runs_of
    >>> [len(logs(runs_of(f"aurora-kestrel-8b-{name}", count=4, seed=1), seed=1)) for name in ("gsm8k", "chains")]
    [1, 2]
    """
    if runs[0].eval_run.format is Format.INSPECT_JSON:
        return [document(runs, seed=seed)]
    if any(run.fault is Fault.RETRIED for run in runs):
        return [_crashed(runs, seed=seed), archive(runs, seed=seed, delay=RETRY_DELAY)]
    return [archive(runs, seed=seed)]


def archive(runs: Sequence[Run], *, seed: int, delay: timedelta = timedelta(), late: bool = False) -> LogFile:
    """The whole log as an archive; `late` with its corrected verdicts.

    Parameters
    ----------
    delay
        How much later than planned the eval run began.

    >>> from effspark.simulation.draws import runs_of
    >>> file = archive(runs_of("aurora-wren-flash-chains", count=1, seed=1), seed=1)
    >>> file.path.suffix, file.content[:2]
    ('.eval', b'PK')
    """
    eval_run = runs[0].eval_run
    samples = [sample(run, seed=seed, late=late) for run in runs]
    header = _header(runs, samples, seed=seed, delay=delay, late=late)
    summaries = [summary(found) for found in samples]
    reductions = header.pop("reductions")
    members = [
        ("_journal/start.json", {name: header[name] for name in ("version", "eval", "plan")}),
        *_named(samples),
        ("_journal/summaries/1.json", summaries),
        ("summaries.json", summaries),
        ("reductions.json", reductions),
        ("header.json", header),
    ]
    at = LATE if late else _end(runs) + delay
    return LogFile(_path(eval_run, "eval", seed=seed, delay=delay), _packed(eval_run, members, at), at)


def document(runs: Sequence[Run], *, seed: int) -> LogFile:
    """The whole log as one JSON document.

    >>> from effspark.simulation.draws import runs_of
    >>> document(runs_of("aurora-wren-flash-gsm8k", count=1, seed=1), seed=1).path.suffix
    '.json'
    """
    samples = [sample(run, seed=seed) for run in runs]
    header = _header(runs, samples, seed=seed, delay=timedelta(), late=False)
    whole = {**header, "samples": samples, "reductions": header["reductions"]}
    content = json.dumps(whole, ensure_ascii=False, indent=2).encode()
    return LogFile(_path(runs[0].eval_run, "json", seed=seed, delay=timedelta()), content, _end(runs))


def _crashed(runs: Sequence[Run], *, seed: int) -> LogFile:
    eval_run = runs[0].eval_run
    samples = [sample(run, seed=seed, failed=True) for run in runs]
    start = {"version": 2, "eval": _spec(runs, seed=seed, delay=timedelta()), "plan": _plan(eval_run)}
    members = [
        ("_journal/start.json", start),
        *_named(samples),
        ("_journal/summaries/1.json", [summary(found) for found in samples]),
    ]
    at = _end(runs)
    return LogFile(_path(eval_run, "eval", seed=seed, delay=timedelta()), _packed(eval_run, members, at), at)


def _named(samples: list[Json]) -> list[tuple[str, Json]]:
    return [(f"samples/{found['id']}_epoch_{found['epoch']}.json", found) for found in samples]


def _packed(eval_run: EvalRun, members: Sequence[tuple[str, object]], at: datetime) -> bytes:
    method = Method.ZSTD if _version(eval_run.tool) >= _version(ZSTD_FROM) else Method.DEFLATE
    written = (
        (name, json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
        for name, value in members
    )
    return packed(written, method=method, at=at)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def _path(eval_run: EvalRun, suffix: str, *, seed: int, delay: timedelta) -> PurePosixPath:
    began = (eval_run.started + delay).strftime("%Y-%m-%dT%H-%M-%S+00-00")
    return PurePosixPath(f"{began}_{eval_run.benchmark}_{_task_id(eval_run, seed=seed)}.{suffix}")


def _task_id(eval_run: EvalRun, *, seed: int) -> str:
    return short_id(seed, "task", eval_run.name)


def _end(runs: Sequence[Run]) -> datetime:
    """When the last sample was done, to the second."""
    return max(calls.completed_at(run) for run in runs).replace(microsecond=0) + timedelta(seconds=2)


def _spec(runs: Sequence[Run], *, seed: int, delay: timedelta) -> Json:
    eval_run = runs[0].eval_run
    gsm8k = eval_run.benchmark == GSM8K
    again = str(delay)
    ids = list(dict.fromkeys(sample_id(run, seed=seed) for run in runs))
    accuracy = {"name": "inspect_ai/accuracy", "options": {}}
    return {
        "eval_id": short_id(seed, "eval", eval_run.name, again),
        "run_id": short_id(seed, "inspect run", eval_run.name, again),
        "created": (eval_run.started + delay).isoformat(),
        "task": eval_run.benchmark,
        "task_id": _task_id(eval_run, seed=seed),
        "task_version": 0 if gsm8k else BENCHMARK_VERSION,
        "task_file": f"tasks/{eval_run.benchmark}.py",
        "task_attribs": {},
        "task_args": {},
        "task_args_passed": {},
        "dataset": {
            "name": "openai/gsm8k" if gsm8k else eval_run.benchmark,
            "location": "openai/gsm8k" if gsm8k else "data/chains.jsonl",
            "samples": len(ids),
            "sample_ids": ids,
            "shuffled": False,
        },
        "model": eval_run.spelling,
        "model_generate_config": {},
        "model_args": {},
        "config": {"epochs": eval_run.attempts, "epochs_reducer": ["mean"], "fail_on_error": False},
        "packages": {"inspect_ai": eval_run.tool},
        "scorers": [{"name": SCORER, "options": {"numeric": gsm8k}, "metrics": [accuracy], "metadata": {}}],
    }


def _plan(eval_run: EvalRun) -> Json:
    model = eval_run.planted
    config: Json = {"seed": 7}
    if model.budgets:
        config["max_tokens"] = model.budgets[0]
    if model.temperature is not None:
        config["temperature"] = model.temperature
    return {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": config}


def _header(runs: Sequence[Run], samples: list[Json], *, seed: int, delay: timedelta, late: bool) -> Json:
    eval_run = runs[0].eval_run
    reduced = _reduced(samples)
    header: Json = {
        "version": 2,
        "status": "success",
        "eval": _spec(runs, seed=seed, delay=delay),
        "plan": _plan(eval_run),
        "results": {
            "total_samples": len(samples),
            "completed_samples": sum("error" not in found for found in samples),
            "scores": [_result([part["value"] for part in reduced])],
        },
        "stats": {
            "started_at": (eval_run.started + delay).isoformat(),
            "completed_at": (_end(runs) + delay).isoformat(),
            "model_usage": {eval_run.spelling: _added_up(samples)},
            "role_usage": {},
        },
        "invalidated": any("invalidation" in found for found in samples),
        "tags": ["reviewed"] if late else [],
        "metadata": {},
        "reductions": [{"scorer": SCORER, "samples": reduced}],
    }
    if late:
        edit = {"type": "tags", "tags_add": ["reviewed"], "tags_remove": []}
        header["log_updates"] = [{"edits": [edit], "provenance": provenance("verdicts reviewed", "verdict")}]
    return header


def _added_up(samples: list[Json]) -> Json:
    totals: dict[str, int] = {}
    for found in samples:
        for counts in found["model_usage"].values():
            for name, count in counts.items():
                totals[name] = totals.get(name, 0) + count
    return totals


def _result(reduced: list[float]) -> Json:
    values = [value for value in reduced if not math.isnan(value)]
    mean = sum(values) / len(values) if values else 0.0
    return {
        "name": SCORER,
        "scorer": SCORER,
        "scored_samples": len(values),
        "unscored_samples": len(reduced) - len(values),
        "params": {},
        "metrics": {"accuracy": {"name": "accuracy", "value": mean, "params": {}}},
    }


def _reduced(samples: list[Json]) -> list[Json]:
    """Mean score of each sample over its epochs, as Inspect keeps it; errors and unscored epochs left out."""
    by_id: dict[str, list[float]] = {}
    for found in samples:
        value = found["scores"].get(SCORER, {}).get("value", math.nan)
        score = {"C": 1.0, "I": 0.0}.get(value, math.nan)
        by_id.setdefault(found["id"], []).extend([] if math.isnan(score) else [score])
    means = {name: sum(scores) / len(scores) if scores else math.nan for name, scores in by_id.items()}
    return [{"value": value, "history": [], "sample_id": name} for name, value in means.items()]
