"""Mappings: what a YAML file may say, all its problems at once, and its digest."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from effspark.errors import SettingsError
from effspark.readers.cells import Kind
from effspark.readers.expressions import Expression
from effspark.readers.fields import FIELDS
from effspark.readers.functions import FUNCTIONS
from effspark.readers.mappings import (
    PLACES,
    Detect,
    Mapping,
    Spec,
    VerdictSpec,
    checked_mapping,
    load_mapping,
    mapping_digest,
    missing,
)

LEAST = {"name": "own", "version": 1, "model": "m", "instance": "i"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "own.yaml"


def problems(file: Path, raw: Any) -> list[str]:
    file.write_text(raw if isinstance(raw, str) else yaml.safe_dump(raw, sort_keys=False))
    with pytest.raises(SettingsError) as caught:
        load_mapping(file)
    lines = str(caught.value).splitlines()
    assert str(file) in lines[0]
    return [line.removeprefix("  - ") for line in lines[1:]]


def test_a_bare_text_is_a_column_and_what_is_loaded_loads_again(file: Path) -> None:
    said = LEAST | {
        "benchmark": {"value": "gsm8k"}, "cost_usd": {"expr": "number(cents) / 100", "optional": True},
        "verdicts": {"judge": {"value": "ok", "kind": "fractional"}}, "axes": {"depth": "d"},
        "where": "a > 1",
        "detect": {"columns": ["m"]},
    }  # fmt: skip
    file.write_text(yaml.safe_dump(said))
    found = load_mapping(file)
    assert found == said | {
        "model": {"column": "m"}, "instance": {"column": "i"}, "axes": {"depth": {"column": "d"}},
        "file": str(file),
        "verdicts": {"judge": {"value": {"column": "ok"}, "kind": "fractional"}},
        "detect": {"columns": ["m"]},
    }  # fmt: skip
    assert checked_mapping(found, "again") == checked_mapping(said | {"file": str(file)}, "first")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": None}, "version: found None; allowed: a valid integer"),
        ({"version": "1"}, "version: found '1'; allowed: a valid integer"),
        ({"version": 1.0}, "version: found 1.0; allowed: a valid integer"),
        ({"version": True}, "version: found True; allowed: a valid integer"),
        ({"version": 0}, "version: found 0; allowed: greater than or equal to 1"),
        ({"name": ""}, "name: String should have at least 1 character"),
        ({"modle": "m"}, "modle: unknown key (near: model); allowed: benchmark, model, instance,"),
        ({"x": "m"}, "x: unknown key; allowed: benchmark, model, instance,"),
        ({"fields": {}}, "fields of a run stand at the top level, not under fields: unknown key"),
        ({"seed": {"colum": "s"}}, "seed.colum: unknown key; correct or remove it"),
        ({"seed": {}}, "seed: found none; allowed: one of column, value, expr"),
        (
            {"seed": {"column": "s", "value": 1}},
            "seed: found column and value; allowed: one of column, value, expr",
        ),
        ({"seed": 7}, "seed: found 7; allowed: a mapping of names to values"),
        ({"seed": {"expr": "open('x')"}}, "seed: unknown function open; allowed: abs,"),
        ({"seed": {"value": "x"}}, "not a integer (seed): found 'x'"),
        ({"token_source": {"value": "guess"}}, "found 'guess'; allowed: provider, server, token_ids"),
        ({"axes": {"d": {"value": "deep"}}}, "not a number (axes.d): found 'deep'"),
        ({"where": "a +"}, "where: not an expression: invalid syntax"),
        ({"where": 'set = "test"'}, "; values are compared with =="),
        ({"where": 'a == 1 and set = "test"'}, "; values are compared with =="),
        ({"where": "a >= 1 b"}, "; a column that is no plain name is written"),
        ({"where": "note == 'a = b' c"}, "; a column that is no plain name is written"),
        (
            {"verdicts": {"s": {"value": "x", "kind": "percent"}}},
            "verdicts.s.kind: found 'percent'; allowed: 'binary'",
        ),
        ({"verdicts": {"s": "x"}}, "verdicts.s: found 'x'; allowed: a mapping of names to values"),
        ({"flags": {"f": {"value": "often"}}}, "not a boolean (flags.f): found 'often'"),
        ({"each": ["a.b"]}, "each: found a.b; allowed: a plain column"),
        ({"each": ["count"]}, "each: found count; allowed: a plain column"),
        ({"each": "output"}, "each: found 'output'; allowed: a list"),
        ({"records": ""}, "records: String should have at least 1 character"),
        ({"from_path": "(?P<a>"}, "from_path: not a regular expression: missing )"),
        ({"from_path": "(?P<a>x{99999999999})"}, "from_path: not a regular expression: the repetition"),
        ({"from_path": "(" * 5000}, "from_path: not a regular expression: maximum recursion"),
        ({"from_path": "outputs/(.*)"}, "from_path: no named group; allowed: (?P<name>…) for each column"),
        ({"detect": {"columns": []}}, "detect.columns: Tuple should have at least 1 item"),
        ({"detect": None, "model": None}, "model: found None; allowed: a mapping of names to values"),
    ],
)
def test_what_a_mapping_may_not_say_is_told_by_its_key(file: Path, change: dict[str, Any], told: str) -> None:
    assert told in " | ".join(problems(file, LEAST | change))


@pytest.mark.parametrize(
    ("key", "told"),
    [("version", "version: Field required"), ("name", "name: Field required"), ("model", "model: missing"),
     ("instance", "instance: missing")],
)  # fmt: skip
def test_what_a_mapping_must_say_is_told(file: Path, key: str, told: str) -> None:
    assert told in problems(file, {name: value for name, value in LEAST.items() if name != key})[0]


def test_all_problems_are_told_at_once(file: Path) -> None:
    found = problems(file, LEAST | {"version": "x", "modle": "m", "seed": {}, "cost_usd": {"expr": "a +"}})
    assert sorted(line.split(":")[0] for line in found) == ["cost_usd", "modle", "seed", "version"]


@pytest.mark.parametrize("raw", ["- 1", "just text", ""])
def test_a_file_that_is_no_mapping_is_told(file: Path, raw: str) -> None:
    assert problems(file, raw)[0].endswith("; allowed: a mapping of names to values")


@pytest.mark.parametrize("raw", [b"a: [", b"\xff\xfe\xfd"])
def test_a_file_that_cannot_be_read_is_told(file: Path, raw: bytes) -> None:
    file.write_bytes(raw)
    with pytest.raises(SettingsError, match="a mapping cannot be read"):
        load_mapping(file)
    with pytest.raises(SettingsError, match="a mapping cannot be read"):
        load_mapping(file.with_name("absent.yaml"))


def test_the_digest_sees_what_a_mapping_says_not_where_it_lies(file: Path) -> None:
    file.write_text(yaml.safe_dump(LEAST))
    here = load_mapping(file)
    other = file.with_name("other.yaml")
    other.write_text(yaml.safe_dump(dict(reversed(LEAST.items()))))
    assert mapping_digest(here) == mapping_digest(load_mapping(other))
    assert mapping_digest(here | {"version": 2}) != mapping_digest(here)
    assert len(mapping_digest(here)) == 64


def test_a_column_is_missing_only_if_no_record_has_it() -> None:
    assert missing([{"a": 1}, {"b": {"c": 1}}, {"b": None}], ["a", "b.c", "b.d", "c"]) == ["c"]
    assert missing([{"b": {"c": 1}}], ["b.c", "b.d"]) == ["b.d"]


def test_a_mapping_knows_every_place_it_reads() -> None:
    mapping = Mapping.model_validate(
        LEAST
        | {"axes": {"x": "a"}, "tags": {"y": "b"}, "verdicts": {"s": {"value": "c", "extracted_answer": "d"}}}
    )
    assert sorted(spec.column or "" for spec in mapping.specs()) == ["a", "b", "c", "d", "i", "m"]


@pytest.mark.parametrize("odd", ["a: 2026-13-45", 'a: "\\ud800"', "a: " + "[" * 500])
def test_a_value_that_is_none_is_refused_with_the_file(odd: str, file: Path) -> None:
    file.write_text(odd)
    with pytest.raises(SettingsError, match=f"a mapping cannot be read .*{file.name}"):
        load_mapping(file)


def test_a_version_beyond_32_bits_is_refused(file: Path) -> None:
    file.write_text("{name: a, version: 3000000000, model: m, instance: i}")
    with pytest.raises(SettingsError, match="version: "):
        load_mapping(file)


def test_half_a_character_in_a_mapping_has_a_digest() -> None:
    assert mapping_digest({"name": "cut \ud83d"}) != mapping_digest({"name": "cut"})


PAGE = (Path(__file__).resolve().parents[3] / "docs" / "mappings.md").read_text("utf-8")
ROW = {"ms": "1500", "usage": {"out": 9}, "words": ["a", "b"], "a b": 7, "no": None}
"""The record of the page's examples."""


