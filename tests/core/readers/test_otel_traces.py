"""Spans and evaluation events of export requests, sorted into their traces."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from effspark.readers import Entry, NotSelected, Rejected
from effspark.readers.otel_traces import EVALUATION, Judged, Trace, collect

NO_EVALUATION = "log record that is no evaluation"


def attributes(**known: str) -> list[dict[str, Any]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in known.items()]


def span(name: str = "s", **fields: Any) -> dict[str, Any]:
    return {"traceId": "t", "spanId": name, **fields}


def sorted_(*documents: dict[str, Any], offset: int = 0) -> tuple[dict[str, Trace], list[Entry]]:
    traces: dict[str, Trace] = {}
    return traces, [entry for one in documents for entry in collect(offset, json.dumps(one), traces)]


def spans(*found: Any, **scope: Any) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(found), **scope}]}]}


def logs(*found: Any) -> dict[str, Any]:
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": list(found)}]}]}


def test_a_span_keeps_its_own_attributes_those_of_its_resource_and_its_version() -> None:
    scope = {"spans": [span(attributes=attributes(a="own"))], "schemaUrl": "https://x.org/schemas/1.30.0"}
    batch = {"resource": {"attributes": attributes(a="of the resource")}, "scopeSpans": [scope]}
    traces, _ = sorted_({"resourceSpans": [batch]})
    seen = traces["t"].seen["s"]
    assert (seen.own, seen.resource, seen.version) == ({"a": "own"}, {"a": "of the resource"}, "1.30.0")


def test_equal_spans_of_two_traces_stand_at_places_of_their_own() -> None:
    document = spans(span(), span(traceId="u"), span())
    traces, entries = sorted_(document, offset=80)
    text = json.dumps(document)
    assert traces["t"].seen["s"].offset == 80 + text.index('{"traceId": "t"')
    assert traces["u"].seen["s"].offset == 80 + text.index('{"traceId": "u"')
    assert entries == [NotSelected(80 + text.rindex('{"traceId": "t"'), "span exported again")]


def test_a_verdict_in_a_span_is_that_of_the_span_and_counts_once_though_exported_twice() -> None:
    judged = {"name": EVALUATION, "timeUnixNano": "1767225600000000000", "attributes": attributes(a="b")}
    document = spans(span(events=[{"name": "other"}, judged]))
    traces, _ = sorted_(document, document)
    at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    assert traces["t"].judged == [Judged(traces["t"].seen["s"].offset, "s", {"a": "b"}, at)]


def test_a_verdict_in_a_log_record_is_known_by_any_of_its_three_names() -> None:
    told = [
        {"eventName": EVALUATION, "spanId": "s"},
        {"name": EVALUATION},
        {"attributes": attributes(**{"event.name": EVALUATION})},
    ]
    traces, entries = sorted_(logs(*({"traceId": "t", **one} for one in told)))
    assert [(one.span_id, one.at) for one in traces["t"].judged] == [("s", None), (None, None), (None, None)]
    assert (traces["t"].seen, entries) == ({}, [])


def test_a_log_record_of_another_event_or_of_no_trace_is_not_selected() -> None:
    traces, entries = sorted_(
        logs({"eventName": "other", "traceId": "t"}, {"eventName": EVALUATION, "traceId": ""})
    )
    assert traces == {}
    assert [entry.reason for entry in entries if isinstance(entry, NotSelected)] == [NO_EVALUATION] * 2


def test_a_bad_event_refuses_its_span_and_leaves_no_trace_of_it() -> None:
    bad = {"name": "x", "attributes": [{"key": "n", "value": {"intValue": "7.5"}}]}
    traces, (refused,) = sorted_(spans(span(events=[bad]), span("b")))
    assert isinstance(refused, Rejected)
    assert (refused.reason, json.loads(refused.raw)) == ("invalid_record", span(events=[bad]))
    assert list(traces["t"].seen) == ["b"]


def test_an_attribute_nested_without_its_type_is_refused_and_does_not_end_the_reading() -> None:
    value = {"kvlistValue": {"values": [{"key": "a", "value": 7}]}}
    traces, entries = sorted_(spans(span(attributes=[{"key": "n", "value": value}]), span("b")))
    assert [entry.reason for entry in entries if isinstance(entry, Rejected)] == ["invalid_record"]
    assert list(traces["t"].seen) == ["b"]


def test_an_export_of_another_shape_is_refused_whole() -> None:
    traces, (refused,) = sorted_({"resourceSpans": {}}, offset=80)
    assert isinstance(refused, Rejected)
    assert (refused.offset, refused.reason, traces) == (80, "wrong_type", {})
    assert sorted_({}) == ({}, [])


def test_lists_in_another_order_move_no_record_from_its_place() -> None:
    bad = {"traceId": 7}
    text = json.dumps({**logs(bad, {**bad, "eventName": "x"}, bad), **spans(bad, bad)})
    entries = list(collect(80, text, {}))
    places = [entry.offset - 80 for entry in entries if isinstance(entry, Rejected)]
    assert len(places) == len(set(places)) == len(entries) == 5
    assert all(text[place:].startswith('{"traceId": 7') for place in places)


def test_half_a_character_moves_no_span_from_its_place() -> None:
    text = json.dumps(spans(span("a", kind="cut \ud83d"), span("b", kind="cut \ud83d")))
    traces: dict[str, Trace] = {}
    assert list(collect(0, text, traces)) == []
    assert [text[seen.offset :][:7] for seen in traces["t"].seen.values()] == ['{"trace'] * 2
    assert len({seen.offset for seen in traces["t"].seen.values()}) == 2
