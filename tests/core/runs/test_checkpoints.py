"""When the model that answered is the revision of the model that was asked."""

from __future__ import annotations

import narwhals as nw
import pyarrow as pa
import pytest

from effspark.runs.checkpoints import VARIES, bare, bare_column, with_revisions
from tests.core.runs.naming import Row, aliases

COLUMNS = ("config_id", "model", "request_model", "model_revision", "checkpoint")
SCHEMA = pa.schema([(name, pa.string()) for name in COLUMNS])


def revisions(*rows: Row, spoken: dict[str, str] | None = None) -> list[str | None]:
    given = [
        {"config_id": str(place), "model": "m", "request_model": "a/m"} | row
        for place, row in enumerate(rows)
    ]
    table = nw.from_native(pa.Table.from_pylist(given, SCHEMA))
    found = with_revisions(table, aliases(model=spoken or {})).to_arrow().select(SCHEMA.names)
    ordered = sorted(found.to_pylist(), key=lambda row: row["config_id"])
    assert [row["config_id"] for row in ordered] == [row["config_id"] for row in given]
    return [row["model_revision"] for row in ordered]


def answered(checkpoint: str | None, **more: str) -> Row:
    return {"checkpoint": checkpoint, **more}


def test_two_checkpoints_of_one_name_are_its_revisions() -> None:
    assert revisions(answered("m-1"), answered("m-2"), answered("m-1")) == ["m-1", "m-2", "m-1"]


def test_one_checkpoint_everywhere_renames_nothing() -> None:
    assert revisions(answered("m-1"), answered("m-1")) == [None, None]


def test_the_name_asked_for_and_silence_tell_nothing() -> None:
    assert revisions(answered("m"), answered(None), answered("m-1")) == [None, None, None]
    assert revisions(answered("m"), answered("m-2"), answered("m-1")) == [None, "m-2", "m-1"]


def test_what_varies_inside_an_eval_run_is_no_single_checkpoint() -> None:
    assert revisions(answered(VARIES), answered("m-1")) == [VARIES, "m-1"]
    assert revisions(answered(VARIES), answered(VARIES)) == [None, None]


def test_a_revision_that_the_log_gives_stands() -> None:
    rows = answered("m-1", model_revision="r"), answered("m-2"), answered("m-1")
    assert revisions(*rows) == ["r", "m-2", "m-1"]
    assert revisions(*rows[:2]) == ["r", None]


def test_an_alias_makes_checkpoints_the_model_itself() -> None:
    assert revisions(answered("m-1"), answered("m-2"), spoken={"a/M-1": "m"}) == [None, None]
    assert revisions(answered("m-1"), answered("m-2"), spoken={"m-1": "other"}) == ["m-1", "m-2"]


def test_other_names_have_checkpoints_of_their_own() -> None:
    assert revisions(answered("m-1"), answered("m-2", model="n")) == [None, None]


@pytest.mark.parametrize("name", ["m", "a/M", "a/b/m", "Models/m", "a/"])
def test_the_column_and_the_rule_agree(name: str) -> None:
    frame = nw.from_native(pa.table({"name": [name]}))
    assert frame.select(bare_column("name")).to_arrow()["name"].to_pylist() == [bare(name)]
