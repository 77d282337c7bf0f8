"""Members of one JSON object, each at its place in the file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.errors import LogError
from effspark.readers import staged_rows, staging
from effspark.readers.members import Member, listed, members, members_to_fault, to_fault
from tests.core.readers.test_golden import items_of

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "runs"
DOCUMENTS = {
    "helm": "helm_folder/logs/gsm/scenario_state.json",
    "promptfoo": "promptfoo_results/logs/results.json",
    "opencompass": "opencompass_outputs/logs/20260301_100000/predictions/qwen3-8b/gsm8k.json",
    "ockbench": "ockbench_results/logs/current.json",
    "zeroeval": "zeroeval_gsm/logs/model.json",
    "openai_live": "openai_live_list/logs/responses.json",
    "reasoning_gym": "reasoning_gym_run/logs/acme_thinker_20260301_100000/logic/zebra_puzzles.json",
}
"""A golden log of each format that is one document."""

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(texts, values, max_size=4), st.sampled_from([None, 1]), st.booleans())
def test_each_member_stands_where_its_offset_says(
    value: dict[str, object], indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    found = members(text, "a.json")
    assert {name: json.loads(member.text) for name, member in found.items()} == value
    for member in found.values():
        assert text.encode()[member.offset :].startswith(member.text.encode())


@given(st.lists(values, max_size=4))
def test_each_element_of_a_list_stands_where_its_offset_says(value: list[object]) -> None:
    text = json.dumps({"é": "é", "results": value}, ensure_ascii=False)
    elements = list(listed(members(text, "a.json")["results"], "a.json"))
    assert [json.loads(element.text) for element in elements] == value
    assert all(text.encode()[each.offset :].startswith(each.text.encode()) for each in elements)


def test_offsets_go_on_from_where_the_object_begins() -> None:
    text = '{"a": {"b": 1}}'
    outer = members(text, "a.json")["a"]
    assert members(outer.text, "a.json", offset=outer.offset) == {"b": Member(12, "1")}


def test_a_bare_nan_is_no_fault_of_the_document() -> None:
    assert members('{"score": NaN}', "a.json") == {"score": Member(10, "NaN")}


def test_of_a_name_met_twice_the_last_counts() -> None:
    assert members('{"a": 1, "a": 2}', "a.json")["a"].text == "2"


@pytest.mark.parametrize(
    "text",
    ["", "[1]", "{", '{"a"', '{"a"}', '{"a": 1', '{"a": 1 "b": 2}', "{1: 2}", '{"a": "cut', '{"a": {"b": 1'],
)
def test_what_is_no_whole_object_is_refused(text: str) -> None:
    with pytest.raises(LogError, match=r"a\.json, byte"):
        members(text, "a.json")


def test_an_object_that_breaks_names_the_place_and_the_start_of_the_broken_member() -> None:
    with pytest.raises(LogError, match=r"a\.json, byte 110\)") as fault:
        members('{"é": 1, "b": [1, "cut', "a.json", offset=100)
    assert (fault.value.offset, fault.value.raw) == (110, '"b": [1, "cut')


def spoilt(
    reader: str, folder: Path, spoil: Callable[[bytes, int], bytes]
) -> list[dict[str, list[dict[str, Any]]]]:
    """Rows of a golden document before and after it is spoilt, given its bytes and the offset of its last run."""
    case, _, inner = DOCUMENTS[reader].partition("/logs/")
    shutil.copytree(GOLDEN / case / "logs", folder / "logs")
    path = folder / "logs" / inner
    (item,) = items_of(GOLDEN / case, [path])
    found = []
    for _ in range(2):
        batches = list(staging.stage(item))
        found.append(
            {
                kind: staged_rows.of_kind(iter(batches), kind).to_pylist()
                for kind in ("runs", "quarantine", "counts")
            }
        )
        last = max(run["source_offset"] for run in found[0]["runs"])
        path.write_bytes(spoil(path.read_bytes(), last))
    return found


def keys_before(rows: dict[str, list[dict[str, Any]]], offset: int) -> set[str]:
    return {run["run_key"] for run in rows["runs"] if run["source_offset"] < offset}


@pytest.mark.parametrize("reader", DOCUMENTS)
def test_a_byte_that_is_no_utf8_costs_the_record_that_holds_it(reader: str, tmp_path: Path) -> None:
    def spoil(data: bytes, last: int) -> bytes:
        text = data.index(b'": "', last) + 4
        return data[:text] + b"\xff" + data[text:]

    before, after = spoilt(reader, tmp_path, spoil)
    last = max(run["source_offset"] for run in before["runs"])
    assert [row["reason"] for row in after["quarantine"] if row["source_offset"] == last] == ["invalid_utf8"]
    assert {run["run_key"] for run in after["runs"]} == keys_before(before, last) != set()
    assert after["counts"][0]["records"] == before["counts"][0]["records"]


@pytest.mark.parametrize("reader", ["helm", "opencompass"])
@pytest.mark.parametrize("kept", [1, 40])
def test_whole_records_before_a_cut_are_kept(reader: str, kept: int, tmp_path: Path) -> None:
    before, after = spoilt(reader, tmp_path, lambda data, last: data[: last + kept])
    last = max(run["source_offset"] for run in before["runs"])
    assert {run["run_key"] for run in after["runs"]} == keys_before(before, last) != set()
    refused = {row["source_offset"]: row for row in after["quarantine"]}
    rest = refused[max(refused)]
    assert rest["reason"] == "unreadable_file"
    assert last - 20 < rest["source_offset"] <= last
    assert "{" in rest["raw"]


def test_what_stands_before_a_cut_is_told_with_what_cuts_it() -> None:
    assert members_to_fault('{"a": 1}', "a.json") == ({"a": Member(6, "1")}, None)
    for text in ('{"a": 1, "b": [2, {', '{"a": 1, "b": {"c": [', '{"a": 1, "b"', '{"a": 1'):
        found, fault = members_to_fault(text, "a.json")
        assert found == {"a": Member(6, "1")}
        assert fault is not None
    found, fault = members_to_fault('{"a": 1, "b": [2, {', "a.json", into="b")
    seen, broken = to_fault(listed(found["b"], "a.json"))
    assert seen == [Member(15, "2")]
    assert broken is not None
    assert (broken.offset, broken.raw) == (18, "{")
