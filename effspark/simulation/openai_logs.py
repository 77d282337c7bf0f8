"""How does birch log? Provider batches: the input file, the unordered output file, the error file, and labels.

    custom_id  model/benchmark/instance/attempt  in all four; the output alone holds tokens and the reason of the end

Two kinds of record go wrong in writing (cut in half, a byte that is no UTF-8) and are mended in a later file of the
same name. Source: formats.md section 2.5; bodies: openai_bodies.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import PurePosixPath
from typing import Any

from effspark.simulation import calls
from effspark.simulation.draws import Run
from effspark.simulation.files import LogFile, json_lines
from effspark.simulation.openai_bodies import answered, asked
from effspark.simulation.plan import LATE, MENDED, EvalRun, Fault, Format
from effspark.simulation.seeds import generator, hex_id

Json = dict[str, Any]

_URLS = {Format.CHAT: "/v1/chat/completions", Format.RESPONSES: "/v1/responses"}
_BATCH_TIME = timedelta(hours=2)


def custom_id(run: Run) -> str:
    """Name under which a request was made.

    >>> from effspark.simulation.draws import runs_of
    >>> custom_id(runs_of("birch-o4-heron-gsm8k", count=2, seed=1)[3])
    'o4-heron/gsm8k/1/2'
    """
    return f"{run.eval_run.spelling}/{run.instance.benchmark}/{run.instance.name}/{run.attempt}"


def batch_id(eval_run: EvalRun, *, seed: int) -> str:
    """Id of the batch of an eval run.

    >>> from effspark.simulation.plan import EVAL_RUNS
    >>> len(batch_id(EVAL_RUNS[8], seed=1))
    38
    """
    return f"batch_{hex_id(seed, 'batch', eval_run.name)}"


def logs(runs: Sequence[Run], *, seed: int) -> list[LogFile]:
    """Input, output and, where a request failed, error file of a batch.

    >>> from effspark.simulation.draws import runs_of
    >>> [file.path.stem[39:] for file in logs(runs_of("birch-lumen-pro-gsm8k", count=4, seed=1), seed=1)]
    ['input', 'output', 'error']
    """
    eval_run = runs[0].eval_run
    name, at = batch_id(eval_run, seed=seed), eval_run.started + _BATCH_TIME
    failed = [run for run in runs if run.fault is Fault.ERROR]
    found = [
        LogFile(PurePosixPath(f"{name}_input.jsonl"), json_lines(map(_request, runs)), eval_run.started),
        LogFile(PurePosixPath(f"{name}_output.jsonl"), _output(runs, seed=seed, mended=False), at),
    ]
    if failed:
        errors = json_lines(_failure(run, seed=seed) for run in failed)
        found.append(LogFile(PurePosixPath(f"{name}_error.jsonl"), errors, at))
    return found


def mended(runs: Sequence[Run], *, seed: int) -> LogFile:
    """The output file again, written whole.

    >>> from effspark.simulation.draws import runs_of
    >>> runs = runs_of("birch-lumen-mini-gsm8k", count=4, seed=1)
    >>> [len(file.content.splitlines()) for file in (mended(runs, seed=1), logs(runs, seed=1)[1])]
    [8, 8]
    """
    name = batch_id(runs[0].eval_run, seed=seed)
    return LogFile(PurePosixPath(f"{name}_output.jsonl"), _output(runs, seed=seed, mended=True), LATE)


def labels(runs: Sequence[Run], *, late: bool) -> list[Json]:
    """Label rows: what each request was about, and whether its answer is right (null where there is none).

    Parameters
    ----------
    late
        The rows that come later; else those that come first.

    >>> from effspark.simulation.draws import runs_of
    >>> runs = runs_of("birch-o4-heron-gsm8k", count=24, seed=1)
    >>> len(labels(runs, late=False)), len(labels(runs, late=True))
    (38, 10)
    """
    return [
        {
            "custom_id": custom_id(run),
            "benchmark": run.instance.benchmark,
            "instance": run.instance.name,
            "gold": run.instance.gold,
            "correct": None if run.fault is Fault.ERROR else run.labelled,
        }
        for run in runs
        if (run.fault is Fault.LATE_LABEL) == late
    ]


def _request(run: Run) -> Json:
    url = _URLS[run.eval_run.format]
    return {"custom_id": custom_id(run), "method": "POST", "url": url, "body": asked(run)}


def _record(run: Run, *, seed: int, response: Json | None, error: Json | None) -> Json:
    name = None if run.fault is Fault.NULL_ID else custom_id(run)
    identity = f"batch_req_{hex_id(seed, 'request', *run.names)}"
    return {"id": identity, "custom_id": name, "response": response, "error": error}


def _response(run: Run, status: int, body: Json, *, seed: int) -> Json:
    return {"status_code": status, "request_id": hex_id(seed, "served", *run.names), "body": body}


def _failure(run: Run, *, seed: int) -> Json:
    """Refused by the server, or never run: the two shapes of a failed request."""
    if run.instance.place % 2:
        expired = "This request could not be executed before the completion window expired."
        error = {"code": "batch_expired", "message": expired}
        return _record(run, seed=seed, response=None, error=error)
    fault = {"message": "The server had an error.", "type": "server_error", "param": None, "code": None}
    return _record(run, seed=seed, response=_response(run, 500, {"error": fault}, seed=seed), error=None)


def _output(runs: Sequence[Run], *, seed: int, mended: bool) -> bytes:
    answers = [run for run in runs if run.fault is not Fault.ERROR]
    order = generator(seed, "order", runs[0].eval_run.name).permutation(len(answers)).tolist()
    shuffled = sorted((answers[place] for place in order), key=lambda run: run.fault is Fault.HALF_WRITTEN)
    return b"".join(_line(run, seed=seed, mended=mended) for run in shuffled)


def _line(run: Run, *, seed: int, mended: bool) -> bytes:
    body = answered(run, created=calls.completed_at(run), seed=seed)
    line = json_lines([_record(run, seed=seed, response=_response(run, 200, body, seed=seed), error=None)])
    if mended or run.fault not in MENDED:
        return line
    if run.fault is Fault.HALF_WRITTEN:
        return line[: len(line) // 2]
    begin = b'"object": "'
    return line.replace(begin, begin + b"\xff", 1)
