"""Observations and scores of Langfuse exports, sorted into their traces."""

from __future__ import annotations

import json
from typing import Any

import pytest

from effspark.readers import Entry, NotSelected, Rejected
from effspark.readers.langfuse_traces import Place, Trace, collect

OBSERVATION = {"id": "o", "traceId": "t", "type": "SPAN"}
SCORE = {"traceId": "t", "name": "correct", "value": 1}
BAD = {"id": 7, "traceId": "t", "type": "SPAN"}
BARE = "row of a trace without its observations"


def sorted_(*documents: dict[str, Any]) -> tuple[dict[str, Trace], list[Entry]]:
    traces: dict[str, Trace] = {}
    return traces, [entry for one in documents for entry in collect(Place(80, json.dumps(one)), one, traces)]


def held(traces: dict[str, Trace]) -> dict[str, tuple[list[str], list[str]]]:
    return {
        name: (list(trace.observations), [score.name for score in trace.scores])
        for name, trace in traces.items()
    }


def test_a_name_stands_where_it_is_first_quoted_else_at_the_beginning_of_its_document() -> None:
    place = Place(80, '{"é": "t", "x": "t"}')
    assert [place.of(name) for name in ("é", "t", "x", "u")] == [81, 87, 92, 80]


def test_a_page_is_sorted_row_by_row_and_what_is_no_row_is_not_selected() -> None:
    page = {"data": [OBSERVATION, {**OBSERVATION, "traceId": "u"}, SCORE, 7], "meta": {}}
    traces, entries = sorted_(page)
    assert held(traces) == {"t": (["o"], ["correct"]), "u": (["o"], [])}
    assert entries == [NotSelected(80 + json.dumps(page).index("7]"), BARE)]


@pytest.mark.parametrize(
    "document",
    [
        {"data": [OBSERVATION, 7, BAD, BAD, {"é": 1, **BAD}], "meta": {}},
        {"trace": {"id": "t", "scores": [7, BAD, BAD]}, "observations": [OBSERVATION, BAD]},
        {"data": [{"id": "t", "observations": [BAD, OBSERVATION, BAD]}, BAD], "meta": {}},
    ],
)
def test_every_row_of_a_document_is_refused_at_its_own_place_with_its_own_text(
    document: dict[str, Any],
) -> None:
    text = json.dumps(document, ensure_ascii=False)
    entries = list(collect(Place(80, text), document, {}))
    refused = [entry for entry in entries if isinstance(entry, Rejected)]
    assert len(refused) == len({entry.offset for entry in refused}) == 3
    for entry in refused:
        assert text.encode()[entry.offset - 80 :].startswith(entry.raw.encode())
        assert json.loads(entry.raw)["id"] == 7


@pytest.mark.parametrize("own", [{}, {"traceId": None}, {"trace_id": ""}])
def test_rows_inside_a_trace_belong_to_it_where_they_name_none(own: dict[str, Any]) -> None:
    inner = {"id": "o", "type": "SPAN", **own}
    trace = {"id": "t", "scores": [{"name": "correct", **own}]}
    traces, entries = sorted_({"trace": trace, "observations": [inner]})
    assert (held(traces), entries) == ({"t": (["o"], ["correct"])}, [])


def test_a_trace_tells_of_itself_in_snake_case_and_one_that_only_its_rows_name_does_not() -> None:
    traces, _ = sorted_(
        {"trace": {"id": "t", "userId": 7}, "observations": None}, {**OBSERVATION, "traceId": "u"}
    )
    assert [(name, trace.about) for name, trace in traces.items()] == [
        ("t", {"id": "t", "user_id": 7}),
        ("u", {}),
    ]


def test_an_observation_that_comes_again_replaces_itself_and_its_trace_keeps_its_first_place() -> None:
    traces: dict[str, Trace] = {}
    for offset, level in ((0, "DEFAULT"), (9, "ERROR")):
        row = {**OBSERVATION, "level": level}
        assert list(collect(Place(offset, f"row {level}"), row, traces)) == []
    assert (traces["t"].offset, traces["t"].text) == (0, "row DEFAULT")
    assert [one.level for one in traces["t"].observations.values()] == ["ERROR"]


def test_rows_of_no_use_are_told_and_make_no_trace() -> None:
    for row in ({"id": "t", "observations": ["o"], "scores": [SCORE]}, {"traceId": "t", "id": "o"}):
        assert sorted_(row) == ({}, [NotSelected(80, BARE)])


def test_a_trace_begins_at_its_first_row_that_is_no_score() -> None:
    traces: dict[str, Trace] = {}
    for offset, row in ((0, SCORE), (9, OBSERVATION), (20, SCORE)):
        assert list(collect(Place(offset, f"row {offset}"), row, traces)) == []
    assert (traces["t"].offset, traces["t"].text, len(traces["t"].scores)) == (9, "row 9", 2)


@pytest.mark.parametrize(
    ("row", "reason", "detail"),
    [
        ({**OBSERVATION, "traceId": 7}, "wrong_type", "(id 'o'): found Expected `str`, got `int`"),
        ({**SCORE, "name": None}, "wrong_type", "score (id None): found Expected `str`, got `null`"),
        ({"observations": [OBSERVATION]}, "invalid_record", "(trace.id): found None"),
    ],
)
def test_what_should_be_a_row_and_is_none_is_refused_with_its_text(
    row: dict[str, Any], reason: str, detail: str
) -> None:
    traces, (refused,) = sorted_(row)
    assert isinstance(refused, Rejected)
    assert (traces, refused.offset, refused.reason, refused.raw) == ({}, 80, reason, json.dumps(row))
    assert detail in refused.detail
