"""Cells and JSON values as declared types."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.errors import LogError
from effspark.readers.cells import Kind, lookup, present, score, text_digest, text_of, typed
from effspark.runs.record import ScoreKind, Status
from effspark.runs.tokens import MOST_TOKENS

COUNT, NUMBER, TEXT, BOOLEAN, TIME = Kind.COUNT, Kind.NUMBER, Kind.TEXT, Kind.BOOLEAN, Kind.TIMESTAMP
LATER = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)


def cell(text: Any, kind: Any) -> Any:
    return typed(text, kind, where="column x", cells=True)


def value(found: Any, kind: Any) -> Any:
    return typed(found, kind, where="column x", cells=False)


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("812", COUNT, 812), ("7.0", COUNT, 7), (" 7 ", COUNT, 7), ("7e3", COUNT, 7000), ("0", COUNT, 0),
        ("-0", COUNT, 0), ("nan", COUNT, None), ("NaN", COUNT, None), ("", COUNT, None),
        ("None", COUNT, None),
        ("1.5", NUMBER, 1.5), (".5", NUMBER, 0.5), ("-2", NUMBER, -2.0), ("1e-3", NUMBER, 0.001),
        ("-7", Kind.INTEGER, -7), ("9007199254740993", Kind.INTEGER, 9007199254740993),
        ("True", BOOLEAN, True), ("no", BOOLEAN, False), ("1", BOOLEAN, True), ("0.0", BOOLEAN, False),
        ("nan", TEXT, "nan"), ("", TEXT, None), (" a ", TEXT, " a "), ("007", TEXT, "007"),
        ("2026-01-02T03:04:05Z", TIME, LATER), ("2026-01-02 04:04:05+01:00", TIME, LATER),
        ("2026-01-02 03:04:05", TIME, LATER), ("007", Kind.IDENTIFIER, "007"),
        ("Error", Status, Status.ERROR),
    ],
)  # fmt: skip
def test_a_text_cell_is_parsed_by_its_declared_type(text: str, kind: Any, found: Any) -> None:
    assert cell(text, kind) == found
    assert type(cell(text, kind)) is type(found)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("812 tok", COUNT), ("1,234", COUNT), ("1_000", COUNT), ("-3", COUNT), ("7.5", COUNT), ("inf", COUNT),
        ("1e400", COUNT), ("1e999999999", COUNT), ("1000000001", COUNT), ("n/a", COUNT), ("0x10", COUNT),
        ("７", COUNT),
        ("1.5s", NUMBER), ("inf", NUMBER), ("1e400", NUMBER), ("-0.1", Kind.AMOUNT), ("maybe", BOOLEAN),
        ("2", BOOLEAN),
        ("yesterday", TIME), ("1767322800", TIME), ("finished", Status),
    ],
)  # fmt: skip
def test_a_cell_of_another_type_is_a_fault_with_place_value_and_remedy(text: str, kind: Any) -> None:
    with pytest.raises(
        LogError, match=r"^not an? .*\(column x\): found .*; allowed: .*; mend the log"
    ) as caught:
        cell(text, kind)
    assert text[:3] in str(caught.value) or "inf" in str(caught.value)


@pytest.mark.parametrize(
    ("logged", "kind", "found"),
    [
        (812, COUNT, 812), (7.0, COUNT, 7), (Decimal("7.0"), COUNT, 7), (float("nan"), COUNT, None),
        (None, COUNT, None),
        (1, NUMBER, 1.0), (True, BOOLEAN, True), (0, BOOLEAN, False), (3, TEXT, "3"), (3.0, TEXT, "3"),
        (True, TEXT, "true"),
        (7, Kind.IDENTIFIER, 7), ("7", Kind.IDENTIFIER, "7"), (datetime(2026, 1, 2, 3, 4, 5), TIME, LATER),
        ("2026-01-02T03:04:05Z", TIME, LATER), (LATER, TEXT, "2026-01-02T03:04:05+00:00"),
        ("ok", Status, Status.OK),
    ],
)  # fmt: skip
def test_a_typed_value_is_taken_as_its_type(logged: Any, kind: Any, found: Any) -> None:
    assert value(logged, kind) == found
    assert type(value(logged, kind)) is type(found)


@pytest.mark.parametrize(
    ("logged", "kind"),
    [
        ("812", COUNT), (True, COUNT), (-1, COUNT), (1.5, COUNT), (MOST_TOKENS + 1, COUNT),
        (1e300, COUNT), ([1], COUNT),
        ("1.5", NUMBER), (True, NUMBER), (float("inf"), NUMBER), ("true", BOOLEAN), (2, BOOLEAN),
        ({"a": 1}, TEXT),
        ([1], TEXT), (1767322800, TIME), (date(2026, 1, 2), TIME), (1, Status), (2**63, Kind.INTEGER),
    ],
)  # fmt: skip
def test_a_typed_value_of_another_type_is_a_fault(logged: Any, kind: Any) -> None:
    with pytest.raises(LogError, match="column x"):
        value(logged, kind)


@given(st.integers(0, MOST_TOKENS))
def test_every_count_survives_a_csv_file_as_whole_number_and_as_float(count: int) -> None:
    assert cell(str(count), COUNT) == cell(str(float(count)), COUNT) == value(count, COUNT) == count


@pytest.mark.parametrize(
    ("logged", "kind", "cells", "found"),
    [
        ("True", ScoreKind.BINARY, True, 1.0), (False, ScoreKind.BINARY, False, 0.0),
        (1, ScoreKind.BINARY, False, 1.0),
        ("0.75", ScoreKind.FRACTIONAL, True, 0.75), (0, ScoreKind.FRACTIONAL, False, 0.0),
        ("c", ScoreKind.LETTER, True, 1.0),
        ("P", ScoreKind.LETTER, False, 0.5), ("I", ScoreKind.LETTER, False, 0.0),
        ("N", ScoreKind.LETTER, False, 0.0),
        (None, ScoreKind.LETTER, False, None), ("", ScoreKind.BINARY, True, None),
        ("nan", ScoreKind.FRACTIONAL, True, None),
    ],
)  # fmt: skip
def test_scores_are_numbers_from_0_to_1_and_null_stays_null(
    logged: Any, kind: ScoreKind, cells: bool, found: Any
) -> None:
    assert score(logged, kind, where="column x", cells=cells) == found


@pytest.mark.parametrize(
    ("logged", "kind"),
    [(0.7, ScoreKind.BINARY), (85, ScoreKind.FRACTIONAL), (-0.1, ScoreKind.FRACTIONAL),
        ("A", ScoreKind.LETTER), (1, ScoreKind.LETTER)],
)  # fmt: skip
def test_a_score_off_its_scale_is_a_fault(logged: Any, kind: ScoreKind) -> None:
    with pytest.raises(LogError, match="column x"):
        score(logged, kind, where="column x", cells=False)


def test_logged_values_become_text_without_loss() -> None:
    assert [text_of(found) for found in ("a", 3.0, 2.5, False, ["é", 1], None)] == [
        "a",
        "3",
        "2.5",
        "false",
        '["é", 1]',
        None,
    ]


def test_a_decimal_becomes_text_as_it_is_written_and_a_whole_one_without_its_fraction() -> None:
    assert [text_of(Decimal(text)) for text in ("1.00", "18.50", "-3", "0.10")] == [
        "1",
        "18.50",
        "-3",
        "0.10",
    ]


def test_a_digest_names_a_text_and_tells_texts_apart() -> None:
    assert text_digest("") == text_digest(None) == "e3b0c44298fc1c14"
    assert text_digest("18") != text_digest("18 ")
    assert len(text_digest("cut \ud83d")) == 16


def test_a_name_is_a_column_before_it_is_a_path() -> None:
    row = {"a.b": 1, "a": {"b": 2, "c": {"d": None}}, "e": None, "f": 5}
    assert [lookup(row, path) for path in ("a.b", "a.c.d", "a.x", "e.x", "f.x", "g")] == [
        1,
        None,
        None,
        None,
        None,
        None,
    ]
    assert [present(row, path) for path in ("a.b", "a.c.d", "a.x", "e.x", "f.x", "g")] == [
        True,
        True,
        False,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("kind", [Kind.COUNT, Kind.NUMBER, Kind.AMOUNT])
def test_numbers_beyond_all_bounds_are_faults_like_others(kind: Any) -> None:
    for faulty in (10**400, -(10**400)):
        with pytest.raises(LogError, match="column x"):
            value(faulty, kind)
    with pytest.raises(LogError, match="column x"):
        cell("1e99999999999999999999", kind)


@pytest.mark.parametrize("late", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_time_outside_the_years_of_utc_is_a_fault(late: str) -> None:
    with pytest.raises(LogError, match=r"not a timestamp \(column x\)"):
        cell(late, Kind.TIMESTAMP)
