"""Identity: known answers of definitions.md section 6, and what tells two values apart."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.errors import LogError
from effspark.runs import keys


@pytest.mark.parametrize(("instance", "key"), [("0", "8334c49d950e07af"), ("1", "5106b33c21b6f5e5")])
def test_instance_keys_are_the_published_ones(instance: str, key: str) -> None:
    assert f"{keys.instance_key('gsm8k', instance):016x}" == key


def test_the_instance_key_is_the_start_of_a_sha256_with_the_unit_separator() -> None:
    whole = hashlib.sha256("proofwriter\x1fé/7".encode()).digest()
    assert keys.instance_key("proofwriter", "é/7") == int.from_bytes(whole[:8], "big")


def test_the_separator_keeps_benchmark_and_instance_apart() -> None:
    assert keys.instance_key("gsm8", "k0") != keys.instance_key("gsm8k", "0")


def test_a_lone_surrogate_has_a_key() -> None:
    assert keys.instance_key("b", "\ud800") != keys.instance_key("b", "\ud801")


def test_digests_are_pinned_so_that_keys_of_old_lakes_hold() -> None:
    assert keys.digest("run", None, 1, "é") == hashlib.sha256('["run",null,1,"é"]'.encode()).hexdigest()


@given(st.lists(st.none() | st.integers() | st.text() | st.booleans(), max_size=4), st.integers(0, 3))
def test_digests_tell_null_text_and_number_apart(parts: list[object], place: int) -> None:
    changed = list(parts)
    if place < len(parts):
        changed[place] = repr(parts[place])
    else:
        changed.append(None)
    assert keys.digest(*changed) != keys.digest(*parts)


def test_digests_ignore_the_order_of_names_in_a_map() -> None:
    assert keys.digest({"a": 1, "b": 2}) == keys.digest({"b": 2, "a": 1})


def test_a_question_is_itself_whatever_its_white_space() -> None:
    first = keys.question_hash("What is 2+2?")
    assert first == hashlib.sha256(b"What is 2+2?").hexdigest()
    assert keys.question_hash("\tWhat is\r\n2+2? ") == first
    assert keys.question_hash("what is 2+2?") != first


@pytest.mark.parametrize(
    ("value", "found"), [(7, "7"), ("7", "7"), (-1, "-1"), (0, "0"), (" a b ", " a b "), ("07", "07")]
)
def test_whole_numbers_and_texts_are_instance_ids(value: object, found: str) -> None:
    assert keys.instance_id(value) == found


@pytest.mark.parametrize(
    "value", [None, True, False, 1.5, 7.0, float("nan"), "", "  \n", [], ["7"], {"id": 7}]
)
def test_any_other_instance_id_is_refused_with_value_and_remedy(value: object) -> None:
    with pytest.raises(LogError, match="allowed: a whole number or a non-empty text; fix the log") as caught:
        keys.instance_id(value)
    assert f"found {value!r}" in str(caught.value)


def test_the_newest_log_wins_then_reader_mapping_file_and_place() -> None:
    assert keys.WINNER_ORDER == (
        "log_version", "reader_version", "mapping_version", "source_sha256", "source_offset", "source_answer",
    )  # fmt: skip


def test_a_value_nested_too_deep_has_no_digest() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(LogError, match="hundreds of brackets"):
        keys.digest("eval_run", deep)


@given(
    st.lists(st.text(st.characters(), max_size=30) | st.none() | st.floats() | st.integers() | st.booleans())
)
def test_a_digest_is_that_of_the_list_as_the_standard_library_writes_it(parts: list[Any]) -> None:
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    assert keys.digest(*parts) == hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def test_every_character_below_two_hundred_is_written_alike() -> None:
    for code in [*range(200), 0x2028, 0x2029, 0xD800, 0xDFFF, 0xFFFF, 0x1F600]:
        assert (
            keys.digest(chr(code))
            == hashlib.sha256(
                json.dumps([chr(code)], ensure_ascii=False).encode("utf-8", "surrogatepass")
            ).hexdigest()
        ), code