def rows(part: str) -> dict[str, list[str]]:
    """Rows of the table in a part of docs/mappings.md: its cells by the name in the first."""
    (text,) = re.findall(rf"^## {part}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    cells = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert len({row[0] for row in cells}) == len(cells)
    return {row[0].strip(" `"): [cell.strip() for cell in row[1:]] for row in cells}


def code(cell: str) -> str:
    return cell.strip().removeprefix("`").removesuffix("`")


def test_the_page_names_every_key_of_a_mapping_and_no_other() -> None:
    assert set(rows("Keys")) == set(Mapping.model_fields) - {"fields", "file"}
    assert set(rows("Where a value comes from")) == set(Spec.model_fields)
    assert set(rows("Verdicts")) == set(VerdictSpec.model_fields)
    assert set(rows("detect")) == set(Detect.model_fields)


def test_the_page_names_every_field_with_its_type_and_no_other() -> None:
    types = {
        key: target.kind.value
        if isinstance(target.kind, Kind)
        else ", ".join(one.value for one in target.kind)
        for key, target in FIELDS.items()
    }
    assert {key: cells[0] for key, cells in rows("Fields").items()} == types


def test_the_page_names_every_function_with_an_example_and_no_other() -> None:
    told = rows("Expressions")
    assert set(told) == {*FUNCTIONS, "column"}
    for name, (_, example, gives) in told.items():
        assert f"{name}(" in example
        assert Expression(code(example)).value(ROW) == ast.literal_eval(code(gives)), name


def test_the_page_names_every_place_of_each() -> None:
    (text,) = re.findall(r"^## each\n(.*?)^## ", PAGE, re.DOTALL | re.MULTILINE)
    assert set(re.findall(r"`each\.(\w+)`", text)) == {*PLACES, "output", "tokens"}


def test_the_mappings_of_the_page_can_be_used() -> None:
    whole, *parts = (
        yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    )
    checked_mapping(whole, "docs/mappings.md")
    parts += [yaml.safe_load(code(cells[1])) for cells in rows("Keys").values()]
    parts += [
        {"answer": yaml.safe_load(code(cells[1]))} for cells in rows("Where a value comes from").values()
    ]
    parts += [
        {"verdicts": {"s": {"value": "v"} | yaml.safe_load(code(c[1]))}} for c in rows("Verdicts").values()
    ]
    parts += [
        {"detect": {"columns": ["a"]} | yaml.safe_load(code(cells[1]))} for cells in rows("detect").values()
    ]
    for part in parts:
        checked_mapping(LEAST | part, "docs/mappings.md")
