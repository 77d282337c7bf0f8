"""The fields that a mapping may set are those of the run record."""

from __future__ import annotations

from dataclasses import fields

import pytest

from effspark.readers.cells import Kind
from effspark.readers.fields import FIELDS, REQUIRED, Part
from effspark.runs.record import Configuration, LoggedRun
from effspark.runs.tokens import Usage

DECLARED_APART = {"configuration", "usage", "verdicts", "axes", "tags", "estimable", "quality_flags"}
ONE_FORMAT = {
    "result_id",
    "identified_by",
}  # promptfoo's, and of batches; a mapping names what makes a run its own
PARTS = {Part.RUN: LoggedRun, Part.CONFIGURATION: Configuration, Part.USAGE: Usage}
KINDS = {"int | None": {Kind.COUNT, Kind.INTEGER}, "float | None": {Kind.NUMBER, Kind.AMOUNT},
         "str | None": {Kind.TEXT}, "str": {Kind.TEXT}, "datetime | None": {Kind.TIMESTAMP},
         "bool": {Kind.BOOLEAN},
         "Any": {Kind.IDENTIFIER}}  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_every_field_of_the_record_may_be_mapped_and_no_other(part: Part) -> None:
    mapped = {target.name or key for key, target in FIELDS.items() if target.part is part}
    assert mapped == {column.name for column in fields(PARTS[part])} - DECLARED_APART - ONE_FORMAT


@pytest.mark.parametrize("key", FIELDS)
def test_every_field_has_the_type_of_the_record(key: str) -> None:
    target = FIELDS[key]
    (column,) = [column for column in fields(PARTS[target.part]) if column.name == (target.name or key)]
    if isinstance(target.kind, Kind):
        assert target.kind in KINDS[str(column.type)]
    else:
        assert target.kind.__name__ == column.type


def test_what_must_be_mapped_are_fields() -> None:
    assert set(REQUIRED) <= set(FIELDS)
