"""Attributes and times of OTLP JSON."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import msgspec
import pytest

from effspark.errors import LogError
from effspark.readers.otlp import Export, KeyValue, Span, plain, time_of


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"intValue": "-7"}, -7),
        ({"intValue": 7}, 7),
        ({"intValue": "-9223372036854775808"}, -(2**63)),
        ({"stringValue": "7"}, "7"),
        ({"bytesValue": "aGk="}, "aGk="),
        ({"arrayValue": {}}, []),
        ({"arrayValue": {"values": None}}, []),
        ({"arrayValue": {"values": [{}, {"intValue": "7"}]}}, [None, 7]),
        (
            {"kvlistValue": {"values": [{"key": "a"}, {"key": "b", "value": {"intValue": "7"}}]}},
            {"a": None, "b": 7},
        ),
        (
            {
                "arrayValue": {
                    "values": [{"kvlistValue": {"values": [{"key": "a", "value": {"boolValue": True}}]}}]
                }
            },
            [{"a": True}],
        ),
    ],
)
def test_a_value_is_read_by_its_kind(value: dict[str, Any], found: Any) -> None:
    assert plain([KeyValue("k", value)]) == {"k": found}


def test_the_last_of_two_attributes_of_one_key_counts() -> None:
    assert plain([KeyValue("k", {"intValue": 1}), KeyValue("k", {"intValue": 2})]) == {"k": 2}
    assert plain([]) == {}


@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        ({"intValue": None}, "found None; allowed: a whole number"),
        ({"intValue": "--7"}, "found '--7'; allowed: a whole number"),
        ({"intValue": ""}, "found ''; allowed: a whole number"),
        ({"intValue": "9" * 5000}, "allowed: a whole number of 64 bits"),
        ({"arrayValue": {"values": "x"}}, "allowed: an object with a list of values"),
        ({"arrayValue": {"values": [7]}}, "allowed: an object with a list of values"),
        ({"kvlistValue": None}, "found None; allowed: an object with a list of values"),
        (
            {"kvlistValue": {"values": [{"key": "a", "value": 7}]}},
            "found 7; allowed: an object that names its type",
        ),
    ],
)
def test_a_value_that_is_none_of_its_kind_is_a_fault_named_by_its_key(
    value: dict[str, Any], allowed: str
) -> None:
    with pytest.raises(LogError, match=r"cannot be read \(k\)") as error:
        plain([KeyValue("k", value)])
    assert allowed in str(error.value)


def test_a_time_is_cut_to_the_microsecond() -> None:
    assert time_of("1999") == datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=timezone.utc)
    assert time_of(2**32 * 10**9 - 1) == datetime(2106, 2, 7, 6, 28, 15, 999999, tzinfo=timezone.utc)


@pytest.mark.parametrize("value", [0, 2**32 * 10**9, "9" * 5000, 1.5e18, True, "1767225600 ", [1]])
def test_what_is_no_time_after_1970_is_none(value: Any) -> None:
    assert time_of(value) is None


def test_names_are_camel_case_and_bad_spans_do_not_spoil_an_export() -> None:
    text = (
        b'{"resourceSpans": [{"instrumentationLibrarySpans": [{"spans": [7, {"traceId": "t"}]}]}], "more": 1}'
    )
    (batch,) = msgspec.json.decode(text, type=Export).resource_spans
    assert batch.resource is None
    assert [bytes(raw) for raw in batch.instrumentation_library_spans[0].spans] == [b"7", b'{"traceId": "t"}']
    with pytest.raises(msgspec.ValidationError, match="spanId"):
        msgspec.json.decode(b'{"traceId": "t"}', type=Span)
