"""Many runs at once give the rows that each gives alone, whatever stands in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark import tables
from effspark.errors import LogError
from effspark.runs.build import Attempt, build, rows_of
from effspark.runs.checked import all_checked, checked
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict, ScoreKind, Status, Visibility
from effspark.runs.tokens import TokenSource, Usage
from tests.core.runs import row_by_row
from tests.core.runs.logged import LOG, NOON, RUN

NAN, INFINITE = float("nan"), float("inf")
TEXTS = (
    ["", "a", "stop", "length", "label", "rescored:x", 'é\n\x7f\u2028"\\', "cut \ud83d", '{"a": "so'],
    [7, ["x"]],
)
COUNTS = ([None, 0, 1, 7, 64, 64.0, 1000, 1001, 10**9, NAN], [10**9 + 1, -1, 0.5, True, "7"])
NUMBERS = ([None, 0, 1, 1.0, 0.7, -0.0, 1e16, 2**53 + 1, NAN], [10**400, INFINITE, True, "1", [1]])
TIMES = (
    [None, NOON, NOON.astimezone(timezone(timedelta(hours=9))), NOON + timedelta(microseconds=1)],
    [NOON.replace(tzinfo=None), datetime.min, 1],
)
IDS = ([0, 7, "7", "é", "\udc00"], [" ", None, 1.5, True])
"""Values that are taken or mended, and odd ones that are refused."""
NAMED = (
    "eval_run_id", "attempt", "finish_reason", "agent_limit", "prompt", "reasoning", "answer", "question", "gold",
    "record_id", "result_id", "error_message", "split",
)  # fmt: skip
OF_USAGE = ("input", "output", "reasoning", "total", "cache_read", "token_ids")
OF_CONFIGURATION = ("provider_name", "reasoning_effort")


def runs_of(*, odd: bool) -> st.SearchStrategy[LoggedRun]:
    """Runs of values that are taken or mended, or of others among them."""

    def any_of(values: tuple[list[Any], list[Any]]) -> st.SearchStrategy[Any]:
        return st.sampled_from([*values[0], *values[1]] if odd else values[0])

    texts, counts, numbers = any_of(TEXTS), any_of(COUNTS), any_of(NUMBERS)
    names = st.sampled_from(["a", "b", "cluster", "x\udc00"])
    configuration = st.builds(
        Configuration,
        request_model=st.sampled_from(["m", "acme/one", "é", *(["", None] if odd else [])]),
        temperature=numbers,
        output_budget_tokens=counts,
        **dict.fromkeys(OF_CONFIGURATION, st.none() | texts),
    )
    usage = st.builds(
        Usage,
        additive=st.booleans(),
        source=st.sampled_from(TokenSource),
        **dict.fromkeys(OF_USAGE, counts),
    )
    verdict = st.builds(
        LoggedVerdict, scorer=texts, raw=st.none() | texts, value=numbers, kind=st.sampled_from(ScoreKind)
    )
    return st.builds(
        LoggedRun,
        configuration=configuration,
        benchmark_id=st.sampled_from(["gsm8k", "é", *([""] if odd else [])]),
        instance_id=any_of(IDS),
        usage=usage,
        status=st.sampled_from(Status),
        trace_visibility=st.sampled_from(Visibility),
        estimable=st.booleans(),
        verdicts=st.lists(verdict, max_size=2).map(tuple),
        seed=st.sampled_from([None, -1, 2.0, *([2**63] if odd else [])]),
        axes=st.dictionaries(names, numbers, max_size=2),
        tags=st.dictionaries(names, st.none() | texts, max_size=2),
        quality_flags=st.sampled_from([(), ("replayed",), ("odd_time", "conflict")]),
        **dict.fromkeys(("started_at", "log_version"), any_of(TIMES)),
        **dict.fromkeys(("latency_seconds", "cost_usd", "gpu_hours"), numbers),
        **dict.fromkeys(("context_budget_tokens", "n_retries"), counts),
        **dict.fromkeys(NAMED, st.none() | texts),
    )


SOUND_RUNS, ANY_RUNS = runs_of(odd=False), runs_of(odd=True)
TABLES = ("runs", "run_sources", "configurations", "verdicts", "traces", "instances")


def row_by_row_checked(runs: list[LoggedRun]) -> list[LoggedRun] | str:
    try:
        return [row_by_row.checked(run) for run in runs]
    except LogError as error:
        return str(error)


def same(found: Sequence[LoggedRun] | LogError, expected: list[LoggedRun] | str) -> bool:
    """Equal, and of the same types: 1 is not 1.0 here, nor 0.0 -0.0."""
    return repr(expected) == repr(str(found) if isinstance(found, LogError) else [*found])


@given(st.lists(st.lists(SOUND_RUNS | ANY_RUNS, max_size=2), max_size=4))
def test_records_are_checked_at_once_as_each_run_alone(records: list[list[LoggedRun]]) -> None:
    for found, runs in zip(all_checked(records), records, strict=True):
        assert same(found, row_by_row_checked(runs))


def values_of(column: Any) -> list[Any]:
    """What a field may hold, sound or not."""
    declared = str(column.type)
    of_type = {"str": TEXTS, "int": COUNTS, "float": NUMBERS, "datetime": TIMES}.get(declared.split(" |")[0])
    if column.name == "instance_id":
        of_type = IDS
    if of_type is not None:
        return [one for values in of_type for one in values]
    if declared.startswith("Mapping"):
        held = NUMBERS if "float" in declared else TEXTS
        return [{}, *({"a": one} for values in held for one in values), {"x\udc00": held[0][-2]}]
    return []


def changed(part: str, name: str, value: Any) -> LoggedRun:
    """A run of which all is sound but one value."""
    if part == "run":
        return replace(JUDGED, **{name: value})
    if part == "verdicts":
        return replace(JUDGED, verdicts=(replace(JUDGED.verdicts[0], **{name: value}),))
    return replace(JUDGED, **{part: replace(getattr(JUDGED, part), **{name: value})})


JUDGED = replace(
    RUN, verdicts=(LoggedVerdict(scorer="s", raw="0", value=0.0),), tags={"a": "é"}, axes={"depth": 0.0}
)
PARTS = {
    "run": JUDGED,
    "configuration": JUDGED.configuration,
    "usage": JUDGED.usage,
    "verdicts": JUDGED.verdicts[0],
}


@pytest.mark.parametrize("part", PARTS)
def test_one_value_that_needs_mending_or_refusing_is_never_overlooked(part: str) -> None:
    ((alone,),) = all_checked([[JUDGED]])
    assert alone is JUDGED  # nothing of it is odd, so that only the changed value can be
    for column in fields(PARTS[part]):
        for value in values_of(column):
            run = changed(part, column.name, value)
            (first, second) = all_checked([[JUDGED], [run]])
            assert same(first, [JUDGED])
            assert same(second, row_by_row_checked([run])), (column.name, value)


@given(st.lists(SOUND_RUNS, min_size=1, max_size=6))
def test_a_run_among_others_gives_the_rows_it_gives_alone(runs: list[LoggedRun]) -> None:
    found = build(
        [Attempt(logged=checked(run), offset=80, answer=place) for place, run in enumerate(runs)], LOG
    )
    alone = [row_by_row.rows(run, LOG, offset=80, answer=place) for place, run in enumerate(runs)]
    for table in TABLES:
        expected = tables.from_rows(table, [row for rows in alone for row in rows[table]])
        assert pa.Table.from_batches([found[table]]).equals(expected), table


@given(st.lists(SOUND_RUNS, min_size=1, max_size=3))
def test_rows_are_counted_before_they_are_made(runs: list[LoggedRun]) -> None:
    sound = [checked(run) for run in runs]
    found = build([Attempt(logged=run) for run in sound], LOG)
    assert sum(map(rows_of, sound)) == sum(batch.num_rows for batch in found.values())
