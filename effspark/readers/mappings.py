"""What does a team's own log mean? Mappings: YAML files that say which column is which field of a run.

    name: my_logs            output_tokens: usage.completion_tokens          a bare text is a column
    version: 1               benchmark: {value: gsm8k}                       a constant
    model: model_name        latency_seconds: {expr: number(ms) / 1000}      an expression (expressions.py)
    instance: id             error_type: {column: error.type, optional: true}    not every file has the column

`records`, `each` and `from_path` say where rows come from (mapped_rows.py); `default_benchmark` is what the command
may name better; `flags` are quality flags and when they hold. `version` is part of the winner rule: raise it with
every change. Shipped mappings, the recipes, lie in `conf/mappings` and know their files by the columns under
`detect`, those beside them by `companions`. All of it: docs/mappings.md. Source: formats.md sections 5 and 6.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Iterable
from collections.abc import Mapping as MappingOf
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError, model_validator

from effspark.declared import fault_of, from_yaml
from effspark.errors import LogError, SettingsError, all_problems, problem
from effspark.readers import expressions
from effspark.readers.cells import Kind, Row, present, typed
from effspark.readers.fields import FIELDS, REQUIRED
from effspark.runs.record import ScoreKind

PLACES = ("place", "count")
"""Columns beside the elements of `each`: the place of a run among the runs of its record, and their number."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Spec(_Part):
    """Where one field comes from: a column, a constant or an expression."""

    column: str | None = None
    value: str | int | float | bool | None = None
    expr: str | None = None
    optional: bool = False

    @model_validator(mode="before")
    @classmethod
    def _bare_text_is_a_column(cls, raw: Any) -> Any:
        return {"column": raw} if isinstance(raw, str) else raw

    @model_validator(mode="after")
    def _is_one_of_three(self) -> Spec:
        given = [name for name in ("column", "value", "expr") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"found {' and '.join(given) or 'none'}; allowed: one of column, value, expr")
        if self.expr is not None and (found := expressions.faults(self.expr)):
            raise ValueError("; ".join(found))
        return self


class VerdictSpec(_Part):
    """One scorer: where its score comes from, the scale of it, and the answer that it judged."""

    value: Spec
    kind: ScoreKind = ScoreKind.BINARY
    extracted_answer: Spec | None = None


class Detect(_Part):
    """Columns by which a shipped mapping knows its files, and the files beside them that hold no runs."""

    columns: tuple[str, ...] = Field(min_length=1)
    companions: tuple[tuple[str, ...], ...] = ()


class Mapping(_Part):
    """A validated mapping. `fields` holds the keys of FIELDS, which stand at the top level of the file."""

    name: str = Field(min_length=1)
    version: StrictInt = Field(ge=1, le=2**31 - 1)
    fields: dict[str, Spec]
    file: str | None = None
    detect: Detect | None = None
    where: str | None = None
    records: str | None = Field(default=None, min_length=1)
    each: tuple[str, ...] = ()
    from_path: str | None = None
    default_benchmark: str | None = None
    verdicts: dict[str, VerdictSpec] = {}
    axes: dict[str, Spec] = {}
    tags: dict[str, Spec] = {}
    flags: dict[str, Spec] = {}

    @model_validator(mode="before")
    @classmethod
    def _fields_stand_at_the_top(cls, raw: Any) -> Any:
        if not isinstance(raw, MappingOf):
            return raw
        rest = {key: value for key, value in raw.items() if key not in FIELDS}
        if "fields" in rest:
            rest["fields of a run stand at the top level, not under fields"] = rest.pop("fields")
        return {**rest, "fields": {key: value for key, value in raw.items() if key in FIELDS}}

    @model_validator(mode="after")
    def _says_what_it_must(self) -> Mapping:
        found = [
            f"{key}: missing; allowed: a column, {{value: …}} or {{expr: …}}"
            for key in REQUIRED
            if key not in self.fields
        ]
        found += [f"where: {fault}" for fault in expressions.faults(self.where or "True")]
        for key, spec in self.fields.items():
            found += _misfit(spec, FIELDS[key].kind, key)
        for name, spec in self.axes.items():
            found += _misfit(spec, Kind.NUMBER, f"axes.{name}")
        for name, spec in self.flags.items():
            found += _misfit(spec, Kind.BOOLEAN, f"flags.{name}")
        found += [f"each: found {name}; allowed: a plain column" for name in self.each if not _is_plain(name)]
        found += _path_faults(self.from_path)
        if found:
            raise ValueError("; ".join(found))
        return self

    def specs(self) -> list[Spec]:
        """Where every field, axis, tag and score of the mapping comes from."""
        judged = [verdict.extracted_answer for verdict in self.verdicts.values()]
        return [
            *self.fields.values(),
            *self.axes.values(),
            *self.tags.values(),
            *self.flags.values(),
            *(verdict.value for verdict in self.verdicts.values()),
            *(spec for spec in judged if spec is not None),
        ]


