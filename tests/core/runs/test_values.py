"""A value that is made at once is the frozen dataclass it was declared as."""

from __future__ import annotations

import pickle
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

import pytest

from effspark.runs.record import Configuration, LoggedRun
from effspark.runs.tokens import Usage
from effspark.runs.values import with_values

ONE = Configuration(request_model="m", temperature=0.5)
RUN = LoggedRun(configuration=ONE, benchmark_id="b", instance_id=1)


def test_equal_values_are_equal_and_hash_alike() -> None:
    same = Configuration(temperature=0.5, request_model="m")
    assert (ONE, hash(ONE)) == (same, hash(same))
    assert replace(ONE, temperature=0.6) != ONE


def test_it_is_frozen() -> None:
    with pytest.raises(AttributeError):
        cast(Any, ONE).temperature = 1.0


@pytest.mark.parametrize(
    "given",
    [{}, {"temperature": 1.0}, {"request_model": "m", "budget": 1}],
    ids=["nothing", "part", "unknown"],
)
def test_what_is_missing_or_unknown_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Configuration(**given)
    with pytest.raises(TypeError):
        cast(Any, Configuration)("m")


def test_defaults_that_can_change_are_not_shared() -> None:
    other = replace(RUN, instance_id=2, tags={})
    assert (RUN.usage, RUN.tags, RUN.verdicts) == (Usage(), {}, ())
    assert LoggedRun(configuration=ONE, benchmark_id="b", instance_id=1).tags is not RUN.tags
    assert other.tags is not RUN.tags


def test_its_fields_keep_their_order_names_and_types() -> None:
    assert is_dataclass(Configuration)
    assert [column.name for column in fields(Usage)][:2] == ["input", "output"]
    assert {column.name: str(column.type) for column in fields(Configuration)}[
        "temperature"
    ] == "float | None"


def test_a_changed_copy_is_what_replace_gives() -> None:
    assert with_values(RUN, {"instance_id": 2}) == replace(RUN, instance_id=2)
    assert RUN.instance_id == 1


def test_it_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(RUN)) == RUN
