"""Is a logged run whole and of its declared types? Asked once for all readers, before anything is computed.

    LoggedRun as a reader found it  ->  the same with every value in its declared type, or all its problems

Most logs need nothing mended: many runs are judged at once, and only where that fails one by one. What a type is, and
what is mended in passing, is checks.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from effspark.errors import LogError
from effspark.runs import checks, keys, soundness
from effspark.runs.record import LoggedRun
from effspark.runs.values import with_values


def all_checked(records: Sequence[Sequence[LoggedRun]]) -> Iterable[Sequence[LoggedRun] | LogError]:
    """Runs of each record, checked, or what is wrong with it.

    >>> from effspark.runs.record import Configuration
    >>> run = LoggedRun(configuration=Configuration(request_model="m"), benchmark_id="b", instance_id=7)
    >>> [[[sound]]] = [list(all_checked([[run]]))]
    >>> sound.instance_id
    '7'
    """
    if _are_sound([run for runs in records for run in runs]):
        return records
    return map(_checked, records)


def _checked(runs: Sequence[LoggedRun]) -> Sequence[LoggedRun] | LogError:
    try:
        return [checked(run) for run in runs]
    except LogError as error:
        return error


def _are_sound(runs: Sequence[LoggedRun]) -> bool:
    """Would `checked` hand back each of these runs as it is?"""
    configurations = [run.configuration for run in runs]
    configurations += [run.identified_by for run in runs if run.identified_by is not None]
    ids = [run.instance_id for run in runs]
    return (
        set(map(type, ids)) == {str}
        and all(map(str.strip, ids))
        and all(run.benchmark_id for run in runs)
        and all(str(configuration.request_model).strip() for configuration in configurations)
        and soundness.are_sound([verdict for run in runs for verdict in run.verdicts])
        and soundness.are_sound([run.usage for run in runs])
        and soundness.are_sound(configurations)
        and soundness.are_sound(runs)
        and soundness.are_texts(ids)
    )


def checked(logged: LoggedRun) -> LoggedRun:
    """The record with every value in its declared type, if it has model, benchmark and instance.

    Raises
    ------
    LogError
        Every problem of the record, in one text.

    >>> from effspark.runs.record import Configuration
    >>> configuration = Configuration(request_model="m", temperature=1)
    >>> run = checked(LoggedRun(configuration=configuration, benchmark_id="b", instance_id=7))
    >>> run.instance_id, run.configuration.temperature
    ('7', 1.0)
    """
    problems: list[str] = []
    if not str(logged.configuration.request_model or "").strip():
        problems.append("model: found nothing; allowed: a name; log it, map it, or --set readers.model=NAME")
    if not logged.benchmark_id:
        problems.append("benchmark: found nothing; allowed: a name; pass --benchmark NAME")
    parts: dict[str, Any] = {}
    try:
        parts["instance_id"] = checks.text(keys.instance_id(logged.instance_id), "instance id")
    except LogError as error:
        problems.append(str(error))
    parts["configuration"] = checks.checked(logged.configuration, problems)
    if logged.identified_by is not None:
        parts["identified_by"] = checks.checked(logged.identified_by, problems)
    parts["usage"] = checks.checked(logged.usage, problems)
    parts["verdicts"] = tuple(checks.checked(verdict, problems) for verdict in logged.verdicts)
    whole = checks.checked(logged, problems)
    if problems:
        raise LogError("; ".join(problems))
    return with_values(whole, parts)