def load_mapping(path: Path) -> dict[str, Any]:
    """Mapping of a YAML file, checked, as plain values: what goes into `Options.mapping`.

    Raises
    ------
    SettingsError
        All problems of the file: unknown keys, wrong types, expressions that cannot be used.

    >>> from effspark.resources import folder
    >>> load_mapping(folder("conf") / "mappings" / "lrm_token_economy.yaml")["output_tokens"]
    {'column': 'tokens_completion'}
    """
    try:
        raw = from_yaml(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        text = problem(
            "a mapping cannot be read",
            where=str(path),
            found=str(error),
            allowed="a YAML file",
            remedy="check path and file",
        )
        raise SettingsError(text) from error
    found = checked_mapping({**raw, "file": str(path)} if isinstance(raw, dict) else raw, str(path))
    plain = found.model_dump(mode="json", exclude_defaults=True)
    return {**plain.pop("fields"), **plain}


def checked_mapping(raw: Any, file: str) -> Mapping:
    """A mapping given as plain values, checked; `file` is named in messages.

    Raises
    ------
    SettingsError
        All its problems.
    """
    try:
        return Mapping.model_validate(raw)
    except ValidationError as error:
        found = [_told(fault) for fault in error.errors()]
        raise SettingsError(all_problems(f"{file}: the mapping cannot be used", found)) from error


def mapping_digest(mapping: MappingOf[str, Any] | None) -> str:
    """Hash of what a mapping says, whatever the order and the place of the file; empty without a mapping.

    >>> a = {"name": "a", "version": 1, "model": "m"}
    >>> mapping_digest(a) == mapping_digest({"file": "a.yaml", "model": "m", "version": 1, "name": "a"})
    True
    >>> mapping_digest(None)
    ''
    """
    if mapping is None:
        return ""
    said = {key: value for key, value in mapping.items() if key != "file"}
    text = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def missing(rows: Iterable[Row], paths: Iterable[str]) -> list[str]:
    """Columns that none of the records has.

    >>> missing([{"a": 1}, {"b": {"c": None}}], ["a", "b.c", "b.d"])
    ['b.d']
    """
    seen = list(rows)
    return [path for path in paths if not any(present(row, path) for row in seen)]


def _is_plain(name: str) -> bool:
    return name not in PLACES and "." not in name


def _path_faults(pattern: str | None) -> list[str]:
    try:
        named = re.compile(pattern or "(?P<a>)").groupindex
    except (re.error, OverflowError, RecursionError) as error:
        return [f"from_path: not a regular expression: {error}"]
    return [] if named else ["from_path: no named group; allowed: (?P<name>…) for each column"]


def _misfit(spec: Spec, kind: Kind | type[Enum], where: str) -> list[str]:
    """What is wrong with a constant, if the field takes one."""
    if spec.value is None:
        return []
    try:
        typed(spec.value, kind, where=where, cells=False)
    except LogError as error:
        return [str(error)]
    return []


def _told(fault: Any) -> str:
    place = ".".join(str(part) for part in fault["loc"] if part != "fields")
    if fault["type"] == "extra_forbidden":
        if len(fault["loc"]) > 1:
            return f"{place}: unknown key; correct or remove it"
        allowed = [*FIELDS, *(name for name in Mapping.model_fields if name not in ("fields", "file"))]
        near = "".join(f" (near: {name})" for name in difflib.get_close_matches(place, allowed, n=1))
        return f"{place}: unknown key{near}; allowed: {', '.join(allowed)}; correct or remove it"
    if fault["type"] == "value_error":
        return f"{place}: {fault['ctx']['error']}".removeprefix(": ")
    return f"{place}: {fault_of(fault)}".removeprefix(": ")
